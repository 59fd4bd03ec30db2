// A field for a label: typing narrows the list down, ⏎ takes the first that is left.
import { h, replace } from "./dom.js";

const SHOWN = 9;
let made = 0;

// Labels that begin with what is typed, then those that have it anywhere.
export const fitting = (labels, typed) => {
  const text = typed.trim().toLowerCase();
  const rank = (label) => (label.toLowerCase().startsWith(text) ? 0 : label.toLowerCase().includes(text) ? 1 : 2);
  return labels.filter((each) => rank(each) < 2).sort((a, b) => rank(a) - rank(b));
};

// Whether a label is being typed in a place: what comes late must not take the field away.
export const isTyped = (place) => place.contains(document.activeElement) && document.activeElement.role === "combobox";

/* labels: all that there are, the likeliest first; onpick(label): one that was chosen, or typed and not
   in the list; "" where nothing is meant. */
export function labelField(labels, value, onpick, attributes = {}) {
  const id = `labels-${(made += 1)}`;
  let at = 0;
  let found = [];
  const list = h("ul", { class: "options", role: "listbox", id, "aria-label": "Labels", hidden: true });
  const field = h("input", { type: "text", class: "short", role: "combobox", autocomplete: "off", spellcheck: "false", "aria-autocomplete": "list", "aria-controls": id, "aria-expanded": "false", ...attributes });
  field.value = value;
  const close = () => {
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  const pick = (label) => {
    field.blur();
    if (label !== value) onpick(label);
  };
  const draw = () => {
    const first = Math.max(0, Math.min(at - SHOWN + 1, found.length - SHOWN));
    replace(list, found.slice(first, first + SHOWN).map((label, place) => h("li", { role: "option", id: `${id}-${first + place}`, "aria-selected": String(first + place === at), onmousedown: (event) => {
      event.preventDefault();
      pick(label);
    } }, label)));
    list.hidden = !found.length;
    field.setAttribute("aria-expanded", String(!list.hidden));
    if (found.length) field.setAttribute("aria-activedescendant", `${id}-${at}`);
    else field.removeAttribute("aria-activedescendant");
  };
  const narrow = (typed) => {
    found = fitting(labels, typed);
    at = 0;
    draw();
  };
  field.addEventListener("focus", () => {
    field.select();
    narrow("");
  });
  field.addEventListener("blur", () => {
    field.value = value;
    close();
  });
  field.addEventListener("input", () => narrow(field.value));
  field.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && found.length) {
      at = (at + by + found.length) % found.length;
      draw();
    } else if (event.key === "Enter") {
      const typed = field.value.trim();
      const exact = !typed || labels.includes(typed);
      pick(at || !exact ? found[at] ?? typed : typed);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return h("span", { class: "combo" }, field, list);
}
