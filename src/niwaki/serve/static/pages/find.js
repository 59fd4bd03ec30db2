// Find: a query for trees, what it finds in a text or a treebank, counted and marked.
import { get, latest, post } from "../lib/api.js";
import { debounce, h, plural, replace, select } from "../lib/dom.js";
import { saveText } from "../lib/download.js";
import { givenOf, take, takeFiles } from "../lib/given.js";
import { keys } from "../lib/keys.js";
import { languageNote, tellLanguage } from "../lib/language.js";
import { modelNamed, usableModels } from "../lib/models.js";
import { colourOfName, faultyQuery, markedText, spansOf } from "../lib/queries.js";
import { treeView } from "../lib/tree.js";

const EXAMPLES = [
  ["VERB=did >nsubj *=who >obj NOUN=what", "who did what"],
  ["NOUN=x >amod ADJ=y", "nouns with adjectives"],
  ["VERB=v !>nsubj *", "verbs without a subject"],
  ["NOUN=what >acl:relcl (VERB >nsubj *=who)", "relative clauses"],
];
const TEXT = "Mori rakes the white gravel. The monks planted a young pine by the pond. A heron watches the monks.";
const SET = "facts";

export async function show(main) {
  const [models, corpora] = await Promise.all([get("/api/models"), get("/api/corpora")]);
  const usable = usableModels(models);
  const trees = corpora.filter((each) => each.kind === "trees" && !each.error);
  const kept = (name, otherwise) => sessionStorage.getItem(`find.${name}`) ?? otherwise;
  const state = {
    model: (modelNamed(usable, sessionStorage.getItem("parse.model") ?? "en") ?? usable[0])?.id,
    corpus: trees.some((each) => each.id === kept("corpus", "")) ? kept("corpus", "") : "",
    set: false,
  };
  const query = h("input", { type: "text", id: "query", class: "query", spellcheck: "false", autocomplete: "off", "aria-label": "Query", "aria-describedby": "query-fault" });
  query.value = kept("query", EXAMPLES[0][0]);
  const fault = h("div", { class: "note bad", id: "query-fault", role: "alert", hidden: true });
  const field = h("textarea", { id: "text", rows: 3, dir: "auto", placeholder: "Type or paste text, or drop a text or CoNLL-U file here.", "aria-label": "Text to look through", spellcheck: "false" });
  field.value = kept("text", TEXT);
  const language = languageNote();
  const textFault = h("p", { class: "note bad", id: "fault", role: "alert", hidden: true });
  const count = h("input", { type: "text", id: "count", class: "short", spellcheck: "false", placeholder: "what.lemma", "aria-describedby": "count-fault" });
  count.value = kept("count", "");
  const countFault = h("p", { class: "note bad", id: "count-fault", role: "alert", hidden: true });
  const status = h("span", { class: "soft num", id: "status", "aria-live": "polite" });
  const results = h("section", { id: "results" });

  const request = () => ({
    ...(state.set ? { set: SET } : { query: query.value }),
    ...(state.corpus ? { corpus: state.corpus } : { ...givenOf(field.value), model: state.model }),
    ...(count.value.trim() ? { count: count.value.trim() } : {}),
  });
  const ask = latest((signal) => post("/api/find", request(), { signal }));
  const complain = (error) => {
    const column = error?.record?.column;
    const ofCount = error && column === undefined && /^no (word|field) /.test(error.message);
    query.setAttribute("aria-invalid", String(column !== undefined));
    fault.hidden = column === undefined;
    if (column !== undefined) replace(fault, faultyQuery(query.value, column), h("div", {}, `Character ${column}: ${error.record.found}`));
    countFault.hidden = !ofCount;
    textFault.hidden = !error || ofCount || column !== undefined;
    if (error) replace(ofCount ? countFault : textFault, error.message);
  };
  const find = async () => {
    for (const [name, value] of Object.entries({ query: query.value, text: field.value, count: count.value, corpus: state.corpus })) sessionStorage.setItem(`find.${name}`, value);
    if ((!state.set && !query.value.trim()) || (!state.corpus && !field.value.trim())) {
      complain(null);
      replace(status);
      return replace(results);
    }
    const { found, error, stale } = await ask();
    if (stale) return null;
    complain(error);
    if (error) return null;
    tellLanguage(language, found.language, modelNamed(usable, state.model));
    replace(status, `${plural(found.matches, "match", "matches")} in ${found.with} of ${plural(found.sentences, "sentence")}`);
    return replace(results, counts(found), examples(found));
  };
  const later = debounce(find, 250);
  for (const each of [query, field, count]) each.addEventListener("input", later);
  const drop = h("div", { class: "drop" }, field, textFault, language);
  const chooser = h("input", { type: "file", id: "file", accept: ".txt,.conllu,text/plain", hidden: true, onchange: (event) => take(event.target.files[0], field, find) });
  const model = h("label", { class: "field" }, "Model", select(usable.map((each) => each.id), state.model, (value) => {
    state.model = value;
    find();
  }, { id: "model" }));
  const where = (value) => {
    state.corpus = value;
    drop.hidden = model.hidden = Boolean(value);
  };
  const facts = h("button", { class: "button small", id: "facts", "aria-pressed": "false", title: "A shipped set of queries: subject, verb, object, with passives and conjunctions", onclick: () => {
    state.set = !state.set;
    facts.classList.toggle("on", state.set);
    facts.setAttribute("aria-pressed", String(state.set));
    query.disabled = state.set;
    find();
  } }, "Set: facts");
  const save = async () => {
    try {
      saveText(await post("/api/find", { ...request(), to: "conllu" }), "found.conllu");
    } catch (error) {
      complain(error);
    }
  };
  replace(
    main,
    h("h1", {}, "Find"),
    h("p", { class: "lede" }, "Words and arrows between them. A name behind ", h("code", {}, "="), " is what is told."),
    query,
    fault,
    h("div", { class: "row", vars: { margin: "8px 0 16px" } }, EXAMPLES.map(([text, title]) => h("button", { class: "chip", title: text, onclick: () => {
      query.value = text;
      find();
    } }, title)), facts),
    drop,
    chooser,
    h(
      "div",
      { class: "row", vars: { margin: "10px 0 4px" } },
      trees.length ? h("label", { class: "field" }, "In", select([["", "the text"], ...trees.map((each) => [each.id, `${each.id} (${each.sentences})`])], state.corpus, (value) => {
        where(value);
        find();
      }, { id: "corpus" })) : null,
      model,
      h("label", { class: "field" }, "Count", count),
      h("button", { class: "button small", id: "open", onclick: () => chooser.click() }, "Open a file ", h("kbd", {}, "o")),
      h("button", { class: "button small", id: "save", onclick: save }, "Download CoNLL-U"),
      h("span", { class: "grow" }),
      status,
    ),
    countFault,
    help(),
    results,
  );
  where(state.corpus);
  takeFiles(drop, field, find);
  keys([
    ["/", "Write the query", () => query.focus()],
    ["o", "Open a file", () => chooser.click()],
    ["Escape", "Leave a field", () => false],
  ]);
  await find();
}

const help = () => h(
  "details",
  { class: "help", vars: { margin: "6px 0 16px" } },
  h("summary", {}, "How queries are written"),
  h("table", {}, h("tbody", {}, [
    ["VERB, NOUN|PROPN, *", "a word with this tag, with one of these, any"],
    ["[lemma=give|take, Tense=Past]", "a word with these conditions; label, upos, xpos, form, features"],
    ["A > B, A >obj B, A >> B", "B hangs from A; with this label; somewhere below"],
    ["A + B, A ++ B, A $ B", "B is the next word; stands later; hangs from the same word"],
    ["A !>obj *", "there is no such word"],
    ["VERB >obj (NOUN=x >amod ADJ)", "parentheses go deeper; x is told"],
  ].map(([code, text]) => h("tr", {}, h("td", {}, h("code", {}, code)), h("td", {}, text))))),
);

function counts(found) {
  if (!found.counts.length) return null;
  return h(
    "div",
    { class: "card", id: "counts" },
    h("h2", {}, "Counts"),
    h("table", {}, h("thead", {}, h("tr", {}, found.fields.map((each) => h("th", {}, each)), h("th", { class: "n" }, "count"))), h("tbody", {}, found.counts.map(({ values, count }) => h("tr", {}, values.map((each) => h("td", { class: "words", dir: "auto" }, each)), h("td", { class: "n" }, String(count)))))),
  );
}

function examples(found) {
  const { names } = found;
  const shown = found.examples.length;
  return [
    shown ? h("div", { class: "row", vars: { "margin-bottom": "10px" } }, names.map((name) => h("span", { class: "legend" }, h("span", { class: "rule-dot", vars: { "--rule": colourOfName(names, name) } }), name)), found.with > shown ? h("span", { class: "soft num" }, `the first ${shown} of ${plural(found.with, "sentence")}`) : null) : h("p", { class: "empty" }, "Nothing fits."),
    found.examples.map((sentence, number) => example(sentence, names, number + 1)),
  ];
}

// A sentence with its marks; opened, its tree with one match after the other.
function example(sentence, names, number) {
  const place = h("div", {});
  let at = 0;
  const draw = () => replace(
    place,
    sentence.matches.length > 1 ? h("div", { class: "row", vars: { margin: "8px 0" } }, sentence.matches.map((match, each) => h("button", { class: `chip ${each === at ? "on" : ""}`, onclick: () => {
      at = each;
      draw();
    } }, match.query || `match ${each + 1}`))) : null,
    treeView(sentence, { spans: spansOf(sentence.matches[at], names) }),
  );
  return h(
    "details",
    { class: "card found", "data-found": sentence.matches.length, ontoggle: (event) => event.target.open && !place.children.length && draw() },
    h("summary", {}, h("span", { class: "number" }, String(number)), " ", markedText(sentence, names)),
    place,
  );
}
