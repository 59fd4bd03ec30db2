"""Reads and writes CoNLL-U (and CoNLL-X) as a stream of sentences, without losing a byte."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

from niwaki.data.faults import Fault, find_faults, find_other_ends, line_end
from niwaki.data.files import Input, Source, Target, open_output
from niwaki.data.sentence import BOM, Sentence
from niwaki.errors import CorpusError
from niwaki.kernel.conllu import (
    ALLOW_MANY_ROOTS,
    ALLOW_UNKNOWN_HEADS,
    INCOMPLETE,
    NOTHING,
    SOUND,
    scan,
)

_CHUNK = 1 << 18
# Together with the kernel's limit on a line, this bounds the memory of reading
# whatever the input is. A sentence of 10,000 words has about one megabyte.
MAX_SENTENCE = 1 << 25


def read_conllu(
    source: Source, *, multi_root: bool = False, unknown_heads: bool = True
) -> Generator[Sentence, None, None]:
    """Yield the sentences of a CoNLL-U file: a path, `-` for stdin, or a file object.

    Gzip is read as it is. The first fault raises CorpusError. `multi_root` allows
    trees with several roots; `unknown_heads=False` refuses `_` and -1 as heads.
    Sentences are yielded as they are read, in constant memory.
    """
    return _read(Input(source), _flags(multi_root, unknown_heads))


def read_stream(
    stream: Input, on_fault: Callable[[CorpusError], None] | None = None
) -> Generator[Sentence, None, None]:
    """The sentences of a stream, for a reader that takes trees as they come.

    With `on_fault`, that is told of each fault, and faulty sentences are left out.
    """
    return _read(stream, _flags(multi_root=True, unknown_heads=True), on_fault)


def _read(
    stream: Input, flags: int, on_fault: Callable[[CorpusError], None] | None = None
) -> Generator[Sentence, None, None]:
    name = stream.name
    with stream:
        for source, line, faults in _blocks(stream, flags):
            if not faults:
                yield Sentence(source, name, line)
            elif on_fault is None:
                raise faults[0].error(name)
            else:
                on_fault(faults[0].error(name))


def validate(
    source: Source,
    *,
    multi_root: bool = False,
    unknown_heads: bool = False,
    report: Callable[[list[CorpusError]], None] = lambda faults: None,
) -> list[CorpusError]:
    """All faults of a CoNLL-U file, in order; an empty list if it is sound.

    `report` is told of each sentence, with its faults. After one, reading goes on at the next
    blank line. Lines must all end alike, which `read_conllu` does not ask for.

        >>> for fault in validate("train.conllu"):
        ...     print(fault.line, fault.column, fault)
    """
    found: list[CorpusError] = []
    with Input(source) as stream:
        end = b""  # that of the first line, and so of all
        for lines, first, faults in _blocks(stream, _flags(multi_root, unknown_heads)):
            if not faults:
                end = end or line_end(lines)
                faults = find_other_ends(lines, first, end)
            errors = [fault.error(stream.name) for fault in faults]
            report(errors)
            found += errors
    return found


def write_conllu(sentences: Iterable[Sentence], target: Target) -> int:
    """Write sentences to a path (atomically; .gz is compressed), `-` or a file object.

    Returns their number. What `read_conllu` yielded comes out byte for byte; a
    byte order mark is kept only at the beginning, and a last sentence without its
    newline is given one when another sentence follows it.
    """
    count = 0
    owed = b""  # what the sentence before needs if it was not the last
    with open_output(target) as out:
        for sentence in sentences:
            source = sentence.source
            if count:
                source = owed + source.removeprefix(BOM)
            out.write(source)
            owed = _owed(source)
            count += 1
    return count


def _owed(source: bytes) -> bytes:
    if source.endswith((b"\n\n", b"\n\r\n")):
        return b""
    newline = b"\r\n" if b"\r\n" in source else b"\n"
    return newline if source.endswith(b"\n") else newline * 2


def _flags(multi_root: bool, unknown_heads: bool) -> int:
    return ALLOW_MANY_ROOTS * multi_root | ALLOW_UNKNOWN_HEADS * unknown_heads


# The lines of one sentence (or of what should have been one), the number of the
# first, and what is wrong with them.
_Block = tuple[bytes, int, Sequence[Fault]]


def _blocks(stream: Input, flags: int) -> Iterator[_Block]:
    """Cut a stream at blank lines. The blocks together are the stream, byte for byte."""
    eager = stream.interactive
    buffer = stream.read(_CHUNK)
    while len(buffer) < len(BOM) and (more := stream.read(_CHUNK)):
        buffer += more
    start = len(BOM) if buffer.startswith(BOM) else 0
    kept = 0  # where the block begins, mark included
    line, final, empty = 1, False, True
    while True:
        end, lines, verdict = scan(buffer, start, flags, final, eager)
        if verdict == INCOMPLETE:
            if len(buffer) - start > MAX_SENTENCE:
                fault, buffer, passed = _skip(buffer[start:], line, stream)
                # Of a file of nothing but blank lines it is said that it is empty.
                empty = empty and not buffer and fault.column == "LINE"
                if not empty:
                    yield b"", line, [fault]
                line, start, kept, final = line + passed, 0, 0, False
                continue
            # Asking for as much again keeps the rescanning of long sentences linear.
            more = stream.read(max(_CHUNK, len(buffer) - start))
            buffer, start, kept = buffer[kept:] + more, start - kept, 0
            final = not more
            continue
        if verdict == NOTHING:
            break
        faults = () if verdict == SOUND else find_faults(buffer[start:end], line, flags)
        yield buffer[kept:end], line, faults
        empty = False
        line, start, kept = line + lines, end, end
    if empty:
        yield b"", 1, [Fault(1, "FILE", "an empty file", "give a file with sentences")]


def _skip(buffer: bytes, line: int, stream: Input) -> tuple[Fault, bytes, int]:
    """Pass over what is too long to hold: what it was, what follows it, lines passed.

    It is a sentence, or the blank lines before or after one.
    """
    content = buffer.lstrip(b"\r\n")
    size = lines = 0
    if len(content) > MAX_SENTENCE:
        lines = buffer.count(b"\n", 0, len(buffer) - len(content))
        size, buffer, passed = _skip_block(content, stream)
        lines += passed
    rest, blank = _skip_blank(buffer, stream)
    if size > MAX_SENTENCE:
        return _too_long(line, size), rest, lines + blank
    found = f"{blank} blank lines"
    return Fault(line + lines, "LINE", found, "remove all but one"), rest, lines + blank


def _skip_blank(buffer: bytes, stream: Input) -> tuple[bytes, int]:
    """Pass over blank lines: what follows them, and their number."""
    lines = 0
    while buffer:
        rest = buffer.lstrip(b"\r\n")
        lines += buffer.count(b"\n", 0, len(buffer) - len(rest))
        if rest:
            return rest, lines
        buffer = stream.read(_CHUNK)
    return b"", lines


def _too_long(line: int, size: int) -> Fault:
    return Fault(
        line,
        "SENTENCE",
        f"a sentence of {size} bytes",
        f"keep sentences below {MAX_SENTENCE} bytes, with a blank line after each",
    )


def _skip_block(buffer: bytes, stream: Input) -> tuple[int, bytes, int]:
    """Pass over a block that is too long to hold: its size, what follows it, lines passed."""
    size = lines = 0
    while True:
        ends = [at + len(mark) for mark in (b"\n\n", b"\n\r\n") if (at := buffer.find(mark)) >= 0]
        if ends:
            end = min(ends)
            return size + end, buffer[end:], lines + buffer.count(b"\n", 0, end)
        # Keep enough to see a blank line that is cut by the chunk's end.
        passed = max(0, len(buffer) - 2)
        lines += buffer.count(b"\n", 0, passed)
        size += passed
        more = stream.read(_CHUNK)
        if not more:
            return size + len(buffer) - passed, b"", lines
        buffer = buffer[passed:] + more
