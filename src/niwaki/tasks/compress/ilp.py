"""Shortens sentences without having seen shorter ones: likely words that matter, by demands.

What is maximised is the probability of each word after the two before it, and for nouns and verbs
their significance, (l / N) f log(F_a / F): l clauses stand above the word, of N at most in its
sentence; f counts it in the document, F in the text that was counted, F_a all words of that text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np

from niwaki.data.compressions import Kept
from niwaki.data.wordnet import WordNet
from niwaki.keys import check_values, key
from niwaki.tasks.compress.discourse import needed_words
from niwaki.tasks.compress.ngrams import END, START, NGrams
from niwaki.tasks.compress.programme import Demand, Grid, Programme, Weights
from niwaki.tasks.trees import TreeView
from niwaki.typing import FloatArray

_CLAUSES = frozenset("root csubj ccomp xcomp advcl acl parataxis".split())
# Kept if and only if their heads are.
_TIED = frozenset("nsubj csubj obj iobj ccomp xcomp case mark aux cop det cc".split())
_NEGATIONS = frozenset(("not", "n't", "no", "never"))
_CONTENT, _VERBS = ("NOUN", "PROPN", "VERB"), ("VERB",)


@dataclass(frozen=True)
class ProgrammeSettings:
    """What the integer programme weighs."""

    lm: Literal["probability", "log"] = key("log", "What of words in a row is added up.")
    significance: float = key(1.0, "How much the significance of words weighs.", least=0)
    verbs_alone: bool = key(
        False, "Nouns have no significance where the discourse says which of them matter."
    )
    skip: int = key(12, "Most words between two that are kept, and one more.", least=1)

    def __post_init__(self) -> None:
        check_values(self)


def shorten(
    trees: Sequence[TreeView],
    counts: NGrams,
    sizes: Sequence[int | None],
    *,
    discourse: bool = True,
    wordnet: WordNet | None = None,
    settings: ProgrammeSettings | None = None,
) -> Iterator[Kept]:
    """The words to keep of each sentence of a document, as near to its size as demands allow."""
    settings = settings or ProgrammeSettings()
    needed = needed_words(trees, wordnet) if discourse else [[] for _ in trees]
    often = Counter(lemma for tree in trees for lemma in tree.lemmas)
    for tree, words, size in zip(trees, needed, sizes, strict=True):
        tags = _VERBS if words and settings.verbs_alone else _CONTENT
        matters = significances(tree, often, counts, tags)
        demands = [*sentence_demands(tree), *(Demand((word,), (1,), 1.0) for word in words)]
        grid = Grid(len(tree.heads), settings.skip, tuple(demands))
        weights = _weights(tree, grid, counts, settings.significance * matters, settings.lm)
        yield Programme(grid, weights, size).solve()


def sentence_demands(tree: TreeView) -> list[Demand]:
    """Modifiers need their heads; subjects, objects, clauses, negations and function words stand
    or fall with them; and a verb stays, if there is one.
    """
    demands = []
    for word, head in enumerate(tree.heads, start=1):
        if head:
            tied = tree.relations[word - 1] in _TIED or tree.lemmas[word - 1] in _NEGATIONS
            demands.append(Demand((head, word), (1, -1), 0.0, 0.0 if tied else np.inf))
    verbs = tuple(word for word, tag in enumerate(tree.upos, start=1) if tag in ("VERB", "AUX"))
    if verbs:
        demands.append(Demand(verbs, (1,) * len(verbs), 1.0))
    return demands


def significances(
    tree: TreeView, often: Counter[str], counts: NGrams, tags: Sequence[str]
) -> FloatArray:
    """See the module; 0 for words of other tags."""
    clauses = [sum(_is_clause(tree, each) for each in chain[:-1]) for chain in tree.chains]
    deepest = max(1, *clauses)
    return np.array(
        [
            clauses[word] / deepest * often[tree.lemmas[word]] * log(counts.total / counts.count(f))
            if tree.upos[word] in tags
            else 0.0
            for word, f in enumerate(tree.forms)
        ]
    )


def _is_clause(tree: TreeView, word: int) -> bool:
    relation = tree.relations[word - 1]
    return relation in _CLAUSES or (relation == "conj" and tree.upos[word - 1] == "VERB")


def _weights(tree: TreeView, grid: Grid, counts: NGrams, kept: FloatArray, lm: str) -> Weights:
    ids = np.concatenate([[START], counts.ids(tree.forms)])
    started = np.full(grid.n, START)
    i, j = grid.pairs.T
    found = (
        counts.probabilities(started, started, ids[1:]),
        counts.probabilities(*(ids[grid.triples[:, place]] for place in range(3))),
        counts.probabilities(ids[i], ids[j], np.full(len(grid.pairs), END)),
    )
    first, rows, last = (np.log(each) if lm == "log" else each for each in found)
    return Weights(kept, first, rows, last)
