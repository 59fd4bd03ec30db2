// Two questions about a tree: which word is the main one, and which head a word has.
import { post } from "../lib/api.js";
import { h, percent, replace } from "../lib/dom.js";
import { keys } from "../lib/keys.js";
import { isTyped, labelField } from "../lib/labels.js";
import { treeView } from "../lib/tree.js";

const LIKELY_TAGS = ["VERB", "AUX", "ADJ", "NOUN", "PROPN", "PRON", "ADV", "NUM"];

export const headsOf = (state) => Object.entries(state.heads ?? {}).map(([word, head]) => ({ word: Number(word), head, ...(state.labels?.[word] ? { label: state.labels[word] } : {}) }));

// The words that get a digit: the likeliest first, then by tag, but numbered as they stand.
function numbered(item) {
  const order = item.tokens.map((_, at) => at);
  const tag = (at) => (LIKELY_TAGS.indexOf(item.upos[at]) + LIKELY_TAGS.length + 1) % (LIKELY_TAGS.length + 1);
  order.sort((a, b) => item.roots[b] - item.roots[a] || tag(a) - tag(b) || a - b);
  return order.slice(0, 9).sort((a, b) => a - b);
}

export function showRoot(session) {
  const { item } = session;
  const digits = numbered(item);
  const chosen = headsOf(item.state).find((each) => each.head === 0)?.word;
  let aim = -1;
  const answer = (at) => {
    const others = () => headsOf(item.state).filter((each) => each.head !== 0 && each.word !== at + 1);
    return session.write(() => ({ heads: [{ word: at + 1, head: 0, label: "root" }, ...others()] }), { advance: true });
  };
  const most = Math.max(...item.roots, 0.01);
  const choices = item.tokens.map((form, at) =>
    h(
      "button",
      {
        class: `choice ${item.roots[at] > 0.02 ? "likely" : ""} ${chosen === at + 1 ? "chosen" : ""}`,
        "data-word": at + 1,
        title: `${item.upos[at]}${item.roots[at] ? `, ${percent(item.roots[at])} of the trees` : ""}`,
        vars: { "--share": String(item.roots[at] / most) },
        onclick: () => answer(at),
      },
      digits.includes(at) ? h("kbd", {}, String(digits.indexOf(at) + 1)) : null,
      form,
    ),
  );
  const move = (by) => () => {
    choices[aim]?.classList.remove("aim");
    aim = Math.max(0, Math.min(choices.length - 1, aim + by));
    choices[aim].classList.add("aim");
  };
  replace(
    session.stage,
    h(
      "div",
      { class: "card ask" },
      h("p", { class: "question" }, "Which word is the main verb?"),
      h("div", { class: "choices", lang: "und", dir: "auto" }, choices),
      h("div", { class: "row", vars: { "justify-content": "center", "margin-top": "30px" } }, h("button", { class: "button small", onclick: () => session.skip() }, "Skip ", h("kbd", {}, "s")), h("button", { class: "button small", id: "undo", onclick: () => session.undo() }, "Undo ", h("kbd", {}, "u")), h("button", { class: "button small", onclick: () => session.next() }, "Next ", h("kbd", {}, "n"))),
    ),
    h("p", { class: "soft", vars: { "text-align": "center", "max-width": "none" } }, "Shaded words are the roots of the model's best trees. ", h("kbd", {}, "1"), "–", h("kbd", {}, "9"), " answers and goes on; ", h("kbd", {}, "←"), " ", h("kbd", {}, "→"), " ", h("kbd", {}, "⏎"), " reaches any word."),
  );
  keys([
    ...digits.map((at, number) => [String(number + 1), number ? "" : "1–9: this word is the main verb", () => answer(at)]),
    ["ArrowLeft", "The word before", move(-1)],
    ["ArrowRight", "The word after", move(1)],
    ["Enter", "Take this word", () => (aim >= 0 ? answer(aim) : false)],
    ...session.common(),
  ]);
}

// The model's tree around what was said; a corrected head shows what follows from it at once.
export function showHeads(session) {
  const { item } = session;
  const state = { picked: 0, aim: 0, tree: { ...item, multiword_tokens: item.multiword_tokens ?? [] } };
  const place = h("div", {});
  const panel = h("div", { class: "inspector", hidden: true });
  const form = (word) => (word === 0 ? "root" : item.tokens[word - 1]);
  const known = () => new Map(headsOf(item.state).map((each) => [each.word, each]));

  // The one that is shown first, then all of the model's.
  const labels = (word) => [...new Set([state.tree.deprels[word - 1], ...session.labels])].filter((each) => each && each !== "_");
  const typeLabel = () => {
    const field = panel.querySelector('[data-act="label"]');
    if (panel.hidden || !field) return false;
    field.focus();
    return true;
  };

  const draw = () => {
    const said = known();
    replace(place, treeView(state.tree, { picked: state.picked, aim: state.aim, known: (word) => said.has(word), onpick: pick }));
    panel.hidden = !state.picked;
    if (!state.picked || isTyped(panel)) return;
    const word = state.picked;
    const head = state.tree.heads[word - 1];
    replace(
      panel,
      h(
        "div",
        { class: "row" },
        h("bdi", { class: "form" }, form(word)),
        h("button", { class: `button small ${said.has(word) ? "on" : ""}`, "data-act": "confirm", onclick: () => set(word, head) }, head === 0 ? "It is the root " : `Its head is ${form(head)} `, h("kbd", {}, "f")),
        h("button", { class: `button small ${state.aim ? "on" : ""}`, "data-act": "aim", onclick: takeAim }, state.aim ? "Click the head…" : "Another head ", h("kbd", {}, "h")),
        head === 0 ? null : h("button", { class: "button small", "data-act": "root", onclick: () => set(word, 0) }, "Make it the root ", h("kbd", {}, "r")),
        said.has(word) ? h("button", { class: "button small", "data-act": "clear", onclick: () => clear(word) }, "Give it up ", h("kbd", {}, "x")) : null,
        h("label", { class: "field" }, "Label ", labelField(labels(word), state.tree.deprels[word - 1], (label) => set(word, state.tree.heads[word - 1], label), { "data-act": "label" }), h("kbd", {}, "l")),
      ),
    );
  };
  const pick = (word) => {
    if (state.aim) {
      if (word !== state.picked) set(state.picked, word);
      return;
    }
    state.picked = state.picked === word ? 0 : word;
    draw();
  };
  const takeAim = () => {
    if (!state.picked) return;
    state.aim = state.aim ? 0 : state.tree.heads[state.picked - 1] || (state.picked === 1 ? 2 : 1);
    draw();
  };
  // What is known with one word changed; of two roots the new one stays.
  const set = async (word, head, label) => {
    state.aim = 0;
    const others = () => [...known().values()].filter((each) => each.word !== word && !(head === 0 && each.head === 0));
    const old = state.tree.deprels[word - 1];
    const same = state.tree.heads[word - 1] === head;
    const name = label ?? (head === 0 ? "root" : same || known().get(word)?.label ? old : "");
    const picked = state.picked;
    if (await session.write(() => ({ heads: [...others(), { word, head, ...(name ? { label: name } : {}) }] }))) session.reopen?.(picked);
  };
  const clear = async (word) => {
    const picked = state.picked;
    if (await session.write(() => ({ heads: [...known().values()].filter((each) => each.word !== word) }))) session.reopen?.(picked);
  };
  const accept = () => session.write(() => ({ heads: state.tree.heads.map((head, at) => ({ word: at + 1, head, label: state.tree.deprels[at] })) }), { advance: true });

  // With something known, the tree around it is asked for.
  const answer = async () => {
    const said = headsOf(item.state);
    if (!said.length && !item.marks.length) return draw();
    const heads = new Map(said.map((each) => [each.word, each]));
    const marks = item.marks.filter((each) => !heads.has(each.word));
    try {
      const { sentences } = await post("/api/parse", {
        tokens: [item.tokens],
        model: session.project.model,
        constraints: [[...marks, ...said.map(({ word, head, label }) => ({ word, head, ...(label ? { labels: [label] } : {}) }))]],
      });
      state.tree = { ...sentences[0], upos: item.upos, multiword_tokens: item.multiword_tokens ?? [] };
    } catch (error) {
      replace(session.fault, error.message).hidden = false;
    }
    return draw();
  };
  session.reopen = (word) => {
    state.picked = word;
  };
  const step = (by) => () => {
    const size = item.tokens.length;
    if (state.aim) state.aim = Math.max(1, Math.min(size, state.aim + by));
    else state.picked = Math.max(1, Math.min(size, state.picked + by));
    draw();
  };
  replace(
    session.stage,
    h(
      "div",
      { class: "card" },
      h("div", { class: "row between", vars: { "margin-bottom": "8px" } }, h("p", { class: "soft", vars: { margin: 0 } }, "Correct what is wrong; the rest of the tree follows."), h("div", { class: "legend" }, h("span", { class: "mark known" }), "said by you")),
      place,
      panel,
      h("div", { class: "row", vars: { "margin-top": "16px" } }, h("button", { class: "button small main", id: "accept", onclick: accept }, "All of it is right ", h("kbd", {}, "a")), h("button", { class: "button small", onclick: () => session.skip() }, "Skip ", h("kbd", {}, "s")), h("button", { class: "button small", id: "undo", onclick: () => session.undo() }, "Undo ", h("kbd", {}, "u")), h("button", { class: "button small", onclick: () => session.next() }, "Next ", h("kbd", {}, "n"))),
    ),
  );
  keys([
    ["ArrowLeft", "The word before", step(-1)],
    ["ArrowRight", "The word after", step(1)],
    ["f", "The head is right", () => state.picked && set(state.picked, state.tree.heads[state.picked - 1])],
    ["h", "Another head: arrows, then ⏎", takeAim],
    ["Enter", "Take the head that is aimed at", () => (state.aim ? set(state.picked, state.aim) : false)],
    ["r", "Make the word the root", () => state.picked && set(state.picked, 0)],
    ["x", "Give up what was said of the word", () => state.picked && known().has(state.picked) && clear(state.picked)],
    ["l", "Type a label", typeLabel],
    ["a", "All of it is right", accept],
    ["Escape", "Leave the word", () => {
      state.aim = state.picked = 0;
      draw();
    }],
    ...session.common(),
  ]);
  answer();
}
