// Compare: two systems on one corpus, with intervals; what got better and what got worse.
import { follow, get, post } from "../lib/api.js";
import { differenceTable, opening, ordersOf, treesOf } from "../lib/compared.js";
import { h, plural, replace, select, signed } from "../lib/dom.js";
import { jobView } from "../lib/jobs.js";
import { keys } from "../lib/keys.js";
import { learnedNote, unseenBox } from "../lib/learned.js";
import { beamOf, beamSelect, modelNamed, usableModels } from "../lib/models.js";

const ROWS = 60;

export async function show(main) {
  const [known, sets, corpora, jobs] = await Promise.all([get("/api/models"), get("/api/rules"), get("/api/corpora"), get("/api/jobs")]);
  const usable = corpora.filter((each) => !each.error && (each.kind === "references" || (each.kind === "trees" && each.whole)));
  if (!usable.length) {
    replace(main, h("h1", {}, "Compare"), h("div", { class: "empty", vars: { "margin-top": "20px" } }, h("p", {}, "There is nothing to compare on yet. Start the workbench with a treebank or with reference orders:"), h("p", {}, h("code", {}, "niwaki serve --trees dev.conllu --references pairs.jsonl"))));
    return;
  }
  const models = usableModels(known);
  const names = models.map((each) => each.id);
  const state = { corpus: usable[0], a: { model: names[0], beam: "" , rules: "none" }, b: { model: names[1] ?? names[0], beam: names[1] ? "" : "1", rules: "ja" }, unseen: false };
  const form = h("div", { class: "card" });
  const progress = jobView();
  const results = h("section", { id: "results" });
  const side = (letter) => {
    const system = state[letter];
    return h(
      "div",
      { class: "row", "data-side": letter },
      h("b", { vars: { width: "18px" } }, letter.toUpperCase()),
      select(names, system.model, (value) => {
        system.model = value;
        draw();
        form.querySelector(`[data-side="${letter}"] select`).focus();
      }, { "aria-label": "Model", "data-field": "model" }),
      beamSelect(modelNamed(models, system.model), system.beam, (value) => (system.beam = value), { "data-field": "beam" }),
      state.corpus.kind === "references" ? h("label", { class: "field" }, "rules", select(sets.map((each) => each.id), system.rules, (value) => (system.rules = value), { "data-field": "rules" })) : null,
    );
  };
  const request = () => ({
    corpus: state.corpus.id,
    systems: ["a", "b"].map((letter) => ({
      model: state[letter].model,
      ...beamOf(modelNamed(models, state[letter].model), state[letter].beam),
      ...(state.corpus.kind === "references" ? { rules: state[letter].rules } : {}),
    })),
    unseen: state.unseen,
  });
  const run = async () => {
    replace(results);
    try {
      const job = await post("/api/compare", request());
      await watch(job.id);
    } catch (error) {
      progress.fail(error);
    }
  };
  const watch = async (id) => {
    const job = await follow(id, progress.show);
    if (job.state === "done") showResult(results, job);
  };
  const draw = () =>
    replace(
      form,
      h("div", { class: "row", vars: { "margin-bottom": "14px" } }, h("label", { class: "field" }, "Corpus", select(usable.map((each) => [each.id, `${each.id} (${plural(each.sentences, "sentence")})`]), state.corpus.id, (value) => {
        state.corpus = usable.find((each) => each.id === value);
        draw();
      }, { id: "corpus" })), h("span", { class: "chip" }, state.corpus.kind === "trees" ? "treebank" : "reference orders")),
      h("div", { class: "grid2" }, side("a"), side("b")),
      h("div", { class: "row", vars: { "margin-top": "16px" } }, h("button", { class: "button main", id: "run", onclick: run }, "Compare ", h("kbd", {}, "⏎")), unseenBox(state)),
      progress.element,
    );
  draw();
  replace(main, h("h1", {}, "Compare"), h("p", { class: "lede" }, "Is B better than A, and where? Intervals are from a paired bootstrap over sentences."), form, results);
  keys([["Enter", "Compare", run]]);
  const last = jobs.filter((each) => each.kind === "compare" && each.state !== "failed" && each.state !== "cancelled").at(-1);
  if (last) watch(last.id);
}

const nameOf = (system) => `${system.model}${system.beam ? ` beam ${system.beam}` : ""}${system.rules ? ` + ${system.rules}` : ""}`;

function showResult(place, job) {
  const { result, request } = job;
  const titles = request.systems.map(nameOf);
  const letters = titles.map((title, at) => `${"AB"[at]} · ${title}`);
  const trees = result.measure === "LAS";
  const filter = { show: "changed", label: "", word: "", low: 1, high: 1000, least: 0, cost: 0 };
  const list = h("div", {});
  const count = h("span", { class: "soft num", id: "rows-count" });
  const update = () => {
    const found = result.rows.filter((row) => fits(row, filter));
    found.sort((x, y) => (filter.show === "worse" ? x.b - x.a - (y.b - y.a) : filter.show === "better" ? y.b - y.a - (x.b - x.a) : Math.abs(y.b - y.a) - Math.abs(x.b - x.a)) || x.n - y.n);
    replace(count, plural(found.length, "sentence"));
    replace(list, rowTable(found.slice(0, ROWS), request, letters, trees), found.length > ROWS ? h("p", { class: "soft" }, `The first ${ROWS} are shown.`) : null);
  };
  const labels = [...new Set(result.rows.flatMap((row) => row.wrong))].sort();
  const chooser = select([["", "any label"], ...labels.map((each) => [each, each])], "", (value) => {
    filter.label = value;
    update();
  }, { id: "label", "aria-label": "With an arc of this label" });
  const better = result.rows.filter((row) => row.b > row.a).length;
  const worse = result.rows.filter((row) => row.b < row.a).length;
  replace(
    place,
    h("div", { class: "card", id: "table" }, h("div", { class: "row between" }, h("h2", {}, job.title), h("span", { class: "soft num" }, h("span", { class: "up" }, `${better} better`), " · ", h("span", { class: "down" }, `${worse} worse`), ` · ${result.rows.length - better - worse} equal`)), learnedNote(result.overlap, letters), differenceTable(result.table, "", ["A", "B"], { digits: trees ? 2 : 4 }), h("p", { class: "faint signature" }, result.signature)),
    result.labels.length
      ? h("details", { class: "card" }, h("summary", {}, h("b", {}, "By label"), h("span", { class: "soft" }, " · share found with head and label; click one to see its sentences")), h("div", { vars: { "margin-top": "12px" } }, differenceTable(result.labels, "label", ["A", "B"], { count: true, digits: 1, onpick: (label) => {
          chooser.value = filter.label = label;
          filter.show = "changed";
          update();
          list.scrollIntoView({ behavior: "smooth" });
        } })))
      : null,
    h(
      "div",
      { class: "card" },
      h("div", { class: "row between" }, h("h2", { vars: { margin: 0 } }, "Sentences"), count),
      h(
        "div",
        { class: "row", vars: { margin: "12px 0" } },
        select([["changed", "that changed"], ["better", "that got better"], ["worse", "that got worse"], ["all", "all"]], filter.show, (value) => {
          filter.show = value;
          update();
        }, { id: "show", "aria-label": "Which sentences" }),
        chooser,
        h("input", { type: "search", id: "word", placeholder: "with the word…", oninput: (event) => {
          filter.word = event.target.value.toLowerCase();
          update();
        } }),
        h("label", { class: "field" }, "words", h("input", { type: "number", id: "low", min: 1, value: 1, oninput: (event) => {
          filter.low = Number(event.target.value) || 1;
          update();
        } }), "to", h("input", { type: "number", min: 1, value: 1000, oninput: (event) => {
          filter.high = Number(event.target.value) || 1000;
          update();
        } })),
        h("label", { class: "field" }, "change of at least", h("input", { type: "number", id: "least", min: 0, max: 1, step: 0.05, value: 0, oninput: (event) => {
          filter.least = Number(event.target.value) || 0;
          update();
        } })),
        h("label", { class: "field", title: "1 − score, of the worse of the two" }, "cost of at least", h("input", { type: "number", id: "cost", min: 0, max: 1, step: 0.05, value: 0, oninput: (event) => {
          filter.cost = Number(event.target.value) || 0;
          update();
        } })),
      ),
      list,
    ),
  );
  update();
}

function fits(row, filter) {
  const change = row.b - row.a;
  if (filter.show === "better" && change <= 0) return false;
  if (filter.show === "worse" && change >= 0) return false;
  if (filter.show === "changed" && !row.differ) return false;
  if (filter.label && !row.wrong.includes(filter.label)) return false;
  if (filter.word && !row.text.toLowerCase().includes(filter.word)) return false;
  if (row.words < filter.low || row.words > filter.high) return false;
  return Math.abs(change) >= filter.least && 1 - Math.min(row.a, row.b) >= filter.cost;
}

function rowTable(rows, { corpus, systems }, names, trees) {
  if (!rows.length) return h("p", { class: "soft" }, "No sentence fits.");
  return h(
    "table",
    {},
    h("thead", {}, h("tr", {}, h("th", {}, "sentence"), h("th", { class: "n" }, "words"), h("th", { class: "n" }, "A"), h("th", { class: "n" }, "B"), h("th", { class: "n" }, "change"))),
    h(
      "tbody",
      {},
      rows.map((row) =>
        opening(
          h("tr", { "data-n": row.n }, h("td", { class: "words", dir: "auto" }, row.text), h("td", { class: "n" }, row.words), h("td", { class: "n" }, row.a.toFixed(2)), h("td", { class: "n" }, row.b.toFixed(2)), h("td", { class: `n ${row.b > row.a ? "up" : row.b < row.a ? "down" : ""}` }, signed(row.b - row.a))),
          5,
          async () => {
            const found = await post("/api/compare-sentence", { corpus, systems, n: row.n });
            return trees ? treesOf(found, names) : ordersOf(found, names);
          },
        ),
      ),
    ),
  );
}
