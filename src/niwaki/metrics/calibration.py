"""Whether probabilities mean what they say: calibration error, reliability, what doubt is worth.

Bins are of equal mass over all sentences, and so is the least certain tenth; they are made
once, and stay as they are when sentences are drawn anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.probabilities import NOTES, TREE_COMMENT
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from niwaki.metrics.attachment import check_same_words
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores

BINS = 15
# The share of what is least certain, in which errors are looked for.
DOUBTED = 0.1

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reliability:
    """Probabilities of one kind beside what was right."""

    probabilities: Floats
    right: NDArray[np.bool_]

    def points(self, bins: int = BINS) -> list[tuple[float, float, int]]:
        """Mean probability, share that is right, and size of bins of equal mass."""
        return [
            (float(self.probabilities[part].mean()), float(self.right[part].mean()), len(part))
            for part in self.bins(bins)
            if len(part)
        ]

    def bins(self, count: int = BINS) -> list[NDArray[np.intp]]:
        """Places of what is in each of some bins of equal mass, the least certain first."""
        return np.array_split(self._order, count)

    @property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self.probabilities, kind="stable")

    def error(self, bins: int = BINS) -> float:
        """Expected calibration error: the mean distance between what is said and what is."""
        total = sum(abs(said - true) * size for said, true, size in self.points(bins))
        return total / max(1, len(self.right))

    def errors_among_least_certain(self, share: float) -> float:
        """The share of all errors that are found among the least certain `share`."""
        wrong = np.count_nonzero(~self.right)
        found = np.count_nonzero(~self.right[self.least_certain(share)])
        return float(found / wrong) if wrong else 0.0

    def least_certain(self, share: float) -> NDArray[np.intp]:
        """Places of the least certain `share`."""
        return self._order[: int(share * len(self.right))]


@dataclass(frozen=True)
class CalibrationEvaluation(Evaluation):
    """Counts are (said, right, all, errors that were doubted) for sentence, kind and bin."""

    _: KW_ONLY
    reliability: dict[str, Reliability]

    @property
    def costs(self) -> frozenset[str]:
        return frozenset(error_name(kind) for kind in self.reliability)

    def scores_of(self, sums: Counts) -> Scores:
        """Of each kind the calibration error and the share of the errors that were doubted."""
        said, right, count, doubted = np.moveaxis(np.asarray(sums, np.float64), -1, 0)

        def share(part: Scores, whole: Scores) -> Scores:
            return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)

        error = share(np.abs(said - right).sum(axis=-1), count.sum(axis=-1))
        found = share(doubted.sum(axis=-1), (count - right).sum(axis=-1))
        pairs = np.stack([error, found], axis=-1)
        return pairs.reshape(*pairs.shape[:-2], -1)

    @property
    def details(self) -> str:
        return (
            f"bins={BINS} of equal mass|tag=UPOS|label=whole|tree=labelled|"
            f"sentences={self.sentences}"
        )


def error_name(kind: str) -> str:
    return f"{kind}_ECE"


def doubted_name(kind: str) -> str:
    return f"{kind}_errors_in_least_certain_tenth"


def measure(gold: Iterable[Sentence], system: Iterable[Sentence]) -> CalibrationEvaluation:
    """The reliability of tags (UPOS), arcs, labels and trees that carry probabilities.

    Tags are left out if the first word says nothing of them, as with a model without tagger.
    """
    said: dict[str, list[float]] = {kind: [] for kind in (*NOTES, "tree")}
    right: dict[str, list[bool]] = {kind: [] for kind in said}
    kinds = dict(NOTES)
    sizes: list[int] = []
    for one, other in itertools.zip_longest(gold, system):
        check_same_words(one, other)
        sizes.append(len(one))
        for notes in other.notes:
            if not said["arc"] and NOTES["tag"] not in notes and NOTES["arc"] in notes:
                del kinds["tag"], said["tag"]
            for kind, name in kinds.items():
                said[kind].append(_number(other, notes.get(name), name))
        right["tag"] += [a == b for a, b in zip(one.upos, other.upos, strict=True)]
        arcs = [a == b for a, b in zip(one.heads, other.heads, strict=True)]
        labels = [a == b for a, b in zip(one.deprels, other.deprels, strict=True)]
        right["arc"] += arcs
        right["label"] += labels
        said["tree"].append(_number(other, other.metadata.get(TREE_COMMENT), TREE_COMMENT))
        right["tree"].append(all(arcs) and all(labels))
    found = {
        kind: Reliability(np.array(said[kind]), np.array(right[kind], dtype=bool)) for kind in said
    }
    counts = [
        _count(each, [1] * len(sizes) if kind == "tree" else sizes) for kind, each in found.items()
    ]
    names = (name(kind) for kind in found for name in (error_name, doubted_name))
    return CalibrationEvaluation(np.stack(counts, axis=1), tuple(names), reliability=found)


def _count(found: Reliability, sizes: Sequence[int]) -> Counts:
    """Sentences x bins x (said, right, all, errors that were doubted)."""
    rows = np.repeat(np.arange(len(sizes)), sizes)
    bins = np.empty(len(rows), dtype=np.intp)
    for number, places in enumerate(found.bins()):
        bins[places] = number
    doubted = np.zeros(len(rows))
    doubted[found.least_certain(DOUBTED)] = 1
    parts = [found.probabilities, found.right, np.ones(len(rows)), doubted * ~found.right]
    counts = np.zeros((len(sizes), BINS, len(parts)))
    np.add.at(counts, (rows, bins), np.stack(parts, axis=1))
    return counts


def _number(sentence: Sentence, text: str | None, name: str) -> float:
    try:
        value = float(text or "")
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise CorpusError(
            sentence.file,
            sentence.line,
            "MISC",
            f"no {name} between 0 and 1",
            "parse with --probabilities",
        )
    return value


METRIC = Metric(measure, "sentences")
