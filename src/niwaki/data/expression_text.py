"""Expressions of Natural Logical Form as text: reader and writer.

`[acquired/stealthily:[in, ^, "2.5"], Chirpy+Systems]`: a word that has signs of the language in it
stands in quotes. `pond#4` says which word of the sentence is meant. Round brackets keep together
what would else hang on the word before them: `companies:(profitable/very)`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from niwaki.data.expressions import (
    BLANKS,
    BRACKETS,
    COLLECTION,
    CONNECTIVES,
    DEEPEST,
    IMPLICIT,
    Expression,
)
from niwaki.errors import CorpusError, shown

_SIGNS = r"\[\]{}|():./+@&%,#\""
_TOKEN = re.compile(
    rf'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<bare>[^\s{_SIGNS}]+)|(?P<sign>[^"\s]))'
)
_PLAIN = re.compile(rf"[^\s{_SIGNS}]+")
_NUMBER = re.compile(r"[1-9][0-9]{0,5}")
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True)
class Written:
    """An expression whose words are numbered as they occur in the text, and these words.

    `places` says which word of the sentence each of them is, or 0 where the text does not.
    """

    expression: Expression
    words: tuple[str, ...]
    places: tuple[int, ...]


# -- writing -------------------------------------------------------------------------------


def format_expression(
    expression: Expression, forms: Sequence[str], *, numbered: bool = False
) -> str:
    """An expression as text; `numbered` says of each word which one of the sentence it is."""

    texts = list(map(_quoted, forms))
    if numbered:
        texts = [f"{text}#{number}" for number, text in enumerate(texts, start=1)]
    # What is joined is sorted, + in front: a look at the first or the last connective tells.

    def core(node: Expression) -> str:
        if node.word:
            return texts[node.word - 1]
        items = [item if isinstance(item, str) else whole(item) for item in node.items]
        if node.bracket == COLLECTION:
            return f"{grouped(node.items[0])}{{{', '.join(items[1:])}}}"
        return f"{node.bracket}{', '.join(items)}{BRACKETS[node.bracket]}"

    def grouped(node: Expression | str) -> str:
        assert isinstance(node, Expression)
        return f"({whole(node)})" if node.joined else core(node)

    def compound(node: Expression) -> str:
        """The parts that are joined by + and the core."""
        if node.joined[0][0] != IMPLICIT:
            return core(node)
        first = [grouped(other) for name, other in node.joined if name == IMPLICIT]
        return IMPLICIT.join([*first, core(node)])

    def whole(node: Expression) -> str:
        if not node.joined:
            return core(node)
        text = compound(node)
        for name, other in node.joined:
            if name != IMPLICIT:
                text += SPACED[name] + (part(other) if other.joined else core(other))
        return text

    def part(node: Expression) -> str:
        return compound(node) if node.joined[-1][0] == IMPLICIT else f"({whole(node)})"

    return whole(expression)


@lru_cache(maxsize=65536)
def _quoted(form: str) -> str:
    """A word as it is, or in quotes if it has signs of the language in it."""
    if _PLAIN.fullmatch(form) and form not in BLANKS:
        return form
    return '"' + form.replace("\\", "\\\\").replace('"', '\\"') + '"'


# Connectives as they are written.
SPACED = {each: " & " if each == "&" else each for each in CONNECTIVES}


# -- reading -------------------------------------------------------------------------------


class _Token(NamedTuple):
    kind: str  # quoted, bare or sign
    text: str
    at: int  # from 1


def read_expression(text: str, file: str = "<expression>", line: int = 1) -> Written:
    """An expression from its text; raises CorpusError with the place."""
    return _Reader(text, file, line).read()


class _Reader:
    """Descends through one text."""

    def __init__(self, text: str, file: str, line: int) -> None:
        self._place = file, line
        self._tokens: list[_Token] = []
        at = 0
        end = len(text.rstrip())
        while at < end:
            found = _TOKEN.match(text, at)
            if found is None or found.lastgroup is None:
                raise self._error(at + 1, f"found {shown(text[at:])}", "close the quotes")
            kind = found.lastgroup
            self._tokens.append(_Token(kind, found[kind], found.start(kind) + 1))
            at = found.end()
        self._tokens.append(_Token("end", "", end + 1))
        self._next = 0
        self._words: list[str] = []
        self._places: list[int] = []

    def read(self) -> Written:
        found = self._chain(0)
        if self._token.kind != "end":
            raise self._unexpected("a connective between two expressions")
        given = [place for place in self._places if place]
        if len(set(given)) < len(given):
            twice = next(place for place in given if given.count(place) > 1)
            raise self._error(1, f"word {twice} twice", "name each word once")
        return Written(found, tuple(self._words), tuple(self._places))

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _takes(self, sign: str) -> bool:
        """Whether the next token is this sign; it is then passed."""
        if self._token.kind == "sign" and self._token.text == sign:
            self._next += 1
            return True
        return False

    def _chain(self, depth: int) -> Expression:
        """Parts with connectives between them; all hang on the first, and + binds tighter."""
        if depth > DEEPEST:
            raise self._error(
                self._token.at, f"nested deeper than {DEEPEST}", "give a flatter expression"
            )
        found = self._compound(depth)
        while self._token.kind == "sign" and self._token.text in CONNECTIVES:
            connective = self._token.text
            self._next += 1
            found = found.joining(connective, self._compound(depth))
        return found

    def _compound(self, depth: int) -> Expression:
        parts = [self._core(depth)]
        while self._takes(IMPLICIT):
            parts.append(self._core(depth))
        *rest, found = parts
        for each in rest:
            found = found.joining(IMPLICIT, each)
        return found

    def _core(self, depth: int) -> Expression:
        found = self._primary(depth)
        while self._takes(COLLECTION):
            items = self._items(BRACKETS[COLLECTION], depth)
            found = Expression(bracket=COLLECTION, items=(found, *items))
        return found

    def _primary(self, depth: int) -> Expression:
        token = self._token
        if token.kind in ("bare", "quoted") and not _is_blank(token):
            self._next += 1
            return self._word(token)
        if self._takes("("):
            found = self._chain(depth + 1)
            self._close(")")
            return found
        for bracket, closing in BRACKETS.items():
            if bracket != COLLECTION and self._takes(bracket):
                items = self._items(closing, depth)
                if isinstance(items[0], str):
                    raise self._error(
                        token.at, f"{bracket}{items[0]} without a word", "give its predicate first"
                    )
                return Expression(bracket=bracket, items=tuple(items))
        raise self._unexpected("a word or a bracket")

    def _items(self, closing: str, depth: int) -> list[Expression | str]:
        items: list[Expression | str] = []
        if closing == BRACKETS[COLLECTION] and self._takes(closing):
            return items
        while True:
            if _is_blank(self._token):
                items.append(self._token.text)
                self._next += 1
            else:
                items.append(self._chain(depth + 1))
            if not self._takes(","):
                self._close(closing)
                return items

    def _word(self, token: _Token) -> Expression:
        quoted = token.kind == "quoted"
        self._words.append(_ESCAPED.sub(r"\1", token.text[1:-1]) if quoted else token.text)
        self._places.append(0)
        if self._takes("#"):
            if not _NUMBER.fullmatch(self._token.text):
                raise self._unexpected("the number of a word, from 1")
            self._places[-1] = int(self._token.text)
            self._next += 1
        return Expression(len(self._words))

    def _close(self, sign: str) -> None:
        if not self._takes(sign):
            raise self._unexpected(f"a connective, a comma or {sign}")

    def _unexpected(self, wanted: str) -> CorpusError:
        token = self._token
        found = "the end" if token.kind == "end" else shown(token.text)
        return self._error(token.at, f"found {found}", f"give {wanted}")

    def _error(self, at: int, found: str, advice: str) -> CorpusError:
        return CorpusError(*self._place, "EXPRESSION", f"at character {at}: {found}", advice)


def _is_blank(token: _Token) -> bool:
    return token.kind == "bare" and token.text in BLANKS
