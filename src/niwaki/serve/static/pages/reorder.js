// Reorder: rules, what they move and why, edited live, against references.
import { get, latest, post } from "../lib/api.js";
import { debounce, h, percent, plural, replace, select, toast } from "../lib/dom.js";
import { complain } from "../lib/given.js";
import { keys } from "../lib/keys.js";
import { languageNote, tellLanguage } from "../lib/language.js";
import { attribution, colourOf, light, orderPicture, sourceOrder } from "../lib/orders.js";
import { treeView } from "../lib/tree.js";

const PAGE = 10;

export async function show(main) {
  const [models, sets, corpora] = await Promise.all([get("/api/models"), get("/api/rules"), get("/api/corpora")]);
  const references = corpora.filter((each) => each.kind === "references" && !each.error);
  const state = {
    rules: sessionStorage.getItem("reorder.rules") ?? "ja",
    model: models.find((each) => !each.error)?.id,
    text: sessionStorage.getItem("reorder.text") ?? "The old pine that the monks planted leans over the pond. Do you know who planted it?",
    original: "",
    source: "",
    corpus: "",
    start: 0,
    sets,
  };
  if (!sets.some((each) => each.id === state.rules)) state.rules = "ja";
  const field = h("textarea", { id: "text", dir: "auto", rows: 2, "aria-label": "Text to reorder", spellcheck: "false" });
  field.value = state.text;
  const editor = makeEditor(() => refresh());
  const results = h("section", { id: "results" });
  const language = languageNote();
  const fault = h("p", { class: "note bad", id: "fault", role: "alert", hidden: true });

  const ask = latest(async (signal) => {
    const edited = editor.field.value;
    const changed = edited !== state.original;
    const rules = changed ? { rules_text: edited } : { rules: state.rules };
    const calls = [
      field.value.trim() ? post("/api/reorder", { text: field.value, model: state.model, ...rules }, { signal }) : { sentences: [], rules: [] },
      changed ? post("/api/rules-check", { text: edited }, { signal }) : get(`/api/rules/${state.rules}`, { signal }),
    ];
    const [own, set] = await Promise.all(calls);
    let scored = null;
    if (state.corpus) {
      const found = await get(`/api/references/${state.corpus}?start=${state.start}&count=${PAGE}`, { signal });
      const body = {
        tokens: found.references.map((each) => each.tokens),
        references: found.references.map(({ id, order, groups, linked }) => ({ id, order, groups, ...(linked ? { linked } : {}) })),
        model: state.model,
        ...rules,
      };
      scored = { total: found.total, ...(await post("/api/reorder", body, { signal })) };
    }
    return { own, set, scored };
  });

  const refresh = async () => {
    sessionStorage.setItem("reorder.text", field.value);
    const { found, error, stale } = await ask();
    if (stale) return;
    editor.fault(error);
    const ofRules = error && /^(rules|\w[\w.-]*\.toml):\d+:/.test(error.message);
    complain(fault, field, ofRules ? null : error);
    if (error) return;
    tellLanguage(language, found.own.language, models.find((each) => each.id === state.model));
    const right = found.set.examples.filter((each) => each.right).length;
    editor.say(`${plural(found.set.rules.length, "rule")}${found.set.examples.length ? `, ${right} of ${plural(found.set.examples.length, "example")} right` : ""}`);
    showAll(results, found, state, refresh);
  };

  const choose = async (name) => {
    state.rules = name;
    sessionStorage.setItem("reorder.rules", name);
    const set = await get(`/api/rules/${name}`);
    state.original = set.text;
    editor.set(set.text);
    await refresh();
  };
  const chooser = select(sets.map((each) => each.id), state.rules, choose, { id: "rules" });
  field.addEventListener("input", debounce(refresh, 220));
  replace(
    main,
    h("h1", {}, "Reorder"),
    h("p", { class: "lede" }, "A tree and a set of rules give the words in the order of another language. Edit the rules: every example follows."),
    h(
      "div",
      { class: "row", vars: { "margin-bottom": "12px" } },
      h("label", { class: "field" }, "Rules", chooser),
      h("label", { class: "field" }, "Model", select(models.filter((each) => !each.error).map((each) => each.id), state.model, (value) => {
        state.model = value;
        refresh();
      })),
      references.length
        ? h("label", { class: "field" }, "Against", select([["", "no references"], ...references.map((each) => [each.id, `${each.id} (${each.sentences})`])], "", (value) => {
            state.corpus = value;
            state.start = 0;
            refresh();
          }, { id: "against" }))
        : null,
    ),
    h(
      "div",
      { class: "split" },
      h("div", {}, field, fault, language, h("div", { vars: { height: "14px" } }), results),
      h(
        "aside",
        { class: "editor" },
        h("div", { class: "row between", vars: { "margin-bottom": "8px" } }, h("h2", { vars: { margin: 0 } }, "Rules"), editor.status),
        editor.element,
        editor.message,
        h(
          "div",
          { class: "row", vars: { "margin-top": "10px" } },
          h("button", { class: "button small", onclick: () => choose(state.rules) }, "Revert"),
          h("button", { class: "button small", id: "save", onclick: () => save(editor.field.value, state, chooser) }, "Save as…"),
        ),
      ),
    ),
  );
  keys([
    ["/", "Write text", () => field.focus()],
    ["e", "Edit the rules", () => editor.field.focus()],
    ["Ctrl+s", "Save the rules under a name", () => save(editor.field.value, state, chooser), { inFields: true }],
    ["Escape", "Leave a field", () => false],
  ]);
  await choose(state.rules);
}

function makeEditor(changed) {
  const field = h("textarea", { class: "code", id: "editor", "aria-label": "Rules as TOML", spellcheck: "false", wrap: "off" });
  const gutter = h("div", { class: "gutter", "aria-hidden": "true" });
  const message = h("p", { class: "note bad", id: "rules-fault", hidden: true });
  const status = h("span", { class: "soft num", id: "rules-status" });
  let wrong = 0;
  const number = () => {
    const lines = field.value.split("\n").length;
    replace(gutter, Array.from({ length: lines }, (_, at) => [h("span", { class: at + 1 === wrong ? "hit" : "" }, String(at + 1)), "\n"]));
    gutter.scrollTop = field.scrollTop;
  };
  field.addEventListener("scroll", () => {
    gutter.scrollTop = field.scrollTop;
  });
  const later = debounce(changed, 250);
  field.addEventListener("input", () => {
    number();
    later();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Tab" && !event.shiftKey) {
      event.preventDefault();
      document.execCommand("insertText", false, "  ");
    }
  });
  return {
    field,
    message,
    status,
    element: h("div", { class: "lines" }, gutter, field),
    set(text) {
      field.value = text;
      wrong = 0;
      number();
    },
    say(text) {
      replace(status, text);
    },
    fault(error) {
      const place = error && /^[^:]*:(\d+): /.exec(error.message);
      wrong = place ? Number(place[1]) : 0;
      number();
      message.hidden = !place;
      if (place) replace(message, `Line ${place[1]}: ${error.message.slice(place[0].length)}`);
      field.setAttribute("aria-invalid", String(Boolean(place)));
    },
  };
}

async function save(text, state, chooser) {
  const field = h("input", { type: "text", value: `${state.rules}-mine`, "aria-label": "Name" });
  const keep = async () => {
    try {
      const { id } = await post("/api/rules-save", { id: field.value, text });
      if (!state.sets.some((each) => each.id === id)) {
        state.sets.push({ id });
        chooser.append(h("option", { value: id }, id));
      }
      chooser.value = state.rules = id;
      state.original = text;
      dialog.close();
      toast(`Kept as ${id}`);
    } catch (error) {
      replace(wrong, error.message).hidden = false;
    }
  };
  const wrong = h("p", { class: "note bad", id: "save-fault", role: "alert", hidden: true });
  const dialog = h(
    "dialog",
    { onclose: () => dialog.remove(), onkeydown: (event) => event.key === "Enter" && keep() },
    h("h2", {}, "Save the rules"),
    h("p", { class: "soft" }, "They are kept in the work folder and can be used everywhere."),
    h("div", { class: "row" }, field, h("button", { class: "button main", onclick: keep }, "Save")),
    wrong,
  );
  document.body.append(dialog);
  dialog.showModal();
}

function showAll(results, found, state, refresh) {
  const { own, set, scored } = found;
  const rules = set.rules;
  replace(
    results,
    scored ? scoredPart(scored, rules, state, refresh) : null,
    own.sentences.map((each) => card(each, rules, { tree: true })),
    set.examples.length ? h("h2", { vars: { margin: "22px 0 10px" } }, "Examples of this set") : null,
    set.examples.map((each) => card(each, rules, { example: true })),
  );
}

function scoredPart(scored, rules, state, refresh) {
  const { sentences } = scored;
  const mean = (name) => sentences.reduce((sum, each) => sum + each.reference.scores[name], 0) / sentences.length;
  const step = (by) => () => {
    state.start = Math.max(0, state.start + by);
    refresh();
  };
  return [
    h(
      "div",
      { class: "row between", vars: { "margin-bottom": "10px" } },
      h("h2", { vars: { margin: 0 } }, `Against ${state.corpus}`),
      h("span", { class: "soft num", id: "page-scores" }, `these ${sentences.length}: fuzzy score ${mean("frs_linked").toFixed(3)}, tau ${mean("tau").toFixed(3)}`),
      h("span", { class: "row" }, h("button", { class: "button small", disabled: state.start === 0, onclick: step(-PAGE) }, "←"), h("span", { class: "soft num" }, `${state.start + 1}–${state.start + sentences.length} of ${scored.total}`), h("button", { class: "button small", disabled: state.start + PAGE >= scored.total, onclick: step(PAGE) }, "→")),
    ),
    sentences.map((each) => card(each, rules, {})),
  ];
}

function card(sentence, rules, { tree, example }) {
  const by = attribution(sentence);
  const { reference } = sentence;
  const linked = reference?.linked ? new Set(reference.linked) : null;
  const pale = new Set(linked ? sourceOrder(sentence.tokens).filter((each) => !linked.has(each)) : []);
  const rows = [
    { name: "source", order: sourceOrder(sentence.tokens) },
    { name: "rules", order: sentence.order },
  ];
  if (reference) rows.push({ name: "reference", order: reference.order });
  const misplaced = new Set(reference ? reference.chunks.slice(1).map((run) => run[0]) : []);
  const picture = orderPicture(sentence.tokens, rows, {
    colour: (position, row) => (row === 0 ? by[position] && colourOf(rules, by[position]) : misplaced.has(position) ? "var(--bad)" : null),
    rule: (position, row) => (row === 0 ? by[position] : null),
    pale,
    chunks: reference?.chunks,
  });
  const moves = sentence.moves.filter((move) => move.moved);
  const form = (word) => sentence.tokens[word - 1];
  return h(
    "article",
    { class: "card", "data-order": sentence.order.join(" ") },
    reference
      ? h("div", { class: "row", vars: { "margin-bottom": "8px" } }, h("span", { class: "soft" }, reference.id), h("span", { class: "score" }, reference.scores.frs_linked.toFixed(3)), h("span", { class: "soft" }, `${plural(reference.chunks.length, "chunk")} of ${plural(linked ? linked.size : sentence.tokens.length, "linked word")}, tau ${reference.scores.tau.toFixed(2)}`))
      : null,
    picture,
    h(
      "div",
      { class: "rules" },
      moves.map((move) =>
        h(
          "button",
          {
            class: "chip move",
            vars: { "--rule": colourOf(rules, move.rule) },
            "data-rule": move.rule,
            title: move.after.map((place) => `${form(place.word)}: ${place.label} ${place.weight} ${place.why}`).join("\n"),
            onmouseenter: () => light(picture, (position) => move.before.includes(position + 1)),
            onmouseleave: () => light(picture, null),
            onfocus: () => light(picture, (position) => move.before.includes(position + 1)),
            onblur: () => light(picture, null),
          },
          h("span", { class: "rule-dot" }),
          h("b", {}, move.rule),
          ` ${move.after.map((place) => form(place.word)).join(" · ")}`,
        ),
      ),
      moves.length ? null : h("span", { class: "chip" }, "nothing moved"),
      example ? h("span", { class: `chip ${sentence.right ? "on" : ""}`, title: `should give: ${sentence.gives.join(" ")}` }, sentence.right ? "✓ as the file says" : `✗ should give: ${sentence.gives.join(" ")}`) : null,
    ),
    tree ? h("details", { vars: { "margin-top": "8px" } }, h("summary", { class: "soft" }, "the tree"), treeView(sentence, {})) : null,
  );
}
