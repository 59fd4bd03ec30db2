// Agreement: how far annotators agree, and where they differ, to be decided word by word.
import { get, post } from "../lib/api.js";
import { h, plural, replace } from "../lib/dom.js";
import { keys } from "../lib/keys.js";
import { treeView } from "../lib/tree.js";

const DECIDER = "adjudicated";
const named = (who) => who || "without a name";
const figure = (value, digits) => (value === null || value === undefined ? "–" : value.toFixed(digits));

export class Agreement {
  constructor(main, id, wanted) {
    Object.assign(this, { main, id, wanted: wanted === null ? null : Number(wanted), found: null, n: null });
    this.stage = h("section", { id: "stage" });
    this.side = h("ol", { class: "queue", "aria-label": "Sentences on which annotators differ" });
    this.summary = h("div", { class: "card", id: "agreement" });
    this.fault = h("p", { class: "note bad", id: "answer-fault", role: "alert", hidden: true });
  }

  async open() {
    this.project = (await get("/api/projects")).find((each) => each.id === this.id);
    replace(
      this.main,
      h("h1", {}, h("a", { href: "/annotate", class: "soft" }, "Annotate"), " / ", h("bdi", {}, this.project?.name ?? this.id)),
      h("p", { class: "lede" }, "How far annotators agree. What they contradict is written nowhere until it is decided here."),
      this.summary,
      h("div", { class: "split" }, h("div", {}, this.fault, this.stage), h("aside", { class: "card" }, h("h2", {}, "Where they differ"), this.side)),
    );
    keys([["n", "The next one to be decided", () => this.next()]]);
    await this.load();
    const wanted = this.found.differ.find((each) => each.n === this.wanted);
    await (wanted ? this.go(wanted.n) : this.next());
  }

  async load() {
    this.found = await get(`/api/projects/${this.id}/agreement`);
    const links = this.project?.kind === "links";
    const titles = links ? ["annotators", "pairs", "F1 of links"] : ["annotators", "sentences", "words", "UAS", "labelled", "LAS", "kappa of labels"];
    const cells = (pair) => (links ? [pair.sentences, figure(pair.f1, 1)] : [pair.sentences, pair.words, figure(pair.uas, 1), pair.labelled, figure(pair.las, 1), figure(pair.kappa, 2)]);
    replace(
      this.summary,
      this.found.pairs.length
        ? h("table", {}, h("thead", {}, h("tr", {}, titles.map((title, at) => h("th", { class: at ? "n" : null }, title)))), h("tbody", {}, this.found.pairs.map((pair) => h("tr", { "data-pair": pair.people.map(named).join(" ") }, h("td", {}, h("bdi", {}, named(pair.people[0])), " and ", h("bdi", {}, named(pair.people[1]))), cells(pair).map((value) => h("td", { class: "n" }, String(value)))))))
        : h("p", { class: "soft", vars: { margin: 0 } }, "One person has annotated this project so far."),
      h("p", { class: "soft", vars: { margin: "10px 0 0" } }, links ? "Of the pairs that both linked." : "Of the words that both annotated, in percent; kappa is agreement beyond chance: 0 is chance, 1 is all."),
    );
    this.list();
  }

  list() {
    replace(this.side, this.found.differ.map((row) => h("li", { "data-n": row.n, class: `${row.n === this.n ? "here" : ""} ${row.decided ? "done" : ""}` }, h("span", { class: "doubt" }, row.decided ? "✓" : String(row.words.length)), h("button", { class: "plain", dir: "auto", onclick: () => this.go(row.n) }, row.text))));
  }

  next() {
    const open = this.found.differ.filter((each) => !each.decided);
    const next = open.find((each) => each.n > (this.n ?? -1)) ?? open[0];
    if (next) return this.go(next.n);
    return this.n === null ? replace(this.stage, h("p", { class: "empty" }, this.found.differ.length ? "Everything is decided." : "Nobody contradicts anybody.")) : null;
  }

  async go(n) {
    this.n = n;
    history.replaceState(null, "", `/annotate?${new URLSearchParams({ project: this.id, mode: "agreement", n })}`);
    this.item = await get(`/api/projects/${this.id}/sentences/${n}/answers`);
    this.fault.hidden = true;
    this.list();
    this.draw();
  }

  draw() {
    const { item } = this;
    if (this.project?.kind === "links") {
      const link = h("p", { class: "card" }, "Words of which people linked different ones: ", item.differ.map((word) => item.tokens[word - 1]).join(", "), ". To decide, annotate as ", h("b", {}, DECIDER), ".");
      return replace(this.stage, link);
    }
    const differ = new Set(item.differ);
    return replace(
      this.stage,
      h("div", { class: "card" }, h("h2", {}, "Decide"), item.differ.map((word) => this.choice(word)), h("div", { class: "row", vars: { "margin-top": "12px" } }, h("button", { class: "button small main", onclick: () => this.next() }, "Next ", h("kbd", {}, "n")))),
      item.said.map(({ name, state }) => h("div", { class: "candidate", "data-person": name, vars: { "margin-bottom": "12px" } }, h("header", {}, h("b", {}, h("bdi", {}, named(name))), plural(Object.keys(state.heads ?? {}).length, "head")), treeView(partialTree(item.tokens, state), { marks: (word) => (differ.has(word) ? "differ" : ""), wordMark: (word) => (differ.has(word) ? "differ-word" : "") }))),
      h("div", { class: "candidate", id: "decided" }, h("header", {}, h("b", {}, item.decided ? "Decided" : "What they agree on")), treeView(partialTree(item.tokens, item.state))),
    );
  }

  // What each person said of a word, to choose from; what is chosen is written.
  choice(word) {
    const { item } = this;
    const key = String(word);
    const form = (head) => (head === 0 ? "root" : item.tokens[head - 1]);
    const options = new Map();
    for (const { name, state } of item.said) {
      if (state.heads?.[key] === undefined) continue;
      const option = { head: state.heads[key], label: state.labels?.[key] ?? "" };
      const id = `${option.head} ${option.label}`;
      options.set(id, { ...option, people: [...(options.get(id)?.people ?? []), named(name)] });
    }
    const chosen = item.decided && item.state.heads?.[key] !== undefined ? `${item.state.heads[key]} ${item.state.labels?.[key] ?? ""}` : "";
    return h("div", { class: "row", "data-choice": word, vars: { margin: "6px 0" } }, h("bdi", { class: "form" }, item.tokens[word - 1]), [...options].map(([id, { head, label, people }]) => h("button", { class: `button small ${id === chosen ? "on" : ""}`, "aria-pressed": String(id === chosen), onclick: () => this.decide(key, head, label) }, h("bdi", {}, `← ${form(head)}${label ? ` (${label})` : ""}`), h("span", { class: "soft" }, people.join(", ")))));
  }

  async decide(key, head, label) {
    const { item } = this;
    const heads = { ...item.state.heads, [key]: head };
    const labels = { ...item.state.labels, [key]: label };
    const rows = Object.entries(heads).map(([word, each]) => ({ word: Number(word), head: each, ...(labels[word] ? { label: labels[word] } : {}) }));
    try {
      await post(`/api/projects/${this.id}/sentences/${item.n}/answer`, { who: DECIDER, version: item.version, heads: rows });
    } catch (error) {
      return (replace(this.fault, error.message).hidden = false);
    }
    await this.load();
    return this.go(item.n);
  }
}

// A tree of which some words may have no head yet.
const partialTree = (tokens, state) => ({
  tokens,
  heads: tokens.map((_, at) => state.heads?.[at + 1] ?? -1),
  deprels: tokens.map((_, at) => state.labels?.[at + 1] ?? ""),
});
