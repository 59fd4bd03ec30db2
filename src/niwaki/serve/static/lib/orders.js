// Draws word orders: the source above, the target below, a line from each word to itself.
import { runsRightToLeft } from "./bidi.js";
import { fontOf, h, replace, s, textWidth } from "./dom.js";

const GAP = 15;
const SPAN = 74;
// Beyond this a line of words would have to be scrolled: columns take over.
const LONGEST = 1100;
const LINE = 21;
const ACROSS = 170;
const NARROW = 40;
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
   A sentence that is too long for the place is set in columns, with the lines running across, below
   its orders as text with numbers. It draws itself again when its place changes its width. */
export function orderPicture(tokens, rows, options = {}) {
  const place = h("div", { class: "order" });
  let width = 0;
  const draw = () => {
    const laid = layout(tokens, rows, Math.min(width || LONGEST, LONGEST));
    place.classList.toggle("tall", Boolean(laid.tall));
    replace(place, laid.tall ? flow(tokens, rows, options) : null, drawOrders(tokens, rows, laid, options));
  };
  new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (!now || Math.abs(now - width) <= 4) return;
    width = now;
    draw();
  }).observe(place);
  draw();
  return place;
}

function layout(tokens, rows, limit) {
  const font = fontOf(16, "--serif");
  const small = fontOf(11, "--sans", 500);
  const left = 8 + Math.max(...rows.map((row) => textWidth(row.name, small))) + 18;
  const laid = rows.map((row) => centres(tokens, row.order, left, font));
  const width = Math.max(...laid.map((each) => each.end)) + 8;
  return width > limit ? inColumns(tokens, rows, font, limit) : inRows(rows, laid, width, runsRightToLeft(tokens));
}

// The orders as lines of text that wrap; each word has its number in the first one.
const flow = (tokens, rows, options) => h(
  "div",
  { class: "flow" },
  rows.map((row, at) => h("p", { dir: "auto", "data-row": row.name }, h("span", { class: "side" }, row.name), row.order.map((position) => [
    " ",
    h("bdi", { class: `token ${options.pale?.has(position) ? "pale" : ""} ${at && options.colour?.(position, at - 1) ? "moved" : ""}`, "data-position": position, vars: at ? { "--rule": options.colour?.(position, at - 1) ?? "" } : {} }, h("sup", {}, String(position + 1)), tokens[position]),
  ]))),
);

function drawOrders(tokens, rows, place, options) {
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
      if (place.number) parts.push(s("text", { class: "side number", ...place.number(at, position) }, String(position + 1)));
      parts.push(s("text", { class: `token ${options.pale?.has(position) ? "pale" : ""}`, "data-position": position, ...place.word(at, position) }, tokens[position]));
    }
  });
  (options.chunks ?? []).forEach((run, number) => {
    // A run may have words without a link between its members; they are passed over.
    for (const position of run) parts.push(s("path", { class: `chunk ${number % 2 ? "odd" : ""}`, d: place.underline(position) }));
  });
  return s("svg", { width: place.width, height: place.height, viewBox: `0 0 ${place.width} ${place.height}`, role: "img", "aria-label": rows.map((row) => `${row.name}: ${row.order.map((each) => tokens[each]).join(" ")}`).join("; ") }, parts);
}

// Words that are read from right to left stand so.
function inRows(rows, laid, width, mirrored) {
  const yOf = (row) => 20 + row * SPAN;
  const xOf = (x) => (mirrored ? width - x : x);
  const at = (row, position) => xOf(laid[row].found.get(position).x);
  return {
    width,
    height: yOf(rows.length - 1) + 14,
    title: (row) => ({ x: xOf(8), y: yOf(row), "text-anchor": mirrored ? "end" : "start" }),
    word: (row, position) => ({ x: at(row, position), y: yOf(row), "text-anchor": "middle" }),
    line: (row, position) => {
      const [from, till] = [at(row, position), at(row + 1, position)];
      const [top, low] = [yOf(row) + 8, yOf(row + 1) - 17];
      const middle = (top + low) / 2;
      return `M${from} ${top}C${from} ${middle} ${till} ${middle} ${till} ${low}`;
    },
    underline: (position) => {
      const { width: size } = laid[1].found.get(position);
      return `M${at(1, position) - size / 2 - 2} ${yOf(1) + 6}h${size + 4}`;
    },
  };
}

// The first column ends where its lines begin; the others begin where they end. Each word has its
// number in the first one before it.
function inColumns(tokens, rows, font, limit) {
  const size = tokens.map((each) => textWidth(each, font));
  const widest = Math.max(...size);
  const digits = textWidth(String(tokens.length), fontOf(11, "--sans", 500)) + 8;
  const column = digits + widest;
  const gaps = rows.length - 1;
  const across = Math.max(NARROW, Math.min(ACROSS, (limit - 16 - rows.length * column) / gaps));
  const begin = (row) => 8 + row * (column + across);
  const xOf = (row) => begin(row) + (row ? digits : column);
  const at = rows.map((row) => new Map(row.order.map((position, place) => [position, 40 + place * LINE])));
  return {
    tall: true,
    width: begin(gaps) + column + 8,
    height: 40 + tokens.length * LINE,
    title: (row) => ({ x: xOf(row), y: 16, "text-anchor": row ? "start" : "end" }),
    number: (row, position) => ({ x: begin(row) + digits - 8, y: at[row].get(position), "text-anchor": "end" }),
    word: (row, position) => ({ x: xOf(row), y: at[row].get(position), "text-anchor": row ? "start" : "end" }),
    line: (row, position) => {
      const from = xOf(row) + (row ? size[position] : 0) + 6;
      const till = begin(row + 1) - 2;
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
