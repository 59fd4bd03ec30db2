"""A model of phrase senses: an ensemble for each source phrase that becomes several things."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.mapped import load_arrays, save_arrays
from niwaki.errors import ModelError
from niwaki.tasks.translate.senses.classifiers import Ensemble, Linear, Neighbours
from niwaki.tasks.translate.senses.features import Keys, Occurrences
from niwaki.tasks.translate.table import Options, PhraseTable
from niwaki.tasks.trees import TreeView
from niwaki.typing import FloatArray

Words = tuple[str, ...]

_KIND = "model of phrase senses"
_ADVICE = "give a file of `niwaki translate train-senses`"
# The share of translations that the classifiers do not know.
_OTHERS = 0.01


@dataclass(frozen=True)
class Sense:
    """What a phrase becomes: its translations, the features that tell, and who tells them."""

    targets: tuple[Words, ...]
    keys: Keys
    ensemble: Ensemble

    def probabilities(self, found: Keys) -> FloatArray:
        """Of each translation, where an occurrence has these features."""
        return self.ensemble.probabilities(self.present(found))

    def present(self, found: Keys) -> FloatArray:
        return np.isin(self.keys, found, assume_unique=True).astype(np.float64)


@dataclass(frozen=True)
class SenseModel:
    """Senses by source phrase."""

    senses: Mapping[Words, Sense]

    @property
    def longest(self) -> int:
        """Words of the longest phrase."""
        return max(map(len, self.senses), default=0)

    def save(self, path: str | os.PathLike[str]) -> None:
        senses = self.senses.values()
        sizes = [(len(s.targets), len(s.keys), *s.ensemble.neighbours.axes.shape) for s in senses]
        arrays: dict[str, NDArray[Any]] = {
            "sources": _packed(self.senses),
            "targets": _packed(target for each in senses for target in each.targets),
            "sizes": np.array(sizes, np.int64).reshape(-1, 4),
            "keys": _joined([each.keys for each in senses], np.uint32),
            "weights": _joined([part for s in senses for part in _numbers(s)], np.float32),
            "rows": _joined([s.ensemble.neighbours.rows for s in senses], np.uint8),
            "labels": _joined([s.ensemble.neighbours.labels for s in senses], np.int32),
        }
        save_arrays(path, _KIND, arrays, {})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SenseModel:
        """A model whose numbers stay in the file; raises ModelError if it is none."""
        file = load_arrays(path, _KIND, _ADVICE)
        try:
            sources = _unpacked(file.arrays["sources"])
            return cls(dict(zip(sources, _senses(file.arrays), strict=True)))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ModelError(f"{file.path}: a damaged {_KIND} ({error}); {_ADVICE}") from error


@dataclass(frozen=True)
class SenseScorer:
    """Scores of a sentence's options: log P(translation | phrase, sentence).

    `tree` gives the tree of a sentence. Phrases without classifiers have the phrase table's
    log p(target | source).
    """

    model: SenseModel
    table: PhraseTable
    tree: Callable[[Words], TreeView]

    def __call__(self, options: Options) -> FloatArray:
        known = options.rows >= 0
        scores = np.zeros(len(options))
        scores[known] = self.table.scores[options.rows[known], 1]
        occurrences: Occurrences | None = None
        found: dict[tuple[int, int], dict[Words, float]] = {}
        for option in np.flatnonzero(known).tolist():
            begin, end = options.spans[option].tolist()
            sense = self.model.senses.get(options.tokens[begin:end])
            if sense is None:
                continue
            if occurrences is None:
                occurrences = Occurrences(self.tree(options.tokens))
            place = begin, end
            if place not in found:
                likely = (1 - _OTHERS) * sense.probabilities(occurrences.keys(begin, end))
                logs = np.log(np.maximum(likely, _OTHERS / 10)).tolist()
                found[place] = dict(zip(sense.targets, logs, strict=True))
            least = min(scores[option], float(np.log(_OTHERS)))
            scores[option] = found[place].get(options.target(option), least)
        return scores


def _numbers(sense: Sense) -> Iterator[NDArray[np.float32]]:
    ensemble = sense.ensemble
    for linear in (ensemble.bayes, ensemble.entropy, ensemble.stumps):
        yield linear.weights
    yield ensemble.neighbours.axes


def _senses(arrays: Mapping[str, NDArray[Any]]) -> Iterator[Sense]:
    """Each takes its numbers from the front of what is left."""
    targets = _unpacked(arrays["targets"])
    taken = dict.fromkeys(("targets", "keys", "weights", "rows", "labels"), 0)

    def take(name: str, *shape: int) -> NDArray[Any]:
        count, first = int(np.prod(shape)), taken[name]
        taken[name] += count
        return arrays[name][first : first + count].reshape(shape)

    for classes, features, examples, dimensions in arrays["sizes"].tolist():
        if classes < 1 or min(features, examples, dimensions) < 0:
            raise ValueError("sizes below 0")
        first = taken["targets"]
        taken["targets"] += classes
        keys = take("keys", features)
        weights = [take("weights", classes, features + 1) for _ in range(3)]
        axes = take("weights", examples, dimensions)
        rows, labels = take("rows", examples, features), take("labels", examples)
        if examples < 1 or not 0 <= labels.min() <= labels.max() < classes:
            raise ValueError("labels out of range")
        linear = [Linear(each) for each in weights]
        ensemble = Ensemble(linear[0], linear[1], linear[2], Neighbours(rows, axes, labels))
        yield Sense(tuple(targets[first : first + classes]), keys, ensemble)


def _joined(parts: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype), *(part.reshape(-1) for part in parts)])


def _packed(phrases: Any) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(" ".join(words) for words in phrases).encode("utf-8"), np.uint8)


def _unpacked(text: NDArray[np.uint8]) -> list[Words]:
    lines = text.tobytes().decode("utf-8").split("\n") if len(text) else []
    return [tuple(line.split(" ")) for line in lines]
