// Line charts, bars and intervals, as SVG that follows the theme.
import { h, s } from "./dom.js";

export const COLOURS = ["#2f8f63", "#c2410c", "#3b63b8", "#9d3a8c", "#8a6d1b", "#0f7f8c"];

const nice = (span) => {
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  return power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10);
};

/* series: {name: [[x, y, label?], ...]}; options: x, y, xRange, yRange, diagonal, points, log */
export function lineChart(series, options = {}) {
  const width = 520;
  const height = 300;
  const box = { left: 48, right: 14, top: 14, bottom: 44 };
  const all = Object.values(series).flat();
  const scale = options.log ? Math.log10 : (value) => value;
  const range = (values, given) => {
    if (given) return given;
    const low = Math.min(...values);
    const high = Math.max(...values);
    const pad = (high - low) * 0.08 || Math.abs(high) * 0.05 || 1;
    return [low - pad, high + pad];
  };
  const xs = range(all.map((point) => scale(point[0])), options.xRange);
  const ys = range(all.map((point) => point[1]), options.yRange);
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
  for (const tick of ticks(ys)) parts.push(s("line", { class: "grid", x1: box.left, x2: width - box.right, y1: py(tick), y2: py(tick) }), s("text", { x: box.left - 8, y: py(tick) + 4, "text-anchor": "end" }, show(tick)));
  const xTicks = options.log ? [...new Set(all.map((point) => point[0]))] : ticks(xs);
  for (const tick of xTicks) parts.push(s("text", { x: px(tick), y: height - box.bottom + 18, "text-anchor": "middle" }, show(tick)));
  parts.push(s("path", { class: "axis", d: `M${box.left} ${box.top}V${height - box.bottom}H${width - box.right}` }));
  if (options.diagonal) parts.push(s("line", { class: "diagonal", x1: px(xs[0]), y1: py(xs[0]), x2: px(xs[1]), y2: py(xs[1]) }));
  Object.entries(series).forEach(([name, points], number) => {
    const colour = COLOURS[number % COLOURS.length];
    if (!points.length) return;
    parts.push(s("polyline", { class: "series", "data-series": name, vars: { stroke: colour }, points: points.map(([x, y]) => `${px(x)},${py(y)}`).join(" ") }));
    for (const [x, y, label] of points) {
      parts.push(s("circle", { cx: px(x), cy: py(y), r: 3.2, vars: { fill: colour } }, s("title", {}, label ?? `${name}: ${show(x)}, ${show(y)}`)));
      if (label && options.labels) parts.push(s("text", { x: px(x), y: py(y) - 9, "text-anchor": "middle" }, label));
    }
  });
  parts.push(s("text", { x: (box.left + width - box.right) / 2, y: height - 8, "text-anchor": "middle" }, options.x ?? ""), s("text", { x: 12, y: (height - box.bottom + box.top) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(height - box.bottom + box.top) / 2})` }, options.y ?? ""));
  return h(
    "div",
    { class: "chart" },
    s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${options.y} by ${options.x}` }, parts),
    h("div", { class: "row", vars: { "justify-content": "center", "font-size": "12px" } }, Object.keys(series).length > 1 ? Object.keys(series).map((name, number) => h("span", { class: "legend" }, h("span", { class: "rule-dot", vars: { "--rule": COLOURS[number % COLOURS.length] } }), name)) : null),
  );
}

/* rows: [{name, value, note}]; values from 0 to `most`, or around 0 */
export function barChart(rows, options = {}) {
  const width = 520;
  const line = 24;
  const left = options.left ?? 110;
  const around = rows.some((row) => row.value < 0);
  const most = options.most ?? Math.max(...rows.map((row) => Math.abs(row.value)), 1e-9);
  const space = width - left - 120;
  const zero = around ? left + space / 2 : left;
  const unit = (around ? space / 2 : space) / most;
  const parts = rows.map((row, at) => {
    const size = Math.abs(row.value) * unit;
    const x = row.value < 0 ? zero - size : zero;
    const colour = around ? (row.value < 0 ? "var(--bad)" : "var(--good)") : row.colour ?? COLOURS[0];
    return s(
      "g",
      { class: `hbar ${options.chosen === row.name ? "on" : ""}`, "data-name": row.name, tabindex: options.onpick ? "0" : null, onclick: () => options.onpick?.(row.name), onkeydown: (event) => event.key === "Enter" && options.onpick?.(row.name) },
      s("rect", { x: 0, y: at * line, width, height: line, fill: "transparent" }),
      s("text", { x: left - 8, y: at * line + 16, "text-anchor": "end" }, row.name.length > 22 ? `${row.name.slice(0, 21)}…` : row.name),
      s("rect", { x, y: at * line + 5, width: Math.max(size, 1), height: line - 10, rx: 3, vars: { fill: colour } }),
      s("text", { x: (around ? left + space : zero + size) + 8, y: at * line + 16 }, row.note ?? String(row.value)),
      s("title", {}, `${row.name}: ${row.note ?? row.value}`),
    );
  });
  if (around) parts.push(s("line", { class: "axis", x1: zero, x2: zero, y1: 0, y2: rows.length * line }));
  return h("div", { class: "chart" }, s("svg", { viewBox: `0 0 ${width} ${rows.length * line}` }, parts));
}

// A difference with its interval on a common scale.
export function whisker(row, most) {
  const x = (value) => 70 + (Math.max(-most, Math.min(most, value)) / most) * 64;
  const kind = row.low > 0 ? "up" : row.high < 0 ? "down" : "";
  return s(
    "svg",
    { class: `whisker ${kind}`, viewBox: "0 0 140 18", role: "img", "aria-label": `${row.low} to ${row.high}` },
    s("line", { class: "zero", x1: 70, x2: 70, y1: 1, y2: 17 }),
    s("line", { class: "span", x1: x(row.low), x2: x(row.high), y1: 9, y2: 9 }),
    s("circle", { class: "dot", cx: x(row.difference), cy: 9, r: 4 }),
  );
}
