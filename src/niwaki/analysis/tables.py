"""Tables of a report, as text for the terminal and as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from niwaki.draw import escape


@dataclass(frozen=True)
class Table:
    """A title, names of the columns and rows; the first column is text."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def to_text(self) -> str:
        cells = [list(self.columns), *map(list, self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(
                value.ljust(width) if at == 0 else value.rjust(width)
                for at, (value, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in cells
        ]
        return "\n".join([f"{self.title}", *lines]) + "\n"

    def to_html(self) -> str:
        return f"<h2>{escape(self.title)}</h2>{self.grid()}"

    def grid(self) -> str:
        """The table alone, for a place that has a heading."""

        def row(values: Iterable[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(v)}</{tag}>" for v in values) + "</tr>"

        body = "".join(row(values, "td") for values in self.rows)
        return f"<table>{row(self.columns, 'th')}{body}</table>"
