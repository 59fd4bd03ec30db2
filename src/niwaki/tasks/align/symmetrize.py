"""One set of links from those of two directions, or from their posteriors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from niwaki.data.bilingual.bitext import Link, Links
from niwaki.data.bilingual.posteriors import Matrix, Posteriors
from niwaki.errors import ConfigError, nearest

LinkSet = frozenset[Link]

# Neighbours of a link in the order in which Koehn et al. (2003) look at them.
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))

DEFAULT_THRESHOLD = 0.5
POSTERIOR = "posterior"


def intersection(forward: LinkSet, backward: LinkSet) -> LinkSet:
    return forward & backward


def union(forward: LinkSet, backward: LinkSet) -> LinkSet:
    return forward | backward


def grow_diag_final_and(forward: LinkSet, backward: LinkSet) -> LinkSet:
    """Koehn et al. (2003): grow the intersection by links of the union.

    A neighbour, diagonal ones included, is added while it links a word that has no
    link yet; in the end, links of either direction between two words that both have
    none are added.
    """
    found = set(forward & backward)
    candidates = forward | backward
    sources, targets = {i for i, _ in found}, {j for _, j in found}

    def add(link: Link) -> None:
        found.add(link)
        sources.add(link[0])
        targets.add(link[1])

    grown = True
    while grown:
        grown = False
        for i, j in sorted(candidates):
            if (i, j) not in found:
                continue
            for di, dj in _NEIGHBOURS:
                link = i + di, j + dj
                is_new = link[0] not in sources or link[1] not in targets
                if is_new and link in candidates:
                    add(link)
                    grown = True
    for direction in (forward, backward):
        for link in sorted(direction):
            if link[0] not in sources and link[1] not in targets:
                add(link)
    return frozenset(found)


def keep_forward(forward: LinkSet, backward: LinkSet) -> LinkSet:
    return forward


def keep_backward(forward: LinkSet, backward: LinkSet) -> LinkSet:
    return backward


HEURISTICS: dict[str, Callable[[LinkSet, LinkSet], LinkSet]] = {
    "intersection": intersection,
    "union": union,
    "grow-diag-final-and": grow_diag_final_and,
    "forward": keep_forward,
    "backward": keep_backward,
}
METHODS = (POSTERIOR, *HEURISTICS)


def symmetrize(forward: Links, backward: Links, method: str) -> Links:
    """Combine the links of two directions, both with the source first."""
    if method not in HEURISTICS:
        raise ConfigError(f"no heuristic {method!r}; {nearest(method, HEURISTICS)}")
    return Links(HEURISTICS[method](forward.all, backward.all))


def link(
    posteriors: Posteriors, method: str = POSTERIOR, threshold: float = DEFAULT_THRESHOLD
) -> Links:
    """Hard links: those whose mean posterior reaches the threshold, or by a heuristic.

    A heuristic combines the likeliest link of each word, if the null word is no likelier.
    """
    if not 0 < threshold <= 1:
        raise ConfigError(f"threshold is {threshold}; it must be above 0 and at most 1")
    if method == POSTERIOR:
        return Links(_links(posteriors.mean >= threshold))
    backward = best_links(np.ascontiguousarray(posteriors.backward.T))
    return symmetrize(
        Links(best_links(posteriors.forward)),
        Links(frozenset((i, j) for j, i in backward)),
        method,
    )


def best_links(matrix: Matrix) -> LinkSet:
    """For each column, the row that is likeliest (kumar2007 equation 2), unless it is the null."""
    if not matrix.size:
        return frozenset()
    best = matrix.argmax(axis=0)
    columns = np.arange(matrix.shape[1])
    null = 1 - matrix.sum(axis=0)
    kept = matrix[best, columns] >= null
    return frozenset(zip(best[kept].tolist(), columns[kept].tolist(), strict=True))


def _links(cells: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> LinkSet:
    return frozenset((i, j) for i, j in np.argwhere(cells).tolist())
