// Draws a dependency tree as arcs over words. Long sentences are wrapped: an arc that goes on
// in the next line leaves at the edge and comes in again there, at a height of its own.
import { runsRightToLeft } from "./bidi.js";
import { fontOf, h, percent, replace, s, textWidth } from "./dom.js";
import { drawSpans, extent } from "./spans.js";

const LEVEL = 25;
const GAP = 19;
const FOOT = 6;
const SIDE = 14;
// Below so much, the probability of the head is also written beside the label.
const LOW = 0.75;

// 0 for a sure thing, 1 for a doubtful one.
const doubt = (probability) => (probability === undefined ? 0 : Math.max(0, Math.min(1, (0.95 - probability) / 0.7)));

// The one notion of a figure here: how probable it is that the answer is right. Undefined where
// that is not known.
export const known = (sentence, kind, at) => sentence.probabilities?.[kind]?.[at] ?? undefined;

/* sentence: {tokens, upos, heads, deprels, probabilities?: {tag, arc, label}, multiword_tokens?}
   options: width, wrap, marks(word) -> class, onpick(word), picked, aim, known(word),
   spans: see spans.js, paths: Map of the words whose arcs are on a path to the colour of it */
export function drawTree(sentence, options = {}) {
  const fonts = { word: fontOf(17, "--serif"), tag: fontOf(10.5, "--sans", 500), label: fontOf(11, "--sans", 500), span: fontOf(11, "--sans", 600) };
  const arcs = sentence.heads
    .map((head, at) => ({ head, dep: at + 1, label: sentence.deprels[at], p: known(sentence, "arc", at), lp: known(sentence, "label", at) }))
    .filter((arc) => arc.head > 0);
  for (const arc of arcs) {
    arc.text = labelText(arc);
    [arc.left, arc.right] = arc.head < arc.dep ? [arc.head, arc.dep] : [arc.dep, arc.head];
  }
  const rows = breakRows(sentence, arcs, fonts, options.wrap === false ? Infinity : options.width ?? 900);
  const parts = [];
  let top = 0;
  let widest = 0;
  for (const row of rows) {
    const drawn = drawRow(sentence, arcs, row, top, fonts, options);
    parts.push(...drawn.parts);
    top = drawn.bottom;
    widest = Math.max(widest, row.width);
  }
  const svg = s("svg", { width: Math.ceil(widest), height: Math.ceil(top), viewBox: `0 0 ${Math.ceil(widest)} ${Math.ceil(top)}`, role: "img", "aria-label": sentence.tokens.join(" ") }, parts);
  return svg;
}

const labelText = ({ label, p }) => (p !== undefined && p < LOW ? `${label} ${percent(p)}` : label);

const sayProbable = (p, what) => (p === undefined ? null : `${percent(p)} that ${what} is right`);
const joined = (...parts) => parts.filter((each) => each && each !== "_").join(" · ");

function breakRows(sentence, arcs, fonts, limit) {
  const need = new Map();
  for (const arc of arcs) if (arc.right === arc.left + 1) need.set(arc.left, textWidth(arc.text, fonts.label) + 26 + 3 * FOOT);
  const rows = [];
  let row = null;
  sentence.tokens.forEach((form, at) => {
    const word = at + 1;
    const width = Math.max(textWidth(form, fonts.word), textWidth(sentence.upos?.[at] ?? "", fonts.tag), 10);
    let centre = row ? row.edge + width / 2 : SIDE + width / 2;
    if (row && row.words.length) centre = Math.max(centre, row.centres.get(word - 1) + (need.get(word - 1) ?? 0));
    if (row && row.words.length && centre + width / 2 + SIDE > limit) row = null;
    if (!row) {
      row = { words: [], centres: new Map(), widths: new Map(), edge: SIDE, width: 0 };
      rows.push(row);
      centre = SIDE + width / 2;
    }
    row.words.push(word);
    row.centres.set(word, centre);
    row.widths.set(word, width);
    row.edge = centre + width / 2 + GAP;
    row.width = Math.max(40, row.edge - GAP + SIDE);
  });
  for (const each of rows) if (rows.length > 1 && Number.isFinite(limit)) each.width = Math.max(each.width, Math.min(limit, Math.max(...rows.map((one) => one.width))));
  // Words that are read from right to left stand so: places are counted from the right edge.
  const mirrored = runsRightToLeft(sentence.tokens);
  for (const each of rows) {
    each.mirrored = mirrored;
    if (mirrored) for (const [word, centre] of each.centres) each.centres.set(word, each.width - centre);
  }
  return rows;
}

// The parts of arcs in a row, each on the lowest level where it meets no other.
function placed(arcs, row) {
  const first = row.words[0];
  const last = row.words.at(-1);
  const pieces = arcs
    .filter((arc) => arc.right >= first && arc.left <= last)
    .map((arc) => ({ arc, left: Math.max(arc.left, first - 0.5), right: Math.min(arc.right, last + 0.5) }))
    .filter((piece) => piece.left < piece.right);
  pieces.sort((a, b) => a.right - a.left - (b.right - b.left) || a.left - b.left);
  const levels = [];
  for (const piece of pieces) {
    let lowest = -1;
    levels.forEach((level, at) => {
      if (level.some((other) => meet(piece, other))) lowest = at;
    });
    piece.level = lowest + 2;
    if (lowest + 1 === levels.length) levels.push([]);
    levels[lowest + 1].push(piece);
  }
  return { pieces, levels: levels.length };
}

function meet(one, other) {
  if (one.right < other.left || other.right < one.left) return false;
  if (one.right === other.left || other.right === one.left) return one.arc.head !== other.arc.head;
  return true;
}

function feet(pieces) {
  const found = new Map();
  for (const side of [-1, 1]) {
    const byHead = new Map();
    for (const piece of pieces) {
      if ((piece.arc.dep - piece.arc.head) * side > 0) {
        if (!byHead.has(piece.arc.head)) byHead.set(piece.arc.head, []);
        byHead.get(piece.arc.head).push(piece);
      }
    }
    for (const list of byHead.values()) {
      list.sort((a, b) => b.level - a.level);
      list.forEach((piece, place) => found.set(piece, side * FOOT * Math.min(place + 1, 4)));
    }
  }
  return found;
}

function drawRow(sentence, arcs, row, top, fonts, options) {
  const { pieces, levels } = placed(arcs, row);
  const base = top + 18 + LEVEL * (levels + 0.45);
  const offsets = feet(pieces);
  const hasRange = (sentence.multiword_tokens ?? []).some(({ first, last }) => row.words.some((word) => word >= first && word <= last));
  const bottom = base + (hasRange ? 66 : 48);
  const spans = drawSpans(options.spans ?? [], row, base, bottom, fonts.span);
  const parts = [...spans.parts];
  row.words.forEach((word) => parts.push(drawWord(sentence, word, row, base, options)));
  for (const { first, last, form } of sentence.multiword_tokens ?? []) {
    const inside = row.words.filter((word) => word >= first && word <= last);
    if (!inside.length) continue;
    const [from, till] = extent(inside, row);
    parts.push(s("path", { class: "range", d: `M${from} ${base + 41}v4H${till}v-4` }), s("text", { class: "range-text", x: (from + till) / 2, y: base + 57, "text-anchor": "middle" }, form));
  }
  pieces.sort((a, b) => b.level - a.level);
  for (const piece of pieces) parts.push(drawPiece(piece, row, base, offsets.get(piece), fonts, options));
  for (const word of row.words) if (sentence.heads[word - 1] === 0) parts.push(drawRoot(sentence, word, row, top, base, options));
  return { parts, bottom: bottom + spans.height };
}

function drawWord(sentence, word, row, base, options) {
  const x = row.centres.get(word);
  const width = row.widths.get(word);
  const p = known(sentence, "tag", word - 1);
  const tag = sentence.upos?.[word - 1] ?? "";
  const title = joined(sentence.tokens[word - 1], sentence.lemmas?.[word - 1], sentence.xpos?.[word - 1], sentence.feats?.[word - 1], sayProbable(p, `the tag ${tag}`));
  const classes = ["token", options.picked === word && "picked", options.aim === word && "aim", options.wordMark?.(word)].filter(Boolean).join(" ");
  return s(
    "g",
    { class: classes, "data-word": word, onclick: () => options.onpick?.(word) },
    s("title", {}, title),
    s("rect", { class: "box", x: x - width / 2 - 6, y: base + 3, width: width + 12, height: 38 }),
    s("text", { class: "word", x, y: base + 20, "text-anchor": "middle" }, sentence.tokens[word - 1]),
    tag && tag !== "_" ? s("text", { class: "tag", x, y: base + 35, "text-anchor": "middle", vars: { "--q": doubt(p) } }, tag) : null,
  );
}

function groupOf(arc, options, children) {
  const marks = options.marks?.(arc.dep) ?? "";
  const path = options.paths?.get(arc.dep);
  const classes = ["arc", marks, path && "path", options.picked === arc.dep && "picked", options.known?.(arc.dep) && "known"].filter(Boolean).join(" ");
  return s(
    "g",
    { class: classes, "data-arc": arc.dep, "data-head": arc.head, "data-label": arc.label, vars: { "--q": doubt(arc.p), ...(path ? { "--path": path } : {}) }, onclick: () => options.onpick?.(arc.dep) },
    children,
  );
}

function drawPiece(piece, row, base, foot, fonts, options) {
  const { arc } = piece;
  const y = base - LEVEL * piece.level + 6;
  const at = (word) => row.centres.get(word);
  const way = row.mirrored ? -1 : 1;
  // The ends as they stand on the screen; one that is no word goes on in another line.
  const [left, right] = row.mirrored ? [piece.right, piece.left] : [piece.left, piece.right];
  const openLeft = !Number.isInteger(left);
  const openRight = !Number.isInteger(right);
  const xOf = (word) => at(word) + (word === arc.head ? way * foot : 0);
  const from = openLeft ? 2 : xOf(left);
  const till = openRight ? row.width - 2 : xOf(right);
  const rise = (x, turn) => `M${x} ${base - 1}V${y + 8}Q${x} ${y} ${x + turn} ${y}`;
  let path;
  if (openLeft && openRight) path = `M${from} ${y}H${till}`;
  else if (openLeft) path = `M${from} ${y}H${till - 8}Q${till} ${y} ${till} ${y + 8}V${base - 1}`;
  else if (openRight) path = `${rise(from, 8)}H${till}`;
  else path = `${rise(from, 8)}H${till - 8}Q${till} ${y} ${till} ${y + 8}V${base - 1}`;
  const arrives = arc.dep === left || arc.dep === right;
  return groupOf(arc, options, [
    s("title", {}, joined(arc.label, sayProbable(arc.p, "the head"), sayProbable(arc.lp, "the label"))),
    s("path", { class: "hit", d: path }),
    s("path", { class: "line", d: path }),
    arrives ? s("path", { class: "tip", d: `M${at(arc.dep)} ${base + 3}l-3.600 -7.500h7.200z` }) : null,
    s("text", { class: "label", x: (from + till) / 2, y: y + 4, "text-anchor": "middle", vars: { "--q": doubt(arc.p === undefined ? undefined : Math.min(arc.p, arc.lp ?? 1)) } }, arc.text),
  ]);
}

function drawRoot(sentence, word, row, top, base, options) {
  const x = row.centres.get(word);
  const p = known(sentence, "arc", word - 1);
  const arc = { head: 0, dep: word, label: sentence.deprels[word - 1], p };
  return groupOf(arc, options, [
    s("title", {}, joined("the root", sayProbable(p, "this"))),
    s("path", { class: "hit", d: `M${x} ${top + 18}V${base}` }),
    s("path", { class: "line root-line", d: `M${x} ${top + 19}V${base - 3}` }),
    s("path", { class: "tip", d: `M${x} ${base + 3}l-3.600 -7.500h7.200z` }),
    s("text", { class: "label root-mark", x, y: top + 14, "text-anchor": "middle" }, labelText(arc)),
  ]);
}

// A tree that draws itself again when its place changes its width.
export function treeView(sentence, options = {}) {
  const place = h("div", { class: "tree", tabindex: options.onpick || options.wrap === false ? "0" : null });
  let width = 0;
  const draw = () => {
    // A tree that is not on the page yet has no width; a usual one will do until it has.
    replace(place, drawTree(sentence, { ...options, width: width || 900 }));
  };
  const observer = new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now && Math.abs(now - width) > 4) {
      width = now;
      draw();
    }
  });
  observer.observe(place);
  draw();
  place.redraw = (more) => {
    options = { ...options, ...more };
    draw();
  };
  return place;
}

// The words whose head or label differs between two trees.
export const differences = (one, other) => one.heads.flatMap((head, at) => (head !== other.heads[at] || one.deprels[at] !== other.deprels[at] ? [at + 1] : []));
