// What pages ask of models: which of them can be used, what they are, and whether they have beams.
import { select } from "./dom.js";

const WIDTHS = [1, 2, 4, 8, 16, 32, 64].map(String);

export const usableModels = (models) => models.filter((each) => !each.error);
export const modelNamed = (models, id) => models.find((each) => each.id === id);

// Its kind, and what there is to tell of it: "transition · system arc-standard · beam 8".
export const describe = (model) => [model.kind, ...Object.entries(model.facts).map(([name, value]) => `${name} ${value}`)].join(" · ");

const hasBeams = (model) => model?.options.includes("beam") ?? false;

// The widths to choose from; nothing for a model that has no beams.
export const beamSelect = (model, value, onchange, attributes = {}) =>
  hasBeams(model) ? select([["", "its own beam"], ...WIDTHS.map((width) => [width, `beam ${width}`])], value, onchange, { "aria-label": "Beam", ...attributes }) : null;

// The part of a request that says how wide; a model without beams is not told of any.
export const beamOf = (model, value) => (value && hasBeams(model) ? { beam: Number(value) } : {});
