// The API, described by itself.
import { get } from "../lib/api.js";
import { h, replace } from "../lib/dom.js";

export async function show(main) {
  const [spec, health] = await Promise.all([get("/openapi.json"), get("/api/health")]);
  const { limits } = health;
  replace(
    main,
    h("h1", {}, "API"),
    h("p", { class: "lede" }, "Everything on these pages is done through this. Requests and answers are JSON; trees can also come as CoNLL-U with ", h("code", {}, '"to": "conllu"'), ". The whole description is ", h("a", { href: "/openapi.json" }, "/openapi.json"), "."),
    h("p", { class: "note" }, `At most ${(limits.bytes / 1048576).toFixed(0)} MiB, ${limits.words_a_sentence.toLocaleString("en")} words a sentence and ${limits.words_a_request.toLocaleString("en")} words a request, ${limits.seconds} s of work. A full queue answers 503 with Retry-After.`),
    Object.entries(spec.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => endpoint(path, method, operation))),
  );
}

// `names` in a description are set as code.
const rich = (text) => text.split("`").map((part, at) => (at % 2 ? h("code", {}, part) : part));

function endpoint(path, method, operation) {
  const body = operation.requestBody?.content["application/json"];
  const schema = body?.schema;
  return h(
    "section",
    { class: "endpoint", id: operation.operationId },
    h("div", { class: "row" }, h("span", { class: "verb" }, method.toUpperCase()), h("code", {}, path), h("span", { class: "soft" }, operation.summary)),
    operation.description ? h("p", { vars: { margin: "8px 0 0" } }, rich(operation.description)) : null,
    schema && Object.keys(schema.properties).length
      ? h(
          "table",
          { vars: { "margin-top": "10px", "max-width": "820px" } },
          h("tbody", {}, Object.entries(schema.properties).map(([name, each]) => h("tr", {}, h("td", {}, h("code", {}, name), schema.required.includes(name) ? " *" : ""), h("td", { class: "soft" }, each.enum ? each.enum.join(" | ") : each.type), h("td", {}, rich(each.description ?? ""), each.default !== undefined ? h("span", { class: "soft" }, ` Default: ${each.default}.`) : null)))),
        )
      : null,
    body?.example ? h("pre", { class: "curl" }, `curl ${location.origin}${path} \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body.example)}'`) : null,
  );
}
