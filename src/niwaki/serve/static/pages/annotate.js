// Annotate: the projects, how far each is and who works on it, and the form for a new one.
import { get } from "../lib/api.js";
import { h, percent, plural, replace } from "../lib/dom.js";
import { keys } from "../lib/keys.js";
import { Agreement } from "./annotate-agreement.js";
import { newProject } from "./annotate-new.js";
import { COUNTED, MODES, Session } from "./annotate-session.js";

const counted = (project) => Object.entries(project.answered).map(([kind, count]) => `${count} ${COUNTED[kind]}`).join(", ");
const shareDone = (project) => Math.max(...Object.values(project.answered)) / project.sentences;

export async function show(main) {
  const query = new URLSearchParams(location.search);
  const id = query.get("project");
  if (!id) return showProjects(main);
  if (query.get("mode") === "agreement") return new Agreement(main, id, query.get("n")).open();
  return new Session(main, id, query.get("mode") ?? "root", query.get("n")).open();
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
              h("div", { class: "row between" }, h("h2", { vars: { margin: 0 } }, h("bdi", {}, each.name)), h("span", { class: "chip" }, each.kind)),
              h("p", { class: "soft num", vars: { margin: "8px 0" } }, `${plural(each.sentences, "sentence")}: ${counted(each)}${each.skipped ? `, ${each.skipped} skipped` : ""}`),
              people(each),
              h("div", { class: "bar-outer" }, h("div", { class: "bar-inner", vars: { width: percent(shareDone(each)) } })),
              h(
                "div",
                { class: "row", vars: { "margin-top": "14px" } },
                each.kind === "trees"
                  ? Object.entries(MODES).map(([mode, title]) => h("a", { class: `button ${mode === "root" ? "main" : ""}`, href: `/annotate?project=${each.id}&mode=${mode}` }, title))
                  : h("a", { class: "button main", href: `/annotate?project=${each.id}` }, "Link words"),
                each.people.length > 1 ? h("a", { class: "button", href: `/annotate?project=${each.id}&mode=agreement` }, "Agreement") : null,
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

// Who has annotated how much, where names were given.
const people = (project) => (project.people.some((each) => each.name) ? h("p", { class: "row", vars: { margin: "0 0 8px", gap: "6px" } }, project.people.map((each) => h("span", { class: "chip num", "data-person": each.name }, h("bdi", {}, each.name || "without a name"), ` ${each.annotated}`))) : null);

const files = (project) => (project.kind === "trees" ? ["partial.conllu"] : ["links.pharaoh", "references.jsonl"]);
