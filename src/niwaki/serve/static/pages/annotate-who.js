// Who annotates: a name that this browser remembers. There are no accounts behind it.
import { h } from "../lib/dom.js";

const PLACE = "annotate.who";

export const currentPerson = () => localStorage.getItem(PLACE) ?? "";

export const personField = () => {
  const field = h("input", { type: "text", id: "who", class: "short", maxlength: 40, placeholder: "your name", autocomplete: "off", onchange: () => {
    localStorage.setItem(PLACE, field.value.trim());
    location.reload();
  } });
  field.value = currentPerson();
  return h("label", { class: "field", title: "Everybody has answers of their own; sentences that two people annotate show how far they agree." }, "Annotator", field);
};
