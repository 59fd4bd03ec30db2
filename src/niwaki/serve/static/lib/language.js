// A note where the words of a text are not those of the model: trees are then guesses.
import { h, percent, plural, replace } from "./dom.js";

export const languageNote = () => h("p", { class: "note doubt", id: "language", role: "status", hidden: true });

// `language` is that of the API: how many words there are, and how many the model knows.
export function tellLanguage(place, language, model) {
  place.hidden = !language?.foreign;
  if (place.hidden) return;
  const name = model.language ? `${model.id} (${model.language})` : model.id;
  replace(place, h("b", {}, "This may not be the model’s language. "), `Of ${plural(language.words, "word")}, ${name} knows ${percent(language.known / language.words)}; trees of text in another language are guesses.`);
}
