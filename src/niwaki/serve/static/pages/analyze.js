// Analyze: where systems err, whether their doubts can be trusted, and what a model has paid.
import { follow, get, post } from "../lib/api.js";
import { h, plural, replace, select } from "../lib/dom.js";
import { jobView } from "../lib/jobs.js";
import { keys } from "../lib/keys.js";
import { unseenBox } from "../lib/learned.js";
import { beamOf, beamSelect, modelNamed, usableModels } from "../lib/models.js";
import { tradeOffView } from "../lib/tradeoff.js";
import { showOrders } from "./analyze-orders.js";
import { showTrees } from "./analyze-trees.js";

const MOST = 4;

export async function show(main) {
  const [known, sets, corpora, jobs] = await Promise.all([get("/api/models"), get("/api/rules"), get("/api/corpora"), get("/api/jobs")]);
  const models = usableModels(known);
  const names = models.map((each) => each.id);
  const sound = corpora.filter((each) => !each.error);
  const whole = sound.filter((each) => each.kind === "trees" && each.whole);
  const usable = [...whole, ...sound.filter((each) => each.kind === "references")];
  const tasks = sound.filter((each) => each.kind === "references" || each.kind === "partial");
  const rules = sets.map((each) => each.id);
  const progress = jobView();
  const results = h("section", { id: "results" });
  const form = h("div", { class: "card" });
  const state = { mode: "errors" };
  const forms = { errors: errorForm({ usable, models, names, rules }), "trade-off": tradeOffForm({ tasks, whole, names, rules }) };

  const run = async () => {
    const { path, request } = forms[state.mode].ask();
    if (!request) return;
    replace(results);
    try {
      await watch((await post(path, request)).id);
    } catch (error) {
      progress.fail(error);
    }
  };
  const watch = async (id) => {
    const job = await follow(id, progress.show);
    if (job.state !== "done") return;
    if (job.kind === "trade-off") replace(results, tradeOffView(job.result));
    else if (job.result.profiles) showTrees(results, job);
    else showOrders(results, job);
  };
  const draw = () => {
    const chosen = forms[state.mode];
    replace(
      form,
      h("div", { class: "tabs", role: "tablist" }, [["errors", "Where systems err"], ["trade-off", "What a model gained and paid"]].map(([key, title]) => h("button", { class: "tab", role: "tab", id: `mode-${key}`, "aria-selected": String(key === state.mode), onclick: () => {
        state.mode = key;
        replace(results);
        draw();
        form.querySelector('[aria-selected="true"]').focus();
        last();
      } }, title))),
      chosen.element,
      chosen.empty ? null : h("div", { class: "row", vars: { "margin-top": "14px" } }, h("button", { class: "button main", id: "run", onclick: run }, "Analyze ", h("kbd", {}, "⏎"))),
      progress.element,
    );
  };
  const last = () => {
    const kind = state.mode === "errors" ? "analyse" : "trade-off";
    const found = jobs.filter((each) => each.kind === kind && (each.state === "running" || each.state === "done")).at(-1);
    if (found) watch(found.id);
  };
  draw();
  replace(main, h("h1", {}, "Analyze"), h("p", { class: "lede" }, "Where the errors are, what stands out between systems, whether doubts can be trusted, and what a model has paid for what it gained."), form, results);
  keys([["Enter", "Analyze", run]]);
  last();
}

const empty = (text, command) => ({ empty: true, element: h("div", { class: "empty" }, h("p", {}, text), h("p", {}, h("code", {}, command))), ask: () => ({}) });

function errorForm({ usable, models, names, rules }) {
  if (!usable.length) return empty("There is nothing to analyze yet. Start the workbench with a treebank or with reference orders:", "niwaki serve --trees dev.conllu --references pairs.jsonl");
  const element = h("div", {});
  const state = { corpus: usable[0], systems: [{ model: names[0], beam: "", rules: "ja" }], labelled: true, punctuation: true, unseen: false };
  const trees = () => state.corpus.kind === "trees";
  const check = (key, title) => h("label", { class: "field" }, h("input", { type: "checkbox", id: key, checked: state[key], onchange: (event) => (state[key] = event.target.checked) }), title);
  const draw = () =>
    replace(
      element,
      h(
        "div",
        { class: "row" },
        h("label", { class: "field" }, "Corpus", select(usable.map((each) => [each.id, `${each.id} (${plural(each.sentences, "sentence")})`]), state.corpus.id, (value) => {
          state.corpus = usable.find((each) => each.id === value);
          draw();
        }, { id: "corpus" })),
        trees() ? [check("labelled", "labels count"), check("punctuation", "punctuation counts")] : null,
        unseenBox(state),
      ),
      state.systems.map((system, at) =>
        h(
          "div",
          { class: "row", "data-system": at, vars: { "margin-top": "10px" } },
          h("span", { class: "soft system-name" }, at ? `System ${at + 1}` : "System 1"),
          select(names, system.model, (value) => {
            system.model = value;
            draw();
            element.querySelector(`[data-system="${at}"] select`).focus();
          }, { "data-field": "model", "aria-label": "Model" }),
          beamSelect(modelNamed(models, system.model), system.beam, (value) => (system.beam = value), { "data-field": "beam" }),
          trees() ? null : select(rules, system.rules, (value) => (system.rules = value), { "data-field": "rules", "aria-label": "Rules" }),
          state.systems.length > 1 ? h("button", { class: "button small", onclick: () => {
            state.systems.splice(at, 1);
            draw();
          } }, "Remove") : null,
        ),
      ),
      state.systems.length < MOST ? h("div", { vars: { "margin-top": "10px" } }, h("button", { class: "button small", id: "add-system", onclick: () => {
        state.systems.push({ ...state.systems.at(-1), model: names[state.systems.length] ?? names[0] });
        draw();
        element.querySelector(`[data-system="${state.systems.length - 1}"] select`).focus();
      } }, "Add a system")) : null,
    );
  draw();
  const ask = () => ({
    path: "/api/analyze",
    request: {
      corpus: state.corpus.id,
      systems: state.systems.map((each) => ({ model: each.model, ...beamOf(modelNamed(models, each.model), each.beam), ...(trees() ? {} : { rules: each.rules }) })),
      ...(trees() ? { labelled: state.labelled, punctuation: state.punctuation } : {}),
      unseen: state.unseen,
    },
  });
  return { element, ask };
}

function tradeOffForm({ tasks, whole, names, rules }) {
  if (!tasks.length) return empty("A trade-off needs something that trees are for: annotate some sentences, or register reference orders.", "niwaki serve --references pairs.jsonl --trees dev.conllu");
  const state = { models: [names[0], names.at(-1)], treebank: whole[0]?.id ?? "", task: tasks[0], rules: "ja", unseen: false };
  const element = h("div", {});
  const draw = () =>
    replace(
      element,
      h(
        "div",
        { class: "row" },
        ["Before", "After"].map((title, at) => h("label", { class: "field" }, title, select(names, state.models[at], (value) => (state.models[at] = value), { id: title.toLowerCase() }))),
        h("label", { class: "field" }, "What trees are for", select(tasks.map((each) => [each.id, `${each.id} (${plural(each.sentences, "sentence")})`]), state.task.id, (value) => {
          state.task = tasks.find((each) => each.id === value);
          draw();
          element.querySelector("#task").focus();
        }, { id: "task" })),
        state.task.kind === "references" ? h("label", { class: "field" }, "Rules", select(rules, state.rules, (value) => (state.rules = value), { id: "task-rules" })) : null,
        h("label", { class: "field" }, "Treebank", select([["", "none"], ...whole.map((each) => [each.id, each.id])], state.treebank, (value) => (state.treebank = value), { id: "gold" })),
        unseenBox(state),
      ),
      h("p", { class: "soft", vars: { margin: "10px 0 0" } }, "Fair only on examples and trees that neither model was trained on."),
    );
  draw();
  const ask = () => ({
    path: "/api/trade-off",
    request: {
      models: state.models,
      tasks: [{ corpus: state.task.id, ...(state.task.kind === "references" ? { rules: state.rules } : {}) }],
      ...(state.treebank ? { treebank: state.treebank } : {}),
      unseen: state.unseen,
    },
  });
  return { element, ask };
}
