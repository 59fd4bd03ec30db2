"""How much a path between filler and predicate is like those that a role had before.

    s(w, role) = max over paths R of the role: sim(R_w, R) P(R)
    sim(R, R') = sum of weights of common n-grams / sqrt(sum of R's weights, sum of R''s weights)
    weight(r)  = f_r log(1 + N / n_r)

(Shen and Lapata 2007.) f_r is how often the relation r stands in paths of the role, N how many
roles there are, n_r how many of them have r. A pair of relations weighs the geometric mean of both.
P(R) is the share of path and role among all fillers. What the paths of a roleset say is mixed with
what those of all predicates of its part of speech say: the more of its own, the less of theirs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise

Path = tuple[str, ...]
Gram = str | tuple[str, str]
# A roleset and the tag of its predicate.
Group = tuple[str, str]
# How often each role had each path.
Seen = Mapping[str, Mapping[Path, int]]

# Roles that any predicate of a part of speech may have, by how often they were seen.
_COMMON = 30
_ALL = ""
# Scores that are kept, because paths come again and again.
_MOST_KEPT = 1 << 15


def grams_of(path: Path) -> frozenset[Gram]:
    """Relations, and pairs of them that follow each other."""
    return frozenset((*path, *pairwise(path)))


class RolePaths:
    """The paths of a role, the most frequent first, and the weights of what they consist of."""

    def __init__(self, paths: Mapping[Path, int], weights: Mapping[str, float]) -> None:
        self._weights = weights
        rows = sorted(paths.items(), key=lambda row: (-row[1], row[0]))
        self._rows = [(n, grams_of(path)) for path, n in rows]

    @cached_property
    def _paths(self) -> list[tuple[int, frozenset[Gram], float]]:
        # A predicate that fills its own role has no path.
        return [(n, grams, self.weight(grams)) for n, grams in self._rows if grams]

    def weight(self, grams: Iterable[Gram]) -> float:
        found, total = self._weights, 0.0
        for gram in grams:
            if isinstance(gram, str):
                total += found.get(gram, 0.0)
            else:
                total += math.sqrt(found.get(gram[0], 0.0) * found.get(gram[1], 0.0))
        return total

    def score(self, grams: frozenset[Gram], own: float) -> float:
        """max of sim times count; `own` is the weight of the n-grams of the path asked for."""
        best = 0.0
        for count, known, weight in self._paths:
            # No similarity is above 1, and counts fall.
            if count <= best:
                break
            best = max(best, count * self.weight(grams & known) / math.sqrt(own * weight))
        return best


class Pool:
    """Roles of some predicates, with what paths they had."""

    def __init__(self, seen: Seen) -> None:
        self.size = sum(n for paths in seen.values() for n in paths.values())
        self.counts = {role: sum(paths.values()) for role, paths in seen.items()}
        have: Counter[str] = Counter()
        frequencies: dict[str, Counter[str]] = {}
        for role, paths in seen.items():
            counts: Counter[str] = Counter()
            for path, n in paths.items():
                counts.update(dict.fromkeys(path, n))
            frequencies[role] = counts
            have.update(counts.keys())
        self._roles = {
            role: RolePaths(
                paths,
                {r: f * math.log(1 + len(seen) / have[r]) for r, f in frequencies[role].items()},
            )
            for role, paths in seen.items()
        }

    def scores(self, path: Path) -> dict[str, float]:
        """What is above 0."""
        grams = grams_of(path)
        found = {}
        for role, paths in self._roles.items():
            own = paths.weight(grams)
            if own > 0:
                # What the role never had makes the path less like all of its own.
                known = sum(paths.weight([gram]) > 0 for gram in grams) / len(grams)
                found[role] = known * paths.score(grams, own) / self.size
        return found


class PathKernel:
    """Scores of roles by paths; see the module."""

    def __init__(self, seen: Mapping[Group, Seen], prior: float) -> None:
        """`prior` is how many fillers of a roleset weigh as much as all of its part of speech."""
        self.seen, self._prior = seen, prior
        self._pools: dict[Group, Pool] = {}
        self._tags = {tag for _, tag in seen}
        self._scores: dict[tuple[Group, Path], Mapping[str, float]] = {}
        self._roles: dict[Group, tuple[str, ...]] = {}

    def roles(self, group: Group) -> tuple[str, ...]:
        """Roles that a predicate may have: those that were seen, and common ones."""
        if group not in self._roles:
            common = self._shared(group).counts.items()
            own = self._own(group)
            found = {role for role, n in common if n >= _COMMON}
            found.update(own.counts if own else ())
            self._roles[group] = tuple(sorted(found or dict(common)))
        return self._roles[group]

    def scores(self, group: Group, path: Path) -> Mapping[str, float]:
        """s(w, role) of roles where it is above 0."""
        # Several threads may ask: what is kept may be gone a moment later.
        found = self._scores.get((group, path))
        if found is None:
            found = self._mixed(group, path)
            if len(self._scores) >= _MOST_KEPT:
                self._scores.clear()
            self._scores[group, path] = found
        return found

    def _mixed(self, group: Group, path: Path) -> Mapping[str, float]:
        own, shared = self._own(group), self._shared(group).scores(path)
        if own is None:
            return shared
        share = self._prior / (self._prior + own.size)
        mine = own.scores(path)
        return {
            role: (1 - share) * mine.get(role, 0.0) + share * shared.get(role, 0.0)
            for role in dict.fromkeys((*mine, *shared))
        }

    def _own(self, group: Group) -> Pool | None:
        if group not in self.seen:
            return None
        return self._pool(group, [self.seen[group]])

    def _shared(self, group: Group) -> Pool:
        tag = group[1] if group[1] in self._tags else _ALL
        every = (seen for (_, other), seen in self.seen.items() if tag in (other, _ALL))
        return self._pool((_ALL, tag), every)

    def _pool(self, key: Group, parts: Iterable[Seen]) -> Pool:
        if key not in self._pools:
            self._pools[key] = Pool(added(parts))
        return self._pools[key]


def added(parts: Iterable[Seen]) -> dict[str, dict[Path, int]]:
    """Counts of several, as one."""
    total: dict[str, dict[Path, int]] = {}
    for seen in parts:
        for role, paths in seen.items():
            mine = total.setdefault(role, {})
            for path, n in paths.items():
                mine[path] = mine.get(path, 0) + n
    return total


def count(fillers: Iterable[tuple[Group, str, Path]]) -> dict[Group, dict[str, dict[Path, int]]]:
    """How often the roles of each group had each path."""
    total: dict[Group, dict[str, dict[Path, int]]] = {}
    for group, role, path in fillers:
        paths = total.setdefault(group, {}).setdefault(role, {})
        paths[path] = paths.get(path, 0) + 1
    return total


def counted(seen: Mapping[Group, Seen]) -> Iterator[tuple[Group, str, Path, int]]:
    """The same one by one, in order: what a file keeps."""
    for group in sorted(seen):
        for role in sorted(seen[group]):
            for path, n in sorted(seen[group][role].items()):
                yield group, role, path, n
