// What was said of the trees of sentences, kept as long as the tab: a reload loses nothing.
const PLACE = "parse.known";
const MOST = 500;

// A sentence is known by its place and its words.
const nameOf = (number, tokens) => `${number}\t${tokens.join(" ")}`;

function all() {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE) ?? "{}");
  } catch {
    return {};
  }
}

export const recall = (number, tokens) => new Map(all()[nameOf(number, tokens)] ?? []);

export function remember(number, tokens, known) {
  const { [nameOf(number, tokens)]: before, ...others } = all();
  const rows = Object.entries(others).slice(1 - MOST);
  if (known.size) rows.push([nameOf(number, tokens), [...known]]);
  sessionStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(rows)));
}

// Statements as the API takes them, and back.
export const statementsOf = (known) => [...known].map(([word, said]) => ({ word, ...said }));
export const knownOf = (statements) => new Map(statements.map(({ word, ...said }) => [word, said]));
