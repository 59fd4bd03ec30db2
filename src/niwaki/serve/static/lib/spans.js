// Draws spans under the words of a row of a tree: a wash behind the words, a bar and a label below.
import { s, textWidth } from "./dom.js";

const LANE = 19;
const EDGE = 5;

// Words (from 1, in order) as runs of those that stand side by side.
const runsOf = (words) => words.reduce((runs, word) => {
  if (runs.at(-1)?.at(-1) === word - 1) runs.at(-1).push(word);
  else runs.push([word]);
  return runs;
}, []);

// Where some words of a row begin and end on the screen.
export function extent(words, row) {
  const ends = [words[0], words.at(-1)].flatMap((word) => [-1, 1].map((side) => row.centres.get(word) + (side * row.widths.get(word)) / 2));
  return [Math.min(...ends), Math.max(...ends)];
}

/* spans: [{words, label, colour, own}]; `own` words are those that the others belong to.
   What would lie upon another one goes a lane further down. */
export function drawSpans(spans, row, base, top, font) {
  const inside = new Set(row.words);
  const pieces = spans.flatMap((span) => runsOf(span.words.filter((word) => inside.has(word))).map((run) => placed(span, run, row, font)));
  pieces.sort((a, b) => a.left - b.left);
  const ends = [];
  const parts = pieces.map((piece) => {
    const free = ends.findIndex((end) => end < piece.left);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = piece.right + EDGE;
    return drawn(piece, base, top + lane * LANE);
  });
  return { parts, height: ends.length * LANE };
}

function placed(span, run, row, font) {
  const [first, last] = extent(run, row);
  const [from, till] = [first - EDGE, last + EDGE];
  const half = textWidth(span.label, font) / 2 + 2;
  const middle = Math.max(half, Math.min(row.width - half, (from + till) / 2));
  return { ...span, run, from, till, middle, left: Math.min(from, middle - half), right: Math.max(till, middle + half) };
}

const drawn = ({ run, label, colour, own, from, till, middle }, base, y) => s(
  "g",
  { class: `span ${own ? "own" : ""}`, "data-span": label, "data-words": run.join(" "), vars: { "--span": colour } },
  s("rect", { class: "wash", x: from, y: base + 3, width: till - from, height: 38 }),
  s("path", { class: "bar-line", d: `M${from} ${y}H${till}` }),
  s("text", { class: "span-label", x: middle, y: y + 12, "text-anchor": "middle" }, label),
);
