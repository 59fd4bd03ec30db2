// Links between the words of a sentence and its translation.
import { get } from "../lib/api.js";
import { runsRightToLeft } from "../lib/bidi.js";
import { fontOf, h, replace, s, textWidth, toast } from "../lib/dom.js";
import { keys } from "../lib/keys.js";

const GAP = 22;
const SPAN = 120;

export function showPair(session) {
  const { item } = session;
  const sides = [item.tokens, item.target];
  // What is aimed at outlives this drawing: an answer to an earlier click may come any time.
  if (session.aim?.n !== item.n) session.aim = { n: item.n, words: [0, 0], side: 0 };
  const here = session.aim;
  const links = () => item.state.links ?? [];
  const place = h("div", { class: "pairs tree" });

  const draw = () => {
    const font = fontOf(18, "--serif");
    const centres = sides.map((words) => {
      let x = 16;
      return words.map((word) => {
        const width = textWidth(word, font);
        const centre = x + width / 2;
        x += width + GAP;
        return centre;
      });
    });
    const width = Math.max(...sides.map((words, side) => (centres[side].at(-1) ?? 0) + textWidth(words.at(-1) ?? "", font) / 2 + 20));
    sides.forEach((words, side) => {
      if (runsRightToLeft(words)) centres[side] = centres[side].map((x) => width - x);
    });
    const ys = [28, 28 + SPAN];
    replace(
      place,
      s(
        "svg",
        { width, height: SPAN + 50, viewBox: `0 0 ${width} ${SPAN + 50}`, role: "img", "aria-label": "Links between the two sentences" },
        links().map(([i, j]) => s("path", { "data-link": `${i}-${j}`, d: `M${centres[0][i]} ${ys[0] + 9}C${centres[0][i]} ${ys[0] + 50} ${centres[1][j]} ${ys[1] - 60} ${centres[1][j]} ${ys[1] - 20}`, onclick: () => toggle(i, j) }, s("title", {}, `${sides[0][i]} – ${sides[1][j]}; click to remove`))),
        sides.map((words, side) => words.map((word, at) => s("text", {
          class: here.words[side] === at ? "aim" : "",
          "data-side": side,
          "data-at": at,
          x: centres[side][at],
          y: ys[side],
          "text-anchor": "middle",
          onclick: () => {
            here.words[side] = at;
            here.side = side;
            if (side === 1) toggle(here.words[0], at);
            else draw();
          },
        }, word))),
      ),
    );
    // Long sentences go beyond the edge: what is aimed at stays in sight.
    place.querySelector(`text.aim[data-side="${here.side}"]`)?.scrollIntoView({ block: "nearest", inline: "center" });
  };
  const toggle = (i, j) => session.write(() => {
    const rest = links().filter(([a, b]) => a !== i || b !== j);
    return { links: rest.length === links().length ? [...rest, [i, j]] : rest };
  });
  // What the aligner learned from all pairs of the project, as something to correct.
  const suggest = async () => {
    try {
      const { links: found } = await get(`/api/projects/${session.id}/sentences/${item.n}/suggestion`);
      if (!found.length) return toast("The aligner finds nothing here");
      return await session.write(() => ({ links: found }));
    } catch (error) {
      return toast(error.message, "bad");
    }
  };
  const turn = (side) => () => {
    here.side = side;
    draw();
  };
  const step = (by) => () => {
    const { side, words } = here;
    words[side] = Math.max(0, Math.min(sides[side].length - 1, words[side] + by));
    draw();
  };
  replace(
    session.stage,
    h(
      "div",
      { class: "card" },
      h("p", { class: "soft" }, "Which words translate each other? Click a word above, then one below."),
      place,
      h("div", { class: "row", vars: { "margin-top": "14px" } }, h("button", { class: "button small main", onclick: () => session.next() }, "Next ", h("kbd", {}, "n")), h("button", { class: "button small", id: "suggest", onclick: suggest }, "Begin with the aligner's links ", h("kbd", {}, "l")), h("button", { class: "button small", onclick: () => session.skip() }, "Skip ", h("kbd", {}, "s")), h("button", { class: "button small", id: "undo", onclick: () => session.undo() }, "Undo ", h("kbd", {}, "u"))),
    ),
    h("p", { class: "soft" }, h("kbd", {}, "←"), " ", h("kbd", {}, "→"), " moves, ", h("kbd", {}, "↑"), " ", h("kbd", {}, "↓"), " changes the side, ", h("kbd", {}, "⏎"), " links or unlinks the two words that are underlined."),
  );
  keys([
    ["ArrowLeft", "The word before", step(-1)],
    ["ArrowRight", "The word after", step(1)],
    ["ArrowUp", "The source side", turn(0)],
    ["ArrowDown", "The target side", turn(1)],
    [["Enter", "Space"], "Link or unlink", () => toggle(...here.words)],
    ["l", "Begin with the aligner's links", suggest],
    ...session.common(),
  ]);
  draw();
}
