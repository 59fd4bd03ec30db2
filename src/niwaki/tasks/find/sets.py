"""Sets of queries: TOML in, queries out; every fault is told with its line.

`assets/queries/facts.toml` is the set `facts`; docs/formats/queries.md describes the format.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from niwaki.data.files import read_text
from niwaki.data.sentence import Sentence
from niwaki.data.toml import Way, key_lines
from niwaki.errors import CorpusError, NiwakiError, QueryError, nearest, shown, written
from niwaki.keys import is_file_name
from niwaki.tasks.find.query import Query, find_in_sentences

_FILE_KEYS = ("description", "query", "example")
_QUERY_KEYS = ("name", "find")
_EXAMPLE_KEYS = ("text", "lemma", "upos", "xpos", "feats", "heads", "labels", "gives")
_COLUMNS = {
    "lemma": "lemmas",
    "upos": "upos",
    "xpos": "xpos",
    "feats": "feats",
    "labels": "deprels",
}


@dataclass(frozen=True)
class Example:
    """A sentence, and all that is to be found in it, as lines."""

    sentence: Sentence
    gives: tuple[str, ...]
    line: int = 0


@dataclass(frozen=True)
class QuerySet:
    """Queries whose matches are wanted together."""

    queries: tuple[Query, ...]
    description: str = ""
    examples: tuple[Example, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of words that are told, of all queries."""
        return tuple(dict.fromkeys(name for query in self.queries for name in query.names))

    def given(self, sentence: Sentence) -> tuple[str, ...]:
        """All that is found in a sentence, as lines of examples."""
        return tuple(
            f"{match.query}: {' '.join(match[x].form for x in self.names if x in match.words)}"
            for match in find_in_sentences(self.queries, [sentence])
        )


def query_set_names() -> list[str]:
    """The shipped sets, found by looking for their files."""
    folder = resources.files("niwaki") / "assets" / "queries"
    files = (path.name for path in folder.iterdir())
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))


def load_queries(name_or_path: str | os.PathLike[str]) -> QuerySet:
    """A shipped set of queries by its name, or one from a file, whose examples are run."""
    name = os.fspath(name_or_path)
    if is_file_name(name):
        found = parse_queries(read_text(name), name)
        for fault in failing_examples(found, name):
            raise fault
        return found
    known = query_set_names()
    if name not in known:
        raise NiwakiError(f"no set of queries {shown(name)}; {nearest(name, known)}")
    path = resources.files("niwaki") / "assets" / "queries" / f"{name}.toml"
    return parse_queries(path.read_text(encoding="utf-8"), f"{name}.toml")


def failing_examples(queries: QuerySet, file: str) -> Iterator[CorpusError]:
    """A fault for each example in which other words are found."""
    for example in queries.examples:
        found = queries.given(example.sentence)
        if sorted(found) != sorted(example.gives):
            said = shown("; ".join(found), 200)
            yield CorpusError(
                *(file, example.line, "LINE"),
                f"the queries give {said}",
                "correct the queries or the example",
            )


def parse_queries(text: str, file: str = "<queries>") -> QuerySet:
    """A set of queries from TOML; raises CorpusError with the line."""
    return _Reader(text, file).read()


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self._file = file
        self._lines: Mapping[Way, int] = {}
        try:
            self._data = tomllib.loads(text)
            self._lines = key_lines(text)
        except (ValueError, RecursionError) as error:
            raise self._error((), f"not TOML ({error})", "correct the syntax") from error

    def read(self) -> QuerySet:
        self._check_keys(self._data, _FILE_KEYS, ())
        queries = tuple(self._query(way, each) for way, each in self._tables("query"))
        names = [query.name for query in queries]
        for number, name in enumerate(names):
            if name in names[:number]:
                way = ("query", number, "name")
                raise self._error(way, f"a second query {shown(name)}", "give it another name")
        if not queries:
            raise self._error((), "no queries", "write [[query]]")
        examples = tuple(self._example(way, each) for way, each in self._tables("example"))
        description = self._text((), self._data, "description", "")
        return QuerySet(queries, description.strip(), examples)

    def _query(self, way: Way, table: Mapping[str, Any]) -> Query:
        self._check_keys(table, _QUERY_KEYS, way)
        name, text = self._text(way, table, "name"), self._text(way, table, "find")
        try:
            return Query(text, name)
        except QueryError as error:
            found, _, advice = str(error).partition("; ")
            raise self._error((*way, "find"), found, advice) from error

    def _example(self, way: Way, table: Mapping[str, Any]) -> Example:
        self._check_keys(table, _EXAMPLE_KEYS, way)
        columns: dict[str, Any] = {
            column: self._text(way, table, key).split()
            for key, column in _COLUMNS.items()
            if key in table
        }
        gives = table.get("gives")
        if not isinstance(gives, list) or not all(isinstance(each, str) for each in gives):
            raise self._error((*way, "gives"), "no list of texts in gives", "write [...]")
        try:
            columns["heads"] = table["heads"]
            sentence = Sentence.from_words(self._text(way, table, "text").split(), **columns)
        except (KeyError, ValueError, TypeError) as error:
            raise self._error(way, f"a wrong example ({error})", "correct it") from error
        if not sentence.tree.is_complete:
            raise self._error((*way, "heads"), "heads that are no tree", "correct them")
        return Example(sentence, tuple(gives), self._lines.get(way, 0))

    def _tables(self, key: str) -> list[tuple[Way, dict[str, Any]]]:
        value = self._data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self._error((key,), f"{key} that is no list of tables", f"write [[{key}]]")
        return [((key, number), each) for number, each in enumerate(value)]

    def _text(self, way: Way, table: Mapping[str, Any], key: str, default: str = "") -> str:
        value = table.get(key, default)
        if not isinstance(value, str) or (not value and key != "description"):
            raise self._error((*way, key), f"{key} is {written(value)}", "write a text in quotes")
        return value

    def _check_keys(self, table: Mapping[str, Any], known: tuple[str, ...], way: Way) -> None:
        for key in table:
            if key not in known:
                raise self._error((*way, key), f"unknown key {shown(key)}", nearest(key, known))

    def _error(self, way: Way, found: str, advice: str) -> CorpusError:
        # What is not there has the line of what it should stand in.
        while way and way not in self._lines:
            way = way[:-1]
        return CorpusError(self._file, self._lines.get(way, 1), "LINE", found, advice)
