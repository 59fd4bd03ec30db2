"""Scores of roles: F1 of what was found, in percent.

"roles" asks for predicate, label and head of the filler, "fillers" for predicate and head,
"predicates" for the word and "rolesets" for the word and its roleset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.roles import Predicate, predicates_of
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores

METRICS = ("roles", "fillers", "predicates", "rolesets")


@dataclass(frozen=True)
class RolesEvaluation(Evaluation):
    """Counts of every sentence, three for each score: gold ones, found ones, right ones."""

    names: tuple[str, ...] = METRICS

    def scores_of(self, sums: Counts) -> Scores:
        table = np.asarray(sums, dtype=np.float64)
        total, right = table[..., 0::3] + table[..., 1::3], 2 * table[..., 2::3]
        # Without anything on both sides, all is right.
        return np.asarray(100 * np.divide(right, total, out=np.ones_like(right), where=total > 0))

    @property
    def details(self) -> str:
        gold, found = self.counts[:, :2].sum(axis=0).tolist()
        return f"fillers=heads|sentences={self.sentences}|gold={gold}|found={found}"


def evaluate_roles(gold: Sequence[Sentence], system: Sequence[Sentence]) -> RolesEvaluation:
    """Compare the roles in MISC of the same sentences; their trees may differ."""
    if len(gold) != len(system):
        raise NiwakiError(
            f"{len(gold)} gold sentences but {len(system)} of the system; compare the same ones"
        )
    counts = np.zeros((len(gold), 3 * len(METRICS)), dtype=np.int64)
    for row, right, found in zip(counts, gold, system, strict=True):
        if right.forms != found.forms:
            raise CorpusError(
                found.file, found.line, "FORM", "other words than gold ones", "compare the same"
            )
        row[:] = counts_of(predicates_of(right), predicates_of(found))
    return RolesEvaluation(counts)


def counts_of(gold: Sequence[Predicate], system: Sequence[Predicate]) -> list[int]:
    counts: list[int] = []
    for right, found in zip(_parts(gold), _parts(system), strict=True):
        counts += (len(right), len(found), len(right & found))
    return counts


def _parts(predicates: Sequence[Predicate]) -> list[set[object]]:
    """What each score counts."""
    return [
        {(each.word, filler) for each in predicates for filler in each.fillers},
        {(each.word, filler.head) for each in predicates for filler in each.fillers},
        {each.word for each in predicates},
        {(each.word, each.roleset) for each in predicates},
    ]


METRIC = Metric(evaluate_roles, "sentences with roles")
