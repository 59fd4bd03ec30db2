// Adapt: settings are tried on what was annotated; watch it, stop it, see what it was worth.
import { follow, get, post } from "../lib/api.js";
import { differenceTable } from "../lib/compared.js";
import { h, plural, replace, select } from "../lib/dom.js";
import { jobView } from "../lib/jobs.js";
import { keys } from "../lib/keys.js";

export async function show(main) {
  const known = await get("/api/adapt");
  const ready = known.projects.filter((each) => each.useful);
  const results = h("section", { id: "results" });
  const progress = jobView();
  const state = { projects: new Set(ready.slice(0, 1).map((each) => each.id)), model: "", rules: "ja", treebank: "", dev: "", ...known.defaults };
  const form = h("div", { class: "card" });
  const start = async () => {
    replace(results);
    const { model, treebank, dev, rules, minutes } = state;
    const request = { projects: [...state.projects], minutes, rules, ...(model ? { model } : {}), ...(dev ? { dev } : {}) };
    if (treebank) Object.assign(request, { treebank, treebank_sentences: state.treebank_sentences });
    try {
      const job = await post("/api/adapt-start", request);
      await watch(job.id);
    } catch (error) {
      progress.fail(error);
    }
  };
  const watch = async (id) => {
    const view = runView(results);
    const job = await follow(id, (each) => {
      progress.show(each);
      view.show(each);
    });
    progress.show(job);
  };
  const count = (key, low, high, step) => h("input", { type: "number", id: key, min: low, max: high, step, value: state[key], onchange: (event) => {
    state[key] = Math.max(low, Math.min(high, Number(event.target.value) || low));
    event.target.value = state[key];
  } });
  const draw = () => {
    const chosen = ready.filter((each) => state.projects.has(each.id));
    const links = chosen.some((each) => each.kind === "links");
    replace(
      form,
      h(
        "fieldset",
        { class: "checks" },
        h("legend", {}, "What was annotated"),
        ready.map((each) => h("label", { class: "field" }, h("input", { type: "checkbox", "data-project": each.id, checked: state.projects.has(each.id), onchange: (event) => {
          if (event.target.checked) state.projects.add(each.id);
          else state.projects.delete(each.id);
          draw();
          form.querySelector(`[data-project="${each.id}"]`).focus();
        } }), h("span", {}, h("b", {}, each.name), ` · ${plural(each.useful, "sentence")}${each.useful < known.least ? ` of ${known.least} that are needed` : ""} · ${each.kind === "trees" ? "main verbs and heads" : "word links"}`))),
      ),
      h(
        "div",
        { class: "row", vars: { "align-items": "flex-end", "margin-top": "14px" } },
        h("label", { class: "stack" }, "Begin with the model", select([["", `that of the project (${chosen[0]?.model ?? "–"})`], ...known.models.map((each) => [each, each])], state.model, (value) => (state.model = value), { id: "model" })),
        links ? h("label", { class: "stack" }, "Rules that order words", select(known.rules, state.rules, (value) => (state.rules = value), { id: "rules" })) : null,
        h("label", { class: "stack" }, "Treebank beside it", select([["", "none"], ...known.treebanks.map((each) => [each, each])], state.treebank, (value) => {
          state.treebank = value;
          draw();
          form.querySelector("#treebank").focus();
        }, { id: "treebank" })),
        state.treebank ? h("label", { class: "stack" }, "of it at most", count("treebank_sentences", 1, 1000000, 1)) : null,
        h("label", { class: "stack" }, "What is paid is seen on", select([["", state.treebank ? "some of its trees" : "nothing"], ...known.treebanks.filter((each) => each !== state.treebank).map((each) => [each, each])], state.dev, (value) => (state.dev = value), { id: "dev" })),
        h("label", { class: "stack" }, "Minutes", count("minutes", 0, 600, "any")),
        h("button", { class: "button main", id: "start", disabled: !chosen.length, onclick: start }, "Adapt ", h("kbd", {}, "⏎")),
      ),
      state.treebank ? null : h("p", { class: "note" }, "Without a treebank beside it a parser soon forgets what it knew, and nobody sees what is lost. ", known.treebanks.length ? "Choose one, but not the one on which models are compared: what was learned says little." : ["Register one: ", h("code", {}, "niwaki serve --trees train.conllu")]),
      progress.element,
    );
  };
  if (ready.length) draw();
  replace(
    main,
    h("h1", {}, "Adapt"),
    h("p", { class: "lede" }, "Settings are tried within the time you give. Each trial learns from a part of the annotated sentences and is judged by what its trees cost on others. The best becomes a new model if it also gains on sentences that had no part in choosing it, and keeps its scores on the treebank."),
    ready.length ? form : h("div", { class: "empty" }, h("p", {}, "Nothing is annotated yet."), h("p", {}, h("a", { href: "/annotate" }, "Answer some questions first."))),
    results,
  );
  keys(ready.length ? [["Enter", "Adapt", start]] : []);
  const last = known.jobs.at(-1);
  if (last) watch(last.id);
}

// A run as it goes: the parts are drawn again only when they change, so that nothing jumps.
function runView(place) {
  const trials = h("div", { class: "card", id: "trials" });
  const log = h("pre", { class: "log mono", id: "log" });
  const after = h("div", {});
  replace(place, after, trials, h("details", { class: "card" }, h("summary", {}, h("b", {}, "Log")), log));
  let drawn = "";
  let lines = -1;
  return {
    show(job) {
      const now = `${job.state} ${job.trials.length}`;
      if (drawn !== now) {
        drawn = now;
        replace(trials, trialTable(job));
        if (job.result) replace(after, beforeAndAfter(job));
      }
      if (lines !== job.lines.length) {
        lines = job.lines.length;
        replace(log, job.lines.join("\n"));
        log.scrollTop = log.scrollHeight;
      }
    },
  };
}

const titleOf = (job, name) => job.titles[name] ?? name;

// A row for each trial that is over, the model as it is first.
function trialTable(job) {
  const costs = Object.keys(job.titles);
  const report = job.result?.report;
  const left = job.trials.at(-1)?.seconds_left ?? 0;
  const row = (each) => h(
    "tr",
    { "data-trial": each.number },
    h("td", {}, report && report.chosen === each.number - 1 ? [h("b", {}, each.name), h("span", { class: "faint" }, " (the best)")] : each.name),
    each.fault ? h("td", { colspan: costs.length + 1, class: "soft" }, each.fault) : [costs.map((name) => h("td", { class: "n" }, each.costs[name].toFixed(4))), h("td", { class: "n" }, each.las?.toFixed(2) ?? "–")],
    h("td", { class: "n" }, each.number ? each.seconds.toFixed(0) : ""),
  );
  return [
    h("h2", {}, "What was tried"),
    job.trials.length ? h(
      "table",
      {},
      h("thead", {}, h("tr", {}, h("th", {}, ""), costs.map((name) => h("th", { class: "n" }, `cost: ${titleOf(job, name)}`)), h("th", { class: "n" }, "LAS"), h("th", { class: "n" }, "seconds"))),
      h("tbody", {}, job.trials.map(row), report?.not_tried.map((name) => h("tr", {}, h("td", {}, name), h("td", { colspan: costs.length + 2, class: "soft" }, "no time")))),
    ) : null,
    job.state === "running" ? h("p", { class: "soft num", id: "left", vars: { "margin-top": "10px" } }, job.trials.length ? `${left < 90 ? plural(Math.round(left), "second") : plural(Math.round(left / 60), "minute")} left for others.` : "The model as it is comes first.") : h("p", { class: "soft", vars: { "margin-top": "10px" } }, "Costs are means on the sentences that settings are chosen by."),
  ];
}

// The report of `niwaki adapt`.
function beforeAndAfter(job) {
  const { model, before, folder, report } = job.result;
  const rows = [
    ...Object.entries(report.costs).map(([name, row]) => ({ ...row, metric: titleOf(job, name), falls: true, digits: 4, group: "costs" })),
    ...Object.values(report.treebank).map((row) => ({ ...row, group: "treebank" })),
  ];
  return h(
    "div",
    { class: "card", id: "before-after" },
    h("h2", {}, "Before and after"),
    model
      ? h("p", {}, "The new model is called ", h("b", {}, model), " and can be used on every page.")
      : h("p", { class: "note", id: "nothing-gained" }, h("b", {}, "Nothing was gained, the model is left as it is: "), `${report.reason}.`),
    rows.length ? [h("p", { class: "soft" }, `On sentences that were neither learned nor used to choose. Costs fall when trees serve better${Object.keys(report.treebank).length ? "; scores on the treebank rise." : "."}`), differenceTable(rows, "", [`before · ${before}`, `after${model ? ` · ${model}` : ""}`], { change: "change" })] : null,
    h("p", { class: "soft", vars: { "margin-top": "10px" } }, Object.entries(report.examples).map(([name, sizes]) => `${titleOf(job, name)}: ${plural(sizes.learned, "sentence")} to learn from, ${sizes.choosing} to choose by, ${sizes.reporting} to report on. `), report.note ? `Note: ${report.note}.` : ""),
    h("p", { class: "soft" }, h("a", { href: `/api/adapt/${job.id}/config` }, "The configuration"), `, all data and this report lie in models/${folder} of the work folder: the run can be repeated by hand.`, model ? [" Which trees changed, ", h("a", { href: "/analyze" }, "Analyze"), " shows, without those that were learned."] : ""),
    h("p", { class: "faint signature" }, report.signature),
  );
}
