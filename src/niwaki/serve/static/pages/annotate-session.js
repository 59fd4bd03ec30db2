// One project, one question, one person: the most uncertain sentence first, one key an answer.
// Whatever is said is on the disk when the page says so; two tabs never overwrite each other.
import { get, post } from "../lib/api.js";
import { h, percent, plural, replace, select, toast } from "../lib/dom.js";
import { keys } from "../lib/keys.js";
import { showPair } from "./annotate-links.js";
import { headsOf, showHeads, showRoot } from "./annotate-trees.js";
import { currentPerson, personField } from "./annotate-who.js";

export const MODES = { root: "Main verb", heads: "Heads" };
// The question of a mode as the server names it, and how its answers are counted.
export const COUNTED = { root: "main verbs", tree: "whole trees", links: "linked pairs" };

// One project in one tab: where we are, what was undone, and what others did meanwhile. The order
// of the sentences is fixed when the person begins; a better one is taken on asking.
export class Session {
  constructor(main, id, mode, wanted) {
    Object.assign(this, { main, id, mode, queue: [], at: 0, item: null, begun: false, written: [], labels: [], who: currentPerson(), wanted: wanted === null ? null : Number(wanted), serial: 0, counted: 0, ahead: new Map(), deeds: Promise.resolve() });
    this.stage = h("section", { id: "stage" });
    this.side = h("ol", { class: "queue", "aria-label": "Sentences" });
    this.title = h("h2", {});
    this.offer = h("p", { class: "note", hidden: true }, "The model has found what it is least sure of. ", h("button", { class: "button small", id: "reorder", onclick: () => this.reorder() }, "Put that first ", h("kbd", {}, "o")));
    this.conflict = h("div", { role: "alert" });
    this.fault = h("p", { class: "note bad", id: "answer-fault", role: "alert", hidden: true });
    this.bar = h("div", { class: "bar-inner", vars: { width: "0" } });
    this.count = h("span", { class: "soft num", id: "count" });
    this.finished = h("p", { class: "note", id: "finished", hidden: true }, "Everything here has an answer. ", h("a", { href: "/adapt" }, "Adapt a model to it."));
    this.saved = h("span", { class: "soft", id: "saved", "aria-live": "polite" });
  }

  async open() {
    const [project, models] = await Promise.all([this.load(), get("/api/models")]);
    this.take(project);
    this.labels = models.find((each) => each.id === project.model)?.labels ?? [];
    const trees = this.project.kind === "trees";
    this.kind = !trees ? "links" : this.mode === "heads" ? "tree" : "root";
    this.counts(this.project);
    replace(
      this.main,
      h(
        "div",
        { class: "row between" },
        h("h1", {}, h("a", { href: "/annotate", class: "soft" }, "Annotate"), " / ", h("bdi", {}, this.project.name)),
        h("div", { class: "row" }, personField(), trees ? select(Object.entries(MODES), this.mode, (mode) => (location.href = `/annotate?project=${this.id}&mode=${mode}`), { id: "mode", "aria-label": "What to annotate" }) : null),
      ),
      h("div", { class: "row", vars: { margin: "10px 0 18px" } }, h("div", { class: "bar-outer grow" }, this.bar), this.count, this.saved),
      this.conflict,
      this.fault,
      this.finished,
      h("div", { class: "split" }, this.stage, h("aside", { class: "card" }, this.title, this.offer, this.side)),
    );
    if (trees && !this.project.ranked) this.wait();
    else await this.begin();
    this.watch();
  }

  load() {
    return get(`/api/projects/${this.id}?by=${this.mode === "heads" ? "tree" : "root"}&who=${encodeURIComponent(this.who)}`);
  }

  // `ranked` is then what the queue is, whatever is known later.
  take(project) {
    this.project = project;
    this.serial = project.serial;
    this.queue = project.rows;
  }

  // Doubts are found in the background. Nothing is asked before they are there, unless the
  // person begins without them: then the sentences stay as they stand.
  wait() {
    const begin = () => this.do(() => this.begin());
    replace(
      this.stage,
      h("div", { class: "card ask" }, h("p", { class: "question" }, "The model is looking for what it is least sure of."), h("button", { class: "button", id: "begin", onclick: begin }, "Begin now, in the order of the text ", h("kbd", {}, "⏎"))),
    );
    keys([["Enter", "Begin now", begin]]);
    const poll = setInterval(async () => {
      let project;
      try {
        project = await this.load();
      } catch {
        return;
      }
      if (!project.ranked) return;
      clearInterval(poll);
      this.do(async () => {
        if (this.begun) {
          this.offer.hidden = false;
          return;
        }
        this.take(project);
        await this.begin();
      });
    }, 800);
  }

  async begin() {
    if (this.begun) return;
    this.begun = true;
    this.entitle();
    const wanted = this.wanted;
    if (Number.isInteger(wanted) && wanted >= 0 && wanted < this.project.sentences) await this.go(await this.placeOf(wanted));
    else await this.goOn(-1);
  }

  // The address of the sentence that is shown: a reload and a colleague find it.
  address(n) {
    const query = new URLSearchParams({ project: this.id, mode: this.mode, ...(n === undefined ? {} : { n }) });
    history.replaceState(null, "", `/annotate?${query}`);
  }

  // Where a sentence stands in the list; one that is not in it comes where we are.
  async placeOf(n) {
    const found = this.queue.findIndex((row) => row.n === n);
    if (found >= 0) return found;
    const at = Math.max(0, this.at);
    const { status, tokens } = await this.fetch(n);
    this.queue.splice(at, 0, { ...status, text: tokens.join(" "), doubt: 0 });
    return at;
  }

  entitle() {
    replace(this.title, this.project.kind === "links" ? "Pairs" : this.project.ranked ? "Most uncertain first" : "In the order of the text");
  }

  // Asked for by the person: the sentence that is shown stays, what follows it is new.
  reorder() {
    return this.do(async () => {
      const project = await this.load();
      const here = this.queue[this.at];
      this.take(project);
      if (here) this.queue = [this.queue.find((row) => row.n === here.n) ?? here, ...this.queue.filter((row) => row.n !== here.n)];
      this.at = 0;
      this.ahead.clear();
      this.offer.hidden = true;
      this.entitle();
      if (this.item) this.showQueue();
      else await this.goOn(-1);
    });
  }

  // One thing after another: a key that is pressed while an answer is under way finds the page
  // as that answer leaves it.
  do(deed) {
    this.deeds = this.deeds.then(deed).catch((error) => {
      toast(error.message, "bad");
      return false;
    });
    return this.deeds;
  }

  async fetch(n) {
    return get(`/api/projects/${this.id}/sentences/${n}?who=${encodeURIComponent(this.who)}`);
  }

  isOpen(row) {
    return !row.skipped && !row.answered.includes(this.kind);
  }

  // The place of the next question without an answer, from a place on and around; or -1.
  nextOpen(at) {
    const places = [...this.queue.keys()].filter((place) => place !== at && this.isOpen(this.queue[place]));
    return places.find((place) => place > at) ?? places[0] ?? -1;
  }

  // To the next question without an answer; where there is none, nothing is asked.
  async goOn(at = this.at) {
    let next = this.nextOpen(at);
    const { sentences, skipped, answered } = this.project;
    if (next < 0 && this.queue.length < sentences && answered[this.kind] + skipped < sentences) {
      this.take(await this.load());
      next = this.nextOpen(-1);
    }
    if (next >= 0) return this.go(next);
    if (this.item && this.queue[this.at] && this.isOpen(this.queue[this.at])) return toast("No other question is open");
    this.item = null;
    this.at = -1;
    this.address();
    replace(this.conflict);
    replace(this.stage);
    this.showQueue();
    this.finished.hidden = false;
    keys(this.common());
    return null;
  }

  async go(at) {
    if (!this.queue.length) return;
    this.at = Math.max(0, Math.min(this.queue.length - 1, at));
    const { n } = this.queue[this.at];
    this.item = (await this.ahead.get(n)) ?? (await this.fetch(n));
    this.ahead.clear();
    this.address(n);
    const next = this.queue[this.nextOpen(this.at)];
    if (next) this.ahead.set(next.n, this.fetch(next.n).catch(() => null));
    this.refresh();
  }

  step(by) {
    return this.do(() => this.go(this.at + by));
  }

  next() {
    return this.do(() => this.goOn());
  }

  refresh() {
    replace(this.conflict);
    this.fault.hidden = true;
    this.counts(this.item);
    this.showQueue();
    this.finished.hidden = this.queue.some((row) => this.isOpen(row));
    if (this.project.kind === "links") showPair(this);
    else if (this.mode === "heads") showHeads(this);
    else showRoot(this);
  }

  // What was fetched ahead may know less than what was said since.
  counts(record) {
    if (record.serial < this.counted) return;
    this.counted = record.serial;
    const { answered, skipped, sentences } = record;
    Object.assign(this.project, { answered, skipped });
    this.bar.style.width = percent(answered[this.kind] / sentences, 1);
    replace(this.count, `${answered[this.kind]} of ${sentences} ${COUNTED[this.kind]}${skipped ? `, ${skipped} skipped` : ""}`);
  }

  showQueue() {
    const first = Math.max(0, this.at - 3);
    const mark = (row) => {
      if (row.answered.includes(this.kind)) return "✓";
      if (row.skipped) return "–";
      if (row.annotated) return "…";
      return this.project.ranked ? percent(row.doubt) : String(row.n + 1);
    };
    replace(
      this.side,
      this.queue.slice(first, first + 60).map((row, offset) =>
        h(
          "li",
          { class: `${first + offset === this.at ? "here" : ""} ${this.isOpen(row) ? "" : "done"}`, "data-n": row.n, onclick: () => this.do(() => this.go(first + offset)) },
          h("span", { class: "doubt" }, mark(row)),
          h("span", { dir: "auto" }, row.text),
        ),
      ),
    );
  }

  // Writes a new state of the sentence that is shown; then goes on if that is wanted. `make` gives
  // the state when its turn has come: what was said before is then known.
  write(make, options = {}) {
    const n = this.item?.n;
    return this.do(() => this.send(n, make, options));
  }

  async send(n, make, { advance = false, version = this.item?.version } = {}) {
    // Meant for a sentence that is no longer shown, such as the second of two quick keys.
    if (n === undefined || this.item?.n !== n) return false;
    const body = make();
    try {
      const answer = await post(`/api/projects/${this.id}/sentences/${n}/answer`, { version, ...(this.who ? { who: this.who } : {}), ...body });
      this.settle(answer, body.undo ? null : n);
      if (advance) await this.goOn();
      else this.refresh();
      return true;
    } catch (error) {
      if (error.record?.conflict) this.showConflict(error.record.conflict, body, advance);
      // What was said cannot be: that stands beside it. A server that is away is another matter.
      else if (error.status === 422) replace(this.fault, error.message).hidden = false;
      else toast(error.message, "bad");
      return false;
    }
  }

  settle(answer, made) {
    Object.assign(this.item, { version: answer.version, state: answer.state });
    this.counts(answer);
    const row = this.queue.find((each) => each.n === answer.n);
    if (row) Object.assign(row, answer.status);
    if (made !== null) this.written.push(made);
    // Our own change is not news.
    this.serial = Math.max(this.serial, answer.serial);
    replace(this.saved, `written, version ${answer.version}`);
  }

  undo() {
    return this.do(async () => {
      const n = this.written.pop();
      if (n === undefined) return toast("Nothing to undo in this tab");
      await this.go(await this.placeOf(n));
      return this.send(n, () => ({ undo: true }));
    });
  }

  // Nobody can tell: what is known of the sentence stays known.
  skip() {
    return this.write(() => {
      const { state } = this.item;
      return { ...(state.links ? { links: state.links } : {}), ...(state.heads ? { heads: headsOf(state) } : {}), skipped: true };
    }, { advance: true });
  }

  showConflict(theirs, mine, advance) {
    const describe = (state) => {
      if (state.skipped) return "skipped";
      if (state.links) return plural(state.links.length, "link");
      const heads = Array.isArray(state.heads) ? state.heads : Object.entries(state.heads ?? {}).map(([word, head]) => ({ word: Number(word), head }));
      if (!heads.length) return "nothing";
      return heads.map(({ word, head }) => `${this.item.tokens[word - 1]} ${head === 0 ? "is the main word" : `← ${this.item.tokens[head - 1]}`}`).join(", ");
    };
    const take = async () => {
      Object.assign(this.item, theirs);
      this.ahead.clear();
      const n = this.item.n;
      this.item = await this.fetch(n);
      this.refresh();
    };
    replace(
      this.conflict,
      h(
        "div",
        { class: "conflict", id: "conflict" },
        h("h2", {}, "Another tab changed this sentence first"),
        h("p", {}, h("b", {}, "There: "), describe(theirs.state), h("br"), h("b", {}, "Here: "), mine.undo ? "undo" : describe(mine)),
        h("div", { class: "row" }, h("button", { class: "button", id: "theirs", onclick: take }, "Keep theirs"), h("button", { class: "button", id: "mine", onclick: () => this.write(() => mine, { advance, version: theirs.version }) }, "Write mine over it")),
      ),
    );
    this.conflict.querySelector("button").focus();
  }

  // Looks for what other tabs did.
  watch() {
    setInterval(async () => {
      if (document.hidden) return;
      let news;
      try {
        news = await get(`/api/projects/${this.id}/changes?since=${this.serial}&who=${encodeURIComponent(this.who)}`);
      } catch {
        return replace(this.saved, "the server does not answer");
      }
      this.serial = news.serial;
      if (!news.changed.length) return null;
      for (const status of news.changed) {
        const { n, version } = status;
        this.ahead.delete(n);
        const row = this.queue.find((each) => each.n === n);
        if (row && row.version < version) Object.assign(row, status);
        if (this.item?.n === n && this.item.version < version && !this.conflict.children.length) {
          replace(this.conflict, h("div", { class: "conflict", id: "news" }, h("div", { class: "row between" }, "Another tab changed this sentence.", h("button", { class: "button small", onclick: async () => {
            this.item = await this.fetch(n);
            this.refresh();
          } }, "Show it"))));
        }
      }
      this.counts(news);
      this.showQueue();
      return null;
    }, 2000);
  }

  // Keys that every mode has.
  common() {
    return [
      ["s", "Skip: nobody can tell", () => this.skip()],
      [["u", "Ctrl+z"], "Undo", () => this.undo()],
      ["n", "The next one without an answer", () => this.next()],
      ["PageDown", "The next one in the list", () => this.step(1)],
      [["b", "PageUp"], "The one before", () => this.step(-1)],
      ["o", this.offer.hidden ? "" : "Most uncertain first", () => (this.offer.hidden ? false : this.reorder())],
    ];
  }
}
