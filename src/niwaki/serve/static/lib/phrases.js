// Draws a translation: the source, the order that its words are given, and the phrases of that order
// with those of the translation. Words are joined by lines, phrases by ribbons of their colour.
import { runsRightToLeft } from "./bidi.js";
import { fontOf, h, replace, s, textWidth } from "./dom.js";

const GAP = 14;
const EDGE = 6;
const SPAN = 78;
const BOX = 26;
// Beyond this a line of words would have to be scrolled: columns take over.
const LONGEST = 1100;
const LINE = 30;
const ACROSS = 120;
const NARROW = 20;

export const colourOf = (phrase) => `var(--role-${phrase % 8})`;

/* What is drawn, from the first row to the last: {name, words, phraseOf}. `phraseOf` gives the phrase of
   each word, or null for a row without phrases; `order` is that of the second row's words in the first. */
export function rowsOf(sentence, translation) {
  const { tokens, order } = sentence;
  const [places, target] = [new Array(order.length), new Array(translation.tokens.length)];
  translation.phrases.forEach(([begin, end, first, last], phrase) => {
    places.fill(phrase, begin, end);
    target.fill(phrase, first, last);
  });
  const ordered = { name: "order", words: order.map((each) => tokens[each]), phraseOf: places };
  const rows = [ordered, { name: "translation", words: translation.tokens, phraseOf: target }];
  if (!sentence.ordered) return [{ ...ordered, name: "source" }, rows[1]];
  return [{ name: "source", words: tokens, phraseOf: null }, ...rows];
}

/* options: rule(position) -> colour of what moved a word, or null; copied: Set of places.
   It draws itself again when its place changes its width. */
export function phrasePicture(sentence, translation, options = {}) {
  const rows = rowsOf(sentence, translation);
  const place = h("div", { class: "phrases" });
  let width = 0;
  const draw = () => {
    const limit = Math.min(width || LONGEST, LONGEST);
    const wide = inRows(rows);
    replace(place, drawn(sentence, rows, wide.width > limit ? inColumns(rows, limit) : wide, options));
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

// Runs of words that one box frames: those of a phrase, or one word where there are no phrases.
function boxesOf(row) {
  const found = [];
  row.words.forEach((_, at) => {
    const phrase = row.phraseOf?.[at];
    const last = found.at(-1);
    if (row.phraseOf && last?.phrase === phrase) last.end = at + 1;
    else found.push({ phrase, begin: at, end: at + 1 });
  });
  return found;
}

// Each row runs as its own words do.
function inRows(rows) {
  const font = fontOf(16, "--serif");
  const left = 8 + Math.max(...rows.map((row) => textWidth(row.name, fontOf(11, "--sans", 500)))) + 20;
  const laid = rows.map((row) => {
    let x = left;
    return boxesOf(row).flatMap((box, number) => {
      if (number) x += row.phraseOf ? 2 * EDGE : 0;
      return row.words.slice(box.begin, box.end).map((word) => {
        const size = textWidth(word, font);
        x += size + GAP;
        return { x: x - GAP - size / 2, size };
      });
    });
  });
  const width = Math.max(...laid.map((row) => (row.length ? row.at(-1).x + row.at(-1).size / 2 : left))) + 16;
  rows.forEach((row, at) => {
    if (runsRightToLeft(row.words)) for (const each of laid[at]) each.x = left + width - each.x - 8;
  });
  const yOf = (row) => 24 + row * SPAN;
  const bend = (from, till, top, low) => `M${from} ${top}C${from} ${(top + low) / 2} ${till} ${(top + low) / 2} ${till} ${low}`;
  return {
    width,
    height: yOf(rows.length - 1) + 20,
    title: (row) => ({ x: 8, y: yOf(row) }),
    word: (row, at) => ({ x: laid[row][at].x, y: yOf(row), "text-anchor": "middle" }),
    box: (row, { begin, end }) => {
      const ends = [laid[row][begin], laid[row][end - 1]].flatMap((each) => [each.x - each.size / 2, each.x + each.size / 2]);
      const [from, till] = [Math.min(...ends) - EDGE, Math.max(...ends) + EDGE];
      return { x: from, y: yOf(row) - 19, width: till - from, height: BOX };
    },
    line: (row, at, below) => bend(laid[row][at].x, laid[row + 1][below].x, yOf(row) + 8, yOf(row + 1) - 20),
    ribbon: (from, till) => bend(from.x + from.width / 2, till.x + till.width / 2, from.y + from.height, till.y),
  };
}

// A word a line, and the rows side by side: for long sentences and narrow screens.
function inColumns(rows, limit) {
  const font = fontOf(16, "--serif");
  const sizes = rows.map((row) => row.words.map((word) => textWidth(word, font)));
  const widest = sizes.map((row, at) => Math.max(textWidth(rows[at].name, fontOf(11, "--sans", 500)), ...row) + 2 * EDGE);
  const gaps = rows.length - 1;
  const taken = widest.reduce((sum, each) => sum + each, 16);
  const across = Math.max(NARROW, Math.min(ACROSS, (limit - taken) / gaps));
  const begin = rows.map((_, row) => 8 + widest.slice(0, row).reduce((sum, each) => sum + each + across, 0));
  const yOf = (at) => 44 + at * LINE;
  const bend = (from, till, top, low) => `M${from} ${top}C${(from + till) / 2} ${top} ${(from + till) / 2} ${low} ${till} ${low}`;
  return {
    tall: true,
    width: begin[gaps] + widest[gaps] + 8,
    height: yOf(Math.max(...rows.map((row) => row.words.length))),
    title: (row) => ({ x: begin[row] + EDGE, y: 16 }),
    word: (row, at) => ({ x: begin[row] + EDGE, y: yOf(at) }),
    box: (row, { begin: first, end }) => ({ x: begin[row], y: yOf(first) - 19, width: Math.max(...sizes[row].slice(first, end)) + 2 * EDGE, height: BOX + (end - first - 1) * LINE }),
    line: (row, at, below) => bend(begin[row] + EDGE + sizes[row][at] + 5, begin[row + 1] - 2, yOf(at) - 5, yOf(below) - 5),
    ribbon: (from, till) => bend(from.x + from.width, till.x, from.y + from.height / 2, till.y + till.height / 2),
  };
}

function drawn(sentence, rows, place, options) {
  const parts = [];
  if (sentence.ordered) {
    sentence.order.forEach((position, at) => {
      const colour = options.rule?.(position);
      parts.push(s("path", { class: `link ${colour ? "moved" : ""}`, "data-position": position, "data-phrase": rows[1].phraseOf[at], vars: colour ? { "--rule": colour } : {}, d: place.line(0, position, at) }));
    });
  }
  const last = rows.length - 1;
  const boxes = rows.map(boxesOf);
  for (const box of boxes[last]) {
    const above = boxes[last - 1].find((each) => each.phrase === box.phrase);
    parts.push(s("path", { class: "ribbon", "data-phrase": box.phrase, vars: { "--span": colourOf(box.phrase) }, d: place.ribbon(place.box(last - 1, above), place.box(last, box)) }));
  }
  rows.forEach((row, at) => {
    parts.push(s("text", { class: "side", ...place.title(at) }, row.name));
    if (row.phraseOf) for (const box of boxes[at]) parts.push(s("rect", { class: "phrase", "data-row": row.name, "data-phrase": box.phrase, vars: { "--span": colourOf(box.phrase) }, ...place.box(at, box) }));
    row.words.forEach((word, where) => {
      const copied = at === last - 1 && options.copied?.has(where);
      parts.push(s("text", { class: `token ${copied ? "copied" : ""}`, "data-row": row.name, "data-phrase": row.phraseOf ? row.phraseOf[where] : rows[1].phraseOf[sentence.order.indexOf(where)], ...place.word(at, where) }, word));
    });
  });
  return s("svg", { class: place.tall ? "tall" : "", width: place.width, height: place.height, viewBox: `0 0 ${place.width} ${place.height}`, role: "img", "aria-label": rows.map((row) => `${row.name}: ${row.words.join(" ")}`).join("; ") }, parts);
}

// Lights up one phrase of a picture; all of them again without one.
export function lightPhrase(picture, phrase) {
  picture.classList.toggle("dim", phrase !== null);
  for (const element of picture.querySelectorAll("[data-phrase]")) element.classList.toggle("lit", phrase !== null && element.dataset.phrase === String(phrase));
}

// How often the translation does not go on where the phrase before it ended.
export function jumps(translation) {
  let at = 0;
  return translation.phrases.filter(([begin, end]) => {
    const jumped = begin !== at;
    at = end;
    return jumped;
  }).length;
}

// Which words of one text stand in no longest run of words that the other has in the same order.
export function differing(words, others) {
  const table = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = words.length - 1; i >= 0; i -= 1) {
    for (let j = others.length - 1; j >= 0; j -= 1) table[i][j] = words[i] === others[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  }
  const found = new Set(words.keys());
  for (let i = 0, j = 0; i < words.length && j < others.length; ) {
    if (words[i] === others[j]) {
      found.delete(i);
      i += 1;
      j += 1;
    } else if (table[i + 1][j] >= table[i][j + 1]) i += 1;
    else j += 1;
  }
  return found;
}
