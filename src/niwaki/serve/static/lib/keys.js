// Keyboard: each page says what its keys do; `?` shows all of it.
import { h, replace } from "./dom.js";

let bindings = [];
let pending = "";

const PLACES = { p: "/parse", f: "/find", r: "/reorder", n: "/translate", e: "/relate", t: "/shorten", a: "/annotate", d: "/adapt", c: "/compare", z: "/analyze", i: "/api" };

export function keys(list) {
  bindings = list;
}

function nameOf(event) {
  const key = event.key === " " ? "Space" : event.key;
  const mods = `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}`;
  return mods + (event.shiftKey && key.length > 1 ? "Shift+" : "") + key;
}

const typing = (target) => target.closest?.("textarea, input, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  const name = nameOf(event);
  const inField = typing(event.target);
  if (inField && event.key === "Escape") {
    event.target.blur();
    return;
  }
  for (const [wanted, , run, options] of bindings) {
    const names = Array.isArray(wanted) ? wanted : [wanted];
    if (!names.includes(name) || (inField && !options?.inFields)) continue;
    // A button that has the focus is pressed by Enter and Space, whatever else they do.
    if ((name === "Enter" || name === "Space") && event.target.closest?.("button, a, summary")) return;
    if (run(event) !== false) event.preventDefault();
    return;
  }
  if (inField || event.ctrlKey || event.metaKey || event.altKey) return;
  if (pending === "g" && PLACES[event.key]) location.href = PLACES[event.key];
  pending = event.key;
  if (event.key === "?") help();
});

export function help() {
  const rows = [
    ...bindings.filter(([, text]) => text).map(([wanted, text]) => [Array.isArray(wanted) ? wanted : [wanted], text]),
    [["g then p f r n e t a d c z i"], "Parse, Find, Reorder, Translate, Relate, Shorten, Annotate, Adapt, Compare, Analyze, API"],
    [["?"], "These keys"],
  ];
  const dialog = h(
    "dialog",
    { onclose: () => dialog.remove(), onclick: (event) => event.target === dialog && dialog.close() },
    h("h2", {}, "Keys"),
    h("div", { class: "keys" }, rows.map(([names, text]) => [h("span", {}, names.map((each) => [h("kbd", {}, shown(each)), " "])), h("span", {}, text)])),
  );
  document.body.append(dialog);
  dialog.showModal();
}

const shown = (name) => name.replace("ArrowLeft", "←").replace("ArrowRight", "→").replace("ArrowUp", "↑").replace("ArrowDown", "↓").replace("Enter", "⏎");
