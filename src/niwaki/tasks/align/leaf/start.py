"""Alignments that LEAF learns its first tables from: made of the links of two directions."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from niwaki.data.bilingual.bitext import Links
from niwaki.data.bilingual.posteriors import Posteriors
from niwaki.tasks.align.leaf.alignments import Alignments

# Choices of heads beyond so many are thinned out: exact for cepts of up to six words.
_MOST_VARIANTS = 60


def common(
    forward: Mapping[int, int], backward: Mapping[int, int], sources: int, targets: int
) -> Alignments:
    """Only links that both directions have: cepts of one word."""
    made = Alignments.none(sources, targets)
    for i, j in _common_links(forward, backward).items():
        made.source_heads[i], made.target_heads[j], made.mates[i] = i, j, j
    return made


def _common_links(forward: Mapping[int, int], backward: Mapping[int, int]) -> dict[int, int]:
    return {i: j for i, j in backward.items() if forward.get(j) == i}


def variants(
    forward: Mapping[int, int], backward: Mapping[int, int], sources: int, targets: int
) -> list[Alignments]:
    """Alignments of one pair, all as likely (Fraser and Marcu 2007, section 2.2).

    `forward` gives target words their source words and so makes target cepts, `backward`
    makes source cepts, and what both link are heads. A word that made a cept without any such
    link is a head as well; each word of that cept is its head in turn.
    """
    made = _Structure(forward, backward, sources, targets)
    sizes = [len(words) for _, words in made.open]
    many = min(_MOST_VARIANTS, math.lcm(*sizes)) if sizes else 1
    return [made.alignment(number, many) for number in range(many)]


def of_links(posteriors: Posteriors, links: Links) -> list[Alignments]:
    """Alignments of one pair that have the links of people, all as likely.

    Of several links of a word, that is taken for its direction's which the HMM finds likeliest.
    """
    cells = np.zeros(posteriors.shape, bool)
    for i, j in links.all:
        cells[i, j] = True
    forward = np.where(cells, posteriors.forward, -1)
    backward = np.where(cells, posteriors.backward, -1).T
    makers = [
        {at: int(each[:, at].argmax()) for at in np.flatnonzero(cells.any(axis=side)).tolist()}
        for side, each in enumerate((forward, backward))
    ]
    return variants(makers[0], makers[1], *posteriors.shape)


class _Structure:
    """Cepts of one pair; `open` are those whose head on one side is not known."""

    def __init__(
        self, forward: Mapping[int, int], backward: Mapping[int, int], sources: int, targets: int
    ) -> None:
        self._mates = _common_links(forward, backward)
        self._sources = {i: i for i in self._mates}
        self._targets = {j: j for j in self._mates.values()}
        self._sizes = sources, targets
        turned = {j: i for i, j in self._mates.items()}
        for j, i in forward.items():
            if i in self._mates:
                self._targets[j] = self._mates[i]
        for i, j in backward.items():
            if j in turned:
                self._sources[i] = turned[j]
        # The side of the known head, its place, and the words that may be its link.
        self.open: list[tuple[tuple[int, int], list[int]]] = []
        self._find_open(0, forward, backward, self._sources, self._targets)
        self._find_open(1, backward, forward, self._targets, self._sources)

    def _find_open(
        self,
        side: int,
        made: Mapping[int, int],
        other: Mapping[int, int],
        mine: dict[int, int],
        theirs: dict[int, int],
    ) -> None:
        """Cepts of words on this side that made words on the other one, which have no cept yet."""
        groups: dict[int, list[int]] = {}
        for word, maker in sorted(made.items()):
            if word not in theirs and maker not in mine:
                groups.setdefault(maker, []).append(word)
        for maker, words in sorted(groups.items()):
            mine[maker] = maker
            theirs.update((word, maker) for word in words)  # the head is known later
            self.open.append(((side, maker), words))
        for word, maker in sorted(other.items()):
            # A word that comes from a word of an open cept belongs to its other side.
            for (kind, head), words in self.open:
                if kind == side and maker in words and word not in mine:
                    mine[word] = head

    def alignment(self, number: int, many: int) -> Alignments:
        """The variant of so many in which each open cept has one of its words as head."""
        sources, targets = dict(self._sources), dict(self._targets)
        mates = dict(self._mates)
        for (side, maker), words in self.open:
            head = words[number * len(words) // many]
            (targets if side == 0 else sources).update((word, head) for word in words)
            mates.update({maker: head} if side == 0 else {head: maker})
        made = Alignments.none(*self._sizes)
        for places, array in ((sources, made.source_heads), (targets, made.target_heads)):
            array[list(places)] = np.array(list(places.values()), np.int32)
        made.mates[list(mates)] = np.array(list(mates.values()), np.int32)
        return made
