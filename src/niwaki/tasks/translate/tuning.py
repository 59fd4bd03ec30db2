"""Weights of a translation system, tuned on sentences with references: decode, collect, optimise.

Lists of hypotheses grow over rounds. Tuning ends when a round brings none that is new, or when
BLEU of what is decoded has not risen for some rounds; the weights are those of the best round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.errors import ConfigError, nearest, shown
from niwaki.keys import key
from niwaki.tasks.translate.nbest import NBestList
from niwaki.tasks.translate.optimisers import OPTIMISERS, normalised
from niwaki.tasks.translate.pool import Pool
from niwaki.typing import FloatArray

# Decodes all sentences with some weights.
Decode = Callable[[FloatArray], Sequence[NBestList]]


@dataclass(frozen=True)
class TuningSettings:
    """How weights are tuned."""

    by: str = key("pro", "pro, mira or mert.")
    rounds: int = key(15, "Most rounds of decoding.", least=1)
    patience: int = key(4, "Rounds without a better BLEU after which it ends.", least=1)
    seed: int = key(1, "Of what is drawn.", least=0)


@dataclass(frozen=True)
class Round:
    """One round: the weights that were decoded with, their BLEU, and how many were new."""

    weights: FloatArray
    bleu: float
    new: int


@dataclass(frozen=True)
class Tuned:
    """The rounds of one run, the first with the weights that it began with."""

    rounds: tuple[Round, ...]

    @property
    def best(self) -> Round:
        """The first of the best rounds."""
        return max(self.rounds, key=lambda each: each.bleu)


def tune(
    decode: Decode,
    references: Sequence[Sequence[str]],
    weights: FloatArray,
    settings: TuningSettings | None = None,
    watch: Callable[[Round], None] = lambda done: None,
) -> Tuned:
    """Tune weights for what `decode` gives; equal seeds give equal weights."""
    settings = settings or TuningSettings()
    if settings.by not in OPTIMISERS:
        raise ConfigError(
            f"no way to tune {shown(settings.by)}; {nearest(settings.by, OPTIMISERS)}"
        )
    optimise = OPTIMISERS[settings.by]
    random = np.random.default_rng(settings.seed)
    pool, rounds = Pool(references, len(weights)), list[Round]()
    weights = normalised(np.asarray(weights, np.float64))
    while len(rounds) < settings.rounds:
        lists = decode(weights)
        done = Round(weights, pool.bleu_of_first(lists), pool.add(lists))
        rounds.append(done)
        watch(done)
        best = max(range(len(rounds)), key=lambda at: rounds[at].bleu)
        if not done.new or len(rounds) - best > settings.patience:
            break
        weights = optimise(pool, weights, random)
    return Tuned(tuple(rounds))
