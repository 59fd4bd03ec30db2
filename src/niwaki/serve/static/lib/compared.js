// What two comparisons share: the table with intervals, and two trees or orders of a sentence.
import { verdict, whisker } from "./chart.js";
import { h, replace, signed } from "./dom.js";
import { orderPicture, sourceOrder } from "./orders.js";
import { differences, treeView } from "./tree.js";

// Rows with their own `digits` keep to them; rows of a `group` share a scale.
export function differenceTable(rows, first, names, options = {}) {
  const size = (row) => Math.max(Math.abs(row.low), Math.abs(row.high), Math.abs(row.difference ?? row.b - row.a));
  const most = (group) => Math.max(...rows.filter((row) => row.group === group).map(size), 1e-9);
  return h(
    "table",
    {},
    h("thead", {}, h("tr", {}, h("th", {}, first), options.count ? h("th", { class: "n" }, "count") : null, names.map((name) => h("th", { class: "n" }, name)), h("th", { class: "n" }, options.change ?? "B − A"), h("th", { class: "n" }, "95% interval"), h("th", {}, ""))),
    h(
      "tbody",
      {},
      rows.map((row) => {
        const difference = row.difference ?? row.b - row.a;
        const kind = verdict(row);
        const digits = row.digits ?? options.digits ?? 2;
        const name = row.metric ?? row.label;
        return h(
          "tr",
          { "data-metric": name, ...(options.onpick ? pressed(() => options.onpick(name)) : {}) },
          h("td", {}, name, row.falls ? h("span", { class: "faint" }, " (cost)") : null),
          options.count ? h("td", { class: "n" }, row.count) : null,
          h("td", { class: "n", "data-value": row.a }, row.a.toFixed(digits)),
          h("td", { class: "n", "data-value": row.b }, row.b.toFixed(digits)),
          h("td", { class: `n ${kind}`, "data-value": difference }, signed(difference, digits)),
          h("td", { class: "n soft" }, `${signed(row.low, digits)} … ${signed(row.high, digits)}`),
          h("td", {}, whisker({ ...row, difference }, most(row.group))),
        );
      }),
    ),
  );
}

// What makes a row of a table something to press, by mouse or key.
const pressed = (run) => ({ class: "click", tabindex: "0", role: "button", onclick: run, onkeydown: (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  event.stopPropagation();
  run();
} });

// Gold and systems above each other; wrong arcs stand out, and what differs between systems.
export function treesOf(found, names) {
  const { gold, systems } = found;
  const differ = new Set(systems.length > 1 ? differences(systems[0], systems[1]) : []);
  const partial = gold.heads.some((head) => head < 0);
  const wrong = (tree, word) => (gold.heads[word - 1] < 0 ? false : tree.heads[word - 1] !== gold.heads[word - 1] || (gold.deprels[word - 1] !== "_" && tree.deprels[word - 1] !== gold.deprels[word - 1]));
  const view = (title, tree, marks) => h("div", { class: "candidate", "data-system": title, vars: { "margin-top": "10px" } }, h("header", {}, h("b", {}, title)), treeView({ ...tree, multiword_tokens: [] }, { marks }));
  return h(
    "div",
    {},
    h("div", { class: "legend", vars: { "margin-top": "10px" } }, h("span", { class: "mark bad" }), "wrong", systems.length > 1 ? [h("span", { class: "mark" }), "right, but differs"] : null),
    systems.map((tree, at) => view(names[at], { ...tree, probabilities: undefined }, (word) => (wrong(tree, word) ? "wrong" : differ.has(word) ? "differ" : ""))),
    partial ? null : view("gold", gold, () => ""),
  );
}

export function ordersOf(found, names) {
  return h(
    "div",
    {},
    found.systems.map((system, at) => {
      const { reference } = system;
      const jumps = new Set(reference.chunks.slice(1).map((run) => run[0]));
      return h(
        "div",
        { class: "candidate", vars: { "margin-top": "10px" } },
        h("header", {}, h("b", {}, names[at]), h("span", { class: "num" }, `fuzzy score ${reference.scores.frs_linked.toFixed(3)}, ${reference.chunks.length} chunks`)),
        orderPicture(system.tokens, [
          { name: "source", order: sourceOrder(system.tokens) },
          { name: "system", order: system.order },
          { name: "reference", order: reference.order },
        ], {
          colour: (position, row) => (row === 1 && jumps.has(position) ? "var(--bad)" : null),
          pale: reference.linked ? new Set(sourceOrder(system.tokens).filter((each) => !reference.linked.includes(each))) : null,
          chunks: reference.chunks,
        }),
      );
    }),
  );
}

// A row of a table that opens below itself.
export function opening(row, columns, open) {
  let detail = null;
  const toggle = async () => {
    if (detail) {
      detail.remove();
      detail = null;
      return;
    }
    const cell = h("td", { colspan: columns }, h("span", { class: "soft" }, "…"));
    detail = h("tr", { class: "detail" }, cell);
    row.after(detail);
    try {
      replace(cell, await open());
    } catch (error) {
      replace(cell, h("p", { class: "note bad" }, error.message));
    }
  };
  row.classList.add("click");
  row.tabIndex = 0;
  row.setAttribute("role", "button");
  row.addEventListener("click", toggle);
  row.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    // Enter also means "run" on these pages.
    event.preventDefault();
    event.stopPropagation();
    toggle();
  });
  return row;
}
