// Translate: the order that words are given, the phrases, and the translation, by one translator or
// by two beside each other.
import { addressOf, takeAddress } from "../lib/address.js";
import { get, latest, post } from "../lib/api.js";
import { runsRightToLeft } from "../lib/bidi.js";
import { copy, debounce, h, plural, replace, select, signed, toast } from "../lib/dom.js";
import { advised, complain, givenOf, offer, take, takeFiles } from "../lib/given.js";
import { keys } from "../lib/keys.js";
import { languageNote, tellLanguage } from "../lib/language.js";
import { modelNamed, usableModels } from "../lib/models.js";
import { attribution, colourOf as ruleColour } from "../lib/orders.js";
import { colourOf, differing, jumps, lightPhrase, phrasePicture } from "../lib/phrases.js";
import { treeView } from "../lib/tree.js";

const EXAMPLES = [
  "The monk planted the pine.",
  "The old gardener cut the branch because the storm had broken it.",
  "Do you know who planted the tree by the pond?",
];
const LIMITS = ["0", "1", "2", "4", "6", "8", "10"];
const NBEST = 5;
const SHOWN = 20;
// Whoever writes text between spaces has words already.
const WORDS = [["", "as the model splits them"], ["spaces", "what spaces divide"]];

export async function show(main) {
  const [models, found] = await Promise.all([get("/api/models"), get("/api/translators")]);
  const usable = usableModels(models);
  const names = found.translators.map((each) => each.id);
  const address = takeAddress();
  const known = (name) => (names.includes(name) ? name : undefined);
  const state = {
    translators: found.translators,
    options: {
      translator: known(address.translator) ?? names[0],
      beside: address.text === undefined ? (names[1] ?? "") : (known(address.beside) ?? ""),
      model: modelNamed(usable, address.model)?.id ?? "",
      limit: LIMITS.includes(address.limit) ? address.limit : "6",
      words: address.words === "spaces" ? "spaces" : "",
    },
    cards: [],
  };
  const field = h("textarea", { id: "text", dir: "auto", rows: 3, placeholder: "Type or paste text, or drop a text file here.", "aria-label": "Text to translate", spellcheck: "false" });
  field.value = address.text ?? sessionStorage.getItem("translate.text") ?? "";
  const status = h("span", { class: "soft num", id: "status", "aria-live": "polite" });
  const results = h("section", { id: "results" });
  const language = languageNote();
  const fault = h("p", { class: "note bad", id: "fault", role: "alert", hidden: true });

  const ask = latest((signal) => Promise.all(chosen(state).map((each) => post("/api/translate", requestOf(state, each, field.value), { signal }))));
  const translate = async () => {
    sessionStorage.setItem("translate.text", field.value);
    if (!names.length) return;
    if (!field.value.trim()) {
      complain(fault, field, null);
      language.hidden = true;
      state.cards = [];
      replace(status);
      replace(results, offer(EXAMPLES, field, translate));
      return;
    }
    const { found: answers, error, stale } = await ask();
    if (stale) return;
    complain(fault, field, error);
    if (error) return;
    const told = answers.find((each) => each.language)?.language;
    tellLanguage(language, told, modelNamed(usable, state.options.model) ?? { id: "the translator’s parser" });
    replace(status, plural(answers[0].sentences.length, "sentence"));
    showSentences(answers, results, state);
  };
  const choose = (key, title, values) => h("label", { class: "field" }, title, select(values, state.options[key], (value) => {
    state.options[key] = value;
    translate();
  }, { id: key }));
  const share = () => {
    const given = addressOf("translate", { text: field.value, ...state.options });
    return given ? copy(given, "an address") : toast("Too long for an address", "bad");
  };
  // Whoever cannot drop a file can choose one.
  const chooser = h("input", { type: "file", id: "file", accept: ".txt,text/plain", hidden: true, onchange: (event) => take(event.target.files[0], field, translate) });
  field.addEventListener("input", debounce(translate, 220));
  replace(
    main,
    h("h1", {}, "Translate"),
    h("p", { class: "lede" }, "The order that words are given, the phrases that are translated together, and what becomes of them."),
    h("div", { class: "drop" }, field, fault, language),
    chooser,
    h(
      "div",
      { class: "row", vars: { margin: "10px 0 18px" } },
      names.length ? [choose("translator", "Translator", names), choose("beside", "Beside", [["", "none"], ...names]), choose("limit", "Longest jump", LIMITS)] : null,
      choose("words", "Words", WORDS),
      choose("model", "Model", [["", "the translator’s own"], ...usable.map((each) => each.id)]),
      h("button", { class: "button small", id: "open", onclick: () => chooser.click() }, "Open a file ", h("kbd", {}, "o")),
      h("button", { class: "button small", id: "address", title: "Copy an address that opens this text", onclick: share }, "Copy address"),
      h("span", { class: "grow" }),
      status,
    ),
    found.missing ? advised("translator", found.missing) : null,
    results,
  );
  takeFiles(main.querySelector(".drop"), field, translate);
  bindKeys(state, field);
  await translate();
}

// The translators whose work is shown; one is not shown beside itself.
const chosen = ({ options }) => [...new Set([options.translator, options.beside])].filter(Boolean);

function requestOf({ translators, options }, translator, text) {
  const words = text.split("\n").map((line) => line.split(/\s+/u).filter(Boolean)).filter((line) => line.length);
  return {
    ...(options.words === "spaces" ? { tokens: words } : givenOf(text)),
    ...(options.model ? { model: options.model } : {}),
    translator,
    limit: Number(options.limit),
    nbest: NBEST,
    lowercase: translators.find((each) => each.id === translator).lowercase,
  };
}

function showSentences(answers, results, state) {
  const names = chosen(state);
  // Texts are split alike unless the parsers of two translators differ.
  const count = Math.max(...answers.map((each) => each.sentences.length));
  state.cards = Array.from({ length: count }, (_, number) => new Card(number, answers.map((each, at) => ({ name: names[at], ...state.translators.find((one) => one.id === names[at]), rules: each.rules, sentence: each.sentences[number] })).filter((each) => each.sentence), state));
  replace(results);
  let next = 0;
  const more = h("button", { class: "button", onclick: () => add() });
  const add = () => {
    for (const card of state.cards.slice(next, next + SHOWN)) results.insertBefore(card.draw(), more);
    next += SHOWN;
    replace(more, `Show ${Math.min(SHOWN, count - next)} more of ${count}`).hidden = next >= count;
  };
  results.append(more);
  add();
}

// One sentence: what each translator makes of it.
class Card {
  constructor(number, systems, state) {
    Object.assign(this, { number, systems, state, views: [] });
  }

  draw() {
    this.views = this.systems.map((each, at) => new View(each, this.systems[1 - at], this.systems.length > 1));
    this.element = h(
      "article",
      { class: "card sentence", "data-sentence": this.number + 1 },
      h("header", {}, h("span", { class: "number" }, this.number + 1), h("span", { class: "words", dir: "auto" }, this.systems[0].sentence.tokens.join(" ")), h("span", { class: "grow" }), h("button", { class: "button small", onclick: () => copy(JSON.stringify(this.systems.map(({ name, sentence }) => ({ translator: name, ...sentence })), null, 1), "JSON") }, "Copy JSON")),
      this.views.map((each) => each.element),
    );
    return this.element;
  }
}

class View {
  constructor(system, other, named) {
    const { sentence, rules } = system;
    this.sentence = { ...sentence, ordered: rules.length > 0 };
    const [best] = sentence.translations;
    this.best = best;
    const by = this.sentence.ordered ? attribution(this.sentence) : [];
    this.picture = phrasePicture(this.sentence, best, {
      rule: (position) => (by[position] ? ruleColour(rules, by[position]) : null),
      copied: new Set(best.copied),
    });
    this.chips = best.phrases.map((each, phrase) => this.chip(each, phrase));
    const moved = by.filter(Boolean).length;
    const unlike = other ? differing(best.tokens, other.sentence.translations[0].tokens) : new Set();
    this.element = h(
      "section",
      { class: "translator", "data-translator": system.name },
      h("p", { class: "said words", dir: "auto" }, best.tokens.map((word, at) => [at ? " " : null, unlike.has(at) ? h("mark", { class: "unlike" }, word) : word])),
      h(
        "div",
        { class: "row facts" },
        named ? h("span", { class: "chip" }, h("b", {}, system.name)) : null,
        h("span", { class: "chip", "data-fact": "order" }, this.sentence.ordered ? `${moved || "none"} of ${plural(by.length, "word")} moved by rules` : "no pre-ordering"),
        h("span", { class: "chip", "data-fact": "jumps" }, `${plural(best.phrases.length, "phrase")}, ${plural(jumps(best), "jump")}`),
        best.copied.length ? h("span", { class: "chip", "data-fact": "copied" }, `${plural(best.copied.length, "unknown word")}`) : null,
        h("button", { class: "button small", "data-act": "copy", onclick: () => copy(best.text, "text") }, "Copy translation"),
      ),
      this.picture,
      h("div", { class: "rules" }, this.chips),
      this.moves(rules),
      more("other translations", this.others(sentence.translations)),
      more("what decided", decided(best)),
      this.sentence.ordered ? more("the tree", treeView(this.sentence, {})) : null,
    );
  }

  chip([begin, end, first, last], phrase) {
    const words = this.sentence.order.slice(begin, end).map((each) => this.sentence.tokens[each]);
    const on = () => this.light(phrase);
    const off = () => this.light(null);
    return h(
      "button",
      { class: "chip pair", "data-phrase": phrase, vars: { "--rule": colourOf(phrase) }, onmouseenter: on, onmouseleave: off, onfocus: on, onblur: off },
      h("span", { class: "rule-dot" }),
      h("bdi", { class: "words" }, words.join(" ")),
      " → ",
      h("bdi", { class: "words" }, this.best.tokens.slice(first, last).join(" ")),
    );
  }

  light(phrase) {
    lightPhrase(this.picture, phrase);
  }

  moves(rules) {
    const moves = this.sentence.moves.filter((move) => move.moved);
    if (!moves.length) return null;
    const form = (place) => this.sentence.tokens[place.word - 1];
    return h("div", { class: "rules" }, moves.map((move) => h(
      "span",
      { class: "chip move", "data-rule": move.rule, vars: { "--rule": ruleColour(rules, move.rule) }, title: move.after.map((place) => `${form(place)}: ${place.label} ${place.weight} ${place.why}`).join("\n") },
      h("span", { class: "rule-dot" }),
      h("b", {}, move.rule),
      ` ${move.after.map(form).join(" · ")}`,
    )));
  }

  others(translations) {
    const dir = runsRightToLeft(this.best.tokens) ? "rtl" : "ltr";
    return h("ol", { class: "words others", dir }, translations.map((each) => h("li", {}, h("bdi", { dir }, each.text), " ", h("bdi", { class: "soft num" }, signed(each.score)))));
  }
}

const more = (title, content) => h("details", { class: "more" }, h("summary", { class: "soft" }, title), content);

// Features of the best translation: what each of them adds to its score.
const decided = ({ features, score }) => h(
  "table",
  { class: "features" },
  h("thead", {}, h("tr", {}, h("th", {}, "feature"), h("th", { class: "n" }, "value"), h("th", { class: "n" }, "weight"), h("th", { class: "n" }, "adds"))),
  h(
    "tbody",
    {},
    Object.entries(features).map(([name, { value, weight }]) => h("tr", {}, h("td", {}, name), h("td", { class: "n" }, signed(value)), h("td", { class: "n" }, signed(weight, 3)), h("td", { class: "n" }, signed(value * weight)))),
    h("tr", {}, h("td", {}, h("b", {}, "score")), h("td", {}), h("td", {}), h("td", { class: "n" }, signed(score))),
  ),
);

function bindKeys(state, field) {
  // One phrase after the other, over all sentences; the chip that has the focus lights up its phrase.
  const step = (by) => () => {
    const chips = state.cards.flatMap((card) => card.views.flatMap((view) => view.chips));
    const next = chips[chips.indexOf(document.activeElement) + by] ?? (by > 0 ? chips[0] : chips.at(-1));
    return next ? next.focus() : false;
  };
  const move = (by) => () => {
    const here = state.cards.findIndex((card) => card.element?.contains(document.activeElement));
    const next = state.cards[Math.max(0, here + by)]?.views[0]?.chips[0];
    return next ? next.focus() : false;
  };
  keys([
    ["o", "Open a file", () => document.getElementById("file").click()],
    ["/", "Write text", () => field.focus()],
    ["ArrowLeft", "The phrase before", step(-1)],
    ["ArrowRight", "The phrase after", step(1)],
    ["ArrowDown", "The next sentence", move(1)],
    ["ArrowUp", "The sentence before", move(-1)],
    ["y", "Copy the translation", () => (document.activeElement.closest(".translator") ?? document).querySelector("[data-act=copy]")?.click() ?? false],
  ]);
}
