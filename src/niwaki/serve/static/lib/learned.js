// What models have learned from: a score on it says how well it is remembered.
import { h, plural } from "./dom.js";

// `what` is one and many of the things that are scored; `overlap` is that of the API.
export function learnedNote(overlap, names, what = ["sentence", "sentences"]) {
  const { examples, learned, left_out: leftOut } = overlap;
  const each = learned.map((count, at) => [names[at], count]);
  const known = each.filter(([, count]) => count).map(([name, count]) => `${count.toLocaleString("en")} by ${name}`);
  const unknown = [...new Set(each.filter(([, count]) => count === null).map(([name]) => name))];
  return [
    known.length ? h("p", { class: "note doubt learned", "data-learned": Math.max(...learned) }, `Of ${plural(examples, ...what)}, `, h("b", {}, `learned: ${known.join(", ")}`), ". Scores on them say how well they are remembered, and little of others.") : null,
    leftOut ? h("p", { class: "note learned", "data-left-out": leftOut }, `${plural(leftOut, ...what)} left out: a model has learned from ${leftOut === 1 ? "it" : "them"}.`) : null,
    unknown.length ? h("p", { class: "note" }, `Not recorded, wholly or in part: what ${unknown.join(" and ")} learned from.`) : null,
  ];
}

export const unseenBox = (state) => h("label", { class: "field", title: "Sentences that one of the models has learned from are not scored." }, h("input", { type: "checkbox", id: "unseen", checked: state.unseen, onchange: (event) => (state.unseen = event.target.checked) }), "leave out what was learned");
