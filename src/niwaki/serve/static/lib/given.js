// What a page begins with: raw text or CoNLL-U, typed, dropped or opened; examples; what is missing.
import { h, replace, toast } from "./dom.js";

const looksLikeConllu = (text) => /^(#[^\n]*\n)*\d+(-\d+)?\t/.test(text.trimStart());
export const givenOf = (text) => (looksLikeConllu(text) ? { conllu: text.trimEnd() + "\n\n" } : { text });

// What an empty field offers: texts that a click writes into it.
export const offer = (texts, field, done) => h(
  "div",
  { class: "empty" },
  h("p", {}, "Try one of these:"),
  h("div", { class: "row", vars: { "justify-content": "center" } }, texts.map((each) => h("button", {
    class: "chip",
    onclick: () => {
      field.value = each;
      done();
    },
  }, each))),
);

// An error beside the field that caused it; a line that it names can be gone to.
export function complain(place, field, error) {
  place.hidden = !error;
  field.setAttribute("aria-invalid", String(Boolean(error)));
  if (!error) return;
  const line = /\bline (\d+)\b/.exec(error.message);
  const lines = field.value.split("\n");
  const go = () => {
    const start = lines.slice(0, Number(line[1]) - 1).join("\n").length + (line[1] > 1 ? 1 : 0);
    field.focus();
    field.setSelectionRange(start, start + (lines[line[1] - 1] ?? "").length);
  };
  const button = line && Number(line[1]) <= lines.length ? [" ", h("button", { class: "button small", "data-line": line[1], onclick: go }, `Go to line ${line[1]}`)] : null;
  replace(place, error.message, button);
}

// What to do where nothing of a kind is registered; its `commands` are set as code.
export const advised = (kind, advice) => h(
  "p",
  { class: "note", "data-missing": kind },
  `${advice[0].toUpperCase()}${advice.slice(1)}.`.split("`").map((part, at) => (at % 2 ? h("code", {}, part) : part)),
);

export function takeFiles(place, field, done) {
  place.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    take(event.dataTransfer.files[0], field, done);
  });
}

export async function take(file, field, done) {
  if (!file) return;
  if (file.size > 4 * 1024 * 1024) {
    toast(`${file.name} has more than 4 MiB; use the command line`, "bad");
    return;
  }
  field.value = await file.text();
  done();
}
