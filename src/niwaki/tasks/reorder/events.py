"""What references say about heads and their children: who should stand before whom.

Rules are learned from these counts. An event is a pair of items (a head and its children
are items) and how strongly the reference keeps or swaps them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.references import Reference, check_same_sentences
from niwaki.data.sentence import Sentence
from niwaki.tasks.reorder.reorderer import cycle_error, lifted
from niwaki.tasks.reorder.rules import SELF


class Item(NamedTuple):
    """What a rule can see of a child: label (`self` for the head), side, tag, word ..."""

    label: str
    side: str
    upos: str
    word: str
    feats: str


class Head(NamedTuple):
    """What a rule can see of a head."""

    upos: str
    label: str
    word: str
    has: frozenset[str]


@dataclass(frozen=True)
class Events:
    """All pairs of items of a corpus, in the order in which they stand in the source."""

    heads: tuple[Head, ...]
    items: tuple[Item, ...]
    head: NDArray[np.int64]  # of each event, an index of `heads`
    left: NDArray[np.int64]  # indices of `items`
    right: NDArray[np.int64]
    keep: NDArray[np.float64]
    swap: NDArray[np.float64]
    apart: NDArray[np.bool_]  # whether punctuation stands between the two


def collect_events(sentences: Sequence[Sentence], references: Sequence[Reference]) -> Events:
    """The events of parsed sentences and their references.

    The linked words of two items vote for each pair of them; an event shares one vote
    between keeping and swapping, divided by the scored words of its sentence, so that long
    sentences and long phrases do not drown the others.
    """
    check_same_sentences(references, sentences)
    heads: dict[Head, int] = {}
    items: dict[Item, int] = {}
    rows: list[tuple[int, int, int, float, float, bool]] = []
    for sentence, reference in zip(sentences, references, strict=True):
        rows += _sentence_events(sentence, reference, heads, items)
    columns = list(zip(*rows, strict=True)) if rows else [()] * 6
    return Events(
        tuple(heads),
        tuple(items),
        np.array(columns[0], dtype=np.int64),
        np.array(columns[1], dtype=np.int64),
        np.array(columns[2], dtype=np.int64),
        np.array(columns[3], dtype=np.float64),
        np.array(columns[4], dtype=np.float64),
        np.array(columns[5], dtype=np.bool_),
    )


def _sentence_events(
    sentence: Sentence, reference: Reference, heads: dict[Head, int], items: dict[Item, int]
) -> Iterable[tuple[int, int, int, float, float, bool]]:
    try:
        tree = lifted(sentence.tree)
    except ValueError as error:
        raise cycle_error(sentence) from error
    given = sentence.tree
    ranks = _ranks(reference)
    linked = _linked_below(tree.heads, ranks)
    share = 1 / max(len(ranks) - 1, 1)
    for head in range(1, len(sentence) + 1):
        if not tree.children(head):
            continue
        family = sorted([head, *tree.children(head)])
        own = [ranks[head - 1]] if head - 1 in ranks else []
        spans = [own if word == head else linked[word] for word in family]
        if sum(map(bool, spans)) < 2:
            continue
        has = frozenset(given.deprels[child - 1] for child in given.children(head))
        seen = Head(
            sentence.upos[head - 1], given.deprels[head - 1], sentence.forms[head - 1].lower(), has
        )
        number = heads.setdefault(seen, len(heads))
        kinds = [items.setdefault(_item(sentence, w, head), len(items)) for w in family]
        stops = np.cumsum([_is_punctuation(sentence, w, head) for w in family])
        for a, first in enumerate(spans):
            for b in range(a + 1, len(spans)):
                keep, swap = _votes(first, spans[b])
                if keep + swap:
                    whole = share / (keep + swap)
                    apart = bool(stops[b] > stops[a])
                    yield number, kinds[a], kinds[b], keep * whole, swap * whole, apart


def _item(sentence: Sentence, word: int, head: int) -> Item:
    at = word - 1
    if word == head:
        return Item(SELF, "", "", "", "_")
    return Item(
        sentence.deprels[at],
        "before" if word < head else "after",
        sentence.upos[at],
        sentence.forms[at].lower(),
        sentence.feats[at],
    )


def _is_punctuation(sentence: Sentence, word: int, head: int) -> bool:
    return word != head and sentence.deprels[word - 1].partition(":")[0] == "punct"


def _ranks(reference: Reference) -> dict[int, int]:
    """Places of the linked words; the members of a group share one."""
    linked = range(len(reference.tokens)) if reference.linked is None else reference.linked
    place = {position: at for at, position in enumerate(reference.order)}
    for group in reference.groups:
        lowest = min((place[position] for position in group), default=0)
        place.update(dict.fromkeys(group, lowest))
    return {position: place[position] for position in linked}


def _linked_below(heads: Sequence[int], ranks: dict[int, int]) -> list[list[int]]:
    """For each word the places of the linked words at and below it."""
    below: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for position, rank in ranks.items():
        word = position + 1
        while word > 0:
            below[word].append(rank)
            word = heads[word - 1]
    return below


def _votes(first: list[int], second: list[int]) -> tuple[int, int]:
    keep = sum(a < b for a in first for b in second)
    swap = sum(a > b for a in first for b in second)
    return keep, swap
