// The form that begins a project.
import { post } from "../lib/api.js";
import { h, plural, replace, select } from "../lib/dom.js";
import { complain, givenOf, take, takeFiles } from "../lib/given.js";

// How many words of CoNLL-U have a head, and how many there are.
function headed(text) {
  const rows = text.split("\n").filter((line) => /^\d+\t/.test(line)).map((line) => line.split("\t"));
  return { words: rows.length, heads: rows.filter((row) => /^\d+$/.test(row[6] ?? "")).length };
}

export function newProject(models, corpora, open) {
  const trees = corpora.filter((each) => each.kind === "trees" && !each.error);
  const name = h("input", { type: "text", id: "name", placeholder: "Garden letters", maxlength: 80 });
  const text = h("textarea", { id: "new-text", rows: 5, placeholder: "Text, or CoNLL-U, also one that is annotated in part. Files can be dropped here.", spellcheck: "false" });
  const source = h("textarea", { id: "new-source", rows: 4, placeholder: "The old pine leans .", spellcheck: "false" });
  const target = h("textarea", { id: "new-target", rows: 4, placeholder: "古い 松 は 傾い て いる 。", spellcheck: "false" });
  const fault = h("p", { class: "note bad", id: "new-fault", role: "alert", hidden: true });
  const start = h("input", { type: "checkbox", id: "start" });
  const started = h("span", {});
  const startField = h("label", { class: "field", hidden: true }, start, started);
  // A file with gaps was begun by somebody; one without may be a parser's.
  const look = () => {
    const { words, heads } = "conllu" in givenOf(text.value) ? headed(text.value) : { words: 0, heads: 0 };
    startField.hidden = !heads;
    start.checked = heads > 0 && heads < words;
    replace(started, `keep the heads that are there: ${heads} of ${plural(words, "word")}`);
  };
  const chooser = h("input", { type: "file", id: "new-file", accept: ".txt,.conllu,text/plain", hidden: true, onchange: (event) => take(event.target.files[0], text, look) });
  const drop = h("div", { class: "drop", vars: { "margin-top": "8px" } }, text);
  text.addEventListener("input", look);
  takeFiles(drop, text, look);
  const texts = corpora.filter((each) => each.kind === "bitext" && !each.error);
  const state = { kind: "trees", corpus: "", bitext: "", model: models.find((each) => !each.error)?.id };
  const body = h("div", {});
  const draw = () =>
    replace(
      body,
      state.kind === "trees"
        ? [
            trees.length
              ? h("label", { class: "stack" }, "Sentences", select([["", "from the text below"], ...trees.map((each) => [each.id, `the words of ${each.id} (${each.sentences} sentences)`])], state.corpus, (value) => {
                  state.corpus = value;
                  draw();
                }, { id: "new-corpus" }))
              : null,
            state.corpus ? null : [drop, h("div", { class: "row", vars: { margin: "8px 0 0" } }, h("button", { class: "button small", onclick: () => chooser.click() }, "Open a file"), chooser, startField)],
          ]
        : [
            texts.length
              ? h("label", { class: "stack" }, "Pairs", select([["", "from the lines below"], ...texts.map((each) => [each.id, `${each.id} (${each.sentences} pairs)`])], state.bitext, (value) => {
                  state.bitext = value;
                  draw();
                }, { id: "new-bitext" }))
              : null,
            state.bitext ? null : h("div", { class: "grid2" }, h("label", { class: "stack" }, "Source sentences, one a line, words with spaces between", source), h("label", { class: "stack" }, "Their translations", target)),
          ],
    );
  const create = async () => {
    const request = { name: name.value.trim() || "Untitled", model: state.model };
    if (state.kind === "links" && state.bitext) request.bitext = state.bitext;
    else if (state.kind === "links") Object.assign(request, { source: source.value, target: target.value });
    else if (state.corpus) request.corpus = state.corpus;
    else Object.assign(request, givenOf(text.value), startField.hidden || !start.checked ? {} : { start: true });
    try {
      const made = await post("/api/projects-create", request);
      location.href = `/annotate?project=${made.id}`;
    } catch (error) {
      complain(fault, state.kind === "links" ? source : text, error);
    }
  };
  draw();
  return h(
    "details",
    { class: "card", open, vars: { "margin-top": "16px" } },
    h("summary", {}, h("b", {}, "New project")),
    h(
      "div",
      { vars: { display: "grid", gap: "14px", "margin-top": "16px" } },
      h(
        "div",
        { class: "row" },
        h("label", { class: "stack" }, "Name", name),
        h("label", { class: "stack" }, "What to annotate", select([["trees", "main verbs and heads"], ["links", "word links"]], "trees", (value) => {
          state.kind = value;
          draw();
        }, { id: "kind" })),
        h("label", { class: "stack" }, "Model", select(models.filter((each) => !each.error).map((each) => each.id), state.model, (value) => (state.model = value))),
      ),
      body,
      fault,
      h("div", {}, h("button", { class: "button main", id: "create", onclick: create }, "Begin")),
    ),
  );
}
