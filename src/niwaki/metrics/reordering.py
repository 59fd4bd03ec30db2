"""How near a word order comes to a reference order (Talbot et al. 2011, section 3.2).

The fuzzy reordering score of a sentence is 1 - (C - 1) / (M - 1): M words are scored, and C
is the number of maximal runs of them that are neighbours in the same order in system and
reference. Kendall's tau counts pairs of words. A sentence with fewer than two scored words
(for tau: without a pair) scores 1; a corpus scores the mean of its sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.references import Reference
from niwaki.kernel.bilingual.orders import compare_orders

METRICS = (
    *("frs", "frs_linked", "exact", "exact_linked", "tau", "tau_all"),
    *("chunks", "chunks_linked"),
)
# More chunks are worse; of everything else more is better.
COSTS = frozenset({"chunks", "chunks_linked"})

_ALL, _LINKED = 0, 1


@dataclass(frozen=True)
class OrderEvaluation:
    """Counts of every sentence, over all words and over linked words only."""

    counts: NDArray[np.int64]  # sentences x (all, linked) x (chunks, words, pairs, wrong pairs)
    whole: NDArray[np.bool_]  # whether all words of the sentence were scored
    matched: str = "position"

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """Sentences x METRICS."""
        chunks, words, pairs, wrong = np.moveaxis(self.counts.astype(np.float64), 2, 0)
        frs = 1 - np.maximum(chunks - 1, 0) / np.maximum(words - 1, 1)
        exact = ((chunks <= 1) & self.whole[:, None]).astype(np.float64)
        tau = 1 - 2 * wrong / np.maximum(pairs, 1)
        return np.column_stack(
            [
                *(frs[:, _ALL], frs[:, _LINKED], exact[:, _ALL], exact[:, _LINKED]),
                *(tau[:, _LINKED], tau[:, _ALL], chunks[:, _ALL], chunks[:, _LINKED]),
            ]
        )

    def of(self, metric: str) -> NDArray[np.float64]:
        """One metric of each sentence."""
        return np.asarray(self.values[:, METRICS.index(metric)])

    @cached_property
    def scores(self) -> dict[str, float]:
        if not len(self.counts):
            return dict.fromkeys(METRICS, 1.0)
        return dict(zip(METRICS, self.values.mean(axis=0).tolist(), strict=True))

    @property
    def signature(self) -> str:
        """Everything that the numbers depend on, in one line."""
        all_words, linked = self.counts[:, :, 1].sum(axis=0).tolist() or (0, 0)
        return (
            f"metrics={','.join(METRICS)}|tau=linked words|mean=sentences|short sentences=1|"
            f"groups=free|words matched by={self.matched}|sentences={len(self.counts)}|"
            f"words={all_words}|linked={linked}"
        )


def evaluate_orders(
    references: Sequence[Reference], orders: Iterable[Sequence[int]]
) -> OrderEvaluation:
    """Score orders: `order[p]` is the source position of the word placed at p."""
    rows = [np.asarray(order, dtype=np.int32) for order in orders]
    everything = [np.ones(len(reference.tokens), dtype=np.uint8) for reference in references]
    return _evaluate(references, rows, everything, "position")


def evaluate_texts(
    references: Sequence[Reference], texts: Iterable[Sequence[str]]
) -> OrderEvaluation:
    """Score a system that gives only words: each is matched to its first free instance.

    Instances are taken in the order of the reference. Words that the reference does not
    have, and those of it that are missing, are left out of both orders and not scored.
    """
    rows, masks = [], []
    for reference, text in zip(references, texts, strict=True):
        found = match_text(reference, text)
        mask = np.zeros(len(reference.tokens), dtype=np.uint8)
        mask[found] = 1
        missing = [position for position in reference.order if not mask[position]]
        rows.append(np.array([*found, *missing], dtype=np.int32))
        masks.append(mask)
    return _evaluate(references, rows, masks, "text")


def match_text(reference: Reference, text: Sequence[str]) -> list[int]:
    """Source positions of the words of a text that match, in the order of the text."""
    free: dict[str, list[int]] = {}
    for position in reversed(reference.order):
        free.setdefault(reference.tokens[position], []).append(position)
    return [free[word].pop() for word in text if free.get(word)]


def _evaluate(
    references: Sequence[Reference],
    rows: list[NDArray[np.int32]],
    masks: list[NDArray[np.uint8]],
    matched: str,
) -> OrderEvaluation:
    if len(rows) != len(references):
        raise ValueError(f"{len(rows)} orders for {len(references)} references")
    for number, (row, reference) in enumerate(zip(rows, references, strict=True), start=1):
        if len(row) != len(reference.tokens):
            raise ValueError(f"order {number} has {len(row)} words, not {len(reference.tokens)}")
    starts = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    system = _joined(rows, np.int32)
    order = _joined([np.array(each.order, dtype=np.int32) for each in references], np.int32)
    groups = _joined([group_numbers(each) for each in references], np.int32)
    linked = [linked_mask(each) & mask for each, mask in zip(references, masks, strict=True)]
    counts = np.zeros((len(rows), 2, 4), dtype=np.int64)
    for kind, scored in ((_ALL, masks), (_LINKED, linked)):
        part = np.zeros((len(rows), 4), dtype=np.int64)
        compare_orders(starts, system, order, groups, _joined(scored, np.uint8), part)
        counts[:, kind] = part
    whole = np.array([bool(mask.all()) for mask in masks], dtype=np.bool_)
    return OrderEvaluation(counts, whole, matched)


def _joined(parts: list[NDArray[np.int32]] | list[NDArray[np.uint8]], kind: type) -> NDArray:  # type: ignore[type-arg]
    return np.concatenate(parts).astype(kind) if parts else np.zeros(0, dtype=kind)


def group_numbers(reference: Reference) -> NDArray[np.int32]:
    numbers = np.full(len(reference.tokens), -1, dtype=np.int32)
    for number, group in enumerate(filter(None, reference.groups)):
        numbers[list(group)] = number
    return numbers


def linked_mask(reference: Reference) -> NDArray[np.uint8]:
    if reference.linked is None:
        return np.ones(len(reference.tokens), dtype=np.uint8)
    mask = np.zeros(len(reference.tokens), dtype=np.uint8)
    mask[list(reference.linked)] = 1
    return mask
