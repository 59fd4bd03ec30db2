// The trade-off report: what was gained for tasks, what was paid on the treebank.
import { barChart } from "./chart.js";
import { differenceTable, opening } from "./compared.js";
import { h, plural, replace, select, signed } from "./dom.js";
import { learnedNote } from "./learned.js";
import { differences, treeView } from "./tree.js";

const BARS = 24;

export function tradeOffView(report, titles = {}) {
  const title = (name) => titles[name] ?? name;
  const trees = Object.values(report.treebank).map((row) => ({ ...row, group: "treebank" }));
  const costs = Object.values(report.costs).map((row) => ({ ...row, metric: title(row.metric), falls: true, digits: 4, group: "costs" }));
  return [
    h(
      "div",
      { class: "card", id: "trade-off" },
      h("h2", {}, "Trade-off"),
      h("p", { class: "soft" }, `A is ${report.models[0]}, B is ${report.models[1]}. Costs are between 0 and 1 and fall when trees serve better`, trees.length ? "; scores on the treebank rise." : ". Without a treebank nothing tells what was paid for it."),
      Object.entries(report.overlaps).map(([name, overlap]) => learnedNote(overlap, report.models, name === "treebank" ? ["sentence", "sentences"].map((each) => `${each} of the treebank`) : ["example", "examples"].map((each) => `${each} of ${title(name)}`))),
      differenceTable([...costs, ...trees], "", ["A", "B"]),
      h("p", { class: "faint signature" }, report.signature),
    ),
    trees.length ? shifts(report) : null,
    examples(report, title),
  ];
}

// Labels and words that gained and paid; the bars can be narrowed down.
function shifts(report) {
  const state = { kind: "labels", text: "" };
  const bars = h("div", {});
  const draw = () => {
    const rows = report[state.kind].filter((each) => each.name.toLowerCase().includes(state.text)).slice(0, BARS);
    const most = Math.max(...rows.map((each) => Math.abs(each.gain)), 1);
    const half = Math.ceil(rows.length / 2);
    const side = (part) => barChart(part.map((each) => ({ name: each.name, value: each.gain, note: signed(each.gain, 0), lines: [each.name, `met ${plural(each.count, "time")}`, `right: ${each.before} → ${each.after}`] })), { title: "Gains and losses", most, around: true });
    replace(bars, rows.length ? h("div", { class: "grid2" }, [rows.slice(0, half), rows.slice(half)].filter((part) => part.length).map(side)) : h("p", { class: "soft" }, "None gained or paid."));
  };
  draw();
  return h(
    "div",
    { class: "card", id: "shifts" },
    h("div", { class: "row between", vars: { "margin-bottom": "10px" } }, h("h2", { vars: { margin: 0 } }, "Gained and paid on the treebank"), h("div", { class: "row" }, select([["labels", "labels"], ["words", "words"]], state.kind, (value) => {
      state.kind = value;
      draw();
    }, { id: "shift-kind", "aria-label": "By what" }), h("input", { type: "search", class: "short", placeholder: "filter…", "aria-label": "Filter", oninput: (event) => {
      state.text = event.target.value.toLowerCase();
      draw();
    } }))),
    bars,
  );
}

function examples(report, title) {
  const state = { show: "all", task: "" };
  const list = h("div", {});
  const draw = () => {
    const rows = report.changed.filter((each) => (!state.task || each.objective === state.task) && (state.show === "all" || (state.show === "better") === (each.cost[1] < each.cost[0])));
    replace(list, rows.length ? h("table", {}, h("tbody", {}, rows.map((each) => opening(
      h("tr", { "data-id": each.id }, h("td", { class: "words", dir: "auto" }, each.tokens.join(" ")), h("td", { class: `n ${each.cost[1] < each.cost[0] ? "up" : "down"}` }, `${each.cost[0].toFixed(3)} → ${each.cost[1].toFixed(3)}`)),
      2,
      async () => both(each),
    )))) : h("p", { class: "soft" }, "No cost changed."));
  };
  draw();
  const tasks = [...new Set(report.changed.map((each) => each.objective))];
  return h(
    "div",
    { class: "card", id: "changed" },
    h("div", { class: "row between", vars: { "margin-bottom": "10px" } }, h("h2", { vars: { margin: 0 } }, "Examples that changed most"), h("div", { class: "row" }, tasks.length > 1 ? select([["", "all tasks"], ...tasks.map((each) => [each, title(each)])], "", (value) => {
      state.task = value;
      draw();
    }, { "aria-label": "Of which task" }) : null, select([["all", "all"], ["better", "that got better"], ["worse", "that got worse"]], "all", (value) => {
      state.show = value;
      draw();
    }, { id: "changed-show", "aria-label": "Which examples" }))),
    list,
  );
}

function both(each) {
  const trees = [0, 1].map((at) => ({ tokens: each.tokens, upos: each.upos[at], heads: each.heads[at], deprels: each.deprels[at], multiword_tokens: [] }));
  const differ = new Set(differences(trees[0], trees[1]));
  return trees.map((tree, at) => h("div", { class: "candidate", vars: { "margin-top": "10px" } }, h("header", {}, h("b", {}, "AB"[at]), `cost ${each.cost[at].toFixed(3)}`), treeView(tree, { marks: (word) => (differ.has(word) ? "differ" : "") })));
}
