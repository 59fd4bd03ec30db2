// Draws word orders: the source above, the target below, a line from each word to itself.
import { fontOf, h, s, textWidth } from "./dom.js";

const GAP = 15;
const SPAN = 74;
// Beyond this a line of words would have to be scrolled: columns take over.
const LONGEST = 1100;
const LINE = 21;
const ACROSS = 170;
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

/* rows: [{name, order}], two or three; colour(position, gap) -> css colour or null; pale: Set; chunks: runs of the second row.
   A sentence that is too long for a line is set in columns, with the lines running across. */
export function orderPicture(tokens, rows, options = {}) {
  const font = fontOf(16, "--serif");
  const small = fontOf(11, "--sans", 500);
  const left = 8 + Math.max(...rows.map((row) => textWidth(row.name, small))) + 18;
  const laid = rows.map((row) => centres(tokens, row.order, left, font));
  const width = Math.max(...laid.map((each) => each.end)) + 8;
  const place = width > LONGEST ? inColumns(tokens, rows, font) : inRows(rows, laid, width);
  const parts = [];
  for (let row = 0; row + 1 < rows.length; row += 1) {
    const list = rows[row].order.map((position) => ({ position, colour: options.colour?.(position, row) }));
    list.sort((a, b) => Boolean(a.colour) - Boolean(b.colour));
    for (const { position, colour } of list) {
      parts.push(s("path", {
        class: `link ${colour ? "moved" : ""}`,
        "data-position": position,
        "data-rule": options.rule?.(position, row),
        vars: colour ? { "--rule": colour } : {},
        d: place.line(row, position),
      }));
    }
  }
  rows.forEach((row, at) => {
    parts.push(s("text", { class: "side", ...place.title(at) }, row.name));
    for (const position of row.order) {
      parts.push(s("text", { class: `token ${options.pale?.has(position) ? "pale" : ""}`, "data-position": position, ...place.word(at, position) }, tokens[position]));
    }
  });
  (options.chunks ?? []).forEach((run, number) => {
    // A run may have words without a link between its members; they are passed over.
    for (const position of run) parts.push(s("path", { class: `chunk ${number % 2 ? "odd" : ""}`, d: place.underline(position) }));
  });
  const svg = s("svg", { width: place.width, height: place.height, viewBox: `0 0 ${place.width} ${place.height}`, role: "img", "aria-label": rows.map((row) => `${row.name}: ${row.order.map((each) => tokens[each]).join(" ")}`).join("; ") }, parts);
  return h("div", { class: `order ${place.tall ? "tall" : ""}` }, svg);
}

function inRows(rows, laid, width) {
  const yOf = (row) => 20 + row * SPAN;
  return {
    width,
    height: yOf(rows.length - 1) + 14,
    title: (row) => ({ x: 8, y: yOf(row) }),
    word: (row, position) => ({ x: laid[row].found.get(position).x, y: yOf(row), "text-anchor": "middle" }),
    line: (row, position) => {
      const [from, till] = [row, row + 1].map((each) => laid[each].found.get(position).x);
      const [top, low] = [yOf(row) + 8, yOf(row + 1) - 17];
      const middle = (top + low) / 2;
      return `M${from} ${top}C${from} ${middle} ${till} ${middle} ${till} ${low}`;
    },
    underline: (position) => {
      const { x, width: size } = laid[1].found.get(position);
      return `M${x - size / 2 - 2} ${yOf(1) + 6}H${x + size / 2 + 2}`;
    },
  };
}

// The first column ends where its lines begin; the others begin where they end.
function inColumns(tokens, rows, font) {
  const size = tokens.map((each) => textWidth(each, font));
  const widest = Math.max(...size);
  const xOf = (row) => 8 + widest + row * (widest + ACROSS) - (row ? widest : 0);
  const at = rows.map((row) => new Map(row.order.map((position, place) => [position, 40 + place * LINE])));
  return {
    tall: true,
    width: xOf(rows.length - 1) + widest + 8,
    height: 40 + tokens.length * LINE,
    title: (row) => ({ x: xOf(row), y: 16, "text-anchor": row ? "start" : "end" }),
    word: (row, position) => ({ x: xOf(row), y: at[row].get(position), "text-anchor": row ? "start" : "end" }),
    line: (row, position) => {
      const from = (row ? xOf(row) + size[position] : xOf(0)) + 6;
      const till = xOf(row + 1) - 6;
      const [top, low] = [at[row].get(position) - 5, at[row + 1].get(position) - 5];
      const middle = (from + till) / 2;
      return `M${from} ${top}C${middle} ${top} ${middle} ${low} ${till} ${low}`;
    },
    underline: (position) => `M${xOf(1) - 1} ${at[1].get(position) + 4}h${size[position] + 2}`,
  };
}

// Lights up the words of a picture for which a test holds; all of them again without one.
export function light(picture, test) {
  picture.classList.toggle("dim", Boolean(test));
  for (const element of picture.querySelectorAll("[data-position]")) element.classList.toggle("lit", Boolean(test?.(Number(element.dataset.position))));
}

export const sourceOrder = (tokens) => tokens.map((_, at) => at);
