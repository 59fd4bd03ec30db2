"""Whether probabilities mean what they say: calibration error, reliability, what doubt is worth."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError

BINS = 15
_NOTES = {"tag": "TagProb", "arc": "ArcProb", "label": "LabelProb"}
_TREE = "tree_probability"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reliability:
    """Probabilities of one kind beside what was right."""

    probabilities: Floats
    right: NDArray[np.bool_]

    def points(self, bins: int = BINS) -> list[tuple[float, float, int]]:
        """Mean probability, share that is right, and size of bins of equal mass."""
        order = np.argsort(self.probabilities, kind="stable")
        return [
            (float(self.probabilities[part].mean()), float(self.right[part].mean()), len(part))
            for part in np.array_split(order, bins)
            if len(part)
        ]

    def error(self, bins: int = BINS) -> float:
        """Expected calibration error: the mean distance between what is said and what is."""
        total = sum(abs(said - true) * size for said, true, size in self.points(bins))
        return total / max(1, len(self.right))

    def errors_among_least_certain(self, share: float) -> float:
        """The share of all errors that are found among the least certain `share`."""
        order = np.argsort(self.probabilities, kind="stable")
        first = order[: int(share * len(order))]
        wrong = np.count_nonzero(~self.right)
        return float(np.count_nonzero(~self.right[first]) / wrong) if wrong else 0.0


def measure(gold: Iterable[Sentence], system: Iterable[Sentence]) -> dict[str, Reliability]:
    """The reliability of tags (UPOS), arcs, labels and trees that carry probabilities.

    Tags are left out if the first word says nothing of them, as with a model without tagger.
    """
    said: dict[str, list[float]] = {kind: [] for kind in (*_NOTES, "tree")}
    right: dict[str, list[bool]] = {kind: [] for kind in said}
    kinds = dict(_NOTES)
    for one, other in itertools.zip_longest(gold, system):
        if one is None or other is None or one.forms != other.forms:
            place = other or one
            raise CorpusError(
                place.file,
                place.line,
                "SENTENCE",
                "other words than in the gold file",
                "compare files with the same sentences",
            )
        for notes in other.notes:
            if not said["arc"] and _NOTES["tag"] not in notes and _NOTES["arc"] in notes:
                del kinds["tag"], said["tag"]
            for kind, name in kinds.items():
                said[kind].append(_number(other, notes.get(name), name))
        right["tag"] += [a == b for a, b in zip(one.upos, other.upos, strict=True)]
        arcs = [a == b for a, b in zip(one.heads, other.heads, strict=True)]
        labels = [a == b for a, b in zip(one.deprels, other.deprels, strict=True)]
        right["arc"] += arcs
        right["label"] += labels
        said["tree"].append(_number(other, other.metadata.get(_TREE), _TREE))
        right["tree"].append(all(arcs) and all(labels))
    return {
        kind: Reliability(np.array(said[kind]), np.array(right[kind], dtype=bool)) for kind in said
    }


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
