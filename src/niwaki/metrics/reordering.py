"""How near a word order comes to a reference order (Talbot et al. 2011, section 3.2).

The fuzzy reordering score of a sentence is 1 - (C - 1) / (M - 1): M words are scored, and C
is the number of maximal runs of them that are neighbours in the same order in system and
reference. Kendall's tau counts pairs of words. A sentence with fewer than two scored words
(for tau: without a pair) scores 1; a corpus scores the mean of its sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.references import Reference
from niwaki.errors import NiwakiError
from niwaki.kernel.bilingual.orders import compare_orders
from niwaki.metrics.base import Metric
from niwaki.metrics.means import MeanEvaluation, mean_counts

METRICS = (
    *("frs", "frs_linked", "exact", "exact_linked", "tau", "tau_all"),
    *("chunks", "chunks_linked"),
)
_ALL, _LINKED = 0, 1


@dataclass(frozen=True)
class OrderEvaluation(MeanEvaluation):
    """Means over sentences, over all words and over linked words only."""

    names: tuple[str, ...] = METRICS
    _: KW_ONLY
    pieces: NDArray[np.int64]  # sentences x (all, linked) x (chunks, words, pairs, wrong pairs)
    matched: str = "position"

    @classmethod
    def of_pieces(
        cls, pieces: NDArray[np.int64], whole: NDArray[np.bool_], matched: str = "position"
    ) -> OrderEvaluation:
        """`whole` tells of each sentence whether all of its words were scored."""
        chunks, words, pairs, wrong = np.moveaxis(pieces.astype(np.float64), 2, 0)
        frs = 1 - np.maximum(chunks - 1, 0) / np.maximum(words - 1, 1)
        exact = ((chunks <= 1) & whole[:, None]).astype(np.float64)
        tau = 1 - 2 * wrong / np.maximum(pairs, 1)
        values = np.column_stack(
            [
                *(frs[:, _ALL], frs[:, _LINKED], exact[:, _ALL], exact[:, _LINKED]),
                *(tau[:, _LINKED], tau[:, _ALL], chunks[:, _ALL], chunks[:, _LINKED]),
            ]
        )
        return cls(mean_counts(values, len(METRICS)), pieces=pieces, matched=matched)

    @property
    def costs(self) -> frozenset[str]:
        return frozenset({"chunks", "chunks_linked"})

    @property
    def of_nothing(self) -> float:
        return 1.0

    @property
    def details(self) -> str:
        all_words, linked = self.pieces[:, :, 1].sum(axis=0).tolist()
        return (
            "tau=linked words|mean=sentences|short sentences=1|"
            f"groups=free|words matched by={self.matched}|sentences={self.sentences}|"
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
        raise NiwakiError(f"{len(rows)} orders for {len(references)} references; give one for each")
    for number, (row, reference) in enumerate(zip(rows, references, strict=True), start=1):
        if len(row) != len(reference.tokens):
            raise NiwakiError(
                f"order {number} has {len(row)} words, not {len(reference.tokens)}; "
                "place each word once"
            )
    starts = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    system = _joined(rows, np.int32)
    order = _joined([np.array(each.order, dtype=np.int32) for each in references], np.int32)
    groups = _joined([group_numbers(each) for each in references], np.int32)
    linked = [linked_mask(each) & mask for each, mask in zip(references, masks, strict=True)]
    pieces = np.zeros((len(rows), 2, 4), dtype=np.int64)
    for kind, scored in ((_ALL, masks), (_LINKED, linked)):
        part = np.zeros((len(rows), 4), dtype=np.int64)
        compare_orders(starts, system, order, groups, _joined(scored, np.uint8), part)
        pieces[:, kind] = part
    whole = np.array([bool(mask.all()) for mask in masks], dtype=np.bool_)
    return OrderEvaluation.of_pieces(pieces, whole, matched)


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


METRIC = Metric(evaluate_orders, "orders")
