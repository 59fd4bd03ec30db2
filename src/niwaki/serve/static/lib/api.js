// Talks to the server. Every failure is one line for a person.
import { h, replace } from "./dom.js";

export class ApiError extends Error {
  constructor(status, record) {
    super(record.error ?? `the server answered ${status}`);
    this.status = status;
    this.record = record;
  }
}

async function answer(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { error: "the server does not answer; is it still running?" });
  }
  const kind = response.headers.get("content-type") ?? "";
  const other = options.blob ? "blob" : "text";
  const body = await response[kind.startsWith("application/json") ? "json" : other]();
  if (response.status === 401) askForToken();
  if (!response.ok) throw new ApiError(response.status, typeof body === "object" ? body : { error: body });
  return body;
}

export const get = (path, options = {}) => answer(path, options);

export async function post(path, body, options = {}) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await answer(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        ...options,
      });
    } catch (error) {
      // A full queue empties within a moment; after some tries the person should know.
      if (error.status !== 503 || attempt === 3) throw error;
      await new Promise((done) => setTimeout(done, 400 * (attempt + 1)));
    }
  }
}

// Of overlapping calls only the latest counts; older ones are broken off.
export function latest(work) {
  let controller = null;
  return async (...values) => {
    controller?.abort();
    const mine = new AbortController();
    controller = mine;
    try {
      const found = await work(mine.signal, ...values);
      return mine === controller ? { found } : { stale: true };
    } catch (error) {
      if (error.name === "AbortError" || mine !== controller) return { stale: true };
      return { error };
    }
  };
}

// Asks for a job until it has ended; tells of each answer.
export async function follow(id, show, milliseconds = 400) {
  for (;;) {
    const job = await get(`/api/jobs/${id}`);
    if (show(job) === false || job.state !== "running") return job;
    await new Promise((done) => setTimeout(done, milliseconds));
  }
}

let asking = false;
function askForToken() {
  if (asking) return;
  asking = true;
  const field = h("input", { type: "password", id: "token", autocomplete: "current-password" });
  const wrong = h("p", { class: "note bad", hidden: true });
  const send = async () => {
    const response = await fetch("/api/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: field.value }),
    });
    if (response.ok) location.reload();
    else replace(wrong, "This is not the token.").hidden = false;
  };
  const dialog = h(
    "dialog",
    { onkeydown: (event) => event.key === "Enter" && send() },
    h("h2", {}, "A token is needed"),
    h("p", { class: "soft" }, "Whoever started this server has it."),
    h("div", { class: "row" }, field, h("button", { class: "button main", onclick: send }, "Enter")),
    wrong,
  );
  document.body.append(dialog);
  dialog.showModal();
}
