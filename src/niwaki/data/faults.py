"""Says what is wrong with a block of CoNLL-U lines: one fault a cause, with its place.

This is the readable definition of a sound sentence. The kernel's `scan` decides
the same question without words; it calls for this module only when something is
wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from niwaki.errors import CorpusError, shown
from niwaki.kernel.conllu import ALLOW_MANY_ROOTS, ALLOW_UNKNOWN_HEADS, MAX_LINE

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(len(COLUMNS))

_DECIMAL = re.compile(rb"0|[1-9][0-9]{0,7}")
_ID = re.compile(rb"(0|[1-9][0-9]{0,7})(?:([-.])(0|[1-9][0-9]{0,7}))?")


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a file: `column` is a column's name, or LINE, SENTENCE or FILE."""

    line: int
    column: str
    found: str
    advice: str

    def error(self, file: str) -> CorpusError:
        return CorpusError(file, self.line, self.column, self.found, self.advice)


@dataclass(frozen=True)
class _Row:
    line: int
    fields: list[bytes]


def find_faults(block: bytes, first_line: int, flags: int) -> list[Fault]:
    """All faults of one block (a sentence with its comments and blank lines)."""
    faults: list[Fault] = []
    rows: list[_Row] = []
    whole = True  # whether every row could be cut into columns
    first_content = first_line
    lines = block.split(b"\n")
    numbered = [(first_line + i, line.removesuffix(b"\r")) for i, line in enumerate(lines)]
    # What follows the last newline is a line only if it is not empty.
    numbered = [(number, line) for number, line in numbered if line]
    if numbered:
        first_content = numbered[0][0]
    for number, line in numbered:
        faults_before = len(faults)
        faults.extend(_line_faults(number, line, inside=bool(rows)))
        if line.startswith(b"#"):
            continue
        rows.append(_Row(number, line.split(b"\t")))
        whole = whole and len(faults) == faults_before
    if not rows:
        return [*faults, _no_words(first_content)]
    if whole:
        id_faults = list(_id_faults(rows))
        faults.extend(id_faults)
        # With ids out of order, every head would be reported for the same cause.
        if not id_faults:
            words = [row for row in rows if row.fields[0].isdigit()]
            faults.extend(_head_faults(words, flags))
    return sorted(faults, key=lambda fault: fault.line)


def _no_words(line: int) -> Fault:
    return Fault(line, "SENTENCE", "comments without words", "remove them or add the words")


def _line_faults(number: int, line: bytes, inside: bool) -> Iterator[Fault]:
    """Faults that one line shows by itself; at most one, because one hides the others."""
    if len(line) > MAX_LINE:
        yield Fault(
            number, "LINE", f"a line of {len(line)} bytes", f"keep lines below {MAX_LINE} bytes"
        )
    elif b"\0" in line:
        yield Fault(
            number, "LINE", f"a NUL byte at byte {line.index(0) + 1}", "remove it; this is text"
        )
    elif b"\r" in line:
        found = f"a carriage return at byte {line.index(13) + 1}"
        yield Fault(number, "LINE", found, "remove it, or end lines with line feeds")
    elif (bad := _utf8_fault(line)) is not None:
        yield Fault(number, "LINE", bad, "convert the file to UTF-8")
    elif line.startswith(b"#"):
        if inside:
            yield Fault(
                number, "LINE", "a comment between the words", "move it before the first word"
            )
    else:
        yield from _row_faults(number, line.split(b"\t"))


def line_end(block: bytes) -> bytes:
    """How the first line of a block that is not blank ends."""
    start = len(block) - len(block.lstrip(b"\r\n"))
    end = block.find(b"\n", start)
    return b"\r\n" if block[max(0, end - 1) : end] == b"\r" else b"\n"


def find_other_ends(block: bytes, first_line: int, end: bytes) -> list[Fault]:
    """The first line of a sound block that is not blank and does not end as the file does."""
    returns = end == b"\r\n"
    if block.count(b"\r") == (block.count(b"\n") if returns else 0):
        return []
    lines = block.split(b"\n")
    if returns:
        lines.pop()  # what follows the last line feed need not be whole
    for number, line in enumerate(lines, start=first_line):
        if line.strip(b"\r") and line.endswith(b"\r") != returns:
            found = "a line end without carriage return" if returns else "CR before the line end"
            return [Fault(number, "LINE", found, "end all lines of a file alike")]
    return []


def _utf8_fault(line: bytes) -> str | None:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"invalid UTF-8 at byte {error.start + 1} (0x{line[error.start]:02x})"
    return None


def _row_faults(number: int, fields: list[bytes]) -> Iterator[Fault]:
    if len(fields) != len(COLUMNS):
        if len(fields) == 1 and not fields[0].strip():
            yield Fault(number, "LINE", "a line of white space", "make it empty")
            return
        hint = "" if len(fields) > 1 else f" ({shown(fields[0])})"
        plural = "" if len(fields) == 1 else "s"
        yield Fault(
            number,
            "LINE",
            f"{len(fields)} column{plural}{hint}",
            "a word has ten columns with a tab between each two",
        )
        return
    for name, value in zip(COLUMNS, fields, strict=True):
        if not value:
            yield Fault(number, name, "an empty field", "write _ for nothing")
            return


def _id_faults(rows: list[_Row]) -> Iterator[Fault]:
    """Ids that do not continue the sentence. After a gap, counting resumes from what was found."""
    words = empty = range_end = 0
    range_line = rows[0].line
    seen: set[int] = set()
    for row in rows:
        value = row.fields[0]
        match = _ID.fullmatch(value)
        if match is None:
            yield Fault(row.line, "ID", f"found {shown(value)}", "write 7, 7-8 or 7.1")
            return
        first = int(match[1])
        if match[2] is None:
            if first != words + 1:
                what = "duplicate" if first in seen else "non-contiguous"
                yield Fault(
                    row.line, "ID", f"{what} id {first}", f"expected {words + 1} after {words}"
                )
            words, empty = first, 0
            seen.add(first)
        elif match[2] == b"-":
            last = int(match[3])
            if first <= range_end:
                yield Fault(
                    row.line,
                    "ID",
                    f"range {first}-{last} overlaps the range that ends at {range_end}",
                    "ranges may not share words",
                )
            elif first != words + 1 or last < first:
                yield Fault(
                    row.line,
                    "ID",
                    f"range {first}-{last} before word {words + 1}",
                    "put a range right before its first word",
                )
            range_end, range_line = max(range_end, last), row.line
        elif first != words or int(match[3]) != empty + 1:
            yield Fault(
                row.line,
                "ID",
                f"empty node {shown(value)} after word {words}",
                f"expected {words}.{empty + 1}",
            )
        else:
            empty += 1
    if not seen:
        yield Fault(rows[0].line, "SENTENCE", "no words", "add the words or remove the lines")
    elif range_end > words:
        yield Fault(
            range_line, "ID", f"a range that ends at {range_end}", f"the last word is {words}"
        )


def _head_faults(words: list[_Row], flags: int) -> Iterator[Fault]:
    heads: list[int] = []
    faulty = False
    for position, row in enumerate(words, start=1):
        head = row.fields[6]
        if head in (b"_", b"-1"):
            heads.append(-1)
        elif not _DECIMAL.fullmatch(head):
            yield Fault(
                row.line, "HEAD", f"found {shown(head)}", "write a plain decimal, or _ if unknown"
            )
            faulty = True
        elif int(head) > len(words):
            yield Fault(
                row.line,
                "HEAD",
                f"head {int(head)} of word {position} is out of range",
                f"the sentence has {len(words)} words",
            )
            faulty = True
        elif int(head) == position:
            yield Fault(
                row.line, "HEAD", f"word {position} is its own head", "give another head, or 0"
            )
            faulty = True
        else:
            heads.append(int(head))
    if not faulty:
        yield from _tree_faults([row.line for row in words], heads, flags)


def _tree_faults(lines: list[int], heads: list[int], flags: int) -> Iterator[Fault]:
    unknown = [line for line, head in zip(lines, heads, strict=True) if head == -1]
    roots = [i for i, head in enumerate(heads, start=1) if head == 0]
    if unknown and not flags & ALLOW_UNKNOWN_HEADS:
        yield Fault(
            unknown[0],
            "HEAD",
            f"{len(unknown)} unknown head{'s' if len(unknown) > 1 else ''}",
            "fill in, or allow unknown heads",
        )
    if len(roots) > 1 and not flags & ALLOW_MANY_ROOTS:
        words = ", ".join(map(str, roots[:5])) + (", …" if len(roots) > 5 else "")
        yield Fault(
            lines[roots[1] - 1],
            "HEAD",
            f"{len(roots)} roots (words {words})",
            "keep one head 0, or allow many roots",
        )
    cycles = find_cycles(heads)
    if not roots and not unknown:
        # Without a root there is always a cycle: one cause, one report.
        first = cycles.pop(0)
        yield Fault(lines[first[0] - 1], "HEAD", f"no root ({_path(first)})", "give one the head 0")
    for cycle in cycles:
        yield Fault(
            lines[cycle[0] - 1],
            "HEAD",
            f"a cycle of heads {_path(cycle)}",
            "give one of them another head",
        )


def _path(cycle: list[int]) -> str:
    middle = ["…"] if len(cycle) > 6 else []
    return " → ".join(map(str, [*cycle[:6], *middle, cycle[0]]))


def find_cycles(heads: list[int]) -> list[list[int]]:
    """Every cycle among 1-based heads (0 root, -1 unknown), each from its first word on."""
    walk = [0] * len(heads)  # the word whose walk visited this one first
    cycles = []
    for start in range(1, len(heads) + 1):
        word = start
        while word > 0 and not walk[word - 1]:
            walk[word - 1] = start
            word = heads[word - 1]
        if word > 0 and walk[word - 1] == start:
            cycle = [word]
            while (word := heads[word - 1]) != cycle[0]:
                cycle.append(word)
            smallest = cycle.index(min(cycle))
            cycles.append(cycle[smallest:] + cycle[:smallest])
    return cycles
