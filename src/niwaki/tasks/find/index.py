r"""An index: a corpus as one file whose parts are mapped into memory, for queries.

    8 bytes     \x89NIWIDX\n
    then        the sentences as they were read, one after the other
    then        arrays, each at a multiple of 64 bytes
    then        JSON: the version, the files, and where each array is
    16 bytes    where the JSON begins, and its length, little endian
    8 bytes     \x89NIWIDX\n

For each column of CoNLL-U that queries look at there are its values, and for each word the number
of its value. For forms, for lemmas, and for labels with tags there are also the words that have
each, so that a query with a rare word in it never looks at the others.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

from niwaki.data.faults import COLUMNS
from niwaki.data.files import atomic_write
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from niwaki.kernel.batch import Batch
from niwaki.tasks.find.forest import (
    Fitting,
    Numbers,
    absolute_heads,
    children_of,
    fitting_words,
    in_ranges,
    starts_of,
)
from niwaki.tasks.find.query import Query, find_in_forest
from niwaki.tasks.find.results import Match
from niwaki.typing import IntArray

VERSION = 1
_MAGIC = b"\x89NIWIDX\n"
_END = struct.Struct("<QQ8s")
_ALIGNED = 64
_BATCH = 4096
_MOST_WORDS = 2**31 - 1

# The columns that queries look at.
_COLUMNS = ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "DEPREL")
# Columns, or two together, whose values know their words.
_LISTED = (("FORM",), ("LEMMA",), ("DEPREL", "UPOS"))

_NAMES = {
    *("sources", "starts", "lines", "heads", "children starts", "children"),
    *(f"{column} {part}" for column in _COLUMNS for part in ("codes", "values")),
    *(f"{'+'.join(columns)} {part}" for columns in _LISTED for part in ("starts", "words")),
}


def write_index(sentences: Iterable[Sentence], path: str | os.PathLike[str]) -> int:
    """Write an index of sentences, whole or not at all; returns their number."""
    with atomic_write(path) as file:
        return _Writer(file, os.fspath(path)).write(sentences)


class _Writer:
    """Sentences go to the file as they come; numbers are kept until all are known."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name
        self._at = 0
        self._places: dict[str, tuple[str, int, int]] = {}
        self._numbers: dict[str, dict[bytes, int]] = {column: {} for column in _COLUMNS}
        self._codes: dict[str, list[IntArray]] = {column: [] for column in _COLUMNS}

    def write(self, sentences: Iterable[Sentence]) -> int:
        self._put(_MAGIC)
        sizes: list[int] = []
        lengths: list[int] = []
        lines: list[int] = []
        heads: list[IntArray] = []
        files: list[tuple[int, str]] = []
        remaining = iter(sentences)
        while batch := list(islice(remaining, _BATCH)):
            for number, sentence in enumerate(batch, start=len(sizes)):
                if not files or files[-1][1] != sentence.file:
                    files.append((number, sentence.file))
            found = Batch([sentence.source for sentence in batch])
            lengths += found.lengths
            lines += [sentence.line for sentence in batch]
            sizes += [len(sentence.source) for sentence in batch]
            heads.append(found.given_heads())
            for sentence in batch:
                self._put(sentence.source)
            self._number(found)
        if not sizes:
            raise CorpusError(self._name, 0, "FILE", "no sentences to index", "give some")
        starts = starts_of(lengths)
        if starts[-1] > _MOST_WORDS:
            raise CorpusError(
                self._name, 0, "FILE", f"{starts[-1]} words", f"index at most {_MOST_WORDS} at once"
            )
        self._add("sources", starts_of(sizes) + len(_MAGIC))
        self._add("starts", starts)
        self._add("lines", np.array(lines, dtype=np.int64))
        self._add_trees(absolute_heads(np.concatenate(heads), starts))
        self._add_columns()
        self._finish(files)
        return len(sizes)

    def _number(self, batch: Batch) -> None:
        for column, numbers in self._numbers.items():
            texts = batch.texts_of(COLUMNS.index(column))
            codes = [numbers.setdefault(text, len(numbers)) for text in texts]
            self._codes[column].append(np.array(codes, dtype=np.int32))

    def _add_trees(self, heads: IntArray) -> None:
        starts, children = children_of(heads)
        self._add("heads", heads)
        self._add("children starts", starts.astype(np.int32))
        self._add("children", children)

    def _add_columns(self) -> None:
        codes: dict[str, Numbers] = {}
        for column, numbers in self._numbers.items():
            found = np.concatenate(self._codes.pop(column))
            codes[column] = found.astype(np.min_scalar_type(len(numbers)))
            self._add(f"{column} codes", codes[column])
            self._add(f"{column} values", np.frombuffer(b"\n".join(numbers), dtype=np.uint8))
        for columns in _LISTED:
            keys = codes[columns[0]].astype(np.int64)
            size = len(self._numbers[columns[0]])
            for column in columns[1:]:
                keys = keys * len(self._numbers[column]) + codes[column]
                size *= len(self._numbers[column])
            name = "+".join(columns)
            self._add(f"{name} starts", starts_of(np.bincount(keys, minlength=size)))
            narrow = keys.astype(np.min_scalar_type(size))
            self._add(f"{name} words", np.argsort(narrow, kind="stable").astype(np.int32))

    def _finish(self, files: Sequence[tuple[int, str]]) -> None:
        contents = {"version": VERSION, "files": files, "arrays": self._places}
        text = json.dumps(contents).encode("utf-8")
        begin = self._at
        self._put(text)
        self._put(_END.pack(begin, len(text), _MAGIC))

    def _add(self, name: str, array: Numbers) -> None:
        self._put(b"\0" * (-self._at % _ALIGNED))
        self._places[name] = array.dtype.newbyteorder("<").str, self._at, len(array)
        self._put(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).data)

    def _put(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self._at += len(data) if isinstance(data, bytes) else data.nbytes


class Index:
    """An index that was written: a forest whose numbers are read when they are needed."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises CorpusError if the file is no index, or is cut off."""
        self._name = os.fspath(path)
        self._values: dict[str, list[str]] = {}
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < len(_MAGIC) + _END.size:
                raise self._fault("not an index")
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        begin, length, magic = _END.unpack_from(self._data, size - _END.size)
        if magic != _MAGIC or self._data[: len(_MAGIC)] != _MAGIC:
            raise self._fault("not an index, or one that was cut off")
        if begin + length + _END.size != size:
            raise self._fault("a damaged index")
        try:
            contents = json.loads(self._data[begin : begin + length])
            version = contents["version"]
            self._arrays = {name: self._mapped(*place) for name, place in _places(contents)}
            self._files = [(int(at), str(name)) for at, name in contents["files"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._fault("a damaged index") from error
        if version != VERSION:
            raise self._fault(f"an index of version {version}, not {VERSION}")
        if not self._arrays.keys() >= _NAMES:
            raise self._fault("a damaged index")

    def _fault(self, found: str) -> CorpusError:
        advice = "make one: niwaki index FILE... -o INDEX"
        return CorpusError(self._name, 0, "FILE", found, advice)

    def _mapped(self, dtype: str, begin: int, length: int) -> Numbers:
        """An array of the file; raises ValueError for what lies outside of it."""
        return np.frombuffer(self._data, dtype=np.dtype(dtype), count=length, offset=begin)

    # -- sentences ------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.starts) - 1

    def sentence(self, number: int) -> Sentence:
        begin, end = self._arrays["sources"][number : number + 2].tolist()
        _, file = self._files[bisect_right(self._files, number, key=lambda each: each[0]) - 1]
        return Sentence(self._data[begin:end], file, int(self._arrays["lines"][number]))

    def find(self, queries: Sequence[Query]) -> Iterator[Match]:
        """All matches: one sentence after the other, in each one query after the other.

        What an index holds is not checked when it is opened, which would be to read all of it.
        """
        try:
            yield from find_in_forest(queries, self, self.sentence)
        except (IndexError, ValueError) as error:
            raise self._fault("a damaged index") from error

    # -- a forest -------------------------------------------------------------------

    @property
    def starts(self) -> Numbers:
        return self._arrays["starts"]

    @property
    def heads(self) -> IntArray:
        return self._arrays["heads"]

    @cached_property
    def children(self) -> tuple[Numbers, IntArray]:
        return self._arrays["children starts"], self._arrays["children"]

    def codes(self, column: str) -> Numbers:
        return self._arrays[f"{column} codes"]

    def values(self, column: str) -> Sequence[str]:
        if column not in self._values:
            text = self._arrays[f"{column} values"].tobytes().decode("utf-8")
            self._values[column] = text.split("\n")
        return self._values[column]

    def at_most(self, fitting: Mapping[str, Fitting]) -> int:
        return min((count for count, _, _ in self._lists(fitting)), default=int(self.starts[-1]))

    def words(self, fitting: Mapping[str, Fitting]) -> IntArray:
        lists = self._lists(fitting)
        if not lists:
            return fitting_words(self, fitting, np.arange(self.starts[-1], dtype=np.int32))
        _, name, keys = min(lists, key=lambda each: each[0])
        starts = self._arrays[f"{name} starts"]
        _, places = in_ranges(starts[keys], starts[keys + 1])
        found = self._arrays[f"{name} words"][places]
        return fitting_words(self, fitting, found if len(keys) == 1 else np.sort(found))

    def _lists(self, fitting: Mapping[str, Fitting]) -> list[tuple[int, str, Numbers]]:
        """The lists of words that can be used: how many words, which list, and what keys of it."""
        found = []
        for columns in _LISTED:
            if any(column in fitting for column in columns):
                keys = np.zeros(1, dtype=np.int64)
                for column in columns:
                    size = len(self.values(column))
                    fits = fitting.get(column, np.ones(size, dtype=bool))
                    keys = (keys[:, np.newaxis] * size + np.flatnonzero(fits)).ravel()
                name = "+".join(columns)
                starts = self._arrays[f"{name} starts"]
                found.append((int((starts[keys + 1] - starts[keys]).sum()), name, keys))
        return found


def _places(contents: Any) -> Iterable[tuple[str, tuple[str, int, int]]]:
    return contents["arrays"].items()  # type: ignore[no-any-return]
