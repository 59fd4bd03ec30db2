"""The best trees, and the k best, under given scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from niwaki.data.kbest import KBest
from niwaki.errors import ScoresError
from niwaki.kernel.graph import (
    eisner,
    head_swaps,
    kbest_eisner,
    kbest_labels,
    kbest_spanning,
    spanning,
)
from niwaki.parsers.decoding.scores import MAX_LENGTH, Scores
from niwaki.typing import FloatArray, IntArray

# What to do with a sentence that is too long for an exact search among projective
# trees: refuse it, or search among all spanning trees.
TooLong = Literal["refuse", "spanning"]


@dataclass(frozen=True)
class Trees:
    """One tree for each sentence. `heads` and `labels` have a place for each word, sentence
    after sentence; 0 is the root. `labels` is None if the scores had none.
    """

    lengths: IntArray
    heads: IntArray
    labels: IntArray | None
    scores: FloatArray

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[IntArray]:
        """The heads of each sentence."""
        return iter(np.split(self.heads, np.cumsum(self.lengths)[:-1]))


def decode(
    scores: Scores,
    *,
    projective: bool = False,
    single_root: bool = True,
    max_length: int = MAX_LENGTH,
    too_long: TooLong = "refuse",
) -> Trees:
    """The best tree of each sentence.

    With scores of siblings and trees that may cross, the answer is approximate: the best
    projective tree, improved by moving one word at a time.

    >>> decode(Scores.of([[[0, 2], [0, 3], [1, 0]]])).heads.tolist()
    [0, 1]
    """
    exact_projective = projective or scores.siblings is not None
    heads = np.empty(scores.words, dtype=np.int32)
    long = find_too_long(scores, max_length, too_long) if exact_projective else []
    if long:
        others = [i for i in range(len(scores)) if i not in set(long)]
        word_lists = np.split(np.arange(scores.words), np.cumsum(scores.lengths)[:-1])
        for chosen, is_projective in ((others, True), (long, False)):
            if chosen:
                words = np.concatenate([word_lists[i] for i in chosen])
                heads[words] = _best_heads(scores.take(chosen), is_projective, single_root)
    else:
        heads[:] = _best_heads(scores, exact_projective, single_root)
    if scores.siblings is not None and not projective:
        arcs, siblings = scores.shrunk()
        assert siblings is not None
        head_swaps.improve(arcs, siblings, scores.lengths, single_root, heads)
    return as_trees(scores, heads)


def find_too_long(scores: Scores, max_length: int, too_long: TooLong) -> list[int]:
    """The sentences that an exact search among projective trees leaves out; may refuse."""
    found: list[int] = np.flatnonzero(scores.lengths > max_length).tolist()
    if found and too_long == "refuse":
        raise ScoresError(
            f"sentence {found[0]}: {scores.lengths[found[0]]} words are too many for projective "
            f"trees (at most {max_length}); cut it, raise max_length, or say too_long='spanning'"
        )
    return found


def no_tree(sentence: int) -> ScoresError:
    return ScoresError(f"sentence {sentence}: no tree without forbidden arcs; allow more arcs")


def _best_heads(scores: Scores, projective: bool, single_root: bool) -> IntArray:
    heads = np.zeros(scores.words, dtype=np.int32)
    arcs, siblings = scores.shrunk()
    if projective:
        failed = eisner.decode(arcs, siblings, scores.lengths, single_root, heads)
    else:
        failed = spanning.decode(arcs, scores.lengths, single_root, heads)
    if failed >= 0:
        raise no_tree(failed)
    return heads


def as_trees(scores: Scores, heads: IntArray) -> Trees:
    """Add best labels and the scores to given heads."""
    totals = np.zeros(len(scores))
    if scores.siblings is not None:
        head_swaps.scores(scores.best_arcs, scores.siblings, scores.lengths, heads, totals)
    else:
        spanning.scores(scores.best_arcs, scores.lengths, heads, totals)
    labels = None
    if scores.labels is not None:
        labels = scores.table[scores.arcs_of_words(heads)].argmax(axis=1).astype(np.int32)
    return Trees(scores.lengths, heads, labels, totals)


def kbest(
    scores: Scores,
    k: int,
    *,
    projective: bool = False,
    single_root: bool = True,
    max_length: int = MAX_LENGTH,
    too_long: TooLong = "refuse",
) -> list[KBest]:
    """The k best trees of each sentence, or all if it has fewer: exact, no two alike.

    Trees that differ in a label are different. A list for k is the beginning of the list
    for any larger k.
    """
    if k < 1:
        raise ScoresError(f"the best {k} trees; ask for one at least")
    if scores.siblings is not None and not projective:
        raise ScoresError(
            "no exact k-best search exists for non-projective trees with scores of siblings; "
            "ask for projective trees, or leave the siblings out"
        )
    long = set(find_too_long(scores, max_length, too_long)) if projective else set()
    arcs, siblings = scores.shrunk()
    ranked = []
    for number, n in enumerate(scores.lengths.tolist()):
        here = slice(scores.starts[number], scores.starts[number + 1])
        # There are no more than (n + 1)^(n - 1) trees.
        room = min(k, (n + 1) ** (n - 1))
        trees, totals = np.zeros((room, n), dtype=np.int32), np.zeros(room)
        if projective and number not in long:
            pairs = None
            if siblings is not None:
                pairs = siblings[scores.sibling_starts[number] : scores.sibling_starts[number + 1]]
            found = kbest_eisner.kbest(arcs[here], pairs, n, single_root, trees, totals)
        else:
            found = kbest_spanning.kbest(arcs[here], n, single_root, trees, totals)
        if not found:
            raise no_tree(number)
        best = KBest(trees[:found], np.zeros_like(trees[:found]), totals[:found])
        if scores.labels is not None:
            best = _with_labels(scores.table[here] * scores.scale, best, k)
        with np.errstate(over="ignore"):
            ranked.append(replace(best, scores=best.scores / scores.scale))
    return ranked


def _with_labels(table: FloatArray, best: KBest, k: int) -> KBest:
    """The k best labelled trees of a sentence, given the k best trees with their best labels."""
    n = best.heads.shape[1]
    arcs, places = np.unique(best.heads * n + np.arange(n), return_inverse=True)
    rows = np.ascontiguousarray(places.reshape(best.heads.shape), dtype=np.int32)
    order = np.argsort(-table[arcs], axis=1, kind="stable")
    choices = np.ascontiguousarray(np.take_along_axis(table[arcs], order, axis=1))
    chosen, ranks = np.zeros(k, dtype=np.int32), np.zeros((k, n), dtype=np.int32)
    totals = np.zeros(k)
    found = kbest_labels.kbest(choices, rows, best.scores, chosen, ranks, totals)
    chosen, ranks = chosen[:found], ranks[:found]
    labels = order[rows[chosen], ranks].astype(np.int32)
    return KBest(best.heads[chosen], labels, totals[:found])
