// Annotate: the most uncertain sentences first, one keystroke for the main verb, links, heads.
// Whatever is said is on the disk when the page says so; two tabs never overwrite each other.
import { get, post } from "../lib/api.js";
import { h, percent, plural, replace, select, toast } from "../lib/dom.js";
import { keys } from "../lib/keys.js";
import { showPair } from "./annotate-links.js";
import { showHeads, showRoot } from "./annotate-trees.js";
import { newProject } from "./annotate-new.js";

const MODES = { root: "Main verb", heads: "Heads" };

export async function show(main) {
  const query = new URLSearchParams(location.search);
  const id = query.get("project");
  if (id) return new Session(main, id, query.get("mode") ?? "root").open();
  return showProjects(main);
}

async function showProjects(main) {
  const [projects, models, corpora] = await Promise.all([get("/api/projects"), get("/api/models"), get("/api/corpora")]);
  replace(
    main,
    h("h1", {}, "Annotate"),
    h("p", { class: "lede" }, "Weak labels are quick: which word is the main verb, which words translate each other. Everything is written to plain files as you say it."),
    projects.length
      ? h(
          "div",
          { class: "grid2" },
          projects.map((each) =>
            h(
              "article",
              { class: "card", "data-project": each.id },
              h("div", { class: "row between" }, h("h2", { vars: { margin: 0 } }, each.name), h("span", { class: "chip" }, each.kind === "trees" ? "trees" : "links")),
              h("p", { class: "soft num", vars: { margin: "8px 0" } }, `${each.annotated} of ${plural(each.sentences, "sentence")} annotated${each.skipped ? `, ${each.skipped} skipped` : ""}`),
              h("div", { class: "bar-outer" }, h("div", { class: "bar-inner", vars: { width: percent(each.annotated / each.sentences) } })),
              h(
                "div",
                { class: "row", vars: { "margin-top": "14px" } },
                each.kind === "trees"
                  ? Object.entries(MODES).map(([mode, title]) => h("a", { class: `button ${mode === "root" ? "main" : ""}`, href: `/annotate?project=${each.id}&mode=${mode}` }, title))
                  : h("a", { class: "button main", href: `/annotate?project=${each.id}` }, "Link words"),
                h("span", { class: "grow" }),
                files(each).map((file) => h("a", { class: "soft", href: `/api/projects/${each.id}/files/${file}`, download: `${each.id}-${file}` }, file)),
              ),
            ),
          ),
        )
      : null,
    newProject(models, corpora, projects.length === 0),
  );
  keys([]);
}

const files = (project) => (project.kind === "trees" ? ["partial.conllu"] : ["links.pharaoh", "references.jsonl"]);

// One project in one tab: where we are, what was undone, and what others did meanwhile.
class Session {
  constructor(main, id, mode) {
    Object.assign(this, { main, id, mode, queue: [], at: 0, item: null, written: [], serial: 0, counted: 0, ahead: new Map() });
    this.stage = h("section", { id: "stage" });
    this.side = h("ol", { class: "queue", "aria-label": "Sentences, most uncertain first" });
    this.conflict = h("div", { role: "alert" });
    this.bar = h("div", { class: "bar-inner", vars: { width: "0" } });
    this.count = h("span", { class: "soft num", id: "count" });
    this.finished = h("p", { class: "note", id: "finished", hidden: true }, "Everything here has an answer. ", h("a", { href: "/adapt" }, "Adapt a model to it."));
    this.saved = h("span", { class: "soft", id: "saved", "aria-live": "polite" });
  }

  async open() {
    await this.load();
    const trees = this.project.kind === "trees";
    replace(
      this.main,
      h(
        "div",
        { class: "row between" },
        h("h1", {}, h("a", { href: "/annotate", class: "soft", vars: { "text-decoration": "none" } }, "Annotate / "), this.project.name),
        trees ? select(Object.entries(MODES), this.mode, (mode) => (location.href = `/annotate?project=${this.id}&mode=${mode}`), { id: "mode", "aria-label": "What to annotate" }) : null,
      ),
      h("div", { class: "row", vars: { margin: "10px 0 18px" } }, h("div", { class: "bar-outer grow" }, this.bar), this.count, this.saved),
      this.conflict,
      this.finished,
      h("div", { class: "split" }, this.stage, h("aside", { class: "card" }, h("h2", {}, trees ? "Most uncertain first" : "Pairs"), this.side)),
    );
    await this.go(0);
    this.watch();
  }

  async load() {
    this.project = await get(`/api/projects/${this.id}?by=${this.mode === "heads" ? "tree" : "root"}`);
    this.serial = this.project.serial;
    this.queue = this.project.rows;
    // Doubts are found in the background; when they are there, the queue is put in order.
    if (this.project.kind === "trees" && !this.project.ranked) {
      setTimeout(async () => {
        const here = this.item?.n;
        await this.load();
        if (this.project.ranked && !this.written.length) return this.go(0);
        this.at = Math.max(0, this.queue.findIndex((row) => row.n === here));
        return this.showQueue();
      }, 800);
    }
  }

  async fetch(n) {
    return get(`/api/projects/${this.id}/sentences/${n}`);
  }

  async go(at) {
    if (!this.queue.length) return;
    this.at = Math.max(0, Math.min(this.queue.length - 1, at));
    const { n } = this.queue[this.at];
    this.item = (await this.ahead.get(n)) ?? (await this.fetch(n));
    this.ahead.clear();
    const next = this.queue[this.at + 1];
    if (next) this.ahead.set(next.n, this.fetch(next.n).catch(() => null));
    this.refresh();
  }

  refresh() {
    replace(this.conflict);
    this.counts(this.item);
    this.showQueue();
    this.finished.hidden = this.queue.some((row) => !row.annotated && !row.skipped);
    if (this.project.kind === "links") showPair(this);
    else if (this.mode === "heads") showHeads(this);
    else showRoot(this);
  }

  // What was fetched ahead may know less than what was said since.
  counts(record) {
    if (record.serial < this.counted) return;
    this.counted = record.serial;
    this.bar.style.width = percent(record.annotated / record.sentences, 1);
    replace(this.count, `${record.annotated} of ${record.sentences}`);
  }

  showQueue() {
    const first = Math.max(0, this.at - 3);
    replace(
      this.side,
      this.queue.slice(first, first + 60).map((row, offset) =>
        h(
          "li",
          { class: `${first + offset === this.at ? "here" : ""} ${row.annotated || row.skipped ? "done" : ""}`, "data-n": row.n, onclick: () => this.go(first + offset) },
          h("span", { class: "doubt" }, row.annotated ? "✓" : row.skipped ? "–" : this.project.kind === "trees" ? percent(row.doubt) : String(row.n + 1)),
          h("span", {}, row.text),
        ),
      ),
    );
  }

  // Writes a new state of the sentence; then goes on if that is wanted.
  async write(body, { advance = false, version = this.item.version } = {}) {
    const { n } = this.item;
    try {
      const answer = await post(`/api/projects/${this.id}/sentences/${n}/answer`, { version, ...body });
      this.settle(answer, body.undo ? null : n);
      if (advance) await this.go(this.at + 1);
      else this.refresh();
      return true;
    } catch (error) {
      if (error.record?.conflict) this.showConflict(error.record.conflict, body, advance);
      else toast(error.message, "bad");
      return false;
    }
  }

  settle(answer, made) {
    Object.assign(this.item, { version: answer.version, state: answer.state });
    this.counts(answer);
    const row = this.queue.find((each) => each.n === answer.n);
    if (row) Object.assign(row, { annotated: Boolean(Object.keys(answer.state.heads ?? {}).length || answer.state.links?.length), skipped: Boolean(answer.state.skipped), version: answer.version });
    if (made !== null) this.written.push(made);
    // Our own change is not news.
    this.serial = Math.max(this.serial, answer.serial);
    replace(this.saved, `written, version ${answer.version}`);
  }

  async undo() {
    const n = this.written.pop();
    if (n === undefined) return toast("Nothing to undo in this tab");
    const at = this.queue.findIndex((row) => row.n === n);
    await this.go(at);
    await this.write({ undo: true });
    return null;
  }

  skip() {
    return this.write({ skipped: true }, { advance: true });
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
        h("div", { class: "row" }, h("button", { class: "button", id: "theirs", onclick: take }, "Keep theirs"), h("button", { class: "button", id: "mine", onclick: () => this.write(mine, { advance, version: theirs.version }) }, "Write mine over it")),
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
        news = await get(`/api/projects/${this.id}/changes?since=${this.serial}`);
      } catch {
        return replace(this.saved, "the server does not answer");
      }
      this.serial = news.serial;
      if (!news.changed.length) return null;
      for (const { n, version } of news.changed) {
        this.ahead.delete(n);
        const row = this.queue.find((each) => each.n === n);
        if (row && row.version < version) Object.assign(row, { version, annotated: true });
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
      [["n", "PageDown"], "The next one", () => this.go(this.at + 1)],
      [["b", "PageUp"], "The one before", () => this.go(this.at - 1)],
    ];
  }
}
