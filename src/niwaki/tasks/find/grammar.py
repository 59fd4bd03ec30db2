"""Reads queries (docs/formats/queries.md): text in, a `Pattern` with names out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NoReturn
from unicodedata import normalize

from niwaki.data.universal import UPOS
from niwaki.errors import QueryError, nearest, shown
from niwaki.tasks.find.pattern import (
    COLUMNS,
    KEYS,
    WHOLE,
    Arrow,
    Comparison,
    Condition,
    Kind,
    Pattern,
    Relation,
    Value,
)
from niwaki.tasks.reorder.rules import ANY, child_limits
from niwaki.tasks.reorder.schemes import label_fault

# What a query without names calls its first word.
WORD = "word"

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[^\W\d]\w*")
_KEY = re.compile(r"[^\W\d]\w*(\[\w+\])?")
_FIELD = re.compile(r"([^\W\d]\w*)\.([^\W\d]\w*(?:\[\w+\])?)")
_ARROW = re.compile(r"(>>|<<|>|<|\$)?(\+\+|\+|--|-)?")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_REGEX = re.compile(r"/((?:[^/\\]|\\.)*)/")
# Plain values end where something of the grammar begins.
_PLAIN = re.compile(r'[^\s|,;()\[\]=!"/<>$]+')
_SIDES = ("after", "before")
_LABELS = ("label", "has", "lacks")
_TAGS = ("upos", "xpos")
_WORD_STARTS = "give a word: a tag such as VERB, * or [lemma=give]"
# Before an arrow: to words that are not there, or that may be.
_NOT, _MAYBE = "!", "?"
# Deep enough for any tree, and not for Python's stack.
_DEEPEST = 50


@dataclass(eq=False)
class _Word:
    """A word as it is written: what is asked of it, its name, and its arrows."""

    at: int
    conditions: list[Condition]
    name: str = ""
    name_at: int = 0
    arrows: list[tuple[str, Relation, _Word]] = field(default_factory=list)

    def all_words(self, signs: str) -> Iterator[_Word]:
        """This word and those behind its arrows without a sign, or with one of these."""
        yield self
        for sign, _, end in self.arrows:
            if not sign or sign in signs:
                yield from end.all_words(signs)


@dataclass(frozen=True)
class _Compared:
    """A comparison as it is written."""

    at: int
    names: tuple[str, str]
    keys: tuple[str, str]
    negated: bool


def read_query(text: str) -> tuple[Pattern, dict[str, int]]:
    """What a query says, and the numbers of its words by their names, in order."""
    chains, compared = _Reader(text).query()
    if not any(word.name for chain in chains for word in chain.all_words("")):
        chains[0].name = WORD
    _check_names(text, chains, compared)
    told = [word.name for chain in chains for word in chain.all_words(_MAYBE) if word.name]
    builder = _Builder({name: number for number, name in enumerate(dict.fromkeys(told))})
    pattern = Pattern()
    for chain in chains:
        pattern = pattern.joined(builder.pattern(chain)[1])
    comparisons = tuple(map(builder.comparison, compared))
    return replace(_with_words(pattern), comparisons=comparisons), dict(builder.names)


def _check_names(text: str, chains: list[_Word], compared: list[_Compared]) -> None:
    """Names in a negation or a comparison are those of words that must be there."""
    certain = [word for chain in chains for word in chain.all_words("")]
    told = [word for chain in chains for word in chain.all_words(_MAYBE)]
    names = {word.name for word in certain if word.name}
    for word in (each for chain in chains for each in chain.all_words(_NOT + _MAYBE)):
        if not word.name or word in certain:
            continue
        if word not in told and word.name not in names:
            found = f"{word.name} is named in a negation only"
            advice = "leave the name out: what is not there cannot be told"
            raise QueryError(text, word.name_at + 1, found, advice)
        if word in told and sum(each.name == word.name for each in told) > 1:
            found = f"{word.name} is also named elsewhere"
            advice = "give a word that may not be there a name of its own"
            raise QueryError(text, word.name_at + 1, found, advice)
    for each in compared:
        for name in each.names:
            if name not in names:
                found = f"{shown(name)} is no word that must be there"
                raise QueryError(text, each.at + 1, found, nearest(name, sorted(names)))


def _with_words(pattern: Pattern) -> Pattern:
    """The pattern with each of its words once: a name may be used again."""
    return replace(pattern, words=tuple(dict.fromkeys(pattern.words)))


class _Builder:
    """Numbers words: those with names first."""

    def __init__(self, names: dict[str, int]) -> None:
        self.names = names
        self._next = len(names)

    def pattern(self, word: _Word, inside: bool = False) -> tuple[int, Pattern]:
        """The number of a word, and all that is said of it; `inside` of a negation."""
        if word.name:
            number = self.names[word.name]
        else:
            number, self._next = self._next, self._next + 1
        # In a negation, a word with a name is one of those around it.
        own = () if inside and word.name else (number,)
        found = Pattern(own, tuple((number, each) for each in word.conditions))
        for sign, relation, end in word.arrows:
            other, below = self.pattern(end, inside or sign == _NOT)
            below = below.joined(Pattern(arrows=(Arrow(number, relation, other),)))
            if sign == _NOT:
                below = Pattern(without=(_with_words(below),))
            elif sign == _MAYBE:
                below = Pattern(maybe=(_with_words(below),))
            found = found.joined(below)
        return number, found

    def comparison(self, written: _Compared) -> Comparison:
        (one, other), (key, other_key) = written.names, written.keys
        numbers = self.names[one], self.names[other]
        return Comparison(numbers[0], key, numbers[1], other_key, written.negated)


class _Reader:
    """Reads one query from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    # -- words --------------------------------------------------------------------

    def query(self) -> tuple[list[_Word], list[_Compared]]:
        chains = [self._chain(0)]
        compared: list[_Compared] = []
        while self._takes(";"):
            self._space()
            if _FIELD.match(self._text, self._at):
                compared.append(self._comparison())
            else:
                chains.append(self._chain(0))
        self._space()
        if self._at < len(self._text):
            self._fail("this cannot stand here", "put ; between two parts, or an arrow before it")
        return chains, compared

    def _comparison(self) -> _Compared:
        start = self._at
        name, key = self._field()
        negated = self._takes("!")
        if not self._takes("="):
            self._fail("no comparison", f"write such as {name}.{key}=y.{key}")
        self._space()
        other, other_key = self._field()
        return _Compared(start, (name, other), (key, other_key), negated)

    def _field(self) -> tuple[str, str]:
        start = self._at
        self._matched(_FIELD, "no field of a word", "write such as x.lemma")
        name, _, key = self._text[start : self._at].partition(".")
        if key not in COLUMNS and not key[0].isupper():
            self._at = start
            advice = nearest(key, COLUMNS)
            self._fail(f"unknown field {shown(key)}", f"{advice}, or a feature such as Tense")
        return name, key

    def _chain(self, depth: int) -> _Word:
        if depth > _DEEPEST:
            self._fail("too many parentheses", f"nest at most {_DEEPEST}")
        word = self._word()
        while True:
            self._space()
            start = self._at
            sign = next((sign for sign in (_NOT, _MAYBE) if self._takes(sign)), "")
            if sign:
                self._space()
            relation = self._relation()
            if relation is None:
                if sign:
                    self._fail(f"no arrow behind {sign}", f"write such as {sign}>obj *")
                self._at = start
                return word
            if self._takes("("):
                end = self._chain(depth + 1)
                if not self._takes(")"):
                    self._fail("a parenthesis is not closed", "write )")
            else:
                end = self._word()
            if sign == _MAYBE and not any(each.name for each in end.all_words(_MAYBE)):
                self._at = start
                self._fail("nothing is told of what may be there", "name it: ?>obj *=y")
            word.arrows.append((sign, relation, end))

    def _word(self) -> _Word:
        self._space()
        start = self._at
        conditions: list[Condition] = []
        if self._peek() != "[" and not self._takes("*"):
            if not _PLAIN.match(self._text, self._at):
                self._fail("no word", _WORD_STARTS)
            conditions.append(Condition("upos", tuple(self._values("upos"))))
        if self._peek() == "[":
            conditions += self._brackets()
        word = _Word(start, conditions)
        if self._peek() == "=":
            self._at += 1
            word.name_at = self._at
            word.name = self._matched(_NAME, "a name", "write letters, such as =x")
        return word

    def _relation(self) -> Relation | None:
        found = _ARROW.match(self._text, self._at)
        assert found is not None
        if not found[0]:
            return None
        start, self._at = self._at, found.end()
        tree, order = found[1] or "", found[2] or ""
        labels: list[Value] = []
        if self._peek() and self._peek() not in " \t\n*([;)":
            if tree in ("", "$"):
                self._at = start
                self._fail(f"a label behind {found[0]}", "write a space, and [label=...]")
            labels = self._values("label")
        return Relation(tree, order, tuple(labels))

    # -- conditions ---------------------------------------------------------------

    def _brackets(self) -> list[Condition]:
        self._at += 1
        found: list[Condition] = []
        while True:
            self._space()
            found.append(self._condition())
            if self._takes("]"):
                return found
            if not self._takes(","):
                self._fail("conditions are not closed", "write , or ]")

    def _condition(self) -> Condition:
        start = self._at
        key = self._matched(_KEY, "no condition", "write such as lemma=give or Tense=Past")
        if key not in KEYS and not key[0].isupper():
            self._at = start
            advice = nearest(key, KEYS)
            self._fail(f"unknown key {shown(key)}", f"{advice}, or a feature such as Tense")
        negated = self._takes("!")
        if not self._takes("="):
            self._fail(f"no value of {key}", f"write {key}=...")
        self._space()
        return Condition(key, tuple(self._values(key)), negated)

    def _values(self, key: str) -> list[Value]:
        found = [self._value(key)]
        while self._peek() == "|":
            self._at += 1
            found.append(self._value(key))
        return found

    def _value(self, key: str) -> Value:
        start = self._at
        if quoted := _QUOTED.match(self._text, start):
            self._at = quoted.end()
            text = re.sub(r"\\(.)", r"\1", quoted[1])
            return self._checked(key, Value(_as_seen(key, text), Kind.EXACT), start)
        if regex := _REGEX.match(self._text, start):
            self._at = regex.end()
            try:
                re.compile(regex[1])
            except (re.error, OverflowError, RecursionError) as error:
                self._at = start
                self._fail(f"not a regular expression ({error})", "correct it")
            return self._checked(key, Value(_composed(key, regex[1]), Kind.REGEX), start)
        what = "no label" if key == "label" else f"no value of {key}"
        text = self._matched(_PLAIN, what, 'write one; in "quotes" if it has other characters')
        return self._checked(key, Value(_as_seen(key, text)), start)

    def _checked(self, key: str, value: Value, start: int) -> Value:
        fault = _fault(key, value)
        if fault is not None:
            self._at = start
            self._fail(*fault)
        return value

    # -- characters ---------------------------------------------------------------

    def _space(self) -> None:
        found = _SPACE.match(self._text, self._at)
        assert found is not None
        self._at = found.end()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _takes(self, sign: str) -> bool:
        """Whether a sign comes next, after spaces; if so, it is passed."""
        start = self._at
        self._space()
        if self._peek() == sign:
            self._at += 1
            return True
        self._at = start
        return False

    def _matched(self, kind: re.Pattern[str], found: str, advice: str) -> str:
        match = kind.match(self._text, self._at)
        if match is None:
            self._fail(found, advice)
        self._at = match.end()
        return match[0]

    def _fail(self, found: str, advice: str | Iterable[str]) -> NoReturn:
        if not isinstance(advice, str):
            wrong = re.search(r"'([^']*)'", found)
            advice = nearest(wrong[1] if wrong else found, advice)
        raise QueryError(self._text, self._at + 1, found, advice)


def _as_seen(key: str, text: str) -> str:
    """A value as it is compared: `words` in lower case, and words and lemmas in NFC."""
    text = _composed(key, text)
    return text.lower() if key == "words" else text


def _composed(key: str, text: str) -> str:
    return normalize("NFC", text) if COLUMNS.get(key) in ("FORM", "LEMMA") else text


def _fault(key: str, value: Value) -> tuple[str, str | Iterable[str]] | None:
    """What is wrong with a value, and what to do or what is known; None if nothing is."""
    text, is_plain = value.text, value.kind is Kind.PLAIN
    if key == "side":
        is_one = is_plain and text in _SIDES
        return None if is_one else (f"side {shown(text)}", _SIDES)
    if key == "children":
        is_one = is_plain and child_limits(text) is not None
        return None if is_one else (f"children {shown(text)}", "write 2, 1-3 or 2+, up to 14")
    if not is_plain or (text == ANY and key not in WHOLE):
        return None
    if key in _LABELS:
        return _label_fault(text)
    if key == "upos" and not text.endswith(ANY) and text not in UPOS:
        if text.islower():
            return f"{shown(text)} is no tag", f"for words with this lemma, write [lemma={text}]"
        return f"unknown universal tag {shown(text)}", UPOS
    if ANY in text.removesuffix(ANY if key in _TAGS else ""):
        return f"* in {shown(text)}", 'write /.../ for a pattern, or "..." for a star'
    return None


def _label_fault(label: str) -> tuple[str, str] | None:
    if label in UPOS:
        return f"{label} is a tag, not a label", "put a space between an arrow and a word"
    fault = label_fault("ud", label)
    if fault is None:
        return None
    found, advice = fault
    known = advice if isinstance(advice, str) else f"{nearest(label, advice)}."
    return found, f'{known} If a treebank has it, write "{label}"'
