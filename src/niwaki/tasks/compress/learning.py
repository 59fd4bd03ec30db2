"""Learns which words to keep from sentences that people made shorter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from niwaki.data.compressions import Compression, Kept
from niwaki.errors import NiwakiError
from niwaki.learning.cutting_plane import learn_machine
from niwaki.learning.lbfgs import LBFGS
from niwaki.tasks.compress.budget import bias_for
from niwaki.tasks.compress.features import word_features
from niwaki.tasks.compress.likelihood import Forest
from niwaki.tasks.compress.loss import losses
from niwaki.tasks.compress.model import Compressor, Settings, believed, charts_of
from niwaki.tasks.compress.ngrams import count_ngrams
from niwaki.tasks.compress.rules import RULES, chart_of, rules_of
from niwaki.tasks.compress.weights import (
    PARTS,
    Features,
    Weights,
    looked_at,
    matrix_of,
    parts_times,
    parts_transposed,
    scores_of,
)
from niwaki.tasks.trees import TreeView
from niwaki.typing import FloatArray, IntArray

# Longer sentences are not learned from: charts of both kinds of words grow with the fourth power.
_LONGEST = 100

# Halves of fewer sentences do not tell what is dropped on the whole.
_ENOUGH = 40

# A pass that gains less, as a share of the whole, is the last one.
_FLAT = 1e-5

# Told how far the weights may be from the best ones, as a share of the objective; of likelihood,
# what the last pass gained.
Told = Callable[[float], None]


def learn_compressor(
    given: Sequence[Compression],
    settings: Settings | None = None,
    card: Mapping[str, Any] | None = None,
    told: Told = lambda gap: None,
    text: Iterable[Sequence[str]] = (),
) -> Compressor:
    """A compressor from sentences with trees and references; the first reference is learned from,
    or that of the person whom the settings name. Words in a row are counted in these sentences
    and in `text`.
    """
    settings = settings or Settings()
    at = settings.annotator - 1
    pairs = [
        (TreeView(each.sentence), each.references[at])
        for each in given
        if len(each.references) > at and len(each.sentence) <= _LONGEST
    ]
    if all(all(kept) for _, kept in pairs):
        raise NiwakiError(
            f"no word is dropped by person {settings.annotator}; give sentences with `keep`, or "
            "with Keep=0 in MISC"
        )
    features = [word_features(tree) for tree, _ in pairs]
    learned = _Problem(pairs, features, settings).solve(told)
    fitted = settings.calibrate and len(pairs) >= _ENOUGH
    bias = _bias(pairs, features, settings) if fitted else 0.0
    counts = count_ngrams([*(each.sentence.forms for each in given), *text])
    return Compressor(settings, learned, counts, bias, card or {})


def _bias(
    pairs: Sequence[tuple[TreeView, Kept]], features: Sequence[Features], settings: Settings
) -> float:
    """What a kept word must be worth more, so that sentences of one half keep as many words as
    people kept of them by the weights of the other half: the mean of both.
    """
    middle = len(pairs) // 2
    halves = slice(middle), slice(middle, None)
    found = []
    for learned, held in (halves, halves[::-1]):
        if all(all(kept) for _, kept in pairs[learned]):
            return 0.0
        weights = _Problem(pairs[learned], features[learned], settings).solve(lambda gap: None)
        trees = [tree for tree, _ in pairs[held]]
        scores = believed(weights.scores_by(features[held]), trees, settings)
        charts = charts_of(scores, trees)
        wanted = sum(sum(kept) for _, kept in pairs[held])
        found.append(bias_for([chart.best[:, 0] for chart in charts], wanted))
    return sum(found) / 2


@dataclass(frozen=True)
class Example:
    """A tree, what was kept of it, and what choices lose by true and false positives."""

    tree: TreeView
    kept: Kept
    rules: IntArray
    losses: FloatArray

    def worst(self, scores: FloatArray, scaling: str) -> tuple[float, IntArray] | None:
        """The loss and the rules of the most violated choice, if any is violated.

        With slack rescaling it has the most (1 - score of the reference + score) x loss, with
        margin rescaling the most loss - score of the reference + score. In each cell of the chart,
        which is one loss, that is the choice of the best score.
        """
        stands = np.flatnonzero(self.rules >= 0)
        right = float(scores[stands, self.rules[stands]].sum())
        chart = chart_of(self.tree, scores, self.kept)
        apart = chart.best - right
        most = (1 + apart) * self.losses if scaling == "slack" else self.losses + apart
        # A choice that loses nothing is the reference; it violates nothing.
        most[~np.isfinite(chart.best) | (self.losses <= 0)] = -np.inf
        cell = np.unravel_index(int(most.argmax()), most.shape)
        if most[cell] <= 0:
            return None
        kept = chart.kept(int(cell[0]), int(cell[1])).astype(bool).tolist()
        return float(self.losses[cell]), rules_of(self.tree, kept)


class _Problem:
    """All examples with their features as one matrix: a row a word."""

    def __init__(
        self,
        pairs: Sequence[tuple[TreeView, Kept]],
        features: Sequence[Features],
        settings: Settings,
    ) -> None:
        self._settings = settings
        self._examples = [
            Example(
                tree,
                kept,
                rules_of(tree, kept),
                losses(sum(kept), kept.count(False), settings.loss),
            )
            for tree, kept in pairs
        ]
        rows, keys = looked_at(features)
        known, counts = np.unique(keys, return_counts=True)
        self._known = known[counts >= settings.least_count]
        self._matrix = matrix_of(self._known, rows, keys)
        self._ends = np.cumsum([0, *(len(tree.heads) for tree, _ in pairs)])

    def solve(self, told: Told) -> Weights:
        size = (len(self._known) + 1) * RULES
        settings = self._settings
        if settings.learner == "likelihood":
            weights = self._most_likely(size, told)
        else:
            cut, c = self._cut, settings.c
            weights = learn_machine(cut, size, c, settings.gap, settings.rounds, told).weights
        table = weights.reshape(-1, RULES)[:-1].astype(np.float32)
        used = table.any(axis=1)
        return Weights(self._known[used], table[used])

    def _most_likely(self, size: int, told: Told) -> FloatArray:
        """The weights by which the references are likeliest, but for the size of weights."""
        forest = Forest([example.tree for example in self._examples])
        right = np.concatenate([parts_of(example.rules) for example in self._examples])
        l2, search, before = self._settings.l2, LBFGS(np.zeros(size)), np.inf
        for _ in range(self._settings.rounds):
            table = search.point.reshape(-1, RULES)
            parts = parts_times(self._matrix, table)
            total, rules = forest.expected(parts @ PARTS.T)
            loss = total - float((parts * right).sum()) + l2 / 2 * float((table**2).sum())
            slopes = parts_transposed(self._matrix, rules @ PARTS - right) + l2 * table
            search.tell(loss, slopes.ravel())
            if search.value < before:
                fell = (before - search.value) / abs(search.value) if before < np.inf else 1.0
                told(fell)
                if fell < _FLAT:
                    break
                before = search.value
        return search.best

    def _cut(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """The mean of the most violated choices of all examples."""
        table = weights.reshape(-1, RULES)
        scores = scores_of(self._matrix, table)
        moved = np.zeros((int(self._ends[-1]), RULES))
        bound, share = 0.0, 1 / len(self._examples)
        slack = self._settings.scaling == "slack"
        for example, start, end in zip(
            self._examples, self._ends[:-1], self._ends[1:], strict=True
        ):
            found = example.worst(scores[start:end], self._settings.scaling)
            if found is not None:
                loss, rules = found
                bound += share * loss
                step = parts_of(example.rules) - parts_of(rules)
                moved[start:end] = share * (loss if slack else 1.0) * step
        return bound, parts_transposed(self._matrix, moved).ravel()


def parts_of(rules: IntArray) -> FloatArray:
    """What is added up for each word: a row of zeros for one that is dropped."""
    return np.asarray(np.where(rules[:, None] >= 0, PARTS[rules], 0.0))
