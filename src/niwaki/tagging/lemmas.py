"""Lemma rules: how a form becomes its lemma, as text that a model can keep."""

from __future__ import annotations

from functools import lru_cache

_CASES = ("lower", "keep", "title")
# The rule of forms that are their own lemmas.
SAME = "keep-0+"


def find_rule(form: str, lemma: str) -> str:
    """The rule that turns a form into its lemma and cuts least; `lower-3+y` for tries, try.

    A rule changes case, cuts letters from the end and adds others.
    """
    best: tuple[int, int, str] | None = None
    for order, case in enumerate(_CASES):
        base = _change_case(form, case)
        common = 0
        while common < min(len(base), len(lemma)) and base[common] == lemma[common]:
            common += 1
        rule = f"{case}-{len(base) - common}+{lemma[common:]}"
        if best is None or (-common, order) < best[:2]:
            best = (-common, order, rule)
    assert best is not None
    return best[2]


@lru_cache(maxsize=1 << 12)
def _parse(rule: str) -> tuple[str, int, str]:
    case, _, rest = rule.partition("-")
    cut, _, ending = rest.partition("+")
    return case, int(cut), ending


@lru_cache(maxsize=1 << 16)
def apply_rule(form: bytes, rule: str) -> bytes:
    """The lemma of a form; never empty, whatever the rule."""
    case, cut, ending = _parse(rule)
    text = _change_case(form.decode("utf-8"), case)
    lemma = text[: max(0, len(text) - cut)] + ending
    return lemma.encode("utf-8") or form


def check_rule(rule: str) -> None:
    """Raises ValueError if the text is no rule."""
    case, cut, _ = _parse(rule)
    if case not in _CASES or cut < 0:
        raise ValueError(f"{rule!r} is not a lemma rule")


def _change_case(form: str, case: str) -> str:
    if case == "keep":
        return form
    return form.lower() if case == "lower" else form[:1].upper() + form[1:].lower()
