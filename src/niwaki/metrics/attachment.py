"""Attachment, tagging and lemma scores, counted sentence by sentence as CoNLL 2018 defines them.

`LAS` compares whole labels; `LAS_universal` ignores subtypes, as the shared task's
scorer does, and so do `CLAS` (content words only) and `FEATS` (universal features
only). All words are given, so precision and recall differ for CLAS alone.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from niwaki.data.sentence import Sentence, parse_pairs
from niwaki.errors import CorpusError
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores

TAG_METRICS = ("UPOS", "XPOS", "FEATS", "LEMMA")
METRICS = ("UAS", "LAS", "LAS_universal", "CLAS", *TAG_METRICS)

# A label outside Universal Dependencies is neither content nor function.
CONTENT_LABELS = frozenset(
    {
        *("nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl"),
        *("dislocated", "advcl", "advmod", "discourse", "nmod", "appos", "nummod", "acl"),
        *("amod", "conj", "fixed", "flat", "compound", "list", "parataxis", "orphan"),
        *("goeswith", "reparandum", "root", "dep"),
    }
)
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
        """The evaluation without some scores, such as those of columns that were given."""
        left_out = frozenset(names)
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
    if gold.forms != system.forms:
        pairs = itertools.zip_longest(gold.forms, system.forms)
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
    size = len(gold)
    universal = [label.partition(":")[0] for label in gold.deprels]
    found = [label.partition(":")[0] for label in system.deprels]
    heads = [a == b for a, b in zip(gold.heads, system.heads, strict=True)]

    def whole(right: Iterable[bool]) -> tuple[int, int, int]:
        return sum(right), size, size

    labelled = [h and a == b for h, a, b in zip(heads, gold.deprels, system.deprels, strict=True)]
    coarse = [h and a == b for h, a, b in zip(heads, universal, found, strict=True)]
    content = (
        sum(r and label in CONTENT_LABELS for r, label in zip(coarse, universal, strict=True)),
        sum(label in CONTENT_LABELS for label in universal),
        sum(label in CONTENT_LABELS for label in found),
    )
    features = zip(gold.feats, system.feats, strict=True)
    lemmas = zip(gold.lemmas, system.lemmas, strict=True)
    return [
        whole(heads),
        whole(labelled),
        whole(coarse),
        content,
        whole(a == b for a, b in zip(gold.upos, system.upos, strict=True)),
        whole(a == b for a, b in zip(gold.xpos, system.xpos, strict=True)),
        whole(universal_features(a) == universal_features(b) for a, b in features),
        whole(a in ("_", b) for a, b in lemmas),
    ]


def universal_features(feats: str) -> dict[str, str]:
    """Those features of a FEATS column that are the same in all languages."""
    pairs = parse_pairs(feats).items()
    return {name: value for name, value in pairs if name in _UNIVERSAL_FEATURES}


METRIC = Metric(evaluate, "sentences")
