"""Features of arcs read as text: symbols instead of keys."""

from __future__ import annotations

import re

from tests.reference.features import distance_bucket


def arc_features(
    lines: list[str], words: dict[str, list[str]], head: int, word: int, sibling: int | None
) -> set[tuple[object, ...]]:
    """What template lines say of an arc; a sibling 0 is none. `words` are values by attribute,
    with the root's first.
    """
    n = len(next(iter(words.values()))) - 1
    found: set[tuple[object, ...]] = set()
    for number, line in enumerate(lines):
        parts = line.split(" + ")
        between: list[object] = [None]
        for part in parts:
            if part.startswith("between."):
                inner = range(min(head, word) + 1, max(head, word))
                between = [words[part.removeprefix("between.")][at] for at in inner]
        for value in between:
            atoms = (atom(part, words, n, head, word, sibling, value) for part in parts)
            found.add((number, *atoms))
    return found


def atom(
    part: str,
    words: dict[str, list[str]],
    n: int,
    head: int,
    word: int,
    sibling: int | None,
    between: object,
) -> object:
    if part == "direction":
        return head < word
    if part == "distance(h, d)":
        return distance_bucket(abs(head - word))
    if part == "distance(s, d)":
        return distance_bucket(abs(sibling - word)) if sibling else None
    if part.startswith("between."):
        return between
    place, offset, what = re.fullmatch(r"([hds])([-+]\d)?\.(\w+)", part).groups()  # type: ignore[union-attr]
    base = {"h": head, "d": word, "s": sibling}[place]
    if place == "s" and not sibling:
        return None
    assert base is not None
    at = base + int(offset or 0)
    return words[what][at] if 0 <= at <= n else None
