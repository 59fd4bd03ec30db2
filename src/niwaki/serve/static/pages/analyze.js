// Analyze: where a system errs, what its doubts are worth, and what speed costs.
import { follow, get, post } from "../lib/api.js";
import { barChart, lineChart } from "../lib/chart.js";
import { opening, ordersOf, treesOf } from "../lib/compared.js";
import { h, percent, plural, replace, select, signed } from "../lib/dom.js";
import { jobView } from "../lib/jobs.js";
import { keys } from "../lib/keys.js";

export async function show(main) {
  const [models, sets, corpora, jobs] = await Promise.all([get("/api/models"), get("/api/rules"), get("/api/corpora"), get("/api/jobs")]);
  const usable = corpora.filter((each) => !each.error && (each.kind === "references" || (each.kind === "trees" && each.whole)));
  if (!usable.length) {
    replace(main, h("h1", {}, "Analyze"), h("div", { class: "empty", vars: { "margin-top": "20px" } }, h("p", {}, "There is nothing to analyze yet. Start the workbench with a treebank or with reference orders:"), h("p", {}, h("code", {}, "niwaki serve --trees dev.conllu --references pairs.jsonl"))));
    return;
  }
  const names = models.filter((each) => !each.error).map((each) => each.id);
  const state = { corpus: usable[0], model: names[0], rules: "ja" };
  const progress = jobView();
  const form = h("div", { class: "card" });
  const results = h("section", { id: "results" });
  const run = async () => {
    replace(results);
    const system = { model: state.model, ...(state.corpus.kind === "references" ? { rules: state.rules } : {}) };
    try {
      const job = await post("/api/analyze", { corpus: state.corpus.id, systems: [system] });
      await watch(job.id);
    } catch (error) {
      progress.fail(error);
    }
  };
  const watch = async (id) => {
    const job = await follow(id, progress.show);
    if (job.state !== "done") return;
    if (job.result.factors) showTrees(results, job);
    else showOrders(results, job);
  };
  const draw = () =>
    replace(
      form,
      h(
        "div",
        { class: "row" },
        h("label", { class: "field" }, "Corpus", select(usable.map((each) => [each.id, `${each.id} (${plural(each.sentences, "sentence")})`]), state.corpus.id, (value) => {
          state.corpus = usable.find((each) => each.id === value);
          draw();
        }, { id: "corpus" })),
        h("label", { class: "field" }, "Model", select(names, state.model, (value) => (state.model = value), { id: "model" })),
        state.corpus.kind === "references" ? h("label", { class: "field" }, "Rules", select(sets.map((each) => each.id), state.rules, (value) => (state.rules = value), { id: "rules" })) : null,
        h("button", { class: "button main", id: "run", onclick: run }, "Analyze ", h("kbd", {}, "⏎")),
      ),
      progress.element,
    );
  draw();
  replace(main, h("h1", {}, "Analyze"), h("p", { class: "lede" }, "Where the errors are, whether doubts can be trusted, and what a wider beam buys."), form, results);
  keys([["Enter", "Analyze", run]]);
  const last = jobs.filter((each) => each.kind === "analyse" && (each.state === "running" || each.state === "done")).at(-1);
  if (last) watch(last.id);
}

function showTrees(place, job) {
  const { result, request } = job;
  const state = { factor: "label", value: "" };
  const bars = h("div", {});
  const list = h("div", {});
  const draw = () => {
    const rows = result.factors[state.factor].slice(0, 18);
    replace(
      bars,
      barChart(rows.map((row) => ({ name: row.value, value: row.las, note: `${row.las.toFixed(1)}  of ${row.count}` })), {
        most: 100,
        chosen: state.factor === "label" ? state.value : null,
        onpick: state.factor === "label" ? (value) => {
          state.value = state.value === value ? "" : value;
          draw();
        } : null,
      }),
    );
    const found = result.examples.filter((each) => !state.value || each.labels.includes(state.value)).slice(0, 30);
    replace(list, h("h2", {}, state.value ? `Sentences with errors of ${state.value}` : "Sentences with most errors"), exampleTable(found, request, true));
  };
  const scores = ["UAS", "LAS", "CLAS", "UPOS", "FEATS", "LEMMA"];
  replace(
    place,
    h("div", { class: "card row between" }, scores.map((name) => h("div", {}, h("div", { class: "soft" }, name), h("div", { class: "score num", "data-score": name }, result.scores[name].toFixed(2))))),
    h(
      "div",
      { class: "grid2" },
      h("div", { class: "card" }, h("div", { class: "row between", vars: { "margin-bottom": "10px" } }, h("h2", { vars: { margin: 0 } }, "LAS by"), select(Object.keys(result.factors), state.factor, (value) => {
        state.factor = value;
        state.value = "";
        draw();
      }, { id: "factor", "aria-label": "By what" })), bars),
      h("div", { class: "card" }, h("h2", {}, "What is taken for what"), h("table", { id: "confusions" }, h("thead", {}, h("tr", {}, h("th", {}, "gold"), h("th", {}, "system"), h("th", {}, "head"), h("th", { class: "n" }, "words"))), h("tbody", {}, result.confusions.slice(0, 14).map((each) => h("tr", {}, h("td", {}, each.gold), h("td", {}, each.system), h("td", { class: "soft" }, each.head ? "right" : "wrong"), h("td", { class: "n" }, each.count)))))),
    ),
    result.reliability
      ? h(
          "div",
          { class: "grid2" },
          h("div", { class: "card" }, h("h2", {}, "Reliability: what is said, and what is"), lineChart(Object.fromEntries(Object.entries(result.reliability).map(([kind, each]) => [`${kind} (error ${each.error.toFixed(3)})`, each.points.map(([said, right, size]) => [said, right, `said ${percent(said)}, right ${percent(right)} of ${size}`])])), { x: "probability", y: "share that is right", xRange: [0, 1], yRange: [0, 1], diagonal: true })),
          h("div", { class: "card" }, h("h2", {}, "Errors found by looking at the least certain first"), lineChart(Object.fromEntries(Object.entries(result.reliability).map(([kind, each]) => [kind, each.doubt])), { x: "share looked at", y: "share of errors found", xRange: [0, 1], yRange: [0, 1], diagonal: true })),
        )
      : null,
    h(
      "div",
      { class: "grid2" },
      h("div", { class: "card" }, h("h2", {}, "Trade-off: speed and accuracy by beam"), lineChart({ LAS: result.beams.map((each) => [each.words_per_second, each.LAS, `beam ${each.beam}`]) }, { x: "words a second, one core", y: "LAS", labels: true, log: true }), h("p", { class: "soft" }, `On the first ${plural(result.beams[0].sentences, "sentence")}.`)),
      h("div", { class: "card" }, list),
    ),
  );
  draw();
}

function exampleTable(rows, request, trees) {
  if (!rows.length) return h("p", { class: "soft" }, "There are none.");
  const name = request.systems[0].model;
  return h(
    "table",
    {},
    h("tbody", {}, rows.map((row) =>
      opening(
        h("tr", { "data-n": row.n }, h("td", { class: "words" }, row.text), h("td", { class: "n" }, trees ? plural(row.errors, "error") : row.score.toFixed(3))),
        2,
        async () => {
          const found = await post("/api/compare-sentence", { ...request, n: row.n });
          return trees ? treesOf(found, [name]) : ordersOf(found, [name]);
        },
      ),
    )),
  );
}

function showOrders(place, job) {
  const { result, request } = job;
  const kinds = Object.keys(result.misplaced);
  const bars = h("div", {});
  const draw = (kind) =>
    replace(bars, result.misplaced[kind].length ? barChart(result.misplaced[kind].map((each) => ({ name: each.value, value: each.wrong, note: `${each.wrong} of ${each.count}` }))) : h("p", { class: "soft" }, "Nothing is misplaced."));
  const shown = ["frs_linked", "frs", "tau", "exact_linked"];
  replace(
    place,
    h("div", { class: "card row between" }, shown.map((name) => h("div", {}, h("div", { class: "soft" }, name), h("div", { class: "score num", "data-score": name }, result.scores[name].toFixed(4)), h("div", { class: "faint num" }, result.scores.intervals[name].map((each) => each.toFixed(3)).join(" … "))))),
    h(
      "div",
      { class: "grid2" },
      h("div", { class: "card" }, h("div", { class: "row between", vars: { "margin-bottom": "10px" } }, h("h2", { vars: { margin: 0 } }, "Misplaced most often"), select(kinds, kinds[0], draw, { id: "kind", "aria-label": "By what" })), bars),
      h("div", { class: "card" }, h("h2", {}, "What is lost if a rule or a tuple is switched off"), result.rules.length ? barChart(result.rules.slice(0, 18).map((each) => ({ name: each.rule, value: each.gain, note: signed(each.gain, 4) })), { left: 170 }) : h("p", { class: "soft" }, "No rule makes a difference here.")),
    ),
    h("div", { class: "card" }, h("h2", {}, "Worst sentences"), exampleTable(result.worst, request, false)),
  );
  draw(kinds[0]);
}
