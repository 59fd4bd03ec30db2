"""Matches by the definitions of docs/formats/queries.md: all ways to choose words are tried."""

from __future__ import annotations

import itertools
import re

from niwaki.data.sentence import Sentence
from niwaki.tasks.find.pattern import Arrow, Comparison, Condition, Kind, Pattern, Value


def matches(pattern: Pattern, told: list[int], sentence: Sentence) -> list[tuple[int, ...]]:
    """The words that are told, of each match, distinct and in order."""
    found = {
        tuple(chosen.get(number, 0) for number in told)
        for way in _ways(pattern, {}, sentence)
        for chosen in _with_optional(pattern, way, set(), sentence)
    }
    return sorted(found)


def _with_optional(
    pattern: Pattern, way: dict[int, int], around: set[int], sentence: Sentence
) -> list[dict[int, int]]:
    """The way with what may be there, wherever it is; its words are none of the match."""
    found = [way]
    taken = around | set(pattern.words)
    for optional in pattern.maybe:
        longer = []
        for chosen in found:
            others = {chosen[word] for word in taken if word in chosen}
            ways = [
                each
                for each in _ways(optional, chosen, sentence)
                if not others & {each[word] for word in optional.words}
            ]
            longer += [
                deeper
                for each in ways
                for deeper in _with_optional(optional, each, taken, sentence)
            ] or [chosen]
        found = longer
        taken = taken | _all_words(optional)
    return found


def _all_words(pattern: Pattern) -> set[int]:
    return set(pattern.words).union(*map(_all_words, pattern.maybe))


def _ways(pattern: Pattern, known: dict[int, int], sentence: Sentence) -> list[dict[int, int]]:
    found = []
    # Two words of a pattern are two words; those of the patterns around it may be chosen again.
    for words in itertools.permutations(range(1, len(sentence) + 1), len(pattern.words)):
        chosen = {**known, **dict(zip(pattern.words, words, strict=True))}
        if (
            all(_fits(condition, chosen[word], sentence) for word, condition in pattern.conditions)
            and all(_holds(arrow, chosen, sentence) for arrow in pattern.arrows)
            and all(_compares(each, chosen, sentence) for each in pattern.comparisons)
            and not any(_ways(refused, chosen, sentence) for refused in pattern.without)
        ):
            found.append(chosen)
    return found


def _compares(comparison: Comparison, chosen: dict[int, int], sentence: Sentence) -> bool:
    one = _told(comparison.key, chosen[comparison.word], sentence)
    other = _told(comparison.other_key, chosen[comparison.other], sentence)
    return (one is not None and one == other) != comparison.negated


def _told(key: str, word: int, sentence: Sentence) -> str | None:
    at = word - 1
    columns = {
        "form": sentence.forms[at],
        "words": sentence.forms[at].lower(),
        "lemma": sentence.lemmas[at],
        "upos": sentence.upos[at],
        "xpos": sentence.xpos[at],
        "label": sentence.deprels[at],
    }
    pairs = dict(part.split("=") for part in sentence.feats[at].split("|") if part != "_")
    found = columns.get(key, pairs.get(key))
    return None if found == "_" and key not in ("form", "words") else found


def _children(word: int, sentence: Sentence) -> list[int]:
    return [child for child, head in enumerate(sentence.heads, start=1) if head == word]


def _above(word: int, sentence: Sentence) -> list[int]:
    found = []
    while sentence.heads[word - 1] > 0:
        word = sentence.heads[word - 1]
        found.append(word)
    return found


def _holds(arrow: Arrow, chosen: dict[int, int], sentence: Sentence) -> bool:
    a, b = chosen[arrow.start], chosen[arrow.end]
    tree, order, labels = arrow.relation
    in_tree = {
        "": True,
        ">": sentence.heads[b - 1] == a,
        "<": sentence.heads[a - 1] == b,
        ">>": a in _above(b, sentence),
        "<<": b in _above(a, sentence),
        "$": a != b and sentence.heads[a - 1] == sentence.heads[b - 1] > 0,
    }[tree]
    in_order = {"": True, "+": b - a == 1, "-": a - b == 1, "++": a < b, "--": b < a}[order]
    lower = a if tree in ("<", "<<") else b
    return (
        in_tree and in_order and (not labels or _is_one(labels, sentence.deprels[lower - 1], True))
    )


def _is_one(values: tuple[Value, ...], found: str, subtypes: bool = False) -> bool:
    for value in values:
        if value.kind is Kind.REGEX:
            if re.fullmatch(value.text, found):
                return True
        elif value.text == found:
            return True
        elif value.kind is Kind.PLAIN:
            if subtypes and (value.text == "*" or found.split(":")[0] == value.text):
                return True
            if not subtypes and value.text[-1] == "*" and found.startswith(value.text[:-1]):
                return True
    return False


def _fits(condition: Condition, word: int, sentence: Sentence) -> bool:
    at, values = word - 1, condition.values
    below = _children(word, sentence)
    head = sentence.heads[at]
    match condition.key:
        case "form":
            so = _is_one(values, sentence.forms[at])
        case "words":
            so = _is_one(values, sentence.forms[at].lower())
        case "lemma":
            so = _is_one(values, sentence.lemmas[at])
        case "upos":
            so = _is_one(values, sentence.upos[at])
        case "xpos":
            so = _is_one(values, sentence.xpos[at])
        case "label":
            so = _is_one(values, sentence.deprels[at], True)
        case "has":
            so = any(_is_one(values, sentence.deprels[child - 1], True) for child in below)
        case "lacks":
            so = not any(_is_one(values, sentence.deprels[child - 1], True) for child in below)
        case "side":
            side = "before" if word < head else "after"
            so = head > 0 and side in [value.text for value in values]
        case "children":
            so = any(_counts(value.text, len(below)) for value in values)
        case feature:
            pairs = dict(part.split("=") for part in sentence.feats[at].split("|") if part != "_")
            so = feature in pairs and _is_one(values, pairs[feature])
    return so != condition.negated


def _counts(text: str, count: int) -> bool:
    if text.endswith("+"):
        return count >= int(text[:-1])
    low, _, high = text.partition("-")
    return int(low) <= count <= int(high or low)
