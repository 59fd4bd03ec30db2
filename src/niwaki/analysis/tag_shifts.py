"""How two models tag a word, and how often they see an imperative (Katz-Brown et al. 2011,
Table 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from niwaki.data.sentence import Sentence


@dataclass(frozen=True)
class TagShift:
    """How often a word has a tag, before and after."""

    word: str
    upos: str
    before: int
    after: int


@dataclass(frozen=True)
class Imperatives:
    """How many sentences of a text are parsed as imperatives; `gold` is None if nobody knows."""

    text: str
    sentences: int
    gold: int | None
    before: int
    after: int


def is_imperative(sentence: Sentence) -> bool:
    """The paper's approximation: the first word is a verb, and the root."""
    return len(sentence) > 0 and sentence.heads[0] == 0 and sentence.upos[0] == "VERB"


def count_imperatives(
    text: str,
    gold: Sequence[Sentence] | None,
    before: Sequence[Sentence],
    after: Sequence[Sentence],
) -> Imperatives:
    known = None if gold is None else sum(map(is_imperative, gold))
    one, other = (sum(map(is_imperative, each)) for each in (before, after))
    return Imperatives(text, len(before), known, one, other)


def shifted_tags(
    words: Sequence[str], before: Sequence[Sentence], after: Sequence[Sentence]
) -> list[TagShift]:
    """The tags of some words, upper case or lower; the usual ones before come first."""
    wanted = {word.lower() for word in words}
    counts = []
    for sentences in (before, after):
        counts.append(
            Counter(
                (form.lower(), upos)
                for sentence in sentences
                for form, upos in zip(sentence.forms, sentence.upos, strict=True)
                if form.lower() in wanted
            )
        )
    one, other = counts
    pairs = sorted({*one, *other}, key=lambda pair: (pair[0], -one[pair], pair[1]))
    return [TagShift(*pair, one[pair], other[pair]) for pair in pairs]
