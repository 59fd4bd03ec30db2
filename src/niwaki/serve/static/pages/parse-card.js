// One sentence of the page Parse: its tree, what is said of it, the inspector of a word, the k best.
import { post } from "../lib/api.js";
import { addressOf } from "../lib/address.js";
import { copy, h, percent, plural, replace } from "../lib/dom.js";
import { knownOf, recall, remember, statementsOf } from "../lib/known.js";
import { isTyped, labelField } from "../lib/labels.js";
import { meaningView } from "../lib/meaning.js";
import { beamOf } from "../lib/models.js";
import { differences, known, treeView } from "../lib/tree.js";

export const options = (state) => ({ model: state.model?.id, ...beamOf(state.model, state.beam) });

// What is asked of each tree that is shown.
export const wanted = (state) => ({ ...options(state), ...(state.meaning ? { meaning: true } : {}) });

export class Card {
  constructor(sentence, number, state) {
    Object.assign(this, { sentence, number, state, picked: 0, aim: 0, known: new Map(), followed: new Map(), best: null, candidates: null, taken: 0 });
    this.chips = h("span", { class: "row", vars: { gap: "6px" } });
    this.place = h("div", {});
    this.meaning = h("div", {});
    this.inspector = h("div", { class: "inspector", hidden: true });
    this.list = h("div", {});
    this.fault = h("p", { class: "note bad", role: "alert", hidden: true });
    this.certainty = h("span", { class: "chip num" });
    this.kButton = h("button", { class: "button small kbest", onclick: () => this.toggleBest() }, "k best");
    this.element = h(
      "article",
      { class: "card sentence", "data-sentence": number },
      h("header", {}, h("span", { class: "number" }, number), this.certainty, this.chips, h("span", { class: "grow" }), this.kButton, h("button", { class: "button small", "data-act": "address", title: "Copy an address that opens this sentence", onclick: () => this.copyAddress() }, "Copy address"), h("button", { class: "button small", "data-act": "copy", onclick: () => this.copy() }, "Copy CoNLL-U")),
      h("div", { class: sentence.meaning ? "beside" : null }, this.place, this.meaning),
      this.fault,
      this.inspector,
      this.list,
    );
    this.view = null;
    this.redraw();
    const before = recall(number, sentence.tokens);
    if (before.size) this.follow(before);
  }

  redraw() {
    const { sentence } = this;
    const settings = {
      wrap: this.state.wrap,
      picked: this.picked,
      aim: this.aim,
      known: (word) => this.followed.has(word),
      onpick: (word) => this.pick(word),
    };
    const focused = this.view?.contains(document.activeElement) || this.view === document.activeElement;
    this.view = treeView(sentence, settings);
    replace(this.place, this.view);
    if (focused) this.view.focus({ preventScroll: true });
    replace(this.meaning, sentence.meaning ? meaningView(sentence.meaning, this.picked) : null);
    const p = sentence.probabilities?.tree;
    replace(this.certainty, p === undefined ? (this.followed.size ? "constrained" : "no probabilities") : `tree ${percent(p)}`);
    this.certainty.title = p === undefined ? "Probabilities are calibrated on free parses." : `${percent(p)} that all heads and labels of this tree are right`;
    const whole = this.known.size > 1 && sentence.tokens.every((_, at) => this.known.get(at + 1)?.head !== undefined);
    replace(
      this.chips,
      whole ? h("button", { class: "chip on", "data-act": "release", title: "Give this up", onclick: () => this.follow(new Map()) }, "this whole tree", " ×") : [...this.known].map(([word, said]) => h("button", { class: "chip on", title: "Give this up", onclick: () => this.say(word, null) }, this.described(word, said), " ×")),
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

  // Says something about a word, or takes it back.
  say(word, said) {
    const known = new Map(this.known);
    if (said === null) known.delete(word);
    else known.set(word, said);
    return this.follow(known);
  }

  // Asks for the tree around what is known; if there is none, what was known before stays.
  // Until the reply comes, the tree that is shown follows (and is marked by) what was known before.
  async follow(next) {
    const before = this.known;
    this.known = next;
    this.aim = 0;
    const { conllu } = this.sentence;
    try {
      const body = { conllu, ...wanted(this.state), ...(next.size ? { constraints: [statementsOf(next)] } : {}) };
      const { sentences } = await post("/api/parse", body);
      this.sentence = { ...sentences[0], conllu };
      this.followed = next;
      this.state.sentences[this.number - 1] = this.sentence;
      this.fault.hidden = true;
      this.best = null;
      remember(this.number, this.sentence.tokens, this.known);
    } catch (error) {
      this.known = before;
      this.complain(error);
    }
    this.redraw();
    if (this.candidates && !this.taken) this.showBest();
    this.taken = 0;
    if (this.picked) this.considered();
  }

  complain(error) {
    replace(this.fault, error.message.replace(/^sentence, line \d+: /, "")).hidden = false;
  }

  statements() {
    return statementsOf(this.known);
  }

  // One of the k best becomes the tree that is shown, copied and downloaded.
  take(rank, parse, element) {
    this.taken = rank;
    for (const each of this.list.querySelectorAll(".candidate")) each.classList.toggle("taken", each === element);
    return this.follow(knownOf(parse.heads.map((head, at) => ({ word: at + 1, head, labels: [parse.deprels[at]] }))));
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
    if (!isTyped(this.inspector)) this.inspect();
  }

  inspect() {
    const word = this.picked;
    this.inspector.hidden = !word;
    if (!word) return;
    const { sentence } = this;
    const at = word - 1;
    const head = sentence.heads[at];
    const said = this.known.get(word) ?? {};
    // Those of the best trees first, then all that the model has.
    const labels = [...new Set([sentence.deprels[at], ...(this.best?.parses ?? []).map((parse) => parse.deprels[at]), ...(this.state.model?.labels ?? [])])];
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
        h("label", { class: "field" }, "Label ", labelField(labels, said.labels?.[0] ?? "", (value) => this.say(word, { ...said, labels: value ? [value] : [] }), { "data-act": "label", placeholder: "any" }), h("kbd", {}, "l")),
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

  typeLabel() {
    const field = this.picked && this.inspector.querySelector('[data-act="label"]');
    if (!field) return false;
    field.focus();
    return true;
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
      return this.complain(error);
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
          const element = h(
            "div",
            { class: "candidate", "data-rank": rank + 1, "data-differs": [...different].join(",") },
            h("header", {}, h("b", {}, `${rank + 1}`), parse.probability === null ? h("span", { class: "grow" }) : h("div", { class: "bar-outer", title: `${percent(parse.probability, 1)} of the weight of these ${found.parses.length} trees; not how often such a tree is right` }, h("div", { class: "bar-inner", vars: { width: percent(parse.probability, 1) } })), rank ? h("span", {}, plural(different.size, "difference")) : h("span", {}, "best"), h("button", { class: "button small", "data-act": "take", onclick: () => this.take(rank + 1, parse, element) }, "Take this tree")),
            treeView({ tokens: found.tokens, upos: found.upos, heads: parse.heads, deprels: parse.deprels }, { wrap: this.state.wrap, marks: (word) => (different.has(word) ? "differ" : "") }),
          );
          return element;
        }),
      ),
    );
  }

  async copy() {
    const body = { conllu: this.sentence.conllu, to: "conllu", ...options(this.state), ...(this.known.size ? { constraints: [this.statements()] } : {}) };
    let text;
    try {
      text = await post("/api/parse", body);
    } catch (error) {
      return this.complain(error);
    }
    return copy(text, "CoNLL-U");
  }

  // Opens this sentence with the model, the options and what was said of it.
  copyAddress() {
    const { state, sentence } = this;
    const address = addressOf("parse", {
      text: sentence.text,
      model: state.model?.id,
      beam: state.beam,
      meaning: state.meaning ? "1" : "",
      known: this.known.size ? JSON.stringify(this.statements()) : "",
    });
    if (address) return copy(address, "an address");
    return this.complain(new Error("too long for an address; copy it as CoNLL-U"));
  }
}
