// Adapt: train on what was annotated; watch it, stop it, see what it did.
import { follow, get, post } from "../lib/api.js";
import { lineChart } from "../lib/chart.js";
import { differenceTable, opening, treesOf } from "../lib/compared.js";
import { h, percent, plural, replace, select } from "../lib/dom.js";
import { jobView } from "../lib/jobs.js";
import { keys } from "../lib/keys.js";

export async function show(main) {
  const known = await get("/api/adapt");
  const ready = known.projects.filter((each) => each.annotated);
  const results = h("section", { id: "results" });
  const progress = jobView();
  const state = { project: ready[0]?.id, treebank: known.treebanks[0], dev: "", epochs: 12, weight: 1 };
  const start = async () => {
    replace(results);
    try {
      const request = { project: state.project, treebank: state.treebank, epochs: state.epochs, weight: state.weight, ...(state.dev ? { dev: state.dev } : {}) };
      const job = await post("/api/adapt-start", request);
      await watch(job.id);
    } catch (error) {
      progress.fail(error);
    }
  };
  const watch = async (id) => {
    const job = await follow(id, (each) => {
      progress.show(each);
      showRun(results, each);
    });
    progress.show(job);
    await showRun(results, job);
  };
  const count = (key, low, high) => h("input", { type: "number", id: key, min: low, max: high, value: state[key], onchange: (event) => (state[key] = Math.max(low, Math.min(high, Number(event.target.value) || low))) });
  const missing = !ready.length
    ? ["Nothing is annotated yet.", h("a", { href: "/annotate" }, "Answer some questions first.")]
    : !known.treebanks.length
      ? ["A parser also needs whole trees to learn from. Start the workbench with a treebank:", h("code", {}, "niwaki serve --trees train.conllu")]
      : null;
  replace(
    main,
    h("h1", {}, "Adapt"),
    h("p", { class: "lede" }, `A new model learns from a treebank together with what was annotated. Every ${known.held_out}th annotated sentence is kept out, to see what it was worth.`),
    missing
      ? h("div", { class: "empty" }, missing.map((each) => h("p", {}, each)))
      : h(
          "div",
          { class: "card" },
          h(
            "div",
            { class: "row", vars: { "align-items": "flex-end" } },
            h("label", { class: "stack" }, "What was annotated", select(ready.map((each) => [each.id, `${each.name} (${plural(each.annotated, "sentence")})`]), state.project, (value) => (state.project = value), { id: "project" })),
            h("label", { class: "stack" }, "Treebank", select(known.treebanks, state.treebank, (value) => (state.treebank = value), { id: "treebank" })),
            h("label", { class: "stack" }, "Development data", select([["", "none"], ...known.treebanks.map((each) => [each, each])], "", (value) => (state.dev = value), { id: "dev" })),
            h("label", { class: "stack" }, "Epochs", count("epochs", 1, 100)),
            h("label", { class: "stack" }, "Weight", count("weight", 1, 20)),
            h("button", { class: "button main", id: "start", onclick: start }, "Train ", h("kbd", {}, "⏎")),
          ),
          progress.element,
        ),
    results,
  );
  keys(missing ? [] : [["Enter", "Train", start]]);
  const last = known.jobs.at(-1);
  if (last) watch(last.id);
}

async function showRun(place, job) {
  const stages = [...new Set(job.curves.map((each) => each.stage))];
  const scored = job.curves.some((each) => each.las !== undefined);
  const series = Object.fromEntries(stages.map((stage) => [stage, job.curves.filter((each) => each.stage === stage).map((each) => [each.epoch, scored ? each.las : each.updates])]));
  replace(
    place,
    h(
      "div",
      { class: "grid2" },
      h("div", { class: "card", id: "curves" }, h("h2", {}, scored ? "LAS on the development data" : "Updates an epoch"), job.curves.length ? lineChart(series, { x: "epoch", y: scored ? "LAS" : "updates" }) : h("p", { class: "soft" }, job.state === "running" ? "The first epoch is under way." : "No epoch was finished.")),
      h("div", { class: "card" }, h("h2", {}, "Log"), h("pre", { class: "log mono", id: "log" }, job.lines.join("\n") || "…")),
    ),
    job.result ? beforeAndAfter(job) : null,
  );
}

function beforeAndAfter(job) {
  const { result } = job;
  const names = [`before · ${result.before}`, `after · ${result.model}`];
  const share = (part, what, at) => {
    const counts = result[part].counts[at];
    return counts[`known_${what}`] ? percent(counts[what] / counts[`known_${what}`], 1) : "–";
  };
  const parts = ["held-out", "annotated"].filter((part) => result[part]);
  return [
    h(
      "div",
      { class: "card", id: "before-after" },
      h("h2", {}, "Before and after"),
      h("p", { class: "soft" }, "The new model is called ", h("b", {}, result.model), " and can be used on every page. Sentences that were learned from say little; look at those kept out."),
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("th", {}, ""), h("th", { class: "n" }, "sentences"), h("th", { class: "n" }, "main words before"), h("th", { class: "n" }, "after"), h("th", { class: "n" }, "known heads before"), h("th", { class: "n" }, "after"))),
        h("tbody", {}, parts.map((part) => h("tr", { "data-part": part }, h("td", {}, part === "held-out" ? "kept out of training" : "learned from"), h("td", { class: "n" }, result[part].rows.length), h("td", { class: "n" }, share(part, "roots", 0)), h("td", { class: "n" }, share(part, "roots", 1)), h("td", { class: "n" }, share(part, "heads", 0)), h("td", { class: "n" }, share(part, "heads", 1))))),
      ),
    ),
    result.dev ? h("div", { class: "card" }, h("h2", {}, "On the development data"), differenceTable(result.dev.table, "", ["before", "after"])) : null,
    parts.map((part) => {
      const changed = result[part].rows.filter((row) => row.differ);
      if (!changed.length) return null;
      return h(
        "div",
        { class: "card" },
        h("h2", {}, `${plural(changed.length, "tree")} changed among those ${part === "held-out" ? "kept out" : "learned from"}`),
        h("table", {}, h("tbody", {}, changed.slice(0, 40).map((row) =>
          opening(h("tr", { "data-n": row.n }, h("td", { class: "words" }, row.text), h("td", { class: "n" }, `${row.right[0]} → ${row.right[1]} of ${row.known} known`)), 2, async () => treesOf(await get(`/api/adapt/${job.id}/sentence?part=${part}&n=${row.n}`), names)),
        ))),
      );
    }),
  ];
}
