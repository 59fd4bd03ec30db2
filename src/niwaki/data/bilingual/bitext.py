"""Parallel text (two files, a tokenised sentence a line) and the word links between its sides."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from niwaki.data.files import Input, Source, Target, open_output
from niwaki.errors import CorpusError, shown

_LINK = re.compile(r"(0|[1-9][0-9]{0,8})([-p])(0|[1-9][0-9]{0,8})", re.ASCII)

Link = tuple[int, int]


@dataclass(frozen=True)
class Links:
    """Word links of one sentence pair, 0-based, source first; possible ones are less certain."""

    sure: frozenset[Link]
    possible: frozenset[Link] = frozenset()

    @property
    def all(self) -> frozenset[Link]:
        return self.sure | self.possible

    def __str__(self) -> str:
        marks = [(*link, "-") for link in self.sure] + [(*link, "p") for link in self.possible]
        return " ".join(f"{i}{mark}{j}" for i, j, mark in sorted(marks))


class Pair(NamedTuple):
    """A line of parallel text; `links` is None where no link file was given."""

    number: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: Links | None


def read_bitext(source: Source, target: Source, links: Source | None = None) -> Iterator[Pair]:
    """Yield sentence pairs of Moses-style files, with Pharaoh links if a file is given.

    Words are split at spaces. Files of different length, links out of range and
    malformed links raise CorpusError with the line.
    """
    files = [source, target] if links is None else [source, target, links]
    return _read_bitext([Input(file) for file in files])


def _read_bitext(inputs: list[Input]) -> Iterator[Pair]:
    try:
        for lines in itertools.zip_longest(*(stream.lines() for stream in inputs)):
            _check_same_length(inputs, lines)
            number = lines[0][0]
            source, target, *rest = (text for _, text in lines)
            words = tuple(source.split()), tuple(target.split())
            found = (
                parse_links(rest[0], inputs[2].name, number, (len(words[0]), len(words[1])))
                if rest
                else None
            )
            yield Pair(number, *words, found)
    finally:
        for stream in inputs:
            stream.close()


def read_filled_bitext(
    source: Source,
    target: Source,
    longest: int,
    faults: Callable[[CorpusError], None] | None = None,
) -> Iterator[Pair]:
    """As `read_bitext`, for work that needs words on both sides and not too many of them.

    Pairs with an empty side or with more than `longest` words on one, and lines without
    a partner, raise CorpusError. With `faults`, the error is given to it instead: such pairs
    are given without words, lines without a partner not at all. Bytes that are not UTF-8 are
    faults as well, and become U+FFFD.
    """
    return _read_filled([Input(source), Input(target)], longest, faults)


def _read_filled(
    inputs: list[Input], longest: int, faults: Callable[[CorpusError], None] | None
) -> Iterator[Pair]:
    try:
        for lines in itertools.zip_longest(*(stream.lines(faults) for stream in inputs)):
            try:
                _check_same_length(inputs, lines)
                pair = _filled_pair(inputs, lines, longest)
            except CorpusError as error:
                if faults is None:
                    raise
                faults(error)
                if None in lines:
                    continue
                pair = Pair(lines[0][0], (), (), None)
            yield pair
    finally:
        for stream in inputs:
            stream.close()


def _filled_pair(inputs: list[Input], lines: Sequence[tuple[int, str]], longest: int) -> Pair:
    number = lines[0][0]
    source, target = (tuple(text.split()) for _, text in lines)
    if not source or not target or max(len(source), len(target)) > longest:
        raise _unusable(inputs, number, (source, target), longest)
    return Pair(number, source, target, None)


def _unusable(
    inputs: list[Input], line: int, sides: Iterable[tuple[str, ...]], longest: int
) -> CorpusError:
    """The error of a pair: its empty side, or else the longer one."""
    stream, words = min(
        zip(inputs, sides, strict=True), key=lambda side: (bool(side[1]), -len(side[1]))
    )
    if not words:
        return CorpusError(
            stream.name, line, "LINE", "no words", "remove the pair, or skip such pairs"
        )
    return CorpusError(
        stream.name,
        line,
        "LINE",
        f"{len(words)} words",
        f"split sentences of more than {longest}, or skip such pairs",
    )


def _check_same_length(inputs: list[Input], lines: Sequence[tuple[int, str] | None]) -> None:
    ended = [stream.name for stream, line in zip(inputs, lines, strict=True) if line is None]
    if ended:
        longer, line = next(
            (stream.name, line) for stream, line in zip(inputs, lines, strict=True) if line
        )
        raise CorpusError(
            longer,
            line[0],
            "LINE",
            f"a line without a partner: {ended[0]} ends after line {line[0] - 1}",
            "give files of one length",
        )


def parse_links(text: str, file: str, line: int, lengths: tuple[int, int] | None = None) -> Links:
    """Links from Pharaoh text such as `0-0 1-2 3p2`; `lengths` are those of the two sides."""
    sure: set[Link] = set()
    possible: set[Link] = set()
    for item in text.split():
        match = _LINK.fullmatch(item)
        if match is None:
            raise CorpusError(
                file, line, "LINE", f"malformed link {shown(item)}", "write i-j, or ipj if possible"
            )
        link = int(match[1]), int(match[3])
        if lengths is not None and (link[0] >= lengths[0] or link[1] >= lengths[1]):
            raise CorpusError(
                file,
                line,
                "LINE",
                f"link {item} is out of range",
                f"the sentences have {lengths[0]} and {lengths[1]} words, counted from 0",
            )
        (sure if match[2] == "-" else possible).add(link)
    return Links(frozenset(sure), frozenset(possible - sure))


def read_linked_bitext(
    source: Source,
    target: Source,
    links: Source,
    faults: Callable[[CorpusError], None] | None = None,
) -> Iterator[Pair]:
    """As `read_bitext` with links, for work that needs words on both sides.

    An empty side, a malformed link, one out of range or a line without a partner raises
    CorpusError; with `faults`, the error is given to it and the pair left out. Bytes that are
    not UTF-8 are faults as well, and become U+FFFD.
    """
    return _read_linked([Input(source), Input(target), Input(links)], faults)


def _read_linked(
    inputs: list[Input], faults: Callable[[CorpusError], None] | None
) -> Iterator[Pair]:
    try:
        for lines in itertools.zip_longest(*(stream.lines(faults) for stream in inputs)):
            try:
                yield _linked_pair(inputs, lines)
            except CorpusError as error:
                if faults is None:
                    raise
                faults(error)
    finally:
        for stream in inputs:
            stream.close()


def _linked_pair(inputs: list[Input], lines: Sequence[tuple[int, str]]) -> Pair:
    _check_same_length(inputs, lines)
    number = lines[0][0]
    source, target = (tuple(text.split()) for _, text in lines[:2])
    for words, stream in ((source, inputs[0]), (target, inputs[1])):
        if not words:
            raise CorpusError(stream.name, number, "LINE", "no words", "remove the pair")
    lengths = len(source), len(target)
    return Pair(number, source, target, parse_links(lines[2][1], inputs[2].name, number, lengths))


def read_links(source: Source) -> Iterator[Links]:
    """Yield the links of a Pharaoh file, a line a sentence pair, without knowing the sentences."""
    stream = Input(source)
    return _read_links(stream)


def _read_links(stream: Input) -> Iterator[Links]:
    with stream:
        for number, line in stream.lines():
            yield parse_links(line, stream.name, number)


def write_links(links: Iterable[Links], target: Target) -> None:
    with open_output(target) as out:
        for item in links:
            out.write(f"{item}\n".encode())
