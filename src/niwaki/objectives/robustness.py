"""Trees of sentences that were broken, as a cost: what of the clean tree they lose.

The data are clean sentences with trees, gold ones or a parser's own; no labels are needed. Some or
all of them are broken (tasks/grammar/corrupt.py). The cost is 1 - UAS over the words that survive,
a sum over arcs; added words may hang from anywhere. Broken words are tagged as they stand, by a
tagger that may learn the tags of the clean ones (tagger.finetune_epochs).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints, FixedHead
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, ConstraintError, NiwakiError
from niwaki.keys import key
from niwaki.objectives import Costs, LeftOut
from niwaki.objectives._trees import KnownTrees
from niwaki.tasks.grammar.corrupt import ERRORS, broken_once, check_kinds
from niwaki.tasks.grammar.lexicon import Lexicon


@dataclass(frozen=True)
class Settings:
    """How sentences are broken."""

    kinds: tuple[str, ...] = key(
        tuple(ERRORS), "Kinds of breakage, as of `niwaki corrupt`; one a sentence, by chance."
    )
    share: float = key(1.0, "Share of the sentences that are broken.", least=0, most=1)
    seed: int = key(1, "Seed of the breakage.", least=0)


class Robustness(KnownTrees):
    """Sentences of which the heads of the words that survive are known."""

    def __init__(self, clean: Sequence[Sentence], settings: Settings) -> None:
        check_kinds(settings.kinds)
        lexicon, seed = Lexicon.of(clean), settings.seed
        chance = random.Random(seed)
        made: list[Sentence] = []
        whole: list[Sentence] = []
        for sentence in clean:
            found: Sentence | None = sentence
            if chance.random() < settings.share:
                found = broken_once(sentence, settings.kinds, lexicon, seed)
            (whole if found is None else made).append(found or sentence)
        # Clean tags would tell what stood there: they are for the tagger alone.
        super().__init__([_untagged(sentence) for sentence in made])
        self.tagged = tuple(made)
        self._constraints = [_constraints(sentence) for sentence in self.sentences]
        self.left_out = LeftOut.of(whole, "cannot be broken")

    def cost(self, candidates: KBest) -> Costs:
        heads = self._heads[candidates.number]
        known = heads >= 0
        wrong = (candidates.heads[:, known] != heads[known]).sum(axis=1)
        return np.asarray(wrong / known.sum(), dtype=np.float64)

    def arc_costs(self, number: int) -> Costs | None:
        heads = self._heads[number]
        n, words = len(heads), np.flatnonzero(heads >= 0)
        costs = np.zeros((n + 1, n))
        costs[:, words] = 1 / len(words)
        costs[heads[words], words] = 0
        return costs.ravel()

    def constraints(self, number: int) -> Constraints | None:
        return self._constraints[number]


def _constraints(sentence: Sentence) -> Constraints | None:
    """The heads that are known, unless they cross: not every parser could obey then."""
    known = (FixedHead(word, head) for word, head in enumerate(sentence.heads, 1) if head >= 0)
    found = Constraints(len(sentence), tuple(known))
    try:
        found.check(sentence)
    except ConstraintError:
        return None
    return found


def _untagged(sentence: Sentence) -> Sentence:
    empty = ["_"] * len(sentence)
    return sentence.replace(lemmas=empty, upos=empty, xpos=empty, feats=empty)


def load(files: Sequence[str], settings: Settings) -> Robustness:
    clean = [sentence for file in files for sentence in read_conllu(file)]
    try:
        objective = Robustness(clean, settings)
    except NiwakiError as error:
        raise ConfigError(str(error)) from error
    if not objective.sentences:
        raise ConfigError(
            f"{', '.join(files)}: no sentence can be broken; give trees with tags in UPOS"
        )
    return objective
