// Captures of queries: one colour a name, marked in the text and under the tree.
import { h } from "./dom.js";

const COLOURS = 8;

export const colourOfName = (names, name) => `var(--role-${names.indexOf(name) % COLOURS})`;

// The words of one match as spans of a tree; see spans.js.
export const spansOf = (match, names) => Object.entries(match.words).map(([name, word]) => ({ words: [word], label: name, colour: colourOfName(names, name) }));

// A sentence with the words of its matches marked; a word of several matches has all their names.
export function markedText(sentence, names) {
  const found = new Map();
  for (const { words } of sentence.matches) {
    for (const [name, word] of Object.entries(words)) {
      if (!found.has(word)) found.set(word, new Set());
      found.get(word).add(name);
    }
  }
  const parts = sentence.tokens.map((form, at) => {
    const own = [...(found.get(at + 1) ?? [])];
    if (!own.length) return [form, " "];
    return [h("mark", { class: "capture", "data-word": at + 1, vars: { "--span": colourOfName(names, own[0]) } }, h("bdi", {}, form), h("sub", {}, own.join(" "))), " "];
  });
  return h("span", { class: "words", dir: "auto" }, parts);
}

// The query with the character that cannot be read marked: what stands before it, it, the rest.
export const faultyQuery = (query, column) => h(
  "code",
  { class: "faulty", "aria-hidden": "true" },
  query.slice(0, column - 1),
  h("mark", {}, query.slice(column - 1, column) || "␣"),
  query.slice(column),
);
