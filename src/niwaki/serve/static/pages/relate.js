// Relate: what connectives join and who did what to whom, on the tree, with the path that decided.
import { get, latest, post } from "../lib/api.js";
import { copy, debounce, h, plural, replace, select } from "../lib/dom.js";
import { advised, complain, givenOf, offer, take, takeFiles } from "../lib/given.js";
import { keys } from "../lib/keys.js";
import { languageNote, tellLanguage } from "../lib/language.js";
import { modelNamed, usableModels } from "../lib/models.js";
import { marksOf, pathText, relationsOf } from "../lib/relations.js";
import { treeView } from "../lib/tree.js";

const EXAMPLES = [
  "The monks planted a pine because the old one fell. However, nobody watered it.",
  "Although it rained, the gardener raked the moss that the storm had left.",
  "If you give the heron some fish, then it will come back tomorrow.",
];
const KINDS = [["connectives", "Connectives"], ["roles", "Roles"]];
const SHOWN = 30;

export async function show(main) {
  const [models, found] = await Promise.all([get("/api/models"), get("/api/relations")]);
  const usable = usableModels(models);
  const registered = KINDS.filter(([kind]) => found[kind].length);
  const state = {
    options: { model: (modelNamed(usable, sessionStorage.getItem("parse.model") ?? "en") ?? usable[0])?.id },
    sentences: [],
    roots: [],
    cards: [],
    chosen: null,
    part: null,
  };
  for (const [kind] of registered) [state.options[kind]] = found[kind];
  const field = h("textarea", { id: "text", dir: "auto", rows: 3, placeholder: "Type or paste text, or drop a text or CoNLL-U file here.", "aria-label": "Text to look for relations in", spellcheck: "false" });
  field.value = sessionStorage.getItem("relate.text") ?? "";
  const status = h("span", { class: "soft num", id: "status", "aria-live": "polite" });
  const results = h("section", { id: "results" });
  const language = languageNote();
  const fault = h("p", { class: "note bad", id: "fault", role: "alert", hidden: true });

  const ask = latest((signal, given) => post("/api/relate", { ...given, ...state.options }, { signal }));
  const relate = async () => {
    sessionStorage.setItem("relate.text", field.value);
    if (!registered.length) return;
    if (!field.value.trim()) {
      complain(fault, field, null);
      language.hidden = true;
      replace(status);
      showSentences([], results, state);
      replace(results, offer(EXAMPLES, field, relate));
      return;
    }
    const { found: answer, error, stale } = await ask(givenOf(field.value));
    if (stale) return;
    complain(fault, field, error);
    if (error) return;
    tellLanguage(language, answer.language, modelNamed(usable, state.options.model));
    showSentences(answer.sentences, results, state);
    const total = state.relations.length;
    replace(status, `${plural(answer.sentences.length, "sentence")}, ${plural(total, "relation")}`);
  };
  const choose = (key, title, names) => h("label", { class: "field" }, title, select(names, state.options[key], (value) => {
    state.options[key] = value;
    relate();
  }, { id: key }));
  // Whoever cannot drop a file can choose one.
  const chooser = h("input", { type: "file", id: "file", accept: ".txt,.conllu,text/plain", hidden: true, onchange: (event) => take(event.target.files[0], field, relate) });
  field.addEventListener("input", debounce(relate, 220));
  replace(
    main,
    h("h1", {}, "Relate"),
    h("p", { class: "lede" }, "What connectives join and who did what to whom, on the tree, with the path that decided."),
    h("div", { class: "drop" }, field, fault, language),
    chooser,
    h(
      "div",
      { class: "row", vars: { margin: "10px 0 18px" } },
      choose("model", "Model", usable.map((each) => each.id)),
      registered.map(([kind, title]) => choose(kind, title, found[kind])),
      h("button", { class: "button small", id: "open", onclick: () => chooser.click() }, "Open a file ", h("kbd", {}, "o")),
      h("span", { class: "grow" }),
      status,
    ),
    Object.entries(found.missing).map(([kind, advice]) => advised(kind, advice)),
    results,
  );
  takeFiles(main.querySelector(".drop"), field, relate);
  bindKeys(state, field);
  await relate();
}

function showSentences(sentences, results, state) {
  const before = state.chosen?.key;
  state.sentences = sentences;
  state.roots = sentences.map((each) => each.heads.indexOf(0) + 1);
  state.cards = sentences.map((each, number) => new Card(each, number, state));
  state.relations = state.cards.flatMap((card) => card.relations);
  state.chosen = state.relations.find((each) => each.key === before) ?? state.relations[0] ?? null;
  state.part = null;
  replace(results);
  let next = 0;
  const more = h("button", { class: "button", onclick: () => add() });
  const add = () => {
    for (const card of state.cards.slice(next, next + SHOWN)) {
      card.redraw();
      results.insertBefore(card.element, more);
    }
    next += SHOWN;
    replace(more, `Show ${Math.min(SHOWN, sentences.length - next)} more of ${sentences.length}`).hidden = next >= sentences.length;
  };
  results.append(more);
  add();
}

// The sentences that a relation touches.
const touched = (relation) => (relation ? [relation.sentence, ...relation.parts.map((part) => part.sentence)] : []);

function choose(state, relation, part = null) {
  const drawn = new Set([...touched(state.chosen), ...touched(relation)]);
  state.chosen = relation;
  state.part = part;
  for (const number of drawn) state.cards[number].redraw();
}

// One sentence: its tree, its relations, and of the one that is chosen the parts.
class Card {
  constructor(sentence, number, state) {
    Object.assign(this, { sentence, number, state, relations: relationsOf(sentence, number), view: null });
    this.place = h("div", {});
    this.chips = h("div", { class: "rules" });
    this.parts = h("div", { class: "parts" });
    this.element = h(
      "article",
      { class: "card sentence", "data-sentence": number + 1 },
      h("header", {}, h("span", { class: "number" }, number + 1), h("span", { class: "grow" }), h("button", { class: "button small", "data-act": "json", onclick: () => copy(JSON.stringify(sentence, null, 1), "JSON") }, "Copy JSON"), h("button", { class: "button small", onclick: () => copy(sentence.conllu, "CoNLL-U") }, "Copy CoNLL-U")),
      this.place,
      this.chips,
      this.parts,
    );
  }

  redraw() {
    const { chosen, part, roots } = this.state;
    const here = touched(chosen).includes(this.number);
    const marks = here ? marksOf(chosen, part, this.number, roots) : { spans: [], paths: new Map() };
    if (this.view) this.view.redraw(marks);
    else replace(this.place, (this.view = treeView(this.sentence, marks)));
    this.view.classList.toggle("tracing", here);
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    replace(
      this.chips,
      this.relations.map((each) => this.chip(each)),
      this.relations.length ? null : h("span", { class: "chip" }, "no relations"),
      here && chosen.sentence !== this.number ? h("span", { class: "soft" }, `joined by “${chosen.text}” of sentence ${chosen.sentence + 1}`) : null,
    );
    const own = chosen?.sentence === this.number;
    replace(
      this.parts,
      own && chosen.meaning ? h("span", { class: "soft" }, `${chosen.name}: ${chosen.meaning}`) : null,
      own ? chosen.parts.map((each, at) => this.part(each, at)) : null,
    );
    if (focused) this.element.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  }

  chip(relation) {
    const on = this.state.chosen === relation;
    return h(
      "button",
      { class: `chip relation ${on ? "on" : ""}`, "aria-pressed": String(on), "data-key": relation.key, "data-kind": relation.kind, title: relation.meaning, onclick: () => choose(this.state, on ? null : relation) },
      h("b", { class: "words", dir: "auto" }, relation.text),
      ` ${relation.name}`,
    );
  }

  part(part, at) {
    const { chosen, sentences } = this.state;
    const on = this.state.part === at;
    const away = part.sentence === this.number ? null : h("span", { class: "soft" }, ` · sentence ${part.sentence + 1}`);
    return h(
      "button",
      { class: `part ${on ? "on" : ""}`, "aria-pressed": String(on), "data-key": `part ${at}`, "data-role": part.role, vars: { "--span": part.colour }, onclick: () => choose(this.state, chosen, on ? null : at) },
      h("kbd", {}, at < 9 ? at + 1 : ""),
      h("span", { class: "role" }, part.role),
      h("span", {}, h("span", { class: "words", dir: "auto" }, part.text), away, part.meaning ? h("span", { class: "soft" }, ` · ${part.meaning}`) : null),
      pathText(chosen, part, sentences),
    );
  }
}

function bindKeys(state, field) {
  const go = (relation) => {
    if (!relation) return false;
    choose(state, relation);
    return state.cards[relation.sentence].element.scrollIntoView({ block: "nearest", behavior: "smooth" });
  };
  const step = (by) => () => {
    const at = state.relations.indexOf(state.chosen);
    return go(state.relations[at < 0 ? (by > 0 ? 0 : state.relations.length - 1) : at + by]);
  };
  const move = (by) => () => {
    const from = state.chosen?.sentence ?? -1;
    const others = state.relations.filter((each) => Math.sign(each.sentence - from) === by);
    const nearest = by > 0 ? others[0] : others.at(-1);
    return go(others.find((each) => each.sentence === nearest.sentence));
  };
  const only = (event) => {
    const at = Number(event.key) - 1;
    if (!state.chosen?.parts[at]) return false;
    return choose(state, state.chosen, state.part === at ? null : at);
  };
  keys([
    ["o", "Open a file", () => document.getElementById("file").click()],
    ["/", "Write text", () => field.focus()],
    ["ArrowLeft", "The relation before", step(-1)],
    ["ArrowRight", "The relation after", step(1)],
    ["ArrowDown", "The next sentence", move(1)],
    ["ArrowUp", "The sentence before", move(-1)],
    ["1 2 3 4 5 6 7 8 9".split(" "), "One part only, or all again", only],
    ["j", "Copy the sentence as JSON", () => (state.chosen ? state.cards[state.chosen.sentence].element.querySelector("[data-act=json]").click() : false)],
    ["Escape", "Leave the relation", () => choose(state, null)],
  ]);
}
