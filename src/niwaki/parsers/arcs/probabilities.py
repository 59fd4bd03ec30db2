"""What a parser of arcs gives the trees that it chose, in the sum over all trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from niwaki.kernel.batch import Batch
from niwaki.parsers.decoding import Scores
from niwaki.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from niwaki.parsers.arcs.parser import ArcParser

# Arcs with less probability do not count for the probability of a label.
_NEGLIGIBLE = 1e-6


def tree_probabilities(
    parser: ArcParser[Any], batch: Batch, values: Any, heads: IntArray, labels: IntArray
) -> dict[str, FloatArray]:
    """Of each word's arc and label the probability in the sum over all trees, and of each
    sentence the labelled tree's. That of a label is summed over all heads of the word.
    """
    scores, marginals, log_sums = parser.marginals(batch, values)
    rows = scores.arcs_of_words(heads)
    own = parser.tree_label_logs(batch, values, heads)
    chosen = own[np.arange(len(labels)), labels]
    lengths = np.asarray(batch.lengths, dtype=np.int64)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    logs = np.bincount(sentence, scores.table[rows] + chosen, minlength=len(lengths))
    return {
        "arc": marginals[rows],
        "label": _label_marginals(parser, batch, values, scores, marginals, labels),
        "tree": np.exp(np.minimum(logs - log_sums, 0)),
    }


def _label_marginals(
    parser: ArcParser[Any],
    batch: Batch,
    values: Any,
    scores: Scores,
    marginals: FloatArray,
    labels: IntArray,
) -> FloatArray:
    found = np.zeros(len(labels))
    start = 0
    for s, n in enumerate(scores.lengths.tolist()):
        beliefs = marginals[scores.starts[s] : scores.starts[s + 1]]
        arcs = np.flatnonzero(beliefs > _NEGLIGIBLE)
        heads, places = (arcs // n).astype(np.int32), (arcs % n).astype(np.int32)
        logs = parser.label_logs(batch, values, s, heads, places + 1)
        shares = np.exp(logs[np.arange(len(arcs)), labels[start + places]])
        found[start : start + n] = np.bincount(places, beliefs[arcs] * shares, minlength=n)
        start += n
    return np.minimum(found, 1.0)
