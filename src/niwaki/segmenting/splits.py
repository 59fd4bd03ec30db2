"""Split rules: how a multiword token becomes words, learned from examples and fit for others.

A rule has a piece for each word: some letters, a span of the token, some letters.
The rule of `don't` (do, n't) is "all but three, the last three" and splits `hadn't`
as well; that of `della` (di, la) is "the first and i, the last two" and serves `dello`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from niwaki.errors import shown
from niwaki.features.vocabulary import is_writable


class Piece(NamedTuple):
    """`before` + token[start:stop] + `after`; a negative place counts from the end.

    A `stop` of None is the end of the token, and a piece without a span has
    `start` and `stop` 0.
    """

    before: str
    start: int
    stop: int | None
    after: str


Rule = tuple[Piece, ...]

# No token that is split is so long, or gets so many letters more, or becomes so many words.
_FARTHEST = 1000
_MOST_PIECES = 100


class Part(NamedTuple):
    """A word of a split token; where it stands in the token, if it stands there as it is."""

    form: str
    span: tuple[int, int] | None


def find_rules(form: str, words: list[str]) -> list[Rule]:
    """The rules that split a form into these words; which is best, other tokens must say.

    Where the words stand in the form one after the other, a rule may count from the
    start or from the end. There is none if the words differ from the form in more than
    letters at their borders.
    """
    anchors = (_from_end, _from_start, _from_nearer)
    found = [_cuts(form, words, anchor) for anchor in anchors]
    if not any(found):
        found = [_pieces(form, words), _letters(form, words)]
    rules = [rule for rule in found if rule is not None and _words(form, rule) == words]
    return list(dict.fromkeys(filter(_is_sound, rules)))


def _words(form: str, rule: Rule) -> list[str]:
    return [part.form for part in apply_rule(form, rule) or ()]


def _from_end(place: int, length: int) -> int:
    return place - length


def _from_start(place: int, length: int) -> int:
    return place


def _from_nearer(place: int, length: int) -> int:
    return place if place < length - place else place - length


def _cuts(form: str, words: list[str], anchor: Callable[[int, int], int]) -> Rule | None:
    """The words stand in the form one after the other."""
    if "".join(words) != form or not all(words):
        return None
    places = [0]
    for word in words:
        places.append(places[-1] + len(word))
    cuts = [anchor(place, len(form)) for place in places[1:-1]]
    return tuple(
        Piece("", start, stop, "") for start, stop in zip([0, *cuts], [*cuts, None], strict=True)
    )


def _pieces(form: str, words: list[str]) -> Rule | None:
    """The first word begins like the form, the last one ends like it; the rest is letters."""
    lower = form.lower()
    if len(lower) != len(form) or len(words) < 2:
        return None
    first, *middle, last = [word.lower() for word in words]
    same = 0
    while same < min(len(first), len(form)) and first[same] == lower[same]:
        same += 1
    ends = 0
    while ends < min(len(last), len(form) - same) and last[-1 - ends] == lower[-1 - ends]:
        ends += 1
    stop = _from_nearer(same, len(form)) if same else 0
    return (
        Piece("", 0, stop, first[same:]),
        *(Piece(word, 0, 0, "") for word in middle),
        Piece(last[: len(last) - ends], -ends, None if ends else 0, ""),
    )


def _letters(form: str, words: list[str]) -> Rule | None:
    return tuple(Piece(word.lower(), 0, 0, "") for word in words)


def apply_rule(form: str, rule: Rule) -> list[Part] | None:
    """The words of a token, or None if it is too short for the rule.

    Letters that a rule adds are capitals if all of the token is, and so is the first
    one if the first of the token is.
    """
    shout = len(form) > 1 and form.isupper()
    parts: list[Part] = []
    for piece in rule:
        start = _resolved(piece.start, len(form))
        stop = len(form) if piece.stop is None else _resolved(piece.stop, len(form))
        if not 0 <= start <= stop <= len(form):
            return None
        before, after = piece.before, piece.after
        if shout:
            before, after = before.upper(), after.upper()
        elif not parts and form[:1].isupper():
            before = before[:1].upper() + before[1:]
        word = before + form[start:stop] + after
        if not word:
            return None
        whole = not before and not after and stop > start
        parts.append(Part(word, (start, stop) if whole else None))
    return parts


def _resolved(place: int, length: int) -> int:
    return place if place >= 0 else place + length


def shortest_token(rule: Rule) -> int:
    """The length from which on a token can be split by a rule."""
    least = max((_shortest_with(piece) for piece in rule), default=1)
    if apply_rule("x" * least, rule):
        return least
    # It splits none. So it says as much as a rule that needs more letters than a token has.
    return 1 + sum(abs(place or 0) for piece in rule for place in (piece.start, piece.stop))


def _shortest_with(piece: Piece) -> int:
    """The shortest token that has the places of a piece, and a letter between if it needs one."""
    start, stop = piece.start, piece.stop
    least = max(1, -start, stop or 0)
    if start >= 0 and (stop is None or stop < 0):
        # start <= length + stop
        least = max(least, start - (stop or 0) + (not piece.before and not piece.after))
    return least


def to_json(rule: Rule) -> list[list[str | int | None]]:
    return [list(piece) for piece in rule]


def from_json(record: list[list[str | int | None]]) -> Rule:
    rule = tuple(Piece(*piece) for piece in record)  # type: ignore[arg-type]
    if not _is_sound(rule):
        raise ValueError(f"{shown(repr(rule), 200)} is not a split rule")
    return rule


def _is_sound(rule: Rule) -> bool:
    return 0 < len(rule) <= _MOST_PIECES and all(
        isinstance(piece.before, str)
        and isinstance(piece.start, int)
        and (piece.stop is None or isinstance(piece.stop, int))
        and isinstance(piece.after, str)
        and max(abs(piece.start), abs(piece.stop or 0)) <= _FARTHEST
        and all(
            len(text) <= _FARTHEST and is_writable(text) for text in (piece.before, piece.after)
        )
        for piece in rule
    )
