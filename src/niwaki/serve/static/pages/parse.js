// Parse: text in, trees out; doubts visible, alternatives side by side, constraints by a click.
import { takeAddress } from "../lib/address.js";
import { get, latest, post } from "../lib/api.js";
import { debounce, h, plural, replace, select } from "../lib/dom.js";
import { save, saveText } from "../lib/download.js";
import { complain, givenOf, offer, take, takeFiles } from "../lib/given.js";
import { keys } from "../lib/keys.js";
import { knownOf, recall, remember, statementsOf } from "../lib/known.js";
import { languageNote, tellLanguage } from "../lib/language.js";
import { signs } from "../lib/meaning.js";
import { beamSelect, describe, modelNamed, usableModels } from "../lib/models.js";
import { Card, options, wanted } from "./parse-card.js";

const EXAMPLES = [
  "We saw the man with the telescope.",
  "The old pine that the monks planted leans over the pond.",
  "Time flies like an arrow; fruit flies like a banana.",
];
const SHOWN = 30;

export async function show(main) {
  const usable = usableModels(await get("/api/models"));
  const address = takeAddress();
  const state = {
    model: modelNamed(usable, address.model ?? sessionStorage.getItem("parse.model") ?? "en") ?? usable[0],
    beam: address.beam ?? "",
    wrap: true,
    meaning: address.text === undefined ? sessionStorage.getItem("parse.meaning") === "shown" : Boolean(address.meaning),
    sentences: [],
    given: {},
    cards: [],
    current: null,
  };
  const field = h("textarea", {
    id: "text",
    dir: "auto",
    rows: 3,
    placeholder: "Type or paste text, or drop a text or CoNLL-U file here.",
    "aria-label": "Text to parse",
    spellcheck: "false",
  });
  field.value = address.text ?? sessionStorage.getItem("parse.text") ?? "";
  const status = h("span", { class: "soft num", id: "status", "aria-live": "polite" });
  const results = h("section", { id: "results" });
  const fault = h("p", { class: "note bad", id: "fault", role: "alert", hidden: true });
  const language = languageNote();
  const downloads = downloadRow(state);

  const ask = latest((signal, given) => post("/api/parse", { ...given, ...wanted(state) }, { signal }));
  const parse = async () => {
    const text = field.value;
    sessionStorage.setItem("parse.text", text);
    if (!text.trim()) {
      complain(fault, field, null);
      language.hidden = downloads.hidden = true;
      return replace(results, offer(EXAMPLES, field, parse));
    }
    const started = performance.now();
    state.given = givenOf(text);
    const { found, error, stale } = await ask(state.given);
    if (stale) return null;
    complain(fault, field, error);
    if (error) return null;
    tellLanguage(language, found.language, state.model);
    downloads.hidden = false;
    const words = found.sentences.reduce((sum, each) => sum + each.tokens.length, 0);
    replace(status, `${plural(found.sentences.length, "sentence")}, ${plural(words, "word")}, ${Math.round(performance.now() - started)} ms`);
    return showSentences(found.sentences, results, state);
  };
  field.addEventListener("input", debounce(parse, 220));
  // Whoever cannot drop a file can choose one.
  const chooser = h("input", { type: "file", id: "file", accept: ".txt,.conllu,text/plain", hidden: true, onchange: (event) => take(event.target.files[0], field, parse) });
  const search = h("span", { class: "row", id: "search" });
  const drawSearch = () => replace(
    search,
    beamSelect(state.model, state.beam, (value) => {
      state.beam = value;
      parse();
    }, { id: "beam" }),
    state.model ? h("span", { class: "soft", id: "facts" }, describe(state.model)) : null,
  );
  drawSearch();
  const legend = h("p", { class: "soft signs", id: "signs", hidden: !state.meaning }, signs());
  const meaning = h("button", { class: `button small ${state.meaning ? "on" : ""}`, id: "meaning", "aria-pressed": String(state.meaning), onclick: () => {
    state.meaning = !state.meaning;
    sessionStorage.setItem("parse.meaning", state.meaning ? "shown" : "");
    meaning.classList.toggle("on", state.meaning);
    meaning.setAttribute("aria-pressed", String(state.meaning));
    legend.hidden = !state.meaning;
    parse();
  } }, "Meaning ", h("kbd", {}, "m"));
  replace(
    main,
    h("div", { class: "row between" }, h("h1", {}, "Parse"), h("div", { class: "legend" }, "sure", h("span", { class: "ramp" }), "doubtful")),
    h("p", { class: "lede" }, "Click a word or an arc to say what you know; the tree answers at once."),
    figures(),
    h("div", { class: "drop" }, field, fault, language),
    chooser,
    h(
      "div",
      { class: "row", vars: { margin: "10px 0 18px" } },
      h("label", { class: "field" }, "Model", select(usable.map((each) => each.id), state.model?.id, (value) => {
        state.model = modelNamed(usable, value);
        sessionStorage.setItem("parse.model", value);
        drawSearch();
        parse();
      }, { id: "model" })),
      search,
      h("label", { class: "field" }, h("input", { type: "checkbox", checked: true, onchange: (event) => {
        state.wrap = event.target.checked;
        state.cards.forEach((card) => card.redraw());
      } }), "wrap long sentences"),
      meaning,
      h("button", { class: "button small", id: "open", onclick: () => chooser.click() }, "Open a file ", h("kbd", {}, "o")),
      h("span", { class: "grow" }),
      status,
    ),
    legend,
    downloads,
    results,
  );
  takeFiles(main.querySelector(".drop"), field, parse);
  bindKeys(state, field);
  if (address.known) await expectKnown(address, state);
  await parse();
}

// What an address says of its sentence is remembered as if it had been said here.
async function expectKnown(address, state) {
  try {
    const { sentences } = await post("/api/parse", { text: address.text, ...options(state) });
    if (sentences.length === 1) remember(1, sentences[0].tokens, knownOf(JSON.parse(address.known)));
  } catch {
    // The page then shows what is wrong with the text.
  }
}

// All sentences as one file, around what was said of them.
function downloadRow(state) {
  const fault = h("span", { class: "note bad", id: "download-fault", role: "alert", hidden: true });
  const asked = () => {
    const known = state.sentences.map((each, at) => recall(at + 1, each.tokens));
    if (!known.some((each) => each.size)) return { ...state.given, ...options(state) };
    return { conllu: state.sentences.map((each) => each.conllu).join(""), constraints: known.map(statementsOf), ...options(state) };
  };
  const picture = async (to) => {
    const blob = await post("/api/pictures", { ...asked(), to }, { blob: true });
    save(blob, blob.type === "application/zip" ? `trees-${to}.zip` : `tree.${to}`);
  };
  const kinds = {
    "CoNLL-U": async () => saveText(await post("/api/parse", { ...asked(), to: "conllu" }), "trees.conllu"),
    JSON: async () => saveText(JSON.stringify(state.sentences.map(({ conllu, ...each }) => each), null, 1), "trees.json"),
    SVG: () => picture("svg"),
    PNG: () => picture("png"),
  };
  const button = ([name, work]) => h("button", { class: "button small", "data-download": name, onclick: async () => {
    fault.hidden = true;
    try {
      await work();
    } catch (error) {
      replace(fault, error.message).hidden = false;
    }
  } }, name);
  return h("div", { class: "row", id: "downloads", hidden: true, vars: { margin: "0 0 14px" } }, h("span", { class: "soft" }, "Download all"), Object.entries(kinds).map(button), fault);
}

// What all percentages of the page mean.
const figures = () => h(
  "details",
  { class: "help", id: "figures" },
  h("summary", {}, "What the percentages mean"),
  h("p", {}, "How probable it is that an answer is right: of 100 attachments given 60%, about 60 should have the right head. Below 75% it is written beside the arc’s label; point at an arc or a word to see it for head, label and tag. The figure of a tree is the same for all its heads and labels at once."),
  h("p", {}, "It holds for text like that of the treebank, and is too high on text of another kind; ", h("a", { href: "/analyze" }, "Analyze"), " shows how well it holds on trees of yours. Once you have said something yourself there is no figure: nothing is known of how often such trees are right."),
);

function showSentences(sentences, results, state) {
  state.sentences = sentences;
  state.cards = [];
  state.current = null;
  replace(results);
  let next = 0;
  const more = h("button", { class: "button", onclick: () => add() });
  const add = () => {
    for (const sentence of sentences.slice(next, next + SHOWN)) {
      const card = new Card(sentence, state.cards.length + 1, state);
      state.cards.push(card);
      results.insertBefore(card.element, more);
    }
    next += SHOWN;
    replace(more, `Show ${Math.min(SHOWN, sentences.length - next)} more of ${sentences.length}`).hidden = next >= sentences.length;
  };
  results.append(more);
  add();
}

function bindKeys(state, field) {
  const card = () => state.current ?? state.cards[0];
  const act = (work) => () => {
    const here = card();
    if (!here) return false;
    state.current = here;
    return work(here);
  };
  const move = (by) => act((here) => {
    const next = state.cards[state.cards.indexOf(here) + by];
    if (!next) return;
    here.leave();
    state.current = next;
    next.step(1);
    next.element.scrollIntoView({ block: "nearest", behavior: "smooth" });
    next.view.focus({ preventScroll: true });
  });
  keys([
    ["o", "Open a file", () => document.getElementById("file").click()],
    ["/", "Write text", () => field.focus()],
    ["ArrowLeft", "The word before", act((here) => here.step(-1))],
    ["ArrowRight", "The word after", act((here) => here.step(1))],
    ["ArrowDown", "The next sentence", move(1)],
    ["ArrowUp", "The sentence before", move(-1)],
    ["f", "Fix the head", act((here) => here.fix())],
    ["x", "Forbid the arc", act((here) => here.forbid())],
    ["r", "Make the word the root", act((here) => here.picked && here.say(here.picked, { head: 0, forbid: [] }))],
    ["h", "Choose another head: arrows, then ⏎", act((here) => here.takeAim())],
    ["Enter", "Take the head that is aimed at", act((here) => (here.aim ? here.pick(here.aim) : false))],
    ["u", "Give up what was said of the word", act((here) => here.known.has(here.picked) && here.say(here.picked, null))],
    ["l", "Type a label", act((here) => here.typeLabel())],
    ["m", "What sentences mean, or only trees", () => document.getElementById("meaning").click()],
    ["k", "The k best trees", act((here) => here.toggleBest())],
    ["Escape", "Leave the word", act((here) => here.leave())],
  ]);
}
