"""Cuts files into shards at borders of sentences, and shards into the items that may be bad."""

from __future__ import annotations

import itertools
import json
import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from niwaki.data.conllu import read_stream
from niwaki.data.files import Input
from niwaki.data.text import looks_like_conllu
from niwaki.errors import CorpusError, NiwakiError
from niwaki.scale import parquet, records
from niwaki.scale.warc import text_records

CONLLU, TEXT, LINES, RECORDS = "conllu", "text", "lines", "records"
_BY_SUFFIX = {
    **dict.fromkeys([".conllu", ".conll"], CONLLU),
    **dict.fromkeys([".jsonl", ".ndjson"], RECORDS),
}
_PACKED = (".gz", ".zst")
_WARC = (".warc", ".wet")
_PARQUET = ".parquet"
_CHUNK = 1 << 20

# Where a shard may end, the best place first: before a document, after a sentence or a
# paragraph, after a line that ends like a sentence, after any line.
_DOCUMENT = re.compile(rb"\n\r?\n(?=# newdoc)")
_BLANK = re.compile(rb"\n\r?\n(?:\r?\n)*")
_SENTENCE = re.compile(rb"(?:[.!?]|\xe3\x80\x82|\xef\xbc\x81|\xef\xbc\x9f)[\"')]*\r?\n")
_LINE = re.compile(rb"\n")
_BORDERS = {CONLLU: (_DOCUMENT, _BLANK), TEXT: (_BLANK, _SENTENCE, _LINE)}


@dataclass(frozen=True)
class Shard:
    """A part of a file, as bytes of a form: CoNLL-U, records (JSON Lines), or text."""

    file: str
    name: str  # of the file, among all files of the job
    number: int
    form: str | None  # None: by its look, as commands read it
    data: bytes
    line: int  # of the file, from 1, where it begins; a row or a record of those without lines
    character: int  # of the file, where it begins (text only)
    read: int  # how many bytes of the file were read to know it

    @property
    def stem(self) -> str:
        return f"{self.name}.{self.number:05}"


def shards_of(files: Sequence[str], form: str | None, size: int) -> Iterator[Shard]:
    """Cut files, one after the other, into shards of about so many bytes (before packing)."""
    for file, name in zip(files, _names(files), strict=True):
        yield from _shards(file, name, form, size)


def pair_shards(source: str, target: str, size: int) -> Iterator[Shard]:
    """Cut parallel text, a sentence a line: lines of both, with a tab between them."""
    line = 1
    with open(source, "rb") as raw, Input(raw) as one, Input(target) as other:
        for number, data in enumerate(_grouped(_pair_lines(one, other), size)):
            name = Path(source).name
            yield Shard(source, name, number, LINES, data, line, 0, raw.tell())
            line += data.count(b"\n")


def _pair_lines(one: Input, other: Input) -> Iterator[bytes]:
    # A fault is an error here: lines that are left out of one file would slip.
    for left, right in itertools.zip_longest(one.lines(), other.lines()):
        if left is None or right is None:
            longer, number = (other, right[0]) if left is None else (one, left[0])
            raise CorpusError(
                longer.name, number, "LINE", "no line beside it", "give files of the same length"
            )
        sides = (" ".join(text.split()) for _, text in (left, right))
        yield "\t".join(sides).encode() + b"\n"


def _names(files: Sequence[str]) -> list[str]:
    """Names of files, with as many folders as tell them apart."""
    paths = [Path(os.path.abspath(file)).parts[1:] for file in files]
    for depth in range(1, max(map(len, paths), default=1) + 1):
        names = ["-".join(parts[-depth:]) for parts in paths]
        if len(set(names)) == len(names):
            return names
    again = next(file for number, file in enumerate(files) if file in files[:number])
    raise NiwakiError(f"{again}: given twice; give each file once")


def _suffix(file: str) -> str:
    """That of what is in a file, packed or not."""
    suffixes = [each for each in Path(file).suffixes if each not in _PACKED]
    return suffixes[-1] if suffixes else ""


def has_lines(file: str) -> bool:
    """Whether a file can be read line by line."""
    return _suffix(file) not in (_PARQUET, *_WARC)


def _shards(file: str, name: str, form: str | None, size: int) -> Iterator[Shard]:
    last = _suffix(file)
    with open(file, "rb") as raw:
        if last == _PARQUET:
            total = os.fstat(raw.fileno()).st_size
            form, pieces = RECORDS, _grouped(parquet.json_lines(file), size)
        else:
            stream, total = Input(raw), 0
            if last in _WARC:
                form, pieces = RECORDS, _grouped(_record_lines(stream), size)
            else:
                form = (
                    form or _BY_SUFFIX.get(last) or (CONLLU if looks_like_conllu(stream) else None)
                )
                pieces = _cut(stream, form, size)
        line, character = 1, 0
        for number, data in enumerate(pieces):
            # Of a Parquet file it is not known how far it was read.
            yield Shard(file, name, number, form, data, line, character, total or raw.tell())
            line += data.count(b"\n")
            if form not in (CONLLU, RECORDS):
                character += len(data.decode("utf-8", "replace"))


def _record_lines(stream: Input) -> Iterator[bytes]:
    """A line for each record of the file, empty for those that are no text."""
    before = 0
    for record in text_records(stream):
        blank = "\n" * (record.number - before - 1)
        before = record.number
        made = {"doc_id": record.uri or record.id, "text": record.text}
        yield f"{blank}{json.dumps(made, ensure_ascii=False)}\n".encode()


def _grouped(lines: Iterable[bytes], size: int) -> Iterator[bytes]:
    held: list[bytes] = []
    length = 0
    for line in lines:
        held.append(line)
        length += len(line)
        if length >= size:
            yield b"".join(held)
            held, length = [], 0
    if held:
        yield b"".join(held)


def _cut(stream: Input, form: str | None, size: int) -> Iterator[bytes]:
    borders = _BORDERS.get(form or TEXT, (_LINE,))
    buffer = bytearray()
    wanted, is_whole = 2 * size, False
    while True:
        while len(buffer) < wanted and not is_whole:
            data = stream.read(_CHUNK)
            buffer += data
            is_whole = not data
        # What is left is not cut for the sake of a shard that is hardly one.
        is_rest = is_whole and len(buffer) <= 2 * size
        at = _border(buffer, borders[:1] if is_rest else borders, size)
        if at is not None and at < len(buffer):
            yield bytes(buffer[:at])
            del buffer[:at]
            wanted = 2 * size
        elif is_whole:
            if buffer:
                yield bytes(buffer)
            return
        else:
            # A sentence or a line that is longer than a shard.
            wanted = 2 * len(buffer)


def _border(buffer: bytearray, borders: Sequence[re.Pattern[bytes]], size: int) -> int | None:
    for number, border in enumerate(borders, start=1):
        # The best place that is near; any that there is, if none is. The last byte may be half
        # of a border.
        end = len(buffer) - 1 if number == len(borders) else min(2 * size, len(buffer) - 1)
        found = border.search(buffer, size - 1, end)
        if found:
            return found.end()
    return None


# -- items ------------------------------------------------------------------------


@dataclass(frozen=True)
class Bad:
    """An item that is left out: its number in the shard, its line in it (from 0), and why."""

    item: int
    line: int
    reason: str


class Items:
    """What of a shard can be left out: sentences of CoNLL-U, lines of everything else."""

    def __init__(self, form: str | None, data: bytes) -> None:
        self.form, self.data = form, data
        border = _BLANK if form == CONLLU else _LINE
        ends = [found.end() for found in border.finditer(data)]
        if not ends or ends[-1] < len(data):
            ends.append(len(data))
        self._starts = [0, *ends[:-1]]
        self._ends = ends

    def __len__(self) -> int:
        return len(self._ends)

    def bytes_of(self, item: int) -> bytes:
        return self.data[self._starts[item] : self._ends[item]]

    def line_of(self, item: int) -> int:
        """From 0, in the shard."""
        return self.data.count(b"\n", 0, self._starts[item])

    def part(self, first: int, end: int) -> Items:
        return Items(self.form, self.data[self._starts[first] : self._ends[end - 1]])

    def faults(self) -> list[Bad]:
        """All that cannot be read, by item."""
        if self.form == CONLLU:
            return self._conllu_faults()
        if self.form == RECORDS:
            return [
                Bad(item, self.line_of(item), fault)
                for item in range(len(self))
                if (line := self.bytes_of(item)).strip() and (fault := records.fault_of(line))
            ]
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError:
            return self._text_faults()
        return []

    def _conllu_faults(self) -> list[Bad]:
        found: list[CorpusError] = []
        for _ in read_stream(Input(BytesIO(self.data)), found.append):
            pass
        if not found:
            return []
        lines = list(
            itertools.accumulate(
                (self.bytes_of(item).count(b"\n") for item in range(len(self))), initial=0
            )
        )
        bad: dict[int, Bad] = {}
        for error in found:
            item = min(bisect_right(lines, error.line - 1), len(self)) - 1
            reason = f"{error.column}: {error.found}; {error.advice}"
            bad.setdefault(item, Bad(item, error.line - 1, reason))
        return list(bad.values())

    def _text_faults(self) -> list[Bad]:
        found = []
        for item in range(len(self)):
            try:
                self.bytes_of(item).decode("utf-8")
            except UnicodeDecodeError as error:
                reason = f"invalid UTF-8 at byte {error.start + 1}; convert the file to UTF-8"
                found.append(Bad(item, self.line_of(item), reason))
        return found

    def without(self, bad: Iterable[int]) -> bytes:
        """The shard without some items. Lines and places in a text stay: spaces take theirs."""
        dropped = set(bad)
        if not dropped:
            return self.data
        kept = []
        for item in range(len(self)):
            data = self.bytes_of(item)
            if item not in dropped:
                kept.append(data)
            elif self.form != CONLLU:
                text = data.decode("utf-8", "replace").rstrip("\r\n")
                blank = "" if self.form == RECORDS else " " * len(text)
                kept.append(f"{blank}\n".encode())
        return b"".join(kept)

    def words(self) -> int:
        """How many there are: lines of words in CoNLL-U, else what spaces tell apart."""
        if self.form == CONLLU:
            return sum(1 for _ in _WORD.finditer(self.data))
        if self.form == RECORDS:
            return sum(_record_words(line) for line in self._lines() if line.strip())
        return sum(len(line.split()) for line in self._lines())

    def _lines(self) -> Iterator[bytes]:
        return map(self.bytes_of, range(len(self)))


_WORD = re.compile(rb"^[0-9]+\t", re.M)


def _record_words(line: bytes) -> int:
    record = json.loads(line)
    tokens = record.get("tokens", record.get("forms"))
    return len(tokens) if tokens else len(record["text"].split())
