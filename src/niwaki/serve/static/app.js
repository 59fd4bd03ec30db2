// The shell: the top bar, the theme, and the module of the page that is asked for.
import { h, replace } from "./lib/dom.js";
import { help, keys } from "./lib/keys.js";

const PAGES = [
  ["parse", "Parse"],
  ["find", "Find"],
  ["reorder", "Reorder"],
  ["translate", "Translate"],
  ["relate", "Relate"],
  ["shorten", "Shorten"],
  ["annotate", "Annotate"],
  ["adapt", "Adapt"],
  ["compare", "Compare"],
  ["analyze", "Analyze"],
  ["api", "API"],
];

const name = location.pathname.slice(1) || "parse";
const dark = matchMedia("(prefers-color-scheme: dark)");

function theme(next) {
  const kept = next ?? localStorage.getItem("theme");
  if (next) localStorage.setItem("theme", next);
  document.documentElement.dataset.theme = kept ?? (dark.matches ? "dark" : "light");
}
theme();
dark.addEventListener("change", () => theme());

const title = PAGES.find(([key]) => key === name)?.[1] ?? "Niwaki";
const pages = h("nav", { id: "pages", "aria-label": "Pages" }, PAGES.map(([key, each]) => h("a", { href: `/${key}`, "aria-current": key === name ? "page" : null }, each)));
const menu = h("button", { class: "menu", "aria-controls": "pages", "aria-expanded": "false", onclick: () => unfold(!pages.classList.contains("open")) }, title);
function unfold(open) {
  pages.classList.toggle("open", open);
  menu.setAttribute("aria-expanded", String(open));
}
document.getElementById("top").addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !pages.classList.contains("open")) return;
  unfold(false);
  menu.focus();
});

replace(
  document.getElementById("top"),
  h(
    "div",
    { class: "bar" },
    h("a", { class: "brand", href: "/" }, h("img", { src: "/static/pine.svg", alt: "" }), "niwaki"),
    menu,
    pages,
    h("button", { class: "icon", title: "Keys (?)", "aria-label": "Keys", onclick: help }, "?"),
    h("button", {
      class: "icon",
      title: "Light or dark",
      "aria-label": "Light or dark",
      onclick: () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
    }, "◐"),
  ),
);
keys([]);
document.title = `${title} · Niwaki`;

const main = document.getElementById("main");
try {
  // Words are measured to be drawn: their fonts must be there first.
  await document.fonts.ready;
  const page = await import(`./pages/${PAGES.some(([key]) => key === name) ? name : "parse"}.js`);
  await page.show(main);
  document.body.dataset.ready = "true";
} catch (error) {
  replace(main, h("div", { class: "empty" }, h("p", {}, "This page could not be shown."), h("p", { class: "soft" }, error.message)));
}
