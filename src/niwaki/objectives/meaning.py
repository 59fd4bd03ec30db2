"""What the expression that a tree makes says wrongly, as a cost.

A candidate tree with formal labels is decoded, one of Universal Dependencies converted by rules. It
costs 1 - F1 of the facts in its expression, or 1 where the expression is not right as a whole, or
what its labels contradict each other in: that needs no gold tree, only sentences. An example is a
sentence with a tree, of the same kind as the candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.expressions import facts_of
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN, Tree
from niwaki.errors import ConfigError
from niwaki.keys import key
from niwaki.objectives import Costs, LeftOut
from niwaki.tasks.meaning.decode import decode
from niwaki.tasks.meaning.from_ud import converted
from niwaki.tasks.meaning.funql import decode_query, facts_of_term
from niwaki.tasks.meaning.labels import is_formal
from niwaki.tasks.meaning.rules import IN_THE_BOX, load_meaning_rules, rule_names


@dataclass(frozen=True)
class Settings:
    """What labels say, and what of it counts."""

    language: Literal["nlf", "funql"] = key(
        "nlf",
        'What the labels make: expressions of Natural Logical Form ("nlf"), or queries ("funql").',
    )
    conversion: str = key(
        IN_THE_BOX,
        "Rules that make expressions of trees of Universal Dependencies.",
        path="named",
        choices=rule_names,
    )
    cost: Literal["facts", "expression", "conflicts"] = key(
        "facts",
        'What a tree costs: 1 - F1 of the facts in its expression ("facts"), 1 if that is not '
        'right as a whole ("expression"), or contradictions a word ("conflicts"), for which '
        "sentences need no trees.",
    )


@dataclass(frozen=True)
class _Said:
    """What a tree says: the whole, its facts, and how often it contradicts itself."""

    whole: Hashable
    facts: Counter[Hashable]
    conflicts: int


class Meanings:
    """Sentences with trees; those that say nothing are left out."""

    def __init__(self, given: Sequence[Sentence], settings: Settings) -> None:
        self._settings, self._rules = settings, load_meaning_rules(settings.conversion)
        self._gold: list[_Said] = []
        kept: list[Sentence] = []
        silent: list[Sentence] = []
        for sentence in given:
            said = self._read(sentence)
            (silent if said is None else kept).append(sentence)
            self._gold += [said] if said is not None else []
        self.sentences = tuple(kept)
        self._tagged: Sequence[Sentence] = self.sentences
        self.ids = tuple(s.id or f"{s.file}:{s.line}" for s in kept)
        self.left_out = LeftOut.of(silent, "nothing is said in them")

    def _read(self, sentence: Sentence) -> _Said | None:
        if self._settings.cost == "conflicts":
            return _Said(None, Counter(), 0)
        if UNKNOWN in sentence.heads:
            return None
        said = self._said(sentence, sentence.tree)
        return None if said.whole is None else said

    def _said(self, sentence: Sentence, tree: Tree) -> _Said:
        if self._settings.language == "funql":
            query = decode_query(tree, sentence.forms)
            facts: Counter[Hashable] = Counter()
            if query.term is not None:
                facts.update(facts_of_term(query.term))
            return _Said(query.term, facts, query.conflicts)
        if all(map(is_formal, tree.deprels)):
            expression, repairs = decode(tree)
        else:
            expression, repairs = converted(sentence.with_tree(tree), self._rules).expression, 0
        found = () if expression is None else facts_of(expression)
        return _Said(expression, Counter(found), repairs)

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        self._tagged = tagged

    def costs(self, candidates: Sequence[KBest]) -> list[Costs]:
        return [
            np.array([self._cost(each.number, tree) for tree in each], dtype=np.float64)
            for each in candidates
        ]

    def _cost(self, number: int, tree: Tree) -> float:
        gold = self._gold[number]
        said = self._said(self._tagged[number], tree)
        if self._settings.cost == "conflicts":
            return said.conflicts / len(tree)
        if said.whole == gold.whole:
            return 0.0
        if self._settings.cost == "expression":
            return 1.0
        both = (gold.facts & said.facts).total()
        every = gold.facts.total() + said.facts.total()
        # Two words of which nothing is said are not the same word.
        return 1 - 2 * both / every if every else 1.0

    def constraints(self, number: int) -> Constraints | None:
        return None  # many trees say the same, and no statement says which


def load(files: Sequence[str], settings: Settings) -> Meanings:
    given: list[Sentence] = []
    for file in files:
        given += read_conllu(file, multi_root=True, unknown_heads=True)
    objective = Meanings(given, settings)
    if not objective.sentences:
        raise ConfigError(
            f"{', '.join(files)}: no tree that says anything; give whole trees, with formal labels "
            "or of Universal Dependencies"
        )
    return objective
