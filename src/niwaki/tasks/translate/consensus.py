"""The translation that agrees best with others: minimum Bayes risk over one or several systems.

The risk of a candidate is its expected loss 1 - BLEU+1 against all candidates, each as likely as
its system says; systems count alike unless they have weights (Kumar, Och and Macherey 2007).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual import overlap
from niwaki.data.bilingual.overlap import LONGEST, ngrams_of
from niwaki.errors import ConfigError
from niwaki.tasks.translate.nbest import Hypothesis, NBestList
from niwaki.typing import FloatArray

# Candidates of a system that are compared; the time grows with the square.
MOST = 200


def mbr(found: NBestList, scale: float = 1.0, most: int = MOST) -> Hypothesis | None:
    """The hypothesis of a list with the least risk; None if the list is empty.

    Scores times `scale` are logarithms of what hypotheses weigh.
    """
    return consensus([found.hypotheses], scale=scale, most=most)


def consensus(
    systems: Sequence[Sequence[Hypothesis]],
    weights: Sequence[float] | None = None,
    *,
    scale: float = 1.0,
    most: int = MOST,
) -> Hypothesis | None:
    """Of what several systems make of a sentence, the hypothesis with the least risk.

    Of hypotheses that are equally good the first; None if there are none.
    """
    shares = _shares(len(systems), weights)
    candidates = [each for system in systems for each in system[:most]]
    if not candidates:
        return None
    likely = [
        share * _softmax(scale * np.array([each.score for each in system[:most]]))
        for share, system in zip(shares, systems, strict=True)
        if system
    ]
    gains = pairwise_bleu([each.tokens for each in candidates]) @ np.concatenate(likely)
    # Sums of equal numbers in another order must not decide.
    return candidates[int(np.argmax(gains > gains.max() - 1e-12))]


def pairwise_bleu(sentences: Sequence[Sequence[str]]) -> FloatArray:
    """BLEU+1 of each sentence (row) with each other as its reference (column)."""
    size = len(sentences)
    lengths = np.array([len(tokens) for tokens in sentences])
    rows = np.zeros((size, size, overlap.WIDTH))
    rows[:, :, 0], rows[:, :, 1] = lengths[:, None], lengths[None, :]
    for length in range(1, LONGEST + 1):
        counts = _count_table(sentences, length)
        for at in range(size):
            rows[at, :, 1 + length] = np.minimum(counts, counts[at]).sum(axis=1)
        rows[:, :, 1 + LONGEST + length] = np.maximum(lengths - length + 1, 0)[:, None]
    return overlap.smoothed_bleu(rows)


def _count_table(sentences: Sequence[Sequence[str]], length: int) -> NDArray[np.int32]:
    """How often each n-gram (column) stands in each sentence (row)."""
    found = [ngrams_of(tokens, length) for tokens in sentences]
    names = {gram: column for column, gram in enumerate(set().union(*found))}
    table = np.zeros((len(sentences), len(names)), np.int32)
    for row, ngrams in enumerate(found):
        for gram, count in ngrams.items():
            table[row, names[gram]] = count
    return table


def _shares(count: int, weights: Sequence[float] | None) -> FloatArray:
    chosen = np.ones(count) if weights is None else np.array(weights, np.float64)
    if len(chosen) != count:
        raise ConfigError(f"{len(chosen)} weights for {count} systems; give one each")
    if not (np.isfinite(chosen).all() and (chosen >= 0).all()) or (count and not chosen.sum() > 0):
        raise ConfigError(f"the weights {chosen.tolist()}; they must be 0 or more, and not all 0")
    return chosen


def _softmax(scores: FloatArray) -> FloatArray:
    made = np.exp(scores - scores.max())
    return np.asarray(made / made.sum())
