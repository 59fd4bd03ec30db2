// Which way a sentence runs: as the first of its letters does.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export function runsRightToLeft(tokens) {
  for (const each of tokens) {
    const letter = /\p{L}/u.exec(each);
    if (letter) return RIGHT_TO_LEFT.test(letter[0]);
  }
  return false;
}
