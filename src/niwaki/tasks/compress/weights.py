"""Weights of rules: four numbers for each feature of a word, and the scores that they add up to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.sparse import SparseRows
from niwaki.learning.ranker import places_of
from niwaki.tasks.compress.features import word_features
from niwaki.tasks.compress.rules import RULES
from niwaki.tasks.trees import TreeView
from niwaki.typing import FloatArray

Keys = NDArray[np.uint32]
# The keys of each word of a tree.
Features = list[Keys]

# What a rule (a row) adds up: a word that is kept has a weight wherever it is kept, and another one
# if its head is not; so has one that promotes.
PARTS = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]], dtype=np.float64)


@dataclass(frozen=True)
class Weights:
    """A row of weights for each key, the keys in order; what has no weight says nothing."""

    keys: Keys
    table: NDArray[np.float32]

    def scores(self, trees: Iterable[TreeView]) -> FloatArray:
        """The score of each rule for each word, of one tree after the other."""
        return self.scores_by(map(word_features, trees))

    def scores_by(self, features: Iterable[Features]) -> FloatArray:
        """The same, of the keys of the words of each tree."""
        matrix = matrix_of(self.keys, *looked_at(features))
        return scores_of(matrix, np.vstack([self.table, np.zeros((1, RULES))]))

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model file keeps of it."""
        return {"keys": self.keys, "table": self.table}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Weights:
        """Weights of such arrays; raises ValueError if they are none."""
        keys, table = arrays["keys"], arrays["table"]
        sound = keys.dtype == np.uint32 and table.dtype == np.float32
        if not sound or keys.ndim != 1 or table.shape != (len(keys), RULES):
            raise ValueError("rules whose keys and weights do not fit together")
        if not np.isfinite(table).all() or (keys[1:] <= keys[:-1]).any():
            raise ValueError("rules with weights out of order")
        return cls(keys, table)


def looked_at(features: Iterable[Features]) -> tuple[NDArray[np.int64], Keys]:
    """Where the keys of each word end, and the keys."""
    words = [keys for tree in features for keys in tree]
    ends = np.cumsum([0, *(len(keys) for keys in words)], dtype=np.int64)
    return ends, np.concatenate([np.zeros(0, dtype=np.uint32), *words])


def matrix_of(known: Keys, ends: NDArray[np.int64], keys: Keys) -> SparseRows:
    """A row a word, a column a known key; behind them one for all that are not known."""
    places = places_of(known, keys).astype(np.int32)
    return SparseRows(ends, places, np.ones(len(keys)), len(known) + 1)


def scores_of(matrix: SparseRows, table: FloatArray) -> FloatArray:
    """The score of each rule for each row; the last row of the table is of unknown keys."""
    return parts_times(matrix, table) @ PARTS.T


def parts_times(matrix: SparseRows, table: FloatArray) -> FloatArray:
    """What each row has of each part of the weights."""
    columns = (table[:, part].astype(np.float64) for part in range(RULES))
    return np.stack([matrix.times(column) for column in columns], axis=1)


def parts_transposed(matrix: SparseRows, moved: FloatArray) -> FloatArray:
    """What each weight of a table has of what is moved in each row."""
    columns = (np.ascontiguousarray(moved[:, part]) for part in range(RULES))
    return np.stack([matrix.transposed_times(column) for column in columns], axis=1)
