"""Every exception that Niwaki raises on purpose, as one tree.

NiwakiError
├── CorpusError         a file of sentences, links or references is not what it should be
├── ModelError          a model file is damaged, foreign or of another format version
├── ConfigError         a training configuration cannot be carried out
├── ConstraintError     no tree obeys what is said to be known of it
├── ObjectiveError      the cost of a candidate cannot be told, or is not a cost
├── RulesError          a file of reordering rules is wrong
├── QueryError          a query, or a file of queries, is wrong
├── ScoresError         scores of arcs allow no tree, or none that can be found (also a ValueError)
├── KernelMissingError  the compiled kernel was not built (also an ImportError)
└── ExtraMissingError   an optional package is not installed (also an ImportError)

Messages are one line: where it is, what was found, what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class NiwakiError(Exception):
    """Base of all errors below; the command line prints its message as one line."""


class CorpusError(NiwakiError):
    """Input data is malformed. `column` is a CoNLL-U column name, or LINE, SENTENCE or FILE."""

    def __init__(self, file: str, line: int, column: str, found: str, advice: str) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.found = found
        self.advice = advice
        super().__init__(f"{file}:{line}:{column}: {found}; {advice}")

    def __reduce__(self) -> tuple[type[CorpusError], tuple[str, int, str, str, str]]:
        return type(self), (self.file, self.line, self.column, self.found, self.advice)


class ModelError(NiwakiError):
    """A model file cannot be used."""


class ConfigError(NiwakiError):
    """A configuration is wrong; says which key, what was found and what is known."""


class ObjectiveError(NiwakiError):
    """An objective failed on an example; says which, and how."""


class ScoresError(NiwakiError, ValueError):
    """Scores of arcs that no tree can be read from."""


class RulesError(NiwakiError):
    """A rule file is wrong; says where, what was found and what is known."""

    def __init__(self, file: str, line: int, found: str, advice: str) -> None:
        self.file = file
        self.line = line
        self.found = found
        self.advice = advice
        where = f"{file}:{line}" if line else file
        super().__init__(f"{where}: {found}; {advice}")

    def __reduce__(self) -> tuple[type[RulesError], tuple[str, int, str, str]]:
        return type(self), (self.file, self.line, self.found, self.advice)


class QueryError(NiwakiError):
    """A query cannot be read; says at which of its characters (from 1), and what was found."""

    def __init__(self, query: str, column: int, found: str, advice: str) -> None:
        self.query = query
        self.column = column
        self.found = found
        self.advice = advice
        rest = query[column - 1 :]
        where = f"at {shown(rest, 20)}" if rest else "at its end"
        super().__init__(f"query, character {column}, {where}: {found}; {advice}")

    def __reduce__(self) -> tuple[type[QueryError], tuple[str, int, str, str]]:
        return type(self), (self.query, self.column, self.found, self.advice)


class ConstraintError(NiwakiError):
    """Constraints contradict each other; says which."""


class KernelMissingError(NiwakiError, ImportError):
    """The compiled part of the package cannot be imported."""


class ExtraMissingError(NiwakiError, ImportError):
    """Something was asked for that needs an optional package."""


_LONGEST_NAME = 200


def closest(name: str, known: Iterable[str]) -> str:
    """The known name that an unknown one was probably meant to be, or nothing."""
    # The time grows with both lengths, and nobody mistypes a name into a book.
    if len(name) > _LONGEST_NAME:
        return ""
    return next(iter(difflib.get_close_matches(name, sorted(known), n=1)), "")


def nearest(name: str, known: Iterable[str]) -> str:
    """Advice for an unknown name: the nearest known one first, then all of them."""
    names = sorted(known)
    close = closest(name, names)
    hint = f"did you mean {close!r}? " if close else ""
    return f"{hint}known: {', '.join(names)}"


def shown(value: str | bytes, limit: int = 40) -> str:
    """A quoted, printable, shortened copy of foreign input for use in a message."""
    if isinstance(value, bytes):
        # Cut first: a message about a 10 MB line must not decode 10 MB.
        value = value[: 4 * limit].decode("utf-8", "replace")
    text = ascii(value[:limit]) if not value[:limit].isprintable() else repr(value[:limit])
    return f"{text[:-1]}…{text[-1]}" if len(value) > limit else text


def written(value: object) -> str:
    """`shown` for a value that is no text, such as a number in TOML or JSON."""
    try:
        return shown(str(value))
    except ValueError:
        # Python writes no whole number of more than 4,300 digits.
        return "a number of thousands of digits"
