// What a sentence means, beside its tree: the expression as text, and drawn part below part.
import { h } from "./dom.js";

// How a part belongs to what it is part of; numbers are places in a bracket.
const HOW = {
  "+": "goes with it, in a way that is not said",
  ".": "says how many or which",
  "/": "changes it",
  ":": "narrows it down",
  "@": "says when",
  "%": "belongs to it in a way that the rules do not cover",
  "&": "holds as well",
};

const said = (how) => HOW[how] ?? (how === "0" ? "what the bracket is about" : `place ${how}`);

// All signs in words, once a page.
export const signs = () => [
  "Numbers are places in a bracket, 0 what it is about. A part after ",
  Object.entries(HOW).map(([sign, text], at) => [at ? "; " : "", h("code", {}, sign), ` ${text}`]),
  ". ", h("code", {}, "^"), " stands for what the expression is part of, ", h("code", {}, "_"), " for what is not said.",
];

/* meaning: {expression, covered, repairs, parts: [{name, word, how, of}]}, parts after what they
   are part of; picked: a word to be marked */
export function meaningView(meaning, picked = 0) {
  if (!meaning.parts.length) return h("div", { class: "meaning soft" }, "Nothing is said.");
  const items = meaning.parts.map((part) => h(
    "li",
    {},
    part.how ? h("span", { class: "how", title: said(part.how) }, part.how) : null,
    h("span", { class: `name ${part.word ? "" : "sign"} ${picked && part.word === picked ? "picked" : ""}`, "data-word": part.word }, part.name),
  ));
  const lists = new Map();
  meaning.parts.forEach(({ of }, at) => {
    if (!lists.has(of)) lists.set(of, h("ul", {}));
    lists.get(of).append(items[at]);
  });
  for (const [of, list] of lists) if (of !== null) items[of].append(list);
  return h(
    "div",
    { class: "meaning" },
    h("code", { class: "expression" }, meaning.expression),
    lists.get(null),
    meaning.covered ? null : h("p", { class: "soft" }, "% joins what the rules do not cover."),
    meaning.repairs ? h("p", { class: "soft" }, `The labels contradict each other in places: ${meaning.repairs}.`) : null,
  );
}
