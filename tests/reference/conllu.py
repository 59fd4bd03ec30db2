"""CoNLL-U in plain Python: no buffers, no streaming, no cleverness."""

from __future__ import annotations

import re

_WORD = re.compile(r"[0-9]+\t")


def content_lines(source: bytes) -> list[str]:
    text = source.decode("utf-8").removeprefix("\ufeff")
    return [line.removesuffix("\r") for line in text.split("\n")]


def read_off(source: bytes) -> list[object]:
    lines = [line for line in content_lines(source) if line]
    rows = [line.split("\t") for line in lines if _WORD.match(line)]
    columns: list[object] = [tuple(column) for column in zip(*rows, strict=True)]
    columns[6] = tuple(-1 if row[6] == "_" else int(row[6]) for row in rows)
    comments = [line for line in lines if line.startswith("#")]
    others = [line.split("\t") for line in lines if line[0] != "#" and not _WORD.match(line)]
    return [*columns, comments, others]


def splice(source: bytes, columns: list[list[bytes] | None]) -> bytes:
    out = []
    word = 0
    for line in source.split(b"\n"):
        end = b"\r" if line.endswith(b"\r") else b""
        bom = b"\xef\xbb\xbf" if line.startswith(b"\xef\xbb\xbf") else b""
        body = line.removeprefix(bom).removesuffix(end)
        if re.match(rb"[0-9]+\t", body):
            fields = body.split(b"\t")
            for number, column in enumerate(columns):
                if column is not None:
                    fields[number] = column[word]
            word += 1
            body = b"\t".join(fields)
        out.append(bom + body + end)
    return b"\n".join(out)


def blocks(data: bytes) -> list[bytes]:
    """The sentences of a file, each with the blank lines that follow it."""
    found = [b""]
    ended = False
    for line in data.split(b"\n"):
        whole = line + b"\n"
        blank = line in (b"", b"\r")
        content = found[-1].strip(b"\r\n")
        if blank and content:
            ended = True
        elif not blank and ended:
            found.append(b"")
            ended = False
        found[-1] += whole
    found[-1] = found[-1][:-1]  # the split gave the last line a newline too many
    return [block for block in found if block]
