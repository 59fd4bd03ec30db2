// Parse: text in, trees out; doubts visible, alternatives side by side, constraints by a click.
import { get, latest, post } from "../lib/api.js";
import { debounce, h, percent, plural, replace, select, toast } from "../lib/dom.js";
import { givenOf, offer, take, takeFiles } from "../lib/given.js";
import { keys } from "../lib/keys.js";
import { meaningView, signs } from "../lib/meaning.js";
import { beamOf, beamSelect, describe, modelNamed, usableModels } from "../lib/models.js";
import { differences, known, treeView } from "../lib/tree.js";

const EXAMPLES = [
  "We saw the man with the telescope.",
  "The old pine that the monks planted leans over the pond.",
  "Time flies like an arrow; fruit flies like a banana.",
];
const SHOWN = 30;

export async function show(main) {
  const usable = usableModels(await get("/api/models"));
  const state = {
    model: modelNamed(usable, sessionStorage.getItem("parse.model") ?? "en") ?? usable[0],
    beam: "",
    wrap: true,
    meaning: sessionStorage.getItem("parse.meaning") === "shown",
    cards: [],
    current: null,
  };
  const field = h("textarea", {
    id: "text",
    dir: "auto",
    rows: 3,
    placeholder: "Type or paste text, or drop a text or CoNLL-U file here.",
    "aria-label": "Text to parse",
    spellcheck: "false",
  });
  field.value = sessionStorage.getItem("parse.text") ?? "";
  const status = h("span", { class: "soft num", id: "status", "aria-live": "polite" });
  const results = h("section", { id: "results" });
  const fault = h("p", { class: "note bad", id: "fault", hidden: true });

  const ask = latest((signal, given) => post("/api/parse", { ...given, ...wanted(state) }, { signal }));
  const parse = async () => {
    const text = field.value;
    sessionStorage.setItem("parse.text", text);
    if (!text.trim()) {
      fault.hidden = true;
      return replace(results, offer(EXAMPLES, field, parse));
    }
    const started = performance.now();
    const { found, error, stale } = await ask(givenOf(text));
    if (stale) return null;
    fault.hidden = !error;
    if (error) return replace(fault, error.message);
    const words = found.sentences.reduce((sum, each) => sum + each.tokens.length, 0);
    replace(status, `${plural(found.sentences.length, "sentence")}, ${plural(words, "word")}, ${Math.round(performance.now() - started)} ms`);
    return showSentences(found.sentences, results, state);
  };
  field.addEventListener("input", debounce(parse, 220));
  // Whoever cannot drop a file can choose one.
  const chooser = h("input", { type: "file", id: "file", accept: ".txt,.conllu,text/plain", hidden: true, onchange: (event) => take(event.target.files[0], field, parse) });
  const search = h("span", { class: "row", id: "search" });
  const drawSearch = () => replace(
    search,
    beamSelect(state.model, state.beam, (value) => {
      state.beam = value;
      parse();
    }, { id: "beam" }),
    state.model ? h("span", { class: "soft", id: "facts" }, describe(state.model)) : null,
  );
  drawSearch();
  const legend = h("p", { class: "soft signs", id: "signs", hidden: !state.meaning }, signs());
  const meaning = h("button", { class: `button small ${state.meaning ? "on" : ""}`, id: "meaning", "aria-pressed": String(state.meaning), onclick: () => {
    state.meaning = !state.meaning;
    sessionStorage.setItem("parse.meaning", state.meaning ? "shown" : "");
    meaning.classList.toggle("on", state.meaning);
    meaning.setAttribute("aria-pressed", String(state.meaning));
    legend.hidden = !state.meaning;
    parse();
  } }, "Meaning ", h("kbd", {}, "m"));
  replace(
    main,
    h("div", { class: "row between" }, h("h1", {}, "Parse"), h("div", { class: "legend" }, "sure", h("span", { class: "ramp" }), "doubtful")),
    h("p", { class: "lede" }, "Click a word or an arc to say what you know; the tree answers at once."),
    figures(),
    h(
      "div",
      { class: "drop" },
      field,
    ),
    chooser,
    h(
      "div",
      { class: "row", vars: { margin: "10px 0 18px" } },
      h("label", { class: "field" }, "Model", select(usable.map((each) => each.id), state.model?.id, (value) => {
        state.model = modelNamed(usable, value);
        sessionStorage.setItem("parse.model", value);
        drawSearch();
        parse();
      }, { id: "model" })),
      search,
      h("label", { class: "field" }, h("input", { type: "checkbox", checked: true, onchange: (event) => {
        state.wrap = event.target.checked;
        state.cards.forEach((card) => card.redraw());
      } }), "wrap long sentences"),
      meaning,
      h("button", { class: "button small", id: "open", onclick: () => chooser.click() }, "Open a file ", h("kbd", {}, "o")),
      h("span", { class: "grow" }),
      status,
    ),
    legend,
    fault,
    results,
  );
  takeFiles(main.querySelector(".drop"), field, parse);
  bindKeys(state, field);
  await parse();
}

const options = (state) => ({ model: state.model?.id, ...beamOf(state.model, state.beam) });

// What is asked of each tree that is shown.
const wanted = (state) => ({ ...options(state), ...(state.meaning ? { meaning: true } : {}) });

// What all percentages of the page mean.
const figures = () => h(
  "details",
  { class: "help", id: "figures" },
  h("summary", {}, "What the percentages mean"),
  h("p", {}, "How probable it is that an answer is right: of 100 attachments given 60%, about 60 should have the right head. Below 75% it is written beside the arc’s label; point at an arc or a word to see it for head, label and tag. The figure of a tree is the same for all its heads and labels at once."),
  h("p", {}, "It holds for text like that of the treebank, and is too high on text of another kind; ", h("a", { href: "/analyze" }, "Analyze"), " shows how well it holds on trees of yours. Once you have said something yourself there is no figure: nothing is known of how often such trees are right."),
);

function showSentences(sentences, results, state) {
  state.cards = [];
  state.current = null;
  replace(results);
  let next = 0;
  const more = h("button", { class: "button", onclick: () => add() });
  const add = () => {
    for (const sentence of sentences.slice(next, next + SHOWN)) {
      const card = new Card(sentence, state.cards.length + 1, state);
      state.cards.push(card);
      results.insertBefore(card.element, more);
    }
    next += SHOWN;
    replace(more, `Show ${Math.min(SHOWN, sentences.length - next)} more of ${sentences.length}`).hidden = next >= sentences.length;
  };
  results.append(more);
  add();
}

// One sentence: its tree, what is said to be known, the inspector of a word, the k best.
class Card {
  constructor(sentence, number, state) {
    Object.assign(this, { sentence, number, state, picked: 0, aim: 0, known: new Map(), best: null, candidates: null });
    this.chips = h("span", { class: "row", vars: { gap: "6px" } });
    this.place = h("div", {});
    this.meaning = h("div", {});
    this.inspector = h("div", { class: "inspector", hidden: true });
    this.list = h("div", {});
    this.fault = h("p", { class: "note bad", hidden: true });
    this.certainty = h("span", { class: "chip num" });
    this.kButton = h("button", { class: "button small kbest", onclick: () => this.toggleBest() }, "k best");
    this.element = h(
      "article",
      { class: "card sentence", "data-sentence": number },
      h("header", {}, h("span", { class: "number" }, number), this.certainty, this.chips, h("span", { class: "grow" }), this.kButton, h("button", { class: "button small", onclick: () => this.copy() }, "Copy CoNLL-U")),
      h("div", { class: sentence.meaning ? "beside" : null }, this.place, this.meaning),
      this.fault,
      this.inspector,
      this.list,
    );
    this.view = null;
    this.redraw();
  }

  redraw() {
    const { sentence } = this;
    const settings = {
      wrap: this.state.wrap,
      picked: this.picked,
      aim: this.aim,
      known: (word) => this.known.has(word),
      onpick: (word) => this.pick(word),
    };
    const focused = this.view?.contains(document.activeElement) || this.view === document.activeElement;
    this.view = treeView(sentence, settings);
    replace(this.place, this.view);
    if (focused) this.view.focus({ preventScroll: true });
    replace(this.meaning, sentence.meaning ? meaningView(sentence.meaning, this.picked) : null);
    const p = sentence.probabilities?.tree;
    replace(this.certainty, p === undefined ? (this.known.size ? "constrained" : "no probabilities") : `tree ${percent(p)}`);
    this.certainty.title = p === undefined ? "Probabilities are calibrated on free parses." : `${percent(p)} that all heads and labels of this tree are right`;
    replace(
      this.chips,
      [...this.known].map(([word, said]) => h("button", { class: "chip on", title: "Give this up", onclick: () => this.say(word, null) }, this.described(word, said), " ×")),
    );
    this.inspect();
  }

  form(word) {
    return word === 0 ? "root" : this.sentence.tokens[word - 1];
  }

  described(word, said) {
    const parts = [];
    if (said.head !== undefined) parts.push(said.head === 0 ? `${this.form(word)} is the root` : `${this.form(word)} ← ${this.form(said.head)}`);
    if (said.forbid?.length) parts.push(`${this.form(word)} not ← ${said.forbid.map((each) => this.form(each)).join(", ")}`);
    if (said.labels?.length) parts.push(`${this.form(word)}: ${said.labels.join(" or ")}`);
    return parts.join(", ");
  }

  pick(word) {
    if (this.aim) {
      if (word !== this.picked) this.say(this.picked, { ...this.known.get(this.picked), head: word, forbid: [] });
      return;
    }
    if (this.state.current && this.state.current !== this) this.state.current.leave();
    this.state.current = this;
    this.picked = this.picked === word ? 0 : word;
    this.redraw();
    this.view.focus({ preventScroll: true });
    if (this.picked) this.considered();
  }

  leave() {
    this.picked = this.aim = 0;
    this.redraw();
  }

  // Says something about a word, or takes it back, and asks for the tree again.
  async say(word, said) {
    const before = new Map(this.known);
    if (said === null) this.known.delete(word);
    else this.known.set(word, said);
    this.aim = 0;
    const { conllu } = this.sentence;
    try {
      const body = { conllu, ...wanted(this.state), ...(this.known.size ? { constraints: [this.statements()] } : {}) };
      const { sentences } = await post("/api/parse", body);
      this.sentence = { ...sentences[0], conllu };
      this.fault.hidden = true;
      this.best = null;
    } catch (error) {
      this.known = before;
      replace(this.fault, error.message.replace(/^sentence, line \d+: /, "")).hidden = false;
    }
    this.redraw();
    if (this.candidates) this.showBest();
    if (this.picked) this.considered();
  }

  statements() {
    return [...this.known].map(([word, said]) => ({ word, ...said }));
  }

  async asked(k) {
    const body = { conllu: this.sentence.conllu, k, ...options(this.state), ...(this.known.size ? { constraints: [this.statements()] } : {}) };
    return (await post("/api/kbest", body)).sentences[0];
  }

  // Which heads the best trees give the word that is picked.
  async considered() {
    try {
      this.best ??= await this.asked(16);
    } catch {
      return;
    }
    this.inspect();
  }

  inspect() {
    const word = this.picked;
    this.inspector.hidden = !word;
    if (!word) return;
    const { sentence } = this;
    const at = word - 1;
    const head = sentence.heads[at];
    const said = this.known.get(word) ?? {};
    const labels = [...new Set([sentence.deprels[at], ...(this.best?.parses ?? []).map((parse) => parse.deprels[at])])];
    const facts = [sentence.upos[at], sentence.xpos[at], sentence.lemmas?.[at], sentence.feats?.[at]?.replaceAll("|", " ")].filter((each) => each && each !== "_");
    replace(
      this.inspector,
      h("div", { class: "row" }, h("bdi", { class: "form" }, this.form(word)), h("span", { class: "soft" }, facts.join(" · "))),
      h(
        "div",
        { class: "row" },
        h("button", { class: `button small ${said.head === head ? "on" : ""}`, "data-act": "fix", onclick: () => this.fix() }, head === 0 ? "Fix as root " : `Fix head: ${this.form(head)} `, h("kbd", {}, "f")),
        h("button", { class: "button small", "data-act": "forbid", onclick: () => this.forbid() }, "Forbid this arc ", h("kbd", {}, "x")),
        head === 0 ? null : h("button", { class: "button small", "data-act": "root", onclick: () => this.say(word, { ...said, head: 0, forbid: [] }) }, "Make it the root ", h("kbd", {}, "r")),
        h("button", { class: `button small ${this.aim ? "on" : ""}`, "data-act": "aim", onclick: () => this.takeAim() }, this.aim ? "Click the head…" : "Choose another head ", h("kbd", {}, "h")),
        h("label", { class: "field" }, "Label", select([["", "any"], ...labels.map((each) => [each, each])], said.labels?.[0] ?? "", (value) => this.say(word, { ...said, labels: value ? [value] : [] }))),
        this.known.has(word) ? h("button", { class: "button small", onclick: () => this.say(word, null) }, "Give it up ", h("kbd", {}, "u")) : null,
      ),
      this.attachment(word),
    );
  }

  // How probable the head is, and which others come into question. Those are in order, without
  // figures: what trees weigh among each other is not how often they are right.
  attachment(word) {
    const { sentence } = this;
    const head = sentence.heads[word - 1];
    const p = known(sentence, "arc", word - 1);
    const weights = new Map();
    for (const { heads, probability } of this.best?.parses ?? []) weights.set(heads[word - 1], (weights.get(heads[word - 1]) ?? 0) + (probability ?? 0));
    weights.delete(head);
    const others = [...weights].sort((a, b) => b[1] - a[1]);
    if (p === undefined && !others.length) return null;
    const right = percent(p ?? 0);
    const sure = h("span", { class: "num", "data-figure": "head" }, h("b", {}, right), head === 0 ? " that this is the root" : ` that ${this.form(head)} is the head`, h("span", { class: "soft" }, ` · of 100 attachments given ${right}, about ${right.replace("%", "")} should be right`));
    return h(
      "div",
      { class: "heads" },
      p === undefined ? null : sure,
      others.length ? h("span", { class: "soft" }, p === undefined ? "Other heads, the likeliest first:" : "· if it is another, the likeliest first:") : null,
      others.map(([each]) => h("button", { class: "chip", onclick: () => this.say(word, { ...this.known.get(word), head: each, forbid: [] }) }, this.form(each))),
    );
  }

  fix() {
    const word = this.picked;
    if (word) this.say(word, { ...this.known.get(word), head: this.sentence.heads[word - 1] });
  }

  forbid() {
    const word = this.picked;
    if (!word) return;
    const { head, ...said } = this.known.get(word) ?? {};
    this.say(word, { ...said, forbid: [...(said.forbid ?? []), this.sentence.heads[word - 1]] });
  }

  takeAim() {
    if (!this.picked) return;
    this.aim = this.aim ? 0 : this.sentence.heads[this.picked - 1] || (this.picked === 1 ? 2 : this.picked - 1);
    this.redraw();
  }

  step(by) {
    const size = this.sentence.tokens.length;
    if (this.aim) this.aim = Math.max(1, Math.min(size, this.aim + by));
    else this.picked = Math.max(1, Math.min(size, (this.picked || (by > 0 ? 0 : size + 1)) + by));
    this.redraw();
    if (!this.aim) this.considered();
  }

  async toggleBest() {
    this.candidates = this.candidates ? null : true;
    this.kButton.classList.toggle("on", Boolean(this.candidates));
    await this.showBest();
  }

  async showBest() {
    if (!this.candidates) return replace(this.list);
    let found;
    try {
      found = await this.asked(6);
    } catch (error) {
      return toast(error.message, "bad");
    }
    const [first] = found.parses;
    return replace(
      this.list,
      h("div", { class: "legend", vars: { "margin-top": "14px" } }, h("span", { class: "mark" }), "differs from the first", h("span", {}, "· bars: how much each weighs among these trees")),
      h(
        "div",
        { class: "candidates" },
        found.parses.map((parse, rank) => {
          const different = new Set(rank ? differences(parse, first) : []);
          return h(
            "div",
            { class: "candidate", "data-rank": rank + 1, "data-differs": [...different].join(",") },
            h("header", {}, h("b", {}, `${rank + 1}`), parse.probability === null ? h("span", { class: "grow" }) : h("div", { class: "bar-outer", title: `${percent(parse.probability, 1)} of the weight of these ${found.parses.length} trees; not how often such a tree is right` }, h("div", { class: "bar-inner", vars: { width: percent(parse.probability, 1) } })), rank ? h("span", {}, plural(different.size, "difference")) : h("span", {}, "best")),
            treeView({ tokens: found.tokens, upos: found.upos, heads: parse.heads, deprels: parse.deprels }, { wrap: this.state.wrap, marks: (word) => (different.has(word) ? "differ" : "") }),
          );
        }),
      ),
    );
  }

  async copy() {
    const body = { conllu: this.sentence.conllu, to: "conllu", ...options(this.state), ...(this.known.size ? { constraints: [this.statements()] } : {}) };
    try {
      await navigator.clipboard.writeText(await post("/api/parse", body));
      toast("Copied as CoNLL-U");
    } catch (error) {
      toast(`Not copied: ${error.message}`, "bad");
    }
  }
}

function bindKeys(state, field) {
  const card = () => state.current ?? state.cards[0];
  const act = (work) => () => {
    const here = card();
    if (!here) return false;
    state.current = here;
    return work(here);
  };
  const move = (by) => act((here) => {
    const next = state.cards[state.cards.indexOf(here) + by];
    if (!next) return;
    here.leave();
    state.current = next;
    next.step(1);
    next.element.scrollIntoView({ block: "nearest", behavior: "smooth" });
    next.view.focus({ preventScroll: true });
  });
  keys([
    ["o", "Open a file", () => document.getElementById("file").click()],
    ["/", "Write text", () => field.focus()],
    ["ArrowLeft", "The word before", act((here) => here.step(-1))],
    ["ArrowRight", "The word after", act((here) => here.step(1))],
    ["ArrowDown", "The next sentence", move(1)],
    ["ArrowUp", "The sentence before", move(-1)],
    ["f", "Fix the head", act((here) => here.fix())],
    ["x", "Forbid the arc", act((here) => here.forbid())],
    ["r", "Make the word the root", act((here) => here.picked && here.say(here.picked, { head: 0, forbid: [] }))],
    ["h", "Choose another head: arrows, then ⏎", act((here) => here.takeAim())],
    ["Enter", "Take the head that is aimed at", act((here) => (here.aim ? here.pick(here.aim) : false))],
    ["u", "Give up what was said of the word", act((here) => here.known.has(here.picked) && here.say(here.picked, null))],
    ["m", "What sentences mean, or only trees", () => document.getElementById("meaning").click()],
    ["k", "The k best trees", act((here) => here.toggleBest())],
    ["Escape", "Leave the word", act((here) => here.leave())],
  ]);
}
