// Adapt: train on what was annotated; watch it, stop it, see what it did.
import { follow, get, post } from "../lib/api.js";
import { lineChart } from "../lib/chart.js";
import { opening, ordersOf, treesOf } from "../lib/compared.js";
import { h, percent, plural, replace, select, signed } from "../lib/dom.js";
import { jobView } from "../lib/jobs.js";
import { keys } from "../lib/keys.js";
import { tradeOffView } from "../lib/tradeoff.js";

const PARTS = { "held-out": "kept out of training", learned: "learned from" };

export async function show(main) {
  const known = await get("/api/adapt");
  const ready = known.projects.filter((each) => each.useful);
  const results = h("section", { id: "results" });
  const progress = jobView();
  const state = { projects: new Set(ready.slice(0, 1).map((each) => each.id)), model: "", rules: "ja", treebank: "", dev: "", ...known.defaults };
  const form = h("div", { class: "card" });
  const start = async () => {
    replace(results);
    const { model, treebank, dev, rules, epochs, passes } = state;
    const request = { projects: [...state.projects], epochs, passes, rules, ...(model ? { model } : {}), ...(dev ? { dev } : {}) };
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
  const count = (key, low, high) => h("input", { type: "number", id: key, min: low, max: high, value: state[key], onchange: (event) => {
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
        } }), h("span", {}, h("b", {}, each.name), ` · ${plural(each.useful, "sentence")} · ${each.kind === "trees" ? "main verbs and heads" : "word links"}`))),
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
        state.treebank ? h("label", { class: "stack" }, "of it at most", count("treebank_sentences", 1, 1000000)) : null,
        h("label", { class: "stack" }, "What is paid is seen on", select([["", state.treebank ? `every ${known.held_out}th of its trees` : "nothing"], ...known.treebanks.filter((each) => each !== state.treebank).map((each) => [each, each])], state.dev, (value) => (state.dev = value), { id: "dev" })),
        h("label", { class: "stack" }, "Epochs", count("epochs", 1, 100)),
        h("label", { class: "stack" }, "Passes an epoch", count("passes", 1, 50)),
        h("button", { class: "button main", id: "start", disabled: !chosen.length, onclick: start }, "Train ", h("kbd", {}, "⏎")),
      ),
      state.treebank ? null : h("p", { class: "note" }, "Without a treebank beside it a parser soon forgets what it knew, and nothing tells how sure it is. ", known.treebanks.length ? "Choose one, but not the one on which models are compared: what was learned says little." : ["Register one: ", h("code", {}, "niwaki serve --trees train.conllu")]),
      progress.element,
    );
  };
  if (ready.length) draw();
  replace(
    main,
    h("h1", {}, "Adapt"),
    h("p", { class: "lede" }, `A model is trained on: its k best trees of each annotated sentence are priced by what was said about it, and the weights move towards the cheaper ones. Every ${known.held_out}th annotated sentence is kept out, to see what it was worth.`),
    ready.length ? form : h("div", { class: "empty" }, h("p", {}, "Nothing is annotated yet."), h("p", {}, h("a", { href: "/annotate" }, "Answer some questions first."))),
    results,
  );
  keys(ready.length ? [["Enter", "Train", start]] : []);
  const last = known.jobs.at(-1);
  if (last) watch(last.id);
}

// A run as it goes: the parts are drawn again only when they change, so that nothing jumps.
function runView(place) {
  const curves = h("div", { id: "curves", class: "grid2" });
  const log = h("pre", { class: "log mono", id: "log" });
  const after = h("div", {});
  replace(place, curves, h("details", { class: "card" }, h("summary", {}, h("b", {}, "Log")), log), after);
  let drawn = -1;
  let lines = -1;
  return {
    show(job) {
      if (drawn !== job.curves.length) {
        drawn = job.curves.length;
        replace(curves, job.curves.length ? curveCards(job) : h("div", { class: "card" }, h("h2", {}, "Curves"), h("p", { class: "soft" }, job.state === "running" ? "The first epoch is under way." : "No epoch was finished.")));
      }
      if (lines !== job.lines.length) {
        lines = job.lines.length;
        replace(log, job.lines.join("\n"));
        log.scrollTop = log.scrollHeight;
      }
      if (job.result) replace(after, beforeAndAfter(job));
    },
  };
}

// A curve is what one objective did, epoch by epoch, in one stage of training.
function curveCards(job) {
  const stages = [...new Set(job.curves.map((each) => each.stage))];
  const costs = [...new Set(job.curves.flatMap((each) => each.objectives.map((one) => one.name)))];
  const titleOf = (name) => job.titles[name] ?? name;
  // The same value of all epochs, a line for each stage in which there is one.
  const lines = (title, value) => stages.flatMap((stage) => {
    const points = job.curves.filter((each) => each.stage === stage).map((each) => [each.epoch, value(each) ?? null]).filter((point) => point[1] !== null);
    return points.length ? [[stages.length > 1 ? `${title} (${stage})` : title, points]] : [];
  });
  const ofCost = (name, key) => (each) => each.objectives.find((one) => one.name === name)?.[key];
  const chart = (series, options) => lineChart(Object.fromEntries(series), { x: "epoch", whole: true, ...options });
  const card = (title, id, drawn, note) => h("div", { class: "card", "data-curve": id }, h("h2", {}, title), drawn, note ? h("p", { class: "soft", vars: { margin: "6px 0 0" } }, note) : null);
  const updates = costs.flatMap((name) => lines(titleOf(name), ofCost(name, "updates")));
  if (job.request.treebank) updates.push(...lines("treebank", (each) => each.updates));
  const scores = [...lines("LAS", (each) => each.las), ...lines("UAS", (each) => each.uas)];
  return [
    costs.map((name) => {
      const last = job.curves.findLast((each) => ofCost(name, "k")(each) !== undefined).objectives.find((one) => one.name === name);
      const series = [...lines("as written", ofCost(name, "written")), ...lines("while learning", ofCost(name, "first")), ...lines("cheapest (oracle)", ofCost(name, "oracle"))];
      return card(`Cost: ${titleOf(name)}`, name, chart(series, { y: "mean cost", zero: true }), `${plural(last.examples, "example")} an epoch, ${last.k.toFixed(1)} trees each${last.rescued ? `, ${plural(last.rescued, "right tree")} found by search only` : ""}.`);
    }),
    card("Updates an epoch", "updates", chart(updates, { y: "updates", zero: true })),
    scores.length ? card("Accuracy on the trees kept out", "las", chart(scores, { y: "percent" })) : null,
  ];
}

function beforeAndAfter(job) {
  const { result } = job;
  const names = [`before · ${result.before}`, `after · ${result.model}`];
  const few = result.tradeoff.part === "learned";
  return [
    h(
      "div",
      { class: "card", id: "before-after" },
      h("h2", {}, "Before and after"),
      h("p", { class: "soft" }, "The new model is called ", h("b", {}, result.model), " and can be used on every page. ", few ? "So few sentences are annotated that none could be kept out: the figures are of what was learned, and say little." : "Sentences that were learned from say little; look at those kept out."),
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ["", "", "sentences", "measure", "before", "after", "change"].map((each, at) => h("th", { class: at === 2 || at > 3 ? "n" : "" }, each)))),
        h("tbody", {}, result.tasks.flatMap((task) => Object.keys(PARTS).filter((part) => task[part]).flatMap((part) => measures(task, part)))),
      ),
    ),
    tradeOffView(result.tradeoff, job.titles),
    result.tasks.flatMap((task) => Object.keys(PARTS).filter((part) => task[part]).map((part) => changedTrees(job, task, part, names))),
    h("p", { class: "soft" }, h("a", { href: `/api/adapt/${job.id}/config` }, "The configuration"), ` lies in models/${result.model} of the work folder with all data: the run can be repeated by hand.`),
  ];
}

// Rows of the table: main words and known heads that are found, or the scores of orders.
function measures(task, part) {
  const { counts, scores, rows } = task[part];
  const row = (measure, before, after, shown, unit) => h("tr", { "data-task": task.project, "data-part": part, "data-measure": measure }, h("td", {}, task.title), h("td", { class: "soft" }, PARTS[part]), h("td", { class: "n" }, rows.length), h("td", {}, measure), h("td", { class: "n" }, shown(before)), h("td", { class: "n" }, shown(after)), h("td", { class: `n ${after > before ? "up" : after < before ? "down" : ""}` }, unit(after - before)));
  if (scores) return [["fuzzy score", "frs_linked"], ["whole order right", "exact_linked"]].map(([measure, key]) => row(measure, scores[0][key], scores[1][key], (value) => value.toFixed(3), (value) => signed(value, 3)));
  const share = (what) => counts.map((each) => (each[`known_${what}`] ? each[what] / each[`known_${what}`] : null));
  const kinds = [["main words", "roots"], ...(counts[0].known_heads > counts[0].known_roots ? [["known heads", "heads"]] : [])];
  return kinds.map(([measure, key]) => [measure, ...share(key)]).filter(([, before]) => before !== null).map(([measure, before, after]) => row(measure, before, after, (value) => percent(value, 1), (value) => `${signed(100 * value, 1)} points`));
}

function changedTrees(job, task, part, names) {
  const changed = task[part].rows.filter((row) => row.differ);
  if (!changed.length) return null;
  const orders = task.kind === "reordering";
  const figure = (row) => (orders ? `${row.score[0].toFixed(3)} → ${row.score[1].toFixed(3)}` : `${row.right[0]} → ${row.right[1]} of ${row.known} known`);
  return h(
    "details",
    { class: "card", open: part === "held-out" },
    h("summary", {}, h("b", {}, `${task.title}: ${plural(changed.length, orders ? "order" : "tree")} changed among those ${PARTS[part]}`)),
    h("table", {}, h("tbody", {}, changed.slice(0, 40).map((row) =>
      opening(h("tr", { "data-n": row.n }, h("td", { class: "words" }, row.text), h("td", { class: "n" }, figure(row))), 2, async () => {
        const found = await get(`/api/adapt/${job.id}/sentence?part=${part}&project=${task.project}&n=${row.n}`);
        return orders ? ordersOf(found, names) : treesOf(found, names);
      }),
    ))),
  );
}
