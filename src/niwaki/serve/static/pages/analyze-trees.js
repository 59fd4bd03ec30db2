// Error profiles of systems on a treebank: charts to look into, and the sentences behind them.
import { post } from "../lib/api.js";
import { COLOURS, binChart, lineChart, whisker } from "../lib/chart.js";
import { opening, treesOf } from "../lib/compared.js";
import { h, percent, plural, replace, select, signed } from "../lib/dom.js";
import { learnedNote } from "../lib/learned.js";

const SENTENCES = 15;
// What a click on a bin can pick sentences by.
const PICKS = {
  deprel: (row, bin) => row.labels.includes(bin),
  upos: (row, bin) => row.tags.includes(bin),
  sentence: (row, bin) => {
    const [low, high] = bin.endsWith("+") ? [parseInt(bin, 10), Infinity] : bin.split("-").map(Number);
    return row.words >= low && row.words <= (high ?? low);
  },
};

export function showTrees(place, job) {
  const { result, request } = job;
  const names = result.systems.map((each) => each.system);
  const view = { hidden: new Set(), system: names[0], factor: "length", measure: "recall", least: 0, bin: "", word: "" };
  const chart = h("div", { id: "profile" });
  const details = h("div", {});
  const drawChart = () => replace(chart, profile(result, names, view, (bin) => {
    view.bin = view.bin === bin ? "" : bin;
    drawChart();
    drawDetails();
  }, drawChart));
  const drawDetails = () => replace(details, systemView(result, request, names, view, drawDetails));
  replace(
    place,
    h("div", { class: "card", id: "accuracy" }, h("h2", {}, "Accuracy"), learnedNote(result.overlap, names), accuracyTable(result, names), h("p", { class: "faint signature" }, result.signature)),
    h("div", { class: "card" }, chart),
    h("div", { class: "grid2" }, result.outstanding.map(outstanding)),
    details,
  );
  drawChart();
  drawDetails();
}

function accuracyTable(result, names) {
  const most = Math.max(...result.systems.flatMap(({ difference }) => [Math.abs(difference.low), Math.abs(difference.high)]), 1e-9);
  const words = Object.values(result.profiles.upos).reduce((sum, bin) => sum + bin.gold, 0);
  const row = (title, cells) => h("tr", { "data-system": title }, h("td", {}, title), cells);
  const bound = (title, value) => row(title, [h("td"), h("td", { class: "n" }, value.toFixed(2)), h("td", { colspan: 4 })]);
  return h(
    "table",
    {},
    h("thead", {}, h("tr", {}, h("th", {}, ""), h("th", { class: "n" }, "heads"), h("th", { class: "n" }, "accuracy"), h("th", { class: "n" }, names.length > 1 ? `from ${names[0]}` : ""), h("th", { class: "n" }, names.length > 1 ? "95% interval" : ""), h("th", {}, ""), h("th", { class: "n" }, names.length > 1 ? "right alone" : ""))),
    h(
      "tbody",
      {},
      result.systems.map((each, at) =>
        row(each.system, [
          h("td", { class: "n" }, each.head_accuracy.toFixed(2)),
          h("td", { class: "n", "data-value": each.accuracy }, each.accuracy.toFixed(2)),
          at ? [h("td", { class: "n" }, signed(each.difference.difference)), h("td", { class: "n soft" }, `${signed(each.difference.low)} … ${signed(each.difference.high)}`), h("td", {}, whisker(each.difference, most))] : h("td", { colspan: 3 }),
          h("td", { class: "n" }, names.length > 1 ? percent(result.agreement[`only ${each.system}`] / words, 2) : ""),
        ]),
      ),
      names.length > 1 ? [bound("best tree of each sentence", result.oracles.tree), bound("best tree of all their arcs", result.oracles.arc)] : null,
    ),
  );
}

const outstanding = (table) =>
  h("details", { class: "card", open: true }, h("summary", {}, h("b", {}, table.title)), h("table", { class: "outstanding" }, h("thead", {}, h("tr", {}, table.columns.map((each, at) => h("th", { class: at ? "n" : "" }, each)))), h("tbody", {}, table.rows.map((row) => h("tr", {}, row.map((each, at) => h("td", { class: at ? "n" : "" }, each)))))));

// The chart of one factor, with what it shows to choose.
function profile(result, names, view, pick, redraw) {
  const factor = result.factors.find((each) => each.key === view.factor);
  if (!factor.measures.includes(view.measure)) view.measure = factor.measures.at(-1);
  const shown = names.filter((name) => !view.hidden.has(name));
  const rows = result.profiles[view.factor].filter((bin) => bin.gold >= view.least);
  const bins = rows.map((bin) => ({
    name: bin.bin,
    count: bin.gold,
    values: shown.map((name) => {
      const cell = bin.systems[name];
      const value = cell[view.measure];
      if (value === null) return null;
      const [part, whole] = view.measure === "precision" ? [cell.right, cell.predicted] : [cell.found, bin.gold];
      const change = cell[`${view.measure}_difference`];
      return { y: value, faint: whole < result.few, lines: [`${name} · ${factor.axis} ${bin.bin}`, `${view.measure} ${value.toFixed(1)}%: ${part.toLocaleString("en")} of ${whole.toLocaleString("en")}`, change ? `${signed(change.difference, 1)} from ${names[0]} (${signed(change.low, 1)} … ${signed(change.high, 1)})` : ""] };
    }),
  }));
  const set = (key, value) => {
    view[key] = value;
    if (key === "factor") view.bin = "";
    redraw();
  };
  const picks = PICKS[view.factor];
  return [
    h(
      "div",
      { class: "row", vars: { "margin-bottom": "8px" } },
      h("label", { class: "field" }, select(factor.measures, view.measure, (value) => set("measure", value), { id: "measure", "aria-label": "Measure" }), "by", select(result.factors.map((each) => [each.key, each.title.toLowerCase()]), view.factor, (value) => set("factor", value), { id: "factor", "aria-label": "By what" })),
      h("label", { class: "field" }, "with at least", h("input", { type: "number", id: "least", min: 0, value: view.least, onchange: (event) => set("least", Number(event.target.value) || 0) }), "gold arcs"),
      h("span", { class: "grow" }),
      names.map((name, at) => h("button", { class: `chip ${view.hidden.has(name) ? "" : "on"}`, "data-toggle": name, "aria-pressed": String(!view.hidden.has(name)), onclick: () => {
        if (view.hidden.has(name)) view.hidden.delete(name);
        else view.hidden.add(name);
        redraw();
      } }, h("span", { class: "rule-dot", vars: { "--rule": COLOURS[at] } }), name)),
    ),
    bins.length ? binChart(bins, { x: factor.axis, y: view.measure, joined: factor.ordered, colours: shown.map((name) => COLOURS[names.indexOf(name)]), onpick: picks ? pick : null, chosen: view.bin }) : h("p", { class: "soft" }, "No bin has so many."),
    h("p", { class: "soft", vars: { margin: "6px 0 0" } }, `Grey: how many gold arcs. Hollow: fewer than ${result.few}. Arrow keys go from point to point.`, picks ? " Click a point to see its sentences below." : ""),
  ];
}

// What one system confuses, doubts and gets wrong.
function systemView(result, request, names, view, redraw) {
  const found = result.details[view.system];
  const at = names.indexOf(view.system);
  const fits = (row) => (!view.bin || !PICKS[view.factor] || PICKS[view.factor](row, view.bin)) && (!view.word || row.text.toLowerCase().includes(view.word));
  const list = h("div", {});
  const drawList = () => {
    const rows = found.examples.filter(fits);
    const among = found.wrong > found.examples.length ? ` (among the ${found.examples.length} worst)` : "";
    const which = !view.bin ? "" : view.factor === "sentence" ? `, of ${view.bin} words` : `, some of ${view.bin}`;
    replace(list, h("p", { class: "soft num", id: "fitting" }, `${plural(rows.length, "sentence")} with errors${which}${among}${rows.length > SENTENCES ? `; the first ${SENTENCES}:` : ""}`), sentences(rows.slice(0, SENTENCES), { ...request, systems: [request.systems[at]] }, view.system));
  };
  drawList();
  const reliability = found.reliability && Object.entries(found.reliability);
  return [
    h("div", { class: "row", vars: { margin: "22px 0 12px" } }, h("h2", { vars: { margin: 0 } }, "One system"), select(names, view.system, (value) => {
      view.system = value;
      redraw();
    }, { id: "system", "aria-label": "Which system" }), ["UAS", "LAS", "CLAS", "UPOS"].map((name) => h("span", { class: "soft num" }, `${name} `, h("b", { "data-score": name }, found.scores[name].toFixed(2))))),
    h("div", { class: "card" }, h("div", { class: "row between" }, h("h2", { vars: { margin: 0 } }, "Sentences with most errors"), h("input", { type: "search", id: "word", class: "short", placeholder: "with the word…", "aria-label": "With the word", value: view.word, oninput: (event) => {
      view.word = event.target.value.toLowerCase();
      drawList();
    } })), list),
    h(
      "div",
      { class: "grid2" },
      h("div", { class: "card" }, h("h2", {}, "What is taken for what"), h("table", { id: "confusions" }, h("thead", {}, h("tr", {}, h("th", {}, "gold"), h("th", {}, "system"), h("th", {}, "head"), h("th", { class: "n" }, "words"))), h("tbody", {}, found.confusions.slice(0, 11).map((each) => h("tr", {}, h("td", {}, each.gold), h("td", {}, each.system), h("td", { class: "soft" }, each.head ? "right" : "wrong"), h("td", { class: "n" }, each.count)))))),
      at === 0 && result.beams.length ? h("div", { class: "card", id: "beams" }, h("h2", {}, "Speed and accuracy by beam"), lineChart({ LAS: result.beams.map((each) => [each.words_per_second, each.LAS, `beam ${each.beam}: LAS ${each.LAS.toFixed(2)}, ${Math.round(each.words_per_second).toLocaleString("en")} words a second`]) }, { x: "words a second, one core", y: "LAS", log: true }), h("p", { class: "soft" }, `On the first ${plural(result.beams[0].sentences, "sentence")}; the widest beam is the slowest.`)) : null,
      reliability
        ? [
            h("div", { class: "card" }, h("h2", {}, "Reliability: what is said, and what is"), lineChart(Object.fromEntries(reliability.map(([kind, each]) => [`${kind} (error ${each.error.toFixed(3)})`, each.points.map(([said, right, size]) => [said, right, `said ${percent(said)}, right ${percent(right)} of ${size}`])])), { x: "probability", y: "share that is right", xRange: [0, 1], yRange: [0, 1], diagonal: true })),
            h("div", { class: "card" }, h("h2", {}, "Errors found by looking at the least certain first"), lineChart(Object.fromEntries(reliability.map(([kind, each]) => [kind, each.doubt])), { x: "share looked at", y: "share of errors found", xRange: [0, 1], yRange: [0, 1], diagonal: true })),
          ]
        : null,
    ),
  ];
}

function sentences(rows, request, name) {
  if (!rows.length) return h("p", { class: "soft" }, "There are none.");
  const { corpus, systems } = request;
  return h("table", {}, h("tbody", {}, rows.map((row) => opening(
    h("tr", { "data-n": row.n }, h("td", { class: "words", dir: "auto" }, row.text), h("td", { class: "n" }, plural(row.errors, "error"))),
    2,
    async () => treesOf(await post("/api/compare-sentence", { corpus, systems, n: row.n }), [name]),
  ))));
}
