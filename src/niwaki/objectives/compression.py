"""What a tree makes of the words that people keep, as a cost.

A compressor, which stays as it is, chooses on each candidate tree as many words as the reference
keeps. The cost is 1 - F1 of kept words, of several references by the nearest. Without that budget
the cheapest tree would be one of which nothing is dropped: copying every word has a high F1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.compressions import Compression, read_compressions
from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.keys import key
from niwaki.metrics.compression import kept_f1
from niwaki.objectives import Costs, LeftOut
from niwaki.objectives._views import in_lists, views_of
from niwaki.tasks.compress.model import Compressor
from niwaki.tasks.compress.rules import MOST_WORDS


@dataclass(frozen=True)
class Settings:
    """Who chooses words on trees."""

    compressor: str = key(
        "", "A model of `niwaki train-compressor`.", path="file", needed="a compressor"
    )


class Shorter:
    """Sentences of which people dropped words; those that all of them left whole are left out."""

    def __init__(self, given: Sequence[Compression], compressor: Compressor) -> None:
        self._compressor = compressor
        self._given = [each for each in given if _teaches(each)]
        self.sentences = tuple(each.sentence for each in self._given)
        self.ids = tuple(s.id or f"{s.file}:{s.line}" for s in self.sentences)
        self._tagged: Sequence[Sentence] = self.sentences
        whole = [each.sentence for each in given if not _teaches(each)]
        self.left_out = LeftOut.of(whole, "no word is dropped")

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        self._tagged = tagged

    def costs(self, candidates: Sequence[KBest]) -> list[Costs]:
        numbers, views = views_of(candidates, self._tagged)
        costs = np.ones(len(views))
        for at, chart in enumerate(self._compressor.charts(views)):
            for right in self._given[numbers[at]].references:
                kept = tuple(map(bool, chart.kept(sum(right), 0)))
                costs[at] = min(costs[at], 1 - kept_f1(right, kept))
        return in_lists(costs, candidates)

    def constraints(self, number: int) -> Constraints | None:
        return None  # many trees cost nothing, and no statement says which


def _teaches(given: Compression) -> bool:
    dropped = any(not all(kept) for kept in given.references)
    return dropped and len(given.sentence) <= MOST_WORDS


def load(files: Sequence[str], settings: Settings) -> Shorter:
    compressor = Compressor.load(settings.compressor)
    given = [each for file in files for each in read_compressions(file)]
    objective = Shorter(given, compressor)
    if not objective.sentences:
        raise ConfigError(f"{', '.join(files)}: no word is dropped; give `keep`, or Keep=0 in MISC")
    return objective
