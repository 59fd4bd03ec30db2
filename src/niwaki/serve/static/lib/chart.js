// Line charts, bars and intervals, as SVG that follows the theme.
import { h, replace, s } from "./dom.js";

export const COLOURS = ["#2f8f63", "#c2410c", "#3b63b8", "#9d3a8c", "#8a6d1b", "#0f7f8c"];

// One note for all charts: what the point under the pointer, or reached by the arrow keys, says.
const note = h("div", { class: "tooltip", role: "status", hidden: true });

function tell(point, lines) {
  if (!note.isConnected) document.body.append(note);
  replace(note, lines.map((line) => h("div", {}, line)));
  note.hidden = false;
  const box = point.getBoundingClientRect();
  const size = note.getBoundingClientRect();
  const left = Math.max(8, Math.min(innerWidth - size.width - 8, box.left + box.width / 2 - size.width / 2));
  note.style.setProperty("left", `${left}px`);
  note.style.setProperty("top", `${box.top > size.height + 16 ? box.top - size.height - 8 : box.bottom + 8}px`);
}

// points: [[element, lines, pick?], ...] from left to right; the chart itself takes the focus.
function browse(svg, points) {
  let at = -1;
  const quiet = () => {
    note.hidden = true;
    points[at]?.[0].classList.remove("pointed");
  };
  const go = (next) => {
    quiet();
    at = Math.max(0, Math.min(points.length - 1, next));
    points[at][0].classList.add("pointed");
    tell(points[at][0], points[at][1]);
  };
  points.forEach(([element, , pick], number) => {
    element.addEventListener("mouseenter", () => go(number));
    element.addEventListener("mouseleave", quiet);
    if (pick) element.addEventListener("click", pick);
  });
  if (!points.length) return svg;
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("blur", quiet);
  svg.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by) go(at + by);
    else if (event.key === "Enter" && points[at]?.[2]) points[at][2]();
    else if (event.key === "Escape") quiet();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return svg;
}

const nice = (span) => {
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  return power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10);
};

/* series: {name: [[x, y, label?], ...]}; options: x, y, xRange, yRange, zero (y begins
   there), whole (x are whole numbers), diagonal, labels, log */
export function lineChart(series, options = {}) {
  const width = 520;
  const height = 300;
  const box = { left: 48, right: 14, top: 14, bottom: 44 };
  const all = Object.values(series).flat();
  const scale = options.log ? Math.log10 : (value) => value;
  const range = (values, given, zero) => {
    if (given) return given;
    if (zero) return [0, Math.max(...values) * 1.08 || 1];
    const low = Math.min(...values);
    const high = Math.max(...values);
    const pad = (high - low) * 0.08 || Math.abs(high) * 0.05 || 1;
    return [low - pad, high + pad];
  };
  const xs = range(all.map((point) => scale(point[0])), options.xRange);
  const ys = range(all.map((point) => point[1]), options.yRange, options.zero);
  const px = (value) => box.left + ((scale(value) - xs[0]) / (xs[1] - xs[0])) * (width - box.left - box.right);
  const py = (value) => height - box.bottom - ((value - ys[0]) / (ys[1] - ys[0])) * (height - box.top - box.bottom);
  const ticks = ([low, high]) => {
    const step = nice(high - low);
    const found = [];
    for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + 1e-9; at += step) found.push(Number(at.toPrecision(10)));
    return found;
  };
  const show = (value) => (Math.abs(value) >= 1000 ? `${Math.round(value / 1000)}k` : String(Number(value.toPrecision(4))));
  const parts = [];
  const points = [];
  for (const tick of ticks(ys)) parts.push(s("line", { class: "grid", x1: box.left, x2: width - box.right, y1: py(tick), y2: py(tick) }), s("text", { x: box.left - 8, y: py(tick) + 4, "text-anchor": "end" }, show(tick)));
  // On a logarithmic axis the points themselves are named, unless they would overlap.
  const spread = (values) => values.reduce((kept, each) => (kept.length && px(each) - px(kept.at(-1)) < 34 ? kept : [...kept, each]), []);
  const xTicks = options.log ? spread([...new Set(all.map((point) => point[0]))].sort((a, b) => a - b)) : ticks(xs).filter((each) => !options.whole || Number.isInteger(each));
  for (const tick of xTicks) parts.push(s("text", { x: px(tick), y: height - box.bottom + 18, "text-anchor": "middle" }, show(tick)));
  parts.push(s("path", { class: "axis", d: `M${box.left} ${box.top}V${height - box.bottom}H${width - box.right}` }));
  if (options.diagonal) parts.push(s("line", { class: "diagonal", x1: px(xs[0]), y1: py(xs[0]), x2: px(xs[1]), y2: py(xs[1]) }));
  Object.entries(series).forEach(([name, line], number) => {
    const colour = COLOURS[number % COLOURS.length];
    if (!line.length) return;
    parts.push(s("polyline", { class: "series", "data-series": name, vars: { stroke: colour }, points: line.map(([x, y]) => `${px(x)},${py(y)}`).join(" ") }));
    for (const [x, y, label] of line) {
      const point = s("circle", { class: "point", "data-x": x, "data-y": y, cx: px(x), cy: py(y), r: 3.6, vars: { fill: colour } });
      points.push([point, [name, label ?? `${options.x} ${show(x)}: ${show(y)}`]]);
      parts.push(point);
      if (label && options.labels) parts.push(s("text", { x: px(x), y: py(y) - 9, "text-anchor": "middle" }, label));
    }
  });
  parts.push(s("text", { x: (box.left + width - box.right) / 2, y: height - 8, "text-anchor": "middle" }, options.x ?? ""), s("text", { x: 12, y: (height - box.bottom + box.top) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(height - box.bottom + box.top) / 2})` }, options.y ?? ""));
  return h(
    "div",
    { class: "chart" },
    browse(s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${options.y} by ${options.x}` }, parts), points),
    h("div", { class: "row", vars: { "justify-content": "center", "font-size": "12px" } }, Object.keys(series).length > 1 ? Object.keys(series).map((name, number) => h("span", { class: "legend" }, h("span", { class: "rule-dot", vars: { "--rule": COLOURS[number % COLOURS.length] } }), name)) : null),
  );
}

/* bins: [{name, count, values: [{y, lines, faint} | null, ...]}], a value for each system;
   options: x, y, colours, joined, onpick(name), chosen. Points of ordered bins are joined; names
   stand below each other. Grey bars say how much there is in a bin. */
export function binChart(bins, options) {
  return options.joined ? columns(bins, options) : rows(bins, options);
}

function limits(bins) {
  const all = bins.flatMap((bin) => bin.values.filter(Boolean).map((value) => value.y));
  if (!all.length) return [0, 100];
  const high = Math.min(100, Math.ceil((Math.max(...all) + 0.5) / 10) * 10);
  return [Math.max(0, Math.floor((Math.min(...all) - 3) / 10) * 10), high];
}

// Of points in one place, the earlier systems' are larger and stay visible.
const dot = (value, x, y, colour, behind) => s("circle", { class: `point ${value.faint ? "faint-point" : ""}`, "data-y": value.y, cx: x, cy: y, r: 3.8 + 1.5 * behind, vars: { stroke: colour, fill: value.faint ? "var(--card)" : colour } });

function columns(bins, options) {
  const [width, height, left, bottom, top] = [1100, 330, 48, 44, 12];
  const [low, high] = limits(bins);
  const step = (width - left - 10) / bins.length;
  const px = (at) => left + step * (at + 0.5);
  const py = (value) => height - bottom - ((value - low) / (high - low || 1)) * (height - bottom - top);
  const most = Math.max(...bins.map((bin) => bin.count), 1);
  const parts = bins.map((bin, at) => {
    const tall = (bin.count / most) * (height - bottom - top) * 0.35;
    return s("rect", { class: "amount", x: px(at) - step * 0.36, width: step * 0.72, y: height - bottom - tall, height: tall });
  });
  for (let tick = low; tick <= high; tick += high - low > 50 ? 20 : 10) parts.push(s("line", { class: "grid", x1: left, x2: width - 10, y1: py(tick), y2: py(tick) }), s("text", { x: left - 8, y: py(tick) + 4, "text-anchor": "end" }, String(tick)));
  bins.forEach((bin, at) => parts.push(s("text", { x: px(at), y: height - bottom + 17, "text-anchor": "middle", class: options.chosen === bin.name ? "chosen" : "" }, bin.name)));
  const points = [];
  options.colours.forEach((colour, system) => {
    const line = bins.map((bin, at) => [at, bin.values[system]]).filter(([, value]) => value);
    parts.push(s("polyline", { class: "series", vars: { stroke: colour }, points: line.map(([at, value]) => `${px(at)},${py(value.y)}`).join(" ") }));
    for (const [at, value] of line) {
      const point = dot(value, px(at), py(value.y), colour, options.colours.length - 1 - system);
      points.push([point, value.lines, options.onpick && (() => options.onpick(bins[at].name)), at]);
      parts.push(point);
    }
  });
  points.sort((one, other) => one[3] - other[3]);
  parts.push(s("path", { class: "axis", d: `M${left} ${top}V${height - bottom}H${width - 10}` }), s("text", { x: (left + width) / 2, y: height - 6, "text-anchor": "middle" }, options.x), s("text", { x: 12, y: height / 2 - 16, "text-anchor": "middle", transform: `rotate(-90 12 ${height / 2 - 16})` }, options.y));
  return h("div", { class: "chart" }, browse(s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${options.y} by ${options.x}` }, parts), points));
}

function rows(bins, options) {
  const [width, left, right, line, top] = [1100, 150, 100, 22, 22];
  const [low, high] = limits(bins);
  const height = top + bins.length * line + 4;
  const px = (value) => left + ((value - low) / (high - low || 1)) * (width - left - right);
  const most = Math.max(...bins.map((bin) => bin.count), 1);
  const parts = [];
  for (let tick = low; tick <= high; tick += high - low > 50 ? 20 : 10) parts.push(s("line", { class: "grid", x1: px(tick), x2: px(tick), y1: top - 4, y2: height }), s("text", { x: px(tick), y: 12, "text-anchor": "middle" }, String(tick)));
  const points = [];
  bins.forEach((bin, at) => {
    const y = top + at * line + line / 2;
    const pick = options.onpick && (() => options.onpick(bin.name));
    const name = s("text", { class: `${options.chosen === bin.name ? "chosen" : ""} ${pick ? "click" : ""}`, "data-name": bin.name, x: left - 12, y: y + 4, "text-anchor": "end", onclick: pick }, bin.name.length > 18 ? `${bin.name.slice(0, 17)}…` : bin.name);
    parts.push(s("line", { class: "lane", x1: left, x2: width - right, y1: y, y2: y }), name, s("rect", { class: "amount", x: width - right + 12, y: y - 5, width: (bin.count / most) * 34, height: 10 }), s("text", { x: width - right + 50, y: y + 4 }, bin.count.toLocaleString("en")));
    bin.values.forEach((value, system) => {
      if (!value) return;
      const point = dot(value, px(value.y), y, options.colours[system], options.colours.length - 1 - system);
      points.push([point, value.lines, pick]);
      parts.push(point);
    });
  });
  return h("div", { class: "chart" }, browse(s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${options.y} by ${options.x}` }, parts), points));
}

/* rows: [{name, value, note}]; values from 0 to `most`, or around 0 */
export function barChart(rows, options = {}) {
  const width = 520;
  const line = 24;
  const left = options.left ?? 110;
  const around = options.around ?? rows.some((row) => row.value < 0);
  const most = options.most ?? Math.max(...rows.map((row) => Math.abs(row.value)), 1e-9);
  const space = width - left - 120;
  const zero = around ? left + space / 2 : left;
  const unit = (around ? space / 2 : space) / most;
  const points = [];
  const parts = rows.map((row, at) => {
    const size = Math.abs(row.value) * unit;
    const x = row.value < 0 ? zero - size : zero;
    const colour = around ? (row.value < 0 ? "var(--bad)" : "var(--good)") : row.colour ?? COLOURS[0];
    const bar = s(
      "g",
      { class: `hbar ${options.chosen === row.name ? "on" : ""}`, "data-name": row.name },
      s("rect", { x: 0, y: at * line, width, height: line, fill: "transparent" }),
      s("text", { x: left - 8, y: at * line + 16, "text-anchor": "end" }, row.name.length > 22 ? `${row.name.slice(0, 21)}…` : row.name),
      s("rect", { x, y: at * line + 5, width: Math.max(size, 1), height: line - 10, rx: 3, vars: { fill: colour } }),
      s("text", { x: (around ? left + space : zero + size) + 8, y: at * line + 16 }, row.note ?? String(row.value)),
    );
    points.push([bar, row.lines ?? [row.name, row.note ?? String(row.value)], options.onpick && (() => options.onpick(row.name))]);
    return bar;
  });
  if (around) parts.push(s("line", { class: "axis", x1: zero, x2: zero, y1: 0, y2: rows.length * line }));
  return h("div", { class: "chart" }, browse(s("svg", { viewBox: `0 0 ${width} ${rows.length * line}`, role: "img", "aria-label": options.title ?? "Bars" }, parts), points));
}

// Whether a difference is surely one, and for the better; costs fall when things get better.
export const verdict = (row) => {
  if (row.low <= 0 && row.high >= 0) return "";
  return row.low > 0 !== Boolean(row.falls) ? "up" : "down";
};

// A difference with its interval on a common scale.
export function whisker(row, most) {
  const x = (value) => 70 + (Math.max(-most, Math.min(most, value)) / most) * 64;
  const kind = verdict(row);
  return s(
    "svg",
    { class: `whisker ${kind}`, viewBox: "0 0 140 18", role: "img", "aria-label": `${row.low} to ${row.high}` },
    s("line", { class: "zero", x1: 70, x2: 70, y1: 1, y2: 17 }),
    s("line", { class: "span", x1: x(row.low), x2: x(row.high), y1: 9, y2: 9 }),
    s("circle", { class: "dot", cx: x(row.difference), cy: 9, r: 4 }),
  );
}
