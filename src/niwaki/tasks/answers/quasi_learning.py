"""Learns quasi-synchronous grammars from right answers, by EM.

How often each part of the grammar is used is expected under the grammar of the round before; then
probabilities are shares of these numbers, which makes what was seen likelier each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from niwaki.errors import NiwakiError
from niwaki.kernel.answers.quasi import RELATION_SETS
from niwaki.keys import key
from niwaki.tasks.answers.quasi import SETS, QuasiSynchronous
from niwaki.tasks.answers.words import WordView
from niwaki.typing import FloatArray

# The share of the base in the mixture when learning begins.
_FIRST_ALPHA = 0.1
_HALVINGS = 60
_LEAST_CHANCE = 1e-3


@dataclass(frozen=True)
class QuasiSettings:
    """What a grammar looks at, and how it is learned.

    With first weights of 1, sets of many relations take nearly all of the probability, and one
    relation alone has so little that few examples never bring it back.
    """

    lexical: bool = key(True, "Whether relations of words count, or tags and labels alone.")
    rounds: int = key(8, "Rounds of EM.", least=1, most=1000)
    first_weight: float = key(
        -3.0, "Weight of each relation at first; 1 in the paper.", least=-20, most=20
    )
    smoothing: float = key(0.1, "Added to each expected number of uses.", above=0)
    learn_best: bool = key(False, "Learn from the likeliest alignment in place of all.")
    rank_best: bool = key(False, "Rank by the likeliest alignment in place of the sum.")


def learn_quasi(
    pairs: Sequence[tuple[WordView, WordView]], settings: QuasiSettings | None = None
) -> QuasiSynchronous:
    """From questions with right answers."""
    settings = settings or QuasiSettings()
    if not pairs:
        raise NiwakiError("no right answer to learn from; give candidates with label 1")
    names = {"tags": _names(pairs, "tags"), "entities": _names(pairs, "entities")}
    labels = {label for pair in pairs for view in pair for label in view.tree.deprels}
    names["labels"] = tuple(sorted(labels))
    alpha = _FIRST_ALPHA if settings.lexical else 1.0
    model = QuasiSynchronous.uniform(names, alpha, settings.first_weight, best=settings.rank_best)
    data = model.pairs(pairs)
    for _ in range(settings.rounds):
        counts = empty_counts(model)
        model.grammar.scores(*data, settings.learn_best, counts)
        model = fitted(model, counts, settings)
    return model


def empty_counts(model: QuasiSynchronous) -> tuple[FloatArray, ...]:
    """Of tags, entities, labels, sets of relations, and both sides of the mixture."""
    tables = (np.zeros_like(each) for each in (model.tags, model.entities, model.labels))
    return (*tables, np.zeros(RELATION_SETS), np.zeros(2))


def fitted(
    model: QuasiSynchronous, counts: Sequence[FloatArray], settings: QuasiSettings
) -> QuasiSynchronous:
    """The grammar under which these numbers of uses are likeliest."""
    tags, entities, labels, words, components = counts
    made = replace(
        model,
        tags=_shares(tags, settings.smoothing),
        entities=_shares(entities, settings.smoothing),
        labels=_shares(labels, settings.smoothing),
    )
    if not settings.lexical:
        return made
    # One use more of each side, so that neither dies out.
    alpha = (components[0] + 1) / (components.sum() + 2)
    return replace(made, weights=fitted_weights(words, settings.smoothing), alpha=float(alpha))


def _shares(counts: FloatArray, smoothing: float) -> FloatArray:
    smoothed = counts + smoothing
    return np.asarray(smoothed / smoothed.sum(axis=0, keepdims=True))


def fitted_weights(words: FloatArray, smoothing: float) -> FloatArray:
    """Weights under which each relation is expected as often as it was counted.

    With s = sigmoid(w), E[f_r] = s_r / Z and Z = 1 - prod (1 - s) is the chance that any holds:
    s_r = Z E[f_r], and Z is found by halving.
    """
    # Some of a use of each relation alone is added, so that each is expected.
    total = words.sum() + smoothing * SETS.shape[1]
    expected = np.minimum((words @ SETS + smoothing) / total, 1 - 1e-9)
    # Where each use is of one relation, Z is 0; near 0, chances have the same ratios.
    low, high = _LEAST_CHANCE, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        # Above the solution, prod (1 - Z E) is larger than 1 - Z.
        if -np.expm1(np.log1p(-middle * expected).sum()) < middle:
            high = middle
        else:
            low = middle
    chances = high * expected
    return np.asarray(np.log(chances) - np.log1p(-chances))


def _names(pairs: Sequence[tuple[WordView, WordView]], kind: str) -> tuple[str, ...]:
    return tuple(sorted({name for pair in pairs for view in pair for name in getattr(view, kind)}))
