"""Scores of text that was segmented by a system, counted as CoNLL 2018 defines them.

Tokens, words and sentences are spans of the characters that are not white space. A
word of a multiword token has the span of that token; where either side has one, words
are aligned by a longest common subsequence of their forms. Tags and attachments are
counted over the aligned words, so each has a precision and a recall.

Systems may disagree on sentences, so all is counted where it begins in the gold sentences:
what is right or of the gold side in its own, and what is the system's in the one around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from niwaki.data.rawtext import surface_tokens
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, shown
from niwaki.metrics import attachment
from niwaki.metrics.attachment import (
    CONTENT_METRICS,
    AttachmentEvaluation,
    function_words,
    is_content,
    same_features,
    same_lemma,
    universal_labels,
)
from niwaki.metrics.base import Counts, Metric

METRICS = ("Tokens", "Sentences", "Words", *attachment.METRICS)
_ROOT, _UNKNOWN = -1, -2

# Where something begins in the text: what is right, what gold has, what the system has.
_Places = tuple[list[int], list[int], list[int]]


class _Word(NamedTuple):
    """A word of a document, whose words are numbered through."""

    start: int
    end: int
    multiword: bool
    sentence: Sentence
    place: int  # in the sentence
    head: int  # number in the document
    label: str  # without its subtype
    function_words: list[int]  # numbers in the document

    @property
    def form(self) -> str:
        return self.sentence.forms[self.place].lower()


@dataclass(frozen=True)
class _Document:
    """Sentences laid out over the characters of their text."""

    text: str
    tokens: set[tuple[int, int]]
    sentences: set[tuple[int, int]]
    words: list[_Word]


@dataclass(frozen=True)
class SegmentationEvaluation(AttachmentEvaluation):
    """Counts are (right, gold, system) for each gold sentence and name; scores are in percent."""

    names: tuple[str, ...] = METRICS

    @property
    def details(self) -> str:
        return f"words=from raw text|LAS=whole labels|sentences={self.sentences}|words={self.words}"


def evaluate_segmentation(
    gold: Iterable[Sentence], system: Iterable[Sentence]
) -> SegmentationEvaluation:
    """Compare two segmentations of the same text."""
    one, other = _lay_out(gold), _lay_out(system)
    if one.text != other.text:
        raise _texts_differ(one, other)
    pairs = _align(one.words, other.words)
    found = {
        "Tokens": _spans(one.tokens, other.tokens),
        "Sentences": _spans(one.sentences, other.sentences),
        **_words(one.words, other.words, pairs),
    }
    return SegmentationEvaluation(_by_sentence(one.sentences, [found[name] for name in METRICS]))


def _spans(gold: set[tuple[int, int]], system: set[tuple[int, int]]) -> _Places:
    right, one, other = ([start for start, _ in each] for each in (gold & system, gold, system))
    return right, one, other


def _by_sentence(sentences: set[tuple[int, int]], found: Sequence[_Places]) -> Counts:
    """Counts of each gold sentence, from the places of everything that is counted."""
    starts = np.array(sorted(start for start, _ in sentences), dtype=np.int64)
    counts = np.zeros((len(starts), len(found), 3), dtype=np.int64)
    if not len(starts):
        return counts
    for metric, parts in enumerate(found):
        for part, places in enumerate(parts):
            rows = np.searchsorted(starts, places, side="right") - 1
            counts[:, metric, part] = np.bincount(rows, minlength=len(starts))
    return counts


def _lay_out(sentences: Iterable[Sentence]) -> _Document:
    text: list[str] = []
    document = _Document("", set(), set(), [])
    at = 0
    for sentence in sentences:
        first, base = at, len(document.words)
        labels = universal_labels(sentence)
        below = function_words(sentence, labels)
        for token in surface_tokens(sentence):
            text.append("".join(token.form.split()))
            end = at + len(text[-1])
            document.tokens.add((at, end))
            for place in range(token.first - 1, token.last):
                head = sentence.heads[place]
                number = base + head - 1 if head > 0 else _ROOT if head == 0 else _UNKNOWN
                multiword = token.last > token.first
                numbers = [base + each for each in below[place]]
                document.words.append(
                    _Word(at, end, multiword, sentence, place, number, labels[place], numbers)
                )
            at = end
        document.sentences.add((first, at))
    return _Document("".join(text), document.tokens, document.sentences, document.words)


def _texts_differ(gold: _Document, system: _Document) -> CorpusError:
    pairs = enumerate(zip(gold.text, system.text, strict=False))
    shorter = min(len(gold.text), len(system.text))
    place = next((place for place, (a, b) in pairs if a != b), shorter)
    word = next((word for word in system.words if word.end > place), None)
    found, wanted = system.text[place : place + 20], gold.text[place : place + 20]
    return CorpusError(
        word.sentence.file if word else "<system>",
        word.sentence.line if word else 0,
        "FORM",
        f"the text goes on with {shown(found)}, but with {shown(wanted)} in the gold file",
        "compare segmentations of the same text",
    )


# -- alignment ----------------------------------------------------------------


def _align(gold: Sequence[_Word], system: Sequence[_Word]) -> list[tuple[int, int]]:
    """Numbers of words that are the same on both sides."""
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        one, other = gold[g], system[s]
        if one.multiword or other.multiword:
            end = one.end if one.multiword else other.end
            # A plain word that begins before the multiword token is not part of it.
            g += other.multiword and not one.multiword and one.start < other.start
            s += one.multiword and not other.multiword and other.start < one.start
            g_end, s_end = _region(gold, system, g, s, end)
            common = _common(gold[g:g_end], system[s:s_end])
            pairs += [(g + i, s + j) for i, j in common]
            g, s = g_end, s_end
        elif (one.start, one.end) == (other.start, other.end):
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif one.start <= other.start:
            g += 1
        else:
            s += 1
    return pairs


def _region(
    gold: Sequence[_Word], system: Sequence[_Word], g: int, s: int, end: int
) -> tuple[int, int]:
    """Where the words from `g` and `s` on end that lie in overlapping multiword tokens.

    The first of these tokens ends at the character `end`.
    """

    def outside(words: Sequence[_Word], at: int) -> bool:
        if at >= len(words):
            return True
        word = words[at]
        return word.start >= end if word.multiword else word.end > end

    while not (outside(gold, g) and outside(system, s)):
        if g < len(gold) and (s >= len(system) or gold[g].start <= system[s].start):
            word, g = gold[g], g + 1
        else:
            word, s = system[s], s + 1
        if word.multiword:
            end = max(end, word.end)
    return g, s


def _common(gold: Sequence[_Word], system: Sequence[_Word]) -> list[tuple[int, int]]:
    """A longest common subsequence of the forms, case aside."""
    one, other = [word.form for word in gold], [word.form for word in system]
    longest = np.zeros((len(one) + 1, len(other) + 1), dtype=np.int64)
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(other) - 1, -1, -1):
            longest[i, j] = (
                longest[i + 1, j + 1] + 1
                if one[i] == other[j]
                else max(longest[i + 1, j], longest[i, j + 1])
            )
    pairs = []
    i = j = 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1, j] >= longest[i, j + 1]:
            i += 1
        else:
            j += 1
    return pairs


# -- words --------------------------------------------------------------------


def _words(
    gold: Sequence[_Word], system: Sequence[_Word], pairs: Sequence[tuple[int, int]]
) -> dict[str, _Places]:
    """`Words` and the metrics after it."""
    judged = _judged(gold, system, pairs)
    found: dict[str, _Places] = {}
    for name in METRICS[2:]:
        right = [gold[g].start for (g, _), good in zip(pairs, judged, strict=True) if good[name]]
        one, other = (
            [word.start for word in words if name not in CONTENT_METRICS or is_content(word.label)]
            for words in (gold, system)
        )
        found[name] = right, one, other
    return found


def _judged(
    gold: Sequence[_Word], system: Sequence[_Word], pairs: Sequence[tuple[int, int]]
) -> list[dict[str, bool]]:
    """What is right about the words of the system that stand for gold ones."""
    partner = {s: g for g, s in pairs}
    found = [_judged_alone(gold[g], system[s], partner) for g, s in pairs]
    # Gold words that are right themselves: as labelled dependents, and in their tags.
    sound = {
        g
        for (g, _), good in zip(pairs, found, strict=True)
        if good["LAS_universal"] and good["UPOS"] and good["FEATS"]
    }
    for (g, s), good in zip(pairs, found, strict=True):
        below = gold[g].function_words
        same = below == [partner.get(each, _UNKNOWN) for each in system[s].function_words]
        good["MLAS"] = good["CLAS"] and g in sound and same and sound.issuperset(below)
    return found


def _judged_alone(one: _Word, other: _Word, partner: Mapping[int, int]) -> dict[str, bool]:
    """What is right about a word, whatever is below it."""
    a, i, b, j = one.sentence, one.place, other.sentence, other.place
    head = other.head if other.head < 0 else partner.get(other.head, _UNKNOWN)
    attached = head == one.head != _UNKNOWN
    coarse = attached and one.label == other.label
    content = coarse and is_content(one.label)
    lemma = same_lemma(a.lemmas[i], b.lemmas[j])
    upos, xpos = a.upos[i] == b.upos[j], a.xpos[i] == b.xpos[j]
    feats = same_features(a.feats[i], b.feats[j])
    return {
        "Words": True,
        "UAS": attached,
        "LAS": attached and a.deprels[i] == b.deprels[j],
        "LAS_universal": coarse,
        "CLAS": content,
        "BLEX": content and lemma,
        "UPOS": upos,
        "XPOS": xpos,
        "FEATS": feats,
        "LEMMA": lemma,
        "AllTags": upos and xpos and feats,
    }


METRIC = Metric(evaluate_segmentation, "sentences")
