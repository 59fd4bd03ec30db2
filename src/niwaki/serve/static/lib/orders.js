// Draws word orders: the source above, the target below, a line from each word to itself.
import { fontOf, h, s, textWidth } from "./dom.js";

const GAP = 15;
const SPAN = 74;
const COLOURS = ["#2f7d56", "#b45309", "#3b63b8", "#9d3a8c", "#0f7f8c", "#8a6d1b", "#c0392b", "#5b5bd6", "#5f7a1f", "#7a4f2b"];

export const colourOf = (rules, name) => COLOURS[Math.max(0, rules.indexOf(name)) % COLOURS.length];

// Which rule moved each word (counted from 1): the nearest one that changed its place among
// its own children, or its place or that of a word above it beside a head.
export function attribution(sentence) {
  const rank = new Map();
  for (const move of sentence.moves) {
    if (!move.moved) continue;
    const after = move.after.map((place) => place.word);
    move.before.forEach((word, at) => {
      if (after[at] !== word) rank.set(`${move.head}:${word}`, move.rule);
    });
  }
  return sentence.tokens.map((_, at) => {
    let word = at + 1;
    const own = rank.get(`${word}:${word}`);
    if (own) return own;
    for (let steps = 0; word > 0 && steps <= sentence.tokens.length; steps += 1) {
      const head = sentence.heads[word - 1];
      const rule = rank.get(`${head}:${word}`);
      if (rule) return rule;
      word = head;
    }
    return null;
  });
}

function centres(tokens, order, left, font) {
  const found = new Map();
  let x = left;
  for (const position of order) {
    const width = textWidth(tokens[position], font);
    found.set(position, { x: x + width / 2, width });
    x += width + GAP;
  }
  return { found, end: x };
}

/* rows: [{name, order}], two or three; colour(position, gap) -> css colour or null; pale: Set; chunks: runs of the second row */
export function orderPicture(tokens, rows, options = {}) {
  const font = fontOf(16, "--serif");
  const small = fontOf(11, "--sans", 500);
  const left = 8 + Math.max(...rows.map((row) => textWidth(row.name, small))) + 18;
  const laid = rows.map((row) => centres(tokens, row.order, left, font));
  const parts = [];
  const yOf = (row) => 20 + row * SPAN;
  for (let row = 0; row + 1 < rows.length; row += 1) {
    const list = rows[row].order.map((position) => ({ position, colour: options.colour?.(position, row) }));
    list.sort((a, b) => Boolean(a.colour) - Boolean(b.colour));
    for (const { position, colour } of list) {
      const from = laid[row].found.get(position).x;
      const till = laid[row + 1].found.get(position).x;
      const top = yOf(row) + 8;
      const low = yOf(row + 1) - 17;
      const middle = (top + low) / 2;
      parts.push(s("path", {
        class: `link ${colour ? "moved" : ""}`,
        "data-position": position,
        "data-rule": options.rule?.(position, row),
        vars: colour ? { "--rule": colour } : {},
        d: `M${from} ${top}C${from} ${middle} ${till} ${middle} ${till} ${low}`,
      }));
    }
  }
  rows.forEach((row, at) => {
    parts.push(s("text", { class: "side", x: 8, y: yOf(at) }, row.name));
    for (const position of row.order) {
      parts.push(s("text", { class: `token ${options.pale?.has(position) ? "pale" : ""}`, "data-position": position, x: laid[at].found.get(position).x, y: yOf(at), "text-anchor": "middle" }, tokens[position]));
    }
  });
  (options.chunks ?? []).forEach((run, number) => {
    // A run may have words without a link between its members; they are passed over.
    for (const position of run) {
      const { x, width } = laid[1].found.get(position);
      parts.push(s("path", { class: `chunk ${number % 2 ? "odd" : ""}`, d: `M${x - width / 2 - 2} ${yOf(1) + 6}H${x + width / 2 + 2}` }));
    }
  });
  const width = Math.max(...laid.map((each) => each.end)) + 8;
  const height = yOf(rows.length - 1) + 14;
  const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": rows.map((row) => `${row.name}: ${row.order.map((each) => tokens[each]).join(" ")}`).join("; ") }, parts);
  return h("div", { class: "order" }, svg);
}

// Lights up the words of a picture for which a test holds; all of them again without one.
export function light(picture, test) {
  picture.classList.toggle("dim", Boolean(test));
  for (const element of picture.querySelectorAll("[data-position]")) element.classList.toggle("lit", Boolean(test?.(Number(element.dataset.position))));
}

export const sourceOrder = (tokens) => tokens.map((_, at) => at);
