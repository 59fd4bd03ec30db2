"""Calibrates the probabilities of a finished parser of arcs on held-out data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from niwaki.data.faults import DEPREL
from niwaki.learning.corpus import Corpus
from niwaki.parsers.arcs.parser import ArcParser, log_softmax
from niwaki.parsers.decoding import Scores, sum_trees
from niwaki.tagging.tagger import Tags

P = TypeVar("P", bound=ArcParser[Any])

# The search for a temperature of a parser of arcs: between which, and how often it is halved.
_RANGE = (1e-3, 1e3)
_SECTIONS = 24
# Sentences and words that are enough for one number.
_ENOUGH_SENTENCES, _LONGEST = 600, 120


def calibrate(parser: P, held_out: Corpus, tags: Tags) -> P:
    """The parser at those temperatures at which the held-out trees, and the labels of their
    arcs, are most probable. They change no tree.
    """
    batch, heads = held_out.batch, held_out.batch.given_heads()
    values = parser.scorer.values(batch, tags)
    lengths = np.asarray(batch.lengths, dtype=np.int32)
    chosen = np.flatnonzero(lengths <= _LONGEST)[:_ENOUGH_SENTENCES].astype(np.int32)
    if not len(chosen):
        return parser
    words = np.concatenate(
        [np.arange(held_out.starts[s], held_out.starts[s + 1]) for s in chosen.tolist()]
    )
    table = parser.scorer.arcs(batch, values, chosen)
    rows = Scores(table, lengths[chosen]).arcs_of_words(heads[words])

    def tree_loss(temperature: float) -> float:
        scores = Scores(Scores(table / temperature, lengths[chosen]).summed_arcs, lengths[chosen])
        sums = sum_trees(scores, projective=parser.spec.projective, too_long="spanning")
        return float(sums.log_sums.sum() - scores.table[rows].sum())

    found = parser.scorer.labels_of_trees(batch, values, heads)
    labels = batch.numbers(DEPREL, parser.labels.symbols)
    known = np.flatnonzero(labels >= 0)

    def label_loss(temperature: float) -> float:
        return float(
            -log_softmax(found[known] / temperature)[np.arange(len(known)), labels[known]].sum()
        )

    return parser.with_spec(
        temperature=_least(tree_loss),
        label_temperature=_least(label_loss),
    )


def _least(loss: Callable[[float], float]) -> float:
    """Where a function of one minimum is least, by golden section on the logarithm."""
    golden = (np.sqrt(5) - 1) / 2
    low, high = np.log(_RANGE)
    inner = [high - golden * (high - low), low + golden * (high - low)]
    losses = [loss(float(np.exp(at))) for at in inner]
    for _ in range(_SECTIONS):
        if losses[0] <= losses[1]:
            high, inner[1], losses[1] = inner[1], inner[0], losses[0]
            inner[0] = high - golden * (high - low)
            losses[0] = loss(float(np.exp(inner[0])))
        else:
            low, inner[0], losses[0] = inner[0], inner[1], losses[1]
            inner[1] = low + golden * (high - low)
            losses[1] = loss(float(np.exp(inner[1])))
    return float(np.exp((low + high) / 2))
