// Shorten: words that can be dropped, struck out in the text and on its trees, and what is left.
import { get, latest, post } from "../lib/api.js";
import { copy, debounce, h, percent, plural, replace, select } from "../lib/dom.js";
import { advised, complain, givenOf, offer, take, takeFiles } from "../lib/given.js";
import { keys } from "../lib/keys.js";
import { languageNote, tellLanguage } from "../lib/language.js";
import { modelNamed, usableModels } from "../lib/models.js";
import { treeView } from "../lib/tree.js";

const EXAMPLES = [
  "The monks, who had come from the north, slowly planted a young pine near the old bridge.",
  "The gardener said that the storm had badly damaged almost all of the lanterns last night.",
  "However, it was already rather late, and nobody really wanted to rake the gravel again.",
];
const SHOWN = 30;
const STEP = 0.05;
const LEAST = 0.1;

export async function show(main) {
  const [models, found] = await Promise.all([get("/api/models"), get("/api/compressors")]);
  const usable = usableModels(models);
  const state = {
    options: {
      model: (modelNamed(usable, sessionStorage.getItem("parse.model") ?? "en") ?? usable[0])?.id,
      compressor: found.compressors[0],
      document: false,
    },
    rate: null, // as many as score best
    trees: null,
    cards: [],
  };
  const field = h("textarea", { id: "text", dir: "auto", rows: 3, placeholder: "Type or paste text, or drop a text or CoNLL-U file here.", "aria-label": "Text to make shorter", spellcheck: "false" });
  field.value = sessionStorage.getItem("shorten.text") ?? "";
  const status = h("span", { class: "soft num", id: "status", "aria-live": "polite" });
  const texts = h("section", { id: "texts" });
  const results = h("section", { id: "results" });
  const language = languageNote();
  const fault = h("p", { class: "note bad", id: "fault", role: "alert", hidden: true });
  const whole = h("input", { type: "checkbox", id: "document", onchange: (event) => {
    state.options.document = event.target.checked;
    shorten();
  } });
  const rate = rateControl(state, whole, () => soon());

  const ask = latest((signal, body) => post("/api/shorten", body, { signal }));
  const shorten = async () => {
    sessionStorage.setItem("shorten.text", field.value);
    if (!state.options.compressor) return;
    if (!field.value.trim()) {
      complain(fault, field, null);
      language.hidden = true;
      state.cards = [];
      replace(status);
      replace(texts);
      replace(results, offer(EXAMPLES, field, shorten));
      return;
    }
    // Trees that are there are sent again: another rate changes none of them.
    const key = JSON.stringify([state.options.model, field.value]);
    const same = state.trees?.key === key;
    const given = same ? { conllu: state.trees.conllu } : givenOf(field.value);
    const { found: answer, error, stale } = await ask({ ...given, ...state.options, ...(state.rate === null ? {} : { rate: state.rate }) });
    if (stale) return;
    complain(fault, field, error);
    if (error) return;
    tellLanguage(language, answer.language, modelNamed(usable, state.options.model));
    const { sentences } = answer;
    state.trees = { key, conllu: sentences.map((each) => each.conllu).join("") };
    const words = sentences.flatMap((each) => each.kept);
    const left = words.filter(Boolean).length;
    replace(status, `${left.toLocaleString("en")} of ${plural(words.length, "word")} in ${plural(sentences.length, "sentence")}`);
    rate.reached(words.length ? left / words.length : 1);
    replace(texts, bothTexts(sentences));
    if (same && state.cards.length === sentences.length) sentences.forEach((each, number) => state.cards[number].show(each));
    else showSentences(sentences, results, state);
  };
  const soon = debounce(shorten, 60);
  const choose = (key, title, names) => h("label", { class: "field" }, title, select(names, state.options[key], (value) => {
    state.options[key] = value;
    shorten();
  }, { id: key }));
  // Whoever cannot drop a file can choose one.
  const chooser = h("input", { type: "file", id: "file", accept: ".txt,.conllu,text/plain", hidden: true, onchange: (event) => take(event.target.files[0], field, shorten) });
  field.addEventListener("input", debounce(shorten, 220));
  replace(
    main,
    h("h1", {}, "Shorten"),
    h("p", { class: "lede" }, "Words that can be dropped, struck out in the text and on its trees."),
    h("div", { class: "drop" }, field, fault, language),
    chooser,
    h(
      "div",
      { class: "row", vars: { margin: "10px 0 12px" } },
      choose("model", "Model", usable.map((each) => each.id)),
      found.compressors.length ? choose("compressor", "Compressor", found.compressors) : null,
      h("button", { class: "button small", id: "open", onclick: () => chooser.click() }, "Open a file ", h("kbd", {}, "o")),
      h("span", { class: "grow" }),
      status,
    ),
    found.missing ? advised("compressor", found.missing) : h(
      "div",
      { vars: { "margin-bottom": "18px" } },
      rate.element,
    ),
    texts,
    results,
  );
  takeFiles(main.querySelector(".drop"), field, shorten);
  bindKeys(rate, whole, field);
  await shorten();
}

// How much is kept: a share that is moved, or as many words as score best.
function rateControl(state, whole, changed) {
  const value = h("output", { class: "num rate-text", id: "rate-text", for: "rate" });
  const best = h("button", { class: "button small", id: "best", onclick: () => set(null) }, "As many as score best ", h("kbd", {}, "b"));
  const slider = h("input", { type: "range", class: "rate", id: "rate", min: LEAST, max: 1, step: STEP, oninput: () => set(Number(slider.value)) });
  const draw = (share) => {
    slider.value = share;
    slider.setAttribute("aria-valuetext", `${percent(share)} of the words`);
    replace(value, percent(share));
    best.classList.toggle("on", state.rate === null);
    best.setAttribute("aria-pressed", String(state.rate === null));
    // Where there is no share, there is nothing to have it of.
    whole.disabled = state.rate === null;
  };
  const set = (share) => {
    state.rate = share;
    draw(share ?? Number(slider.value));
    changed();
  };
  draw(1);
  return {
    element: h("div", { class: "row" }, h("label", { class: "field" }, "Keep", slider), value, best, h("label", { class: "field", title: "More of some sentences than of others" }, whole, "of the whole text, not of each sentence")),
    best: () => set(null),
    step: (by) => set(Math.min(1, Math.max(LEAST, Number((Number(slider.value) + by * STEP).toFixed(2))))),
    // What the best choice came to is where the slider stands, to be moved from there.
    reached: (share) => state.rate === null && draw(share),
  };
}

// The text with what is dropped struck out, and beside it what is left.
function bothTexts(sentences) {
  const left = sentences.map((each) => each.shorter).join(" ");
  return h(
    "div",
    { class: "card grid2 texts" },
    h("div", {}, h("header", {}, h("h2", {}, "What is dropped")), h("p", { id: "struck" }, sentences.map((each) => [struck(each), " "]))),
    h("div", {}, h("header", {}, h("h2", {}, "What is left"), h("button", { class: "button small", id: "copy", onclick: () => copy(left, "text") }, "Copy text ", h("kbd", {}, "y"))), h("p", { id: "left" }, left)),
  );
}

// The words of a sentence with the spaces between them; neighbours that are dropped are one piece.
function struck({ tokens, offsets, kept }) {
  const pieces = [];
  tokens.forEach((form, at) => {
    const [before, here] = [offsets[at - 1], offsets[at]];
    const space = at && !(before && here && here[0] <= before[1]) ? " " : "";
    if (at && kept[at] === kept[at - 1]) pieces.at(-1).text += space + form;
    else pieces.push({ kept: kept[at], space, text: form });
  });
  return pieces.map((piece) => [piece.space, piece.kept ? piece.text : h("del", {}, piece.text)]);
}

function showSentences(sentences, results, state) {
  state.cards = sentences.map((each, number) => new Card(each, number));
  replace(results);
  let next = 0;
  const more = h("button", { class: "button", onclick: () => add() });
  const add = () => {
    for (const card of state.cards.slice(next, next + SHOWN)) {
      card.draw();
      results.insertBefore(card.element, more);
    }
    next += SHOWN;
    replace(more, `Show ${Math.min(SHOWN, sentences.length - next)} more of ${sentences.length}`).hidden = next >= sentences.length;
  };
  results.append(more);
  add();
}

// One sentence: its tree; what is dropped is struck out, and arcs that go with it are dotted.
class Card {
  constructor(sentence, number) {
    Object.assign(this, { sentence, number, view: null, element: null });
    this.count = h("span", { class: "chip num" });
  }

  draw() {
    this.view = treeView(this.sentence, this.marks());
    this.element = h(
      "article",
      { class: "card sentence", "data-sentence": this.number + 1 },
      h("header", {}, h("span", { class: "number" }, this.number + 1), this.count, h("span", { class: "grow" }), h("button", { class: "button small", onclick: () => copy(JSON.stringify(this.sentence, null, 1), "JSON") }, "Copy JSON"), h("button", { class: "button small", onclick: () => copy(this.sentence.conllu, "CoNLL-U") }, "Copy CoNLL-U")),
      this.view,
    );
    this.counted();
  }

  // The same tree, with other words dropped.
  show(sentence) {
    this.sentence = sentence;
    this.view?.redraw(this.marks());
    this.counted();
  }

  counted() {
    const { kept } = this.sentence;
    replace(this.count, `${kept.filter(Boolean).length} of ${plural(kept.length, "word")}`);
  }

  marks() {
    const { heads, kept } = this.sentence;
    const gone = (word) => word > 0 && !kept[word - 1];
    return {
      wordMark: (word) => (gone(word) ? "dropped" : ""),
      marks: (word) => (gone(word) || gone(heads[word - 1]) ? "dropped" : ""),
    };
  }
}

function bindKeys(rate, whole, field) {
  keys([
    ["o", "Open a file", () => document.getElementById("file").click()],
    ["/", "Write text", () => field.focus()],
    ["ArrowLeft", "Keep fewer words", () => rate.step(-1)],
    ["ArrowRight", "Keep more words", () => rate.step(1)],
    ["b", "As many as score best", () => rate.best()],
    ["w", "A share of the whole text, or of each sentence", () => whole.click()],
    ["y", "Copy what is left", () => document.getElementById("copy")?.click() ?? false],
  ]);
}
