"""Slow, obvious twins of phrase extraction and of the decoder."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.tasks.translate.decoder import Decoder
from niwaki.tasks.translate.features import MSD
from niwaki.tasks.translate.reordering import jump_class

Span = tuple[int, int]
# Source span and target span, ends beyond the last word, and orientations before and after.
Found = tuple[int, int, int, int, str, str]


def consistent_pairs(
    n: int, m: int, links: set[tuple[int, int]], longest: tuple[int, int]
) -> set[Found]:
    """All pairs of spans with a link inside and none that leaves them."""
    bordered = links | {(-1, -1), (n, m)}

    def orientation(monotone: tuple[int, int], swap: tuple[int, int]) -> str:
        return "m" if monotone in bordered else "s" if swap in bordered else "d"

    found = set()
    for (a, b), (c, d) in itertools.product(_spans(n, longest[0]), _spans(m, longest[1])):
        inside = [(i, j) for i, j in links if a <= i < b and c <= j < d]
        touching = [(i, j) for i, j in links if a <= i < b or c <= j < d]
        if inside and len(inside) == len(touching):
            before = orientation((a - 1, c - 1), (b, c - 1))
            after = orientation((b, d), (a - 1, d))
            found.add((a, b, c, d, before, after))
    return found


def _spans(n: int, longest: int) -> Iterator[Span]:
    for begin in range(n):
        for end in range(begin + 1, min(n, begin + longest) + 1):
            yield begin, end


@dataclass(frozen=True)
class Choice:
    """A phrase of the sentence and one of its translations."""

    begin: int
    end: int
    target: tuple[str, ...]
    scores: tuple[float, ...]
    msd: tuple[float, ...]
    copied: bool


def choices(
    tokens: Sequence[str], table: Mapping[tuple[str, ...], Sequence[tuple[object, ...]]]
) -> list[Choice]:
    found = []
    for begin, end in _spans(len(tokens), len(tokens)):
        for target, scores, msd in table.get(tuple(tokens[begin:end]), ()):
            found.append(Choice(begin, end, target, scores, msd, False))  # type: ignore[arg-type]
        if end == begin + 1 and not table.get((tokens[begin],)):
            found.append(Choice(begin, end, (tokens[begin],), (0,) * 4, (0,) * 6, True))
    return found


def derivations(n: int, options: Sequence[Choice], limit: int) -> Iterator[tuple[Choice, ...]]:
    """All orders of all segmentations whose jumps keep to the limit."""

    def go_on(chosen: tuple[Choice, ...], covered: frozenset[int]) -> Iterator[tuple[Choice, ...]]:
        if len(covered) == n:
            yield chosen
            return
        last = chosen[-1].end if chosen else 0
        for option in options:
            words = frozenset(range(option.begin, option.end))
            rest = set(range(n)) - covered - words
            if words & covered or abs(option.begin - last) > limit:
                continue
            if rest and abs(min(rest) - option.end) > limit:
                continue
            yield from go_on((*chosen, option), covered | words)

    return go_on((), frozenset())


def features_of(tokens: Sequence[str], chosen: Sequence[Choice], decoder: Decoder) -> np.ndarray:
    """The features of a translation, each from its definition."""
    target = [word for option in chosen for word in option.target]
    values = dict.fromkeys(decoder.names, 0.0)
    for option in chosen:
        for name, value in zip(decoder.names[:4], option.scores, strict=True):
            values[name] += value
    values["phrase-penalty"] = -len(chosen)
    values["word-penalty"] = -len(target)
    values["language-model"] = float(decoder.language_model.score(target).sum())
    values["unknown-penalty"] = -sum(option.copied for option in chosen)
    words = ["<s>", "<s>"]
    for before, option in itertools.pairwise([None, *chosen, None]):
        begin, end = (option.begin, option.end) if option else (len(tokens), len(tokens))
        last = (before.begin, before.end) if before else (-1, 0)
        kind = 0 if begin == last[1] else 1 if end == last[0] else 2
        if option:
            values["distance"] -= abs(begin - last[1])
        if decoder.table.msd is not None:
            if option:
                values[MSD[kind]] += option.msd[kind]
            if before:
                values[MSD[3 + kind]] += before.msd[3 + kind]
        if decoder.jumps is not None and option:
            padded = ["<s>", *tokens, "</s>"]
            event = (0, padded[begin + 1], padded[begin], padded[begin + 2], words[-1], words[-2])
            values["reordering"] += decoder.jumps.log_probabilities(event)[
                jump_class(last[1] - 1, begin)
            ]
        words += option.target if option else ()
    return np.array([values[name] for name in decoder.names])
