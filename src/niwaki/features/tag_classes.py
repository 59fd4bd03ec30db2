"""Classes of words by the tags they have in a tagged text: a dictionary in a tagger's place."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from niwaki.data.sentence import Sentence
from niwaki.data.universal import UPOS
from niwaki.errors import CorpusError, shown
from niwaki.features.clusters import folded

# A word's second universal tag counts from this share of its occurrences on, and a finer tag
# from this share of those with the first. Lower and higher ones were worse on EWT dev.
SECOND_SHARE = 0.10
FINE_SHARE = 0.15

_TAG_BITS, _KIND_BITS = 5, 4

# The first universal tag; the second, or ""; the usual finer tags of the first.
_Usage = tuple[str, str, tuple[str, ...]]


def untagged(sentence: Sentence) -> CorpusError | None:
    """What is wrong with a sentence that has a word without a tag."""
    if "_" not in sentence.upos:
        return None
    number = sentence.upos.index("_")
    found = f"word {number + 1}, {shown(sentence.forms[number])}, has no tag"
    advice = "tag the text, or make clusters of words alone"
    return CorpusError(sentence.file, sentence.line, "UPOS", found, advice)


class TagClasses:
    """Counts the tags of words, and sorts words by them.

    A class is ten bits: five for the universal tag that a word has most often; one that tells
    whether it often has another; and four for which, together with the finer tags of the
    first. These are numbered by how frequent they are among words whose first six bits are the
    same, and all from the sixteenth on are one. So `cluster6` of a word is its usual tag and
    whether that is sure, and `cluster10` is what a tagger might choose from.
    """

    def __init__(self) -> None:
        self._counts: defaultdict[str, Counter[tuple[str, str]]] = defaultdict(Counter)

    def counting(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """The sentences again, counted on the way."""
        for sentence in sentences:
            if fault := untagged(sentence):
                raise fault
            for form, upos, xpos in zip(sentence.forms, sentence.upos, sentence.xpos, strict=True):
                self._counts[form][upos if upos in UPOS else "X", xpos] += 1
            yield sentence

    def bits(self, words: Iterable[str], lowercase: bool = False) -> dict[str, str]:
        """The class of each of some words that were counted; `lowercase`: as they are folded."""
        tags = self._counts
        if lowercase:
            tags = defaultdict(Counter)
            for form, counts in self._counts.items():
                tags[folded(form)] += counts
        usages = {word: _usage(tags[word]) for word in words}
        frequencies: defaultdict[tuple[str, bool], Counter[_Usage]] = defaultdict(Counter)
        for word, usage in usages.items():
            frequencies[_coarse(usage)][usage] += tags[word].total()
        codes = {
            usage: _code(usage, rank)
            for counted in frequencies.values()
            for rank, usage in enumerate(sorted(counted, key=lambda x: (-counted[x], x)))
        }
        return {word: codes[usage] for word, usage in usages.items()}


def _usage(counts: Counter[tuple[str, str]]) -> _Usage:
    coarse: Counter[str] = Counter()
    for (upos, _), count in counts.items():
        coarse[upos] += count
    first, *others = sorted(coarse, key=lambda upos: (-coarse[upos], upos))
    second = others[0] if others and coarse[others[0]] >= SECOND_SHARE * coarse.total() else ""
    fine = {x for (u, x), n in counts.items() if u == first and n >= FINE_SHARE * coarse[first]}
    return first, second, tuple(sorted(fine))


def _coarse(usage: _Usage) -> tuple[str, bool]:
    return usage[0], bool(usage[1])


def _code(usage: _Usage, rank: int) -> str:
    first, is_doubtful = _coarse(usage)
    kind = min(rank, 2**_KIND_BITS - 1)
    return f"{UPOS.index(first):0{_TAG_BITS}b}{is_doubtful:d}{kind:0{_KIND_BITS}b}"
