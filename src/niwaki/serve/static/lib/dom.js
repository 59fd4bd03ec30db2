// Elements are made here and nowhere from strings of markup: text stays text.
const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

export function replace(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return parent;
}

export const percent = (value, digits = 0) => `${(100 * value).toFixed(digits)}%`;
export const signed = (value, digits = 2) => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(value).toFixed(digits)}`;
export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

// Runs the last of many calls, a moment after it.
export function debounce(work, milliseconds) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), milliseconds);
  };
}

export function toast(message, kind = "") {
  const element = h("div", { class: `toast ${kind}` }, message);
  document.getElementById("toasts").append(element);
  setTimeout(() => element.remove(), kind === "bad" ? 7000 : 3000);
}

// Puts text where it can be pasted, and says so.
export async function copy(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied as ${name}`);
  } catch (error) {
    toast(`Not copied: ${error.message}`, "bad");
  }
}

export function select(options, value, onchange, attributes = {}) {
  return h(
    "select",
    { ...attributes, onchange: (event) => onchange?.(event.target.value) },
    options.map((each) => {
      const [key, label] = Array.isArray(each) ? each : [each, each];
      return h("option", { value: key, selected: key === value }, label);
    }),
  );
}

const measure = document.createElement("canvas").getContext("2d");
const widths = new Map();
export function textWidth(text, font) {
  const key = `${font}|${text}`;
  if (!widths.has(key)) {
    if (widths.size > 20000) widths.clear();
    measure.font = font;
    widths.set(key, measure.measureText(text).width);
  }
  return widths.get(key);
}
export const fontOf = (size, family, weight = 400) =>
  `${weight} ${size}px ${getComputedStyle(document.documentElement).getPropertyValue(family)}`;
