"""Lemma rules: how a form becomes its lemma, as text that a model can keep.

An **ending** changes case, cuts letters from the end and adds others: `lower-3+y` (tries, try).

A **beginning** is what happens to the other end, if anything does: it keeps some letters, cuts
some behind them and puts others in their place. `1-1+` is that of Irish *bhean*, *bean*; `0-1+p`
of Welsh *bobl*, *pobl*; `1-2+` of the infix in Tagalog *kumain*, *kain*; `3-2+` of Afrikaans
*aangekom*, *aankom*. Before that, `=` folds what is doubled: `=0-0+` of Indonesian *anak-anak*,
*anak*.

Beginnings are chosen by how words begin and endings by how they end, so that neither need be seen
with the other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product

from niwaki.data.sentence import Sentence

_CASES = ("lower", "keep", "title")
# The ending of forms that are their own lemmas, and the beginning of most.
SAME, NO_BEGINNING = "keep-0+", "0-0+"
# A beginning is one that several lemmas share; what one alone has is known with its forms.
_FEWEST_LEMMAS = 8
_MOST_BEGINNINGS = 100
# It keeps, cuts and adds at most so many letters, and leaves at least so many of the form.
_MOST_KEPT, _MOST_CUT, _MOST_ADDED, _FEWEST_LEFT = 4, 4, 2, 2
_FOLD = "="
_DOUBLED = re.compile(r"(.{2,})-?\1")
_BEGINNING = re.compile(r"(=?)([0-9])-([0-9])\+(.{0,2})")
# A whole rule in one text: `lower-3+y`, and `1-1+|lower-0+` with a beginning.
_WHOLE = re.compile(rf"(?:({_BEGINNING.pattern})\|)?((?:{'|'.join(_CASES)})-.*)", flags=re.DOTALL)


# -- sentences ----------------------------------------------------------------


def rules_of(
    sentences: Sequence[Sentence], beginnings: tuple[str, ...] | None = None
) -> list[tuple[str, str] | None]:
    """The beginning and the ending of each word's rule; None where no lemma is given.

    Beginnings are those that are given, or else those of many words.
    """
    # A lemma `_` is one that is not given, unless it is that of the underscore itself.
    pairs = [
        (form, lemma) if lemma != "_" or form == "_" else None
        for sentence in sentences
        for form, lemma in zip(sentence.forms, sentence.lemmas, strict=True)
    ]
    if beginnings is None:
        beginnings = find_beginnings(pair for pair in pairs if pair is not None)
    return [None if pair is None else find_rule(*pair, beginnings) for pair in pairs]


# -- rules of a corpus --------------------------------------------------------


def find_beginnings(pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """What happens at the beginnings of many words (form, lemma), the most frequent first."""
    lemmas: defaultdict[str, set[str]] = defaultdict(set)
    for form, lemma in set(pairs):
        _, beginning, _ = _best(form, lemma, _proposed(form, lemma))
        if beginning != NO_BEGINNING:
            lemmas[beginning].add(lemma)
    found = [beginning for beginning, having in lemmas.items() if len(having) >= _FEWEST_LEMMAS]
    found.sort(key=lambda each: (-len(lemmas[each]), each))
    return tuple(found[:_MOST_BEGINNINGS])


@lru_cache(maxsize=1 << 16)
def find_rule(form: str, lemma: str, beginnings: tuple[str, ...] = ()) -> tuple[str, str]:
    """The beginning, if one of these is of use, and the ending that turn a form into its lemma and
    change fewest letters.
    """
    _, beginning, ending = _best(form, lemma, beginnings)
    return beginning, ending


_Way = tuple[tuple[int, int, int], str, str]


def _best(form: str, lemma: str, beginnings: Iterable[str]) -> _Way:
    found = min(_ways(form, lemma, [NO_BEGINNING]))
    # No beginning costs less than two letters.
    return found if found[0][0] <= 2 else min([found, *_ways(form, lemma, beginnings)])


def _ways(form: str, lemma: str, beginnings: Iterable[str]) -> Iterator[_Way]:
    """Rules that make the lemma from the form, each behind its price."""
    for at, beginning in enumerate(beginnings):
        for order, case in enumerate(_CASES):
            base = _base(form, case, beginning)
            if base is None:
                continue
            common = _common(base, lemma)
            plain = beginning == NO_BEGINNING
            if not plain and common < _kept(beginning) + _FEWEST_LEFT:
                continue
            price = len(base) + len(lemma) - 2 * common + _price(beginning)
            yield (
                (price, order, -1 if plain else at),
                beginning,
                f"{case}-{len(base) - common}+{lemma[common:]}",
            )


def _proposed(form: str, lemma: str) -> list[str]:
    """All beginnings that may be of use for a word."""
    found = []
    for fold in ("", _FOLD) if _DOUBLED.search(form) else ("",):
        base = (_folded(form) if fold else form).lower()
        most = min(_MOST_KEPT, _common(base, lemma.lower()))
        for kept, cut, added in product(
            range(most + 1), range(_MOST_CUT + 1), range(_MOST_ADDED + 1)
        ):
            text = lemma.lower()[kept : kept + added]
            if cut or text or (fold and not kept):
                found.append(f"{fold}{kept}-{cut}+{text}")
    return found


# -- rules and words ----------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def apply_rule(form: bytes, ending: str, beginning: str = NO_BEGINNING) -> bytes:
    """The lemma of a form; never empty, whatever the rule."""
    case, cut, letters = _parse(ending)
    text = form.decode("utf-8")
    base = _base(text, case, beginning)
    if base is None:
        base = _changed(text, case)
    lemma = base[: max(0, len(base) - cut)] + letters
    return lemma.encode("utf-8") or form


def whole_rule(beginning: str, ending: str) -> str:
    """Both in one text."""
    return ending if beginning == NO_BEGINNING else f"{beginning}|{ending}"


def parts_of_rule(rule: str) -> tuple[str, str]:
    """The beginning and the ending of a whole rule; raises ValueError if the text is none."""
    found = _WHOLE.fullmatch(rule)
    if found is None:
        raise ValueError(f"{rule!r} is not a lemma rule")
    check_ending(found[6])
    return found[1] or NO_BEGINNING, found[6]


def check_ending(rule: str) -> None:
    """Raises ValueError if the text is no ending."""
    case, cut, _ = _parse(rule)
    if case not in _CASES or cut < 0:
        raise ValueError(f"{rule!r} is not a lemma rule")


def check_beginning(rule: str) -> None:
    """Raises ValueError if the text is no beginning."""
    if not _BEGINNING.fullmatch(rule):
        raise ValueError(f"{rule!r} is not the beginning of a lemma rule")


@lru_cache(maxsize=1 << 12)
def _parse(ending: str) -> tuple[str, int, str]:
    case, _, rest = ending.partition("-")
    cut, _, letters = rest.partition("+")
    return case, int(cut), letters


@lru_cache(maxsize=1 << 12)
def _parts(beginning: str) -> tuple[bool, int, int, str]:
    found = _BEGINNING.fullmatch(beginning)
    if found is None:
        raise ValueError(f"{beginning!r} is not the beginning of a lemma rule")
    fold, kept, cut, letters = found.groups()
    return bool(fold), int(kept), int(cut), letters


def _kept(beginning: str) -> int:
    _, kept, _, letters = _parts(beginning)
    return kept + len(letters)


def _price(beginning: str) -> int:
    """As how many letters of an ending it counts: those that it changes, and one for itself."""
    if beginning == NO_BEGINNING:
        return 0
    fold, _, cut, letters = _parts(beginning)
    return 1 + fold + cut + len(letters)


def _base(form: str, case: str, beginning: str) -> str | None:
    """What an ending is applied to; None if the form is too short for the beginning.

    Letters of beginnings are small ones, and case comes after them: *Gymru*, *Cymru*.
    """
    if beginning == NO_BEGINNING:
        return _changed(form, case)
    fold, kept, cut, letters = _parts(beginning)
    text = form if case == "keep" else form.lower()
    if fold:
        text = _folded(text)
    if len(text) < kept + cut:
        return None
    return _changed(text[:kept] + letters + text[kept + cut :], case)


def _folded(text: str) -> str:
    """The text without one of two neighbours that are the same."""
    return _DOUBLED.sub(r"\1", text, count=1)


def _changed(form: str, case: str) -> str:
    if case == "keep":
        return form
    return form.lower() if case == "lower" else form[:1].upper() + form[1:].lower()


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many letters two words have in common from the first one on."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count
