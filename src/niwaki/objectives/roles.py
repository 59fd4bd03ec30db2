"""What a tree makes of who did what to whom, as a cost.

A labeller, which stays as it is, reads the roles of the marked predicates off each candidate tree.
The cost is 1 - F1 of predicate, role and head of filler. An example is a sentence with roles. Where
all candidates of a parser cost something, one more is searched for: most fillers hang from their
predicate (`_usual`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.roles import Predicate, predicates_of, with_table
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.keys import key
from niwaki.metrics.roles import counts_of
from niwaki.objectives import Costs, LeftOut
from niwaki.objectives._usual import usual_tree, with_lacking
from niwaki.objectives._views import in_lists, views_of
from niwaki.tasks.roles.model import IN_THE_BOX, RoleLabeller, labeller_names


@dataclass(frozen=True)
class Settings:
    """Who reads roles off trees, and where the right ones stand."""

    labeller: str = key(
        IN_THE_BOX,
        "The bundled labeller, or one of `niwaki train-roles`.",
        path="named",
        choices=labeller_names,
    )
    table: str = key("", "A table of roles beside the data, if they are not in MISC.", path="file")
    arcs: float = key(0.0, "What it costs beside to lack the usual arcs.", least=0)


class Roles:
    """Sentences with roles; those without are left out."""

    def __init__(
        self, given: Sequence[Sentence], labeller: RoleLabeller, *, arcs: float = 0.0
    ) -> None:
        self._labeller, self._arcs = labeller, arcs
        asked = [(sentence, predicates_of(sentence)) for sentence in given]
        kept = [(s, found) for s, found in asked if any(each.fillers for each in found)]
        silent = [s for s, found in asked if not any(each.fillers for each in found)]
        self.sentences = tuple(s for s, _ in kept)
        self.ids = tuple(s.id or f"{s.file}:{s.line}" for s in self.sentences)
        self._tagged: Sequence[Sentence] = self.sentences
        self._predicates = [found for _, found in kept]
        self._usual: list[Constraints | None] = [None] * len(kept)
        self.left_out = LeftOut.of(silent, "no roles in them")

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        self._tagged = tagged
        pairs = zip(tagged, self._predicates, strict=True)
        self._usual = [usual_tree(len(s), _arcs(s, found)) for s, found in pairs]

    def costs(self, candidates: Sequence[KBest]) -> list[Costs]:
        numbers, views = views_of(candidates, self._tagged)
        gold = [self._predicates[number] for number in numbers]
        costs = np.zeros(len(views))
        for at, found in enumerate(self._labeller.label(views, gold)):
            right, read, both = counts_of(gold[at], found)[:3]
            costs[at] = 1 - 2 * both / (right + read)
        return with_lacking(in_lists(costs, candidates), candidates, self._usual, self._arcs)

    def constraints(self, number: int) -> Constraints | None:
        return self._usual[number]


def _arcs(sentence: Sentence, found: Sequence[Predicate]) -> Iterator[tuple[int, int]]:
    """Where fillers hang in most trees; those of a copula or an auxiliary hang elsewhere."""
    for each in found:
        if sentence.upos[each.word - 1] != "AUX":
            for filler in each.fillers:
                yield each.word, filler.head


def load(files: Sequence[str], settings: Settings) -> Roles:
    labeller = RoleLabeller.load(settings.labeller)
    given: list[Sentence] = []
    for file in files:
        sentences = read_conllu(file, multi_root=True, unknown_heads=True)
        given += with_table(sentences, settings.table) if settings.table else sentences
    objective = Roles(given, labeller, arcs=settings.arcs)
    if not objective.sentences:
        raise ConfigError(
            f"{', '.join(files)}: no roles; mark some with Roleset= and Roles= in MISC, or give "
            "a table"
        )
    return objective
