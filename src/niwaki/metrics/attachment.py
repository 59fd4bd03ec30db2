"""Attachment, tagging and lemma scores, counted sentence by sentence as CoNLL 2018 defines them.

`LAS` compares whole labels; `LAS_universal` ignores subtypes, as the shared task's
scorer does, and so do `CLAS` (content words only) and `FEATS` (universal features
only). `MLAS` is CLAS of words whose UPOS and features are right, too, and all function words
below them; `BLEX` that of words with the right lemma. `AllTags` are UPOS, XPOS and features in one.
All words are given, so precision and recall differ for content words alone.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self
from unicodedata import normalize

import numpy as np

from niwaki.data.sentence import Sentence, parse_pairs
from niwaki.errors import CorpusError
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores

TAG_METRICS = ("UPOS", "XPOS", "FEATS", "LEMMA")
# Those of content words: what is counted are words with one of _CONTENT_LABELS.
CONTENT_METRICS = ("CLAS", "MLAS", "BLEX")
METRICS = ("UAS", "LAS", "LAS_universal", *CONTENT_METRICS, *TAG_METRICS, "AllTags")
# Scores that look at several columns say nothing new where none of these has a score of its own.
_COLUMNS = {"MLAS": {"UPOS", "FEATS"}, "BLEX": {"LEMMA"}, "AllTags": {"UPOS", "XPOS", "FEATS"}}

# A label outside Universal Dependencies is neither content nor function.
_CONTENT_LABELS = frozenset(
    {
        *("nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl"),
        *("dislocated", "advcl", "advmod", "discourse", "nmod", "appos", "nummod", "acl"),
        *("amod", "conj", "fixed", "flat", "compound", "list", "parataxis", "orphan"),
        *("goeswith", "reparandum", "root", "dep"),
    }
)
_FUNCTION_LABELS = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
_UNIVERSAL_FEATURES = frozenset(
    {
        *("PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy"),
        *("Number", "Case", "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect"),
        *("Voice", "Evident", "Polarity", "Person", "Polite"),
    }
)


@dataclass(frozen=True)
class AttachmentEvaluation(Evaluation):
    """Counts are (right, gold, system) for each sentence and name; scores are in percent."""

    names: tuple[str, ...] = METRICS

    def scores_of(self, sums: Counts) -> Scores:
        return f1(sums)

    def without(self, names: Iterable[str]) -> Self:
        """The evaluation without some scores, such as those of columns that were given, and without
        those that need these columns alone.
        """
        left_out = set(names)
        left_out |= {name for name, columns in _COLUMNS.items() if columns <= left_out}
        kept = [at for at, name in enumerate(self.names) if name not in left_out]
        return dataclasses.replace(
            self, counts=self.counts[:, kept], names=tuple(self.names[at] for at in kept)
        )

    @property
    def words(self) -> int:
        """How many there are in the gold trees."""
        return int(self.counts[:, self.names.index("UAS"), 1].sum())

    @property
    def details(self) -> str:
        return f"words=gold|LAS=whole labels|sentences={self.sentences}|words={self.words}"


def f1(counts: Counts) -> Scores:
    """Percent of harmonic mean of precision and recall; 0 where there is nothing."""
    right, gold, system = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    total = gold + system
    shares = np.divide(2 * right, total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(100 * shares)


def evaluate(gold: Iterable[Sentence], system: Iterable[Sentence]) -> AttachmentEvaluation:
    """Compare sentences one by one; their words must be the same."""
    counts: list[list[tuple[int, int, int]]] = []
    for one, other in itertools.zip_longest(gold, system):
        check_same_words(one, other)
        counts.append(count_sentence(one, other))
    return AttachmentEvaluation(np.array(counts, dtype=np.int64).reshape(-1, len(METRICS), 3))


def check_same_words(gold: Sentence | None, system: Sentence | None) -> None:
    """Raises unless both are there and have the same words."""
    if gold is None or system is None:
        longer = gold or system
        assert longer is not None
        raise CorpusError(
            longer.file,
            longer.line,
            "SENTENCE",
            "a sentence without a partner in the other file",
            "compare files with the same sentences",
        )
    if gold.forms == system.forms:
        return
    words, found = ([*map(_in_nfc, sentence.forms)] for sentence in (gold, system))
    if words != found:
        pairs = itertools.zip_longest(words, found)
        word, (left, right) = next(
            (number, pair) for number, pair in enumerate(pairs, start=1) if pair[0] != pair[1]
        )
        raise CorpusError(
            system.file,
            system.line,
            "FORM",
            f"word {word} is {right!r}, but {left!r} in {gold.file}:{gold.line}",
            "compare files with the same words",
        )


def count_sentence(gold: Sentence, system: Sentence) -> list[tuple[int, int, int]]:
    """(right, gold, system) for each of METRICS."""

    def same(a: Iterable[Any], b: Iterable[Any]) -> list[bool]:
        return [one == other for one, other in zip(a, b, strict=True)]

    def both(a: Iterable[bool], b: Iterable[bool]) -> list[bool]:
        return [one and other for one, other in zip(a, b, strict=True)]

    labels, found = universal_labels(gold), universal_labels(system)
    below, found_below = function_words(gold, labels), function_words(system, found)
    heads = same(gold.heads, system.heads)
    coarse = both(heads, same(labels, found))
    content = both(coarse, map(is_content, labels))
    upos, xpos = same(gold.upos, system.upos), same(gold.xpos, system.xpos)
    feats = list(map(same_features, gold.feats, system.feats))
    lemmas = list(map(same_lemma, gold.lemmas, system.lemmas))
    tagged = both(upos, feats)
    # A word with its function words: those of the system are the same, and each is right.
    sound = both(coarse, tagged)
    whole = both(same(below, found_below), (all(sound[x] for x in each) for each in below))
    right = {
        "UAS": heads,
        "LAS": both(heads, same(gold.deprels, system.deprels)),
        "LAS_universal": coarse,
        "CLAS": content,
        "MLAS": both(content, both(tagged, whole)),
        "BLEX": both(content, lemmas),
        "UPOS": upos,
        "XPOS": xpos,
        "FEATS": feats,
        "LEMMA": lemmas,
        "AllTags": both(tagged, xpos),
    }
    of_content = sum(map(is_content, labels)), sum(map(is_content, found))
    of_all = len(gold), len(gold)
    return [
        (sum(right[name]), *(of_content if name in CONTENT_METRICS else of_all)) for name in METRICS
    ]


def is_content(label: str) -> bool:
    """Whether a universal label is one of content words."""
    return label in _CONTENT_LABELS


def universal_labels(sentence: Sentence) -> list[str]:
    """The labels without their subtypes."""
    return [label.partition(":")[0] for label in sentence.deprels]


def function_words(sentence: Sentence, labels: Sequence[str]) -> list[list[int]]:
    """The places of the function words that depend on each word, given its universal labels."""
    found: list[list[int]] = [[] for _ in labels]
    for place, (head, label) in enumerate(zip(sentence.heads, labels, strict=True)):
        if head > 0 and label in _FUNCTION_LABELS:
            found[head - 1].append(place)
    return found


def same_features(gold: str, system: str) -> bool:
    """Whether those features are the same that are the same in all languages."""
    return gold == system or _universal_features(gold) == _universal_features(system)


def same_lemma(gold: str, system: str) -> bool:
    """Where gold says nothing, any lemma is right; models write theirs in NFC."""
    return gold in ("_", system) or _in_nfc(gold) == _in_nfc(system)


def _in_nfc(text: str) -> str:
    """A text as it is compared; characters may be written in several ways."""
    return normalize("NFC", text)


def _universal_features(feats: str) -> dict[str, str]:
    pairs = parse_pairs(feats).items()
    return {name: value for name, value in pairs if name in _UNIVERSAL_FEATURES}


METRIC = Metric(evaluate, "sentences")
