"""The table of models that several commands print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from niwaki.draw import printable
from niwaki.verbs.fetching import KnownModel

_COLUMNS = ("name", "language", "version", "MB", "LAS", "UPOS", "where", "treebank", "licence")
_LONGEST = 40


def model_table(models: Iterable[KnownModel]) -> Iterator[str]:
    """Its lines; long licences are cut, and --json has all of them."""
    rows = [_COLUMNS, *map(_row, models)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (value.ljust(width) for value, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _row(model: KnownModel) -> tuple[str, ...]:
    entry = model.entry
    scores = (f"{entry.scores[x]:.1f}" if x in entry.scores else "" for x in ("LAS", "UPOS"))
    where = f"{model.where} ({model.newer} is newer)" if model.newer else model.where
    said = (entry.name, entry.language, entry.version, f"{entry.size / 1e6:.1f}", *scores, where)
    return tuple(_cut(printable(value)) for value in (*said, entry.treebank, entry.licence))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
