// Relations of an answer of /api/relate: predicates and connectives alike, as things that have parts.
import { h } from "./dom.js";

const NUMBERED = 4;
const OTHERS = 4;

/* relation: {key, kind, sentence, words, text, name, meaning, parts}
   part: {role, meaning, sentence, head, words, text, path, colour} */
export function relationsOf(record, sentence) {
  const predicates = (record.predicates ?? []).map((each) => ({ kind: "predicate", words: [each.word], text: each.predicate, name: each.roleset, meaning: each.meaning, parts: each.roles }));
  const connectives = (record.connectives ?? []).map((each) => ({ kind: "connective", words: each.words, text: each.text, name: "connective", parts: each.arguments }));
  return [...predicates, ...connectives]
    .map((each) => ({ ...each, sentence, key: `${each.kind} ${sentence} ${each.words[0]}`, parts: coloured(each.parts, sentence) }))
    .sort((a, b) => a.words[0] - b.words[0]);
}

// One colour a role: a numbered role has the same one everywhere, what refers to it or goes on
// with it included; others follow in their order.
function coloured(parts, sentence) {
  const plain = (role) => role.replace(/^[CR]-/, "");
  const others = [...new Set(parts.map((part) => plain(part.role)).filter((role) => placeOf(role) < 0))];
  return parts.map((part) => {
    const place = placeOf(plain(part.role));
    const number = place < 0 ? NUMBERED + (others.indexOf(plain(part.role)) % OTHERS) : place;
    return { sentence, ...part, colour: `var(--role-${number})` };
  });
}

// Arg1 and Arg2 of connectives have the first two.
function placeOf(role) {
  const found = /^(?:(ARG)|Arg)(\d)$/.exec(role);
  return found ? Math.min(Number(found[2]) - (found[1] ? 0 : 1), NUMBERED - 1) : -1;
}

// What a tree shows of a relation, or of one of its parts: see spans and paths of tree.js.
export function marksOf(relation, chosen, sentence, roots) {
  const parts = relation.parts.filter((_, at) => chosen === null || at === chosen);
  const spans = parts.filter((part) => part.sentence === sentence).map(({ words, role, colour }) => ({ words, label: role, colour }));
  if (relation.sentence === sentence) spans.push({ words: relation.words, label: relation.name, colour: "var(--ink)", own: true });
  const paths = new Map();
  for (const part of parts) {
    for (const word of arcsOf(part, sentence, roots)) paths.set(word, paths.has(word) && paths.get(word) !== part.colour ? "var(--ink)" : part.colour);
  }
  return { spans, paths };
}

// The words of a sentence whose arcs are on a path. From sentence to sentence it goes over roots.
const arcsOf = (part, sentence, roots) => part.path.flatMap((step) => [
  ...(step.sentence === sentence ? [step.word] : []),
  ...(step.way === "before" && step.sentence + 1 === sentence ? [roots[sentence]] : []),
]);

// "monks ↑nsubj planted": the words of a path and what leads from each to the next.
export function pathText(relation, part, sentences) {
  const form = (sentence, word) => sentences[sentence].tokens[word - 1];
  const [first] = part.path;
  if (!first) return h("span", { class: "way" }, "the word itself");
  const steps = part.path.map(({ sentence, word, relation: label, way }) => {
    if (way === "before") return [h("i", {}, `⇠ sentence ${sentence + 1}`), ` ${form(sentence, word)} `];
    const next = way === "up" ? sentences[sentence].heads[word - 1] : word;
    return [h("i", {}, `${way === "up" ? "↑" : "↓"} ${label}`), ` ${next ? form(sentence, next) : "root"} `];
  });
  const start = relation.kind === "predicate" ? form(part.sentence, part.head) : form(relation.sentence, startOf(first, relation, sentences));
  return h("span", { class: "way" }, `${start} `, steps);
}

// Where the path of an argument begins: the word of the connective from which the first step goes.
function startOf(first, relation, sentences) {
  if (first.way === "up") return first.word;
  return first.way === "down" ? sentences[first.sentence].heads[first.word - 1] : sentences[relation.sentence].heads.indexOf(0) + 1;
}
