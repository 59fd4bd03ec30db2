"""Links through a third language, and mixtures of posteriors (Kumar, Och and Macherey 2007)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.posteriors import Matrix, Posteriors
from niwaki.errors import ConfigError

DEFAULT_EPSILON = 0.5


def compose(first: Posteriors, second: Posteriors, epsilon: float = DEFAULT_EPSILON) -> Posteriors:
    """Posteriors between the outer languages from those with the language between (equation 4).

    A word that its bridge leaves to the null word stays there with probability
    `epsilon`; the rest is shared evenly by all words of the other side.
    """
    if first.shape[1] != second.shape[0]:
        raise ValueError("the bridge has different lengths")
    if not 0 <= epsilon <= 1:
        raise ConfigError(f"epsilon is {epsilon}; it must be from 0 to 1")
    # Target to source: each target word has a column over the bridge's words, each of
    # which has one over the source's. Source to target is the same, turned round.
    return Posteriors(
        _compose(first.forward, second.forward, epsilon),
        np.ascontiguousarray(_compose(second.backward.T, first.backward.T, epsilon).T),
    )


def _compose(near: Matrix, far: Matrix, epsilon: float) -> Matrix:
    """Columns of `far` choose a bridge word, columns of `near` what that comes from."""
    if not near.shape[0]:
        return np.zeros((0, far.shape[1]), np.float32)
    null = np.maximum(1 - far.sum(axis=0, keepdims=True), 0)
    made = near @ far + null * np.float32((1 - epsilon) / near.shape[0])
    return np.ascontiguousarray(made, np.float32)


def mix(systems: Sequence[Posteriors], weights: Sequence[float] | None = None) -> Posteriors:
    """The weighted mean of several systems' posteriors (equation 5); default: equal weights."""
    shares = mixing_weights(len(systems), weights)
    if len({each.shape for each in systems}) != 1:
        raise ValueError("the systems' sentences have different lengths")
    forward = np.tensordot(shares, np.stack([each.forward for each in systems]), axes=1)
    backward = np.tensordot(shares, np.stack([each.backward for each in systems]), axes=1)
    return Posteriors(forward, backward)


def mixing_weights(count: int, weights: Sequence[float] | None) -> NDArray[np.float32]:
    """Weights that sum to 1."""
    chosen = np.array([1.0] * count if weights is None else weights)
    if len(chosen) != count:
        raise ConfigError(f"{len(chosen)} weights for {count} systems; give one each")
    if not (np.isfinite(chosen).all() and (chosen >= 0).all() and chosen.sum() > 0):
        raise ConfigError(f"the weights {chosen.tolist()}; they must be 0 or more, and not all 0")
    return np.asarray(chosen / chosen.sum(), np.float32)
