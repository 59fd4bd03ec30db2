// Word orders of systems against references: scores, misplaced words, what each rule is worth.
import { post } from "../lib/api.js";
import { barChart } from "../lib/chart.js";
import { differenceTable, opening, ordersOf } from "../lib/compared.js";
import { h, replace, select, signed } from "../lib/dom.js";
import { learnedNote } from "../lib/learned.js";

const SHOWN = ["frs_linked", "frs", "tau", "exact_linked"];

export function showOrders(place, job) {
  const { result, request } = job;
  const names = result.systems.map((each) => each.system);
  const view = { system: names[0], kind: "" };
  const details = h("div", {});
  const draw = () => replace(details, systemView(result.details[view.system], request, names, view, draw));
  replace(
    place,
    h(
      "div",
      { class: "card" },
      h("h2", {}, "Scores"),
      learnedNote(result.overlap, names),
      h("table", { id: "scores" }, h("thead", {}, h("tr", {}, h("th", {}, ""), SHOWN.map((each) => h("th", { class: "n" }, each)))), h("tbody", {}, names.map((name) => {
        const { scores } = result.details[name];
        return h("tr", { "data-system": name }, h("td", {}, name), SHOWN.map((each) => h("td", { class: "n" }, h("b", { "data-score": each }, scores[each].toFixed(4)), h("span", { class: "faint" }, ` ${scores.intervals[each].map((end) => end.toFixed(3)).join(" … ")}`))));
      }))),
    ),
    Object.entries(result.differences).map(([name, rows]) => h("div", { class: "card" }, h("h2", {}, `${name} against ${names[0]}`), differenceTable(rows.filter((each) => SHOWN.includes(each.metric)), "", ["A", "B"], { digits: 4 }))),
    details,
  );
  draw();
}

function systemView(found, request, names, view, redraw) {
  const kinds = Object.keys(found.misplaced);
  if (!kinds.includes(view.kind)) [view.kind] = kinds;
  const rows = found.misplaced[view.kind] ?? [];
  const { corpus, systems } = request;
  const system = systems[names.indexOf(view.system)];
  return [
    h("div", { class: "row", vars: { margin: "22px 0 12px" } }, h("h2", { vars: { margin: 0 } }, "One system"), select(names, view.system, (value) => {
      view.system = value;
      redraw();
    }, { id: "system", "aria-label": "Which system" })),
    h(
      "div",
      { class: "grid2" },
      h("div", { class: "card" }, h("div", { class: "row between", vars: { "margin-bottom": "10px" } }, h("h2", { vars: { margin: 0 } }, "Misplaced most often"), select(kinds, view.kind, (value) => {
        view.kind = value;
        redraw();
      }, { id: "kind", "aria-label": "By what" })), rows.length ? barChart(rows.map((each) => ({ name: each.value, value: each.wrong, note: `${each.wrong} of ${each.count}` })), { title: "Misplaced most often" }) : h("p", { class: "soft" }, "Nothing is misplaced.")),
      h("div", { class: "card" }, h("h2", {}, "What is lost if a rule or a tuple is switched off"), found.rules.length ? barChart(found.rules.slice(0, 18).map((each) => ({ name: each.rule, value: each.gain, note: signed(each.gain, 4) })), { left: 170, title: "What rules are worth" }) : h("p", { class: "soft" }, "No rule makes a difference here.")),
    ),
    h("div", { class: "card" }, h("h2", {}, "Worst sentences"), h("table", {}, h("tbody", {}, found.worst.map((row) => opening(
      h("tr", { "data-n": row.n }, h("td", { class: "words", dir: "auto" }, row.text), h("td", { class: "n" }, row.score.toFixed(3))),
      2,
      async () => ordersOf(await post("/api/compare-sentence", { corpus, systems: [system], n: row.n }), [view.system]),
    ))))),
  ];
}
