"""Logs of training: how the costs of each objective fell, epoch by epoch.

A log is JSON Lines, one object for each epoch of each objective:

    {"epoch": 1, "objective": "reordering", "updates": 812, "first_cost": 0.21,
     "oracle_cost": 0.08, "mean_k": 7.4, "written_cost": 0.23}

`written_cost` is the mean cost of the trees of the model as it would be written, `first_cost`
that of its first candidates while it learned, `oracle_cost` that of the best ones in its lists,
`mean_k` the mean length of the lists. Numbers other than the epoch may be null or missing;
further keys are left alone.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from niwaki.analysis.tables import Table
from niwaki.data.files import Input, Source
from niwaki.data.jsonlines import objects
from niwaki.draw import escape, line_chart, page, round_limits
from niwaki.errors import CorpusError, NiwakiError, shown

_DECIMALS = {"updates": 0, "first_cost": 4, "oracle_cost": 4, "mean_k": 1, "written_cost": 4}
_NUMBERS = tuple(_DECIMALS)
_COSTS = {"written_cost": "as written", "first_cost": "first", "oracle_cost": "oracle"}
_STYLE = (
    "body{max-width:1500px;margin:2rem auto;padding:0 1.5rem}"
    ".row{display:flex;flex-wrap:wrap;gap:1rem 1.6rem}"
)


@dataclass(frozen=True)
class Entry:
    """What a log says about one epoch of one objective; None is not known."""

    epoch: float
    objective: str
    updates: float | None = None
    first_cost: float | None = None
    oracle_cost: float | None = None
    mean_k: float | None = None
    written_cost: float | None = None


def read_log(source: Source) -> list[Entry]:
    """The entries by objective and epoch; of an epoch that is told twice, the last counts.

    That happens when a run was resumed. Raises CorpusError with the line.
    """
    found: dict[tuple[str, float], Entry] = {}
    objectives: list[str] = []
    with Input(source) as stream:
        for number, record in objects(stream):
            entry = _entry(stream.name, number, record)
            found[entry.objective, entry.epoch] = entry
            if entry.objective not in objectives:
                objectives.append(entry.objective)
        if not found:
            raise NiwakiError(f"{stream.name}: an empty log; nothing to draw")
    order = {name: place for place, name in enumerate(objectives)}
    return sorted(found.values(), key=lambda entry: (order[entry.objective], entry.epoch))


def _entry(file: str, number: int, record: dict[str, Any]) -> Entry:
    objective = record.get("objective")
    if not isinstance(objective, str):
        raise CorpusError(
            file, number, "objective", f"found {shown(json.dumps(objective))}", "give its name"
        )

    def value(key: str) -> float | None:
        given = record.get(key)
        if given is None and key != "epoch":
            return None
        if isinstance(given, bool) or not isinstance(given, int | float) or not _is_finite(given):
            raise CorpusError(
                file, number, key, f"found {shown(json.dumps(given))}", "give a finite number"
            )
        return float(given)

    epoch = value("epoch")
    assert epoch is not None
    return Entry(epoch, objective, *(value(key) for key in _NUMBERS))


def _is_finite(number: int | float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer with hundreds of digits
        return False


@dataclass(frozen=True)
class CurvesReport:
    """The curves of one log or several, by name."""

    logs: Mapping[str, Sequence[Entry]]

    def to_json(self) -> dict[str, Any]:
        return {name: [asdict(entry) for entry in log] for name, log in self.logs.items()}

    def to_text(self) -> str:
        return "\n".join(table.to_text() for table in self.tables())

    def to_html(self, title: str) -> str:
        charts = "".join(svg for _, svg in self.charts())
        tables = "".join(f"<div>{table.to_html()}</div>" for table in self.tables())
        about = (
            "Costs are means: of the trees of the model as it would be written after the epoch, of "
            "the first candidate while it learned, and of the best (oracle)."
        )
        body = f"<p>{escape(about)}</p><div class=row>{charts}</div><div class=row>{tables}</div>"
        return page(title, body, _STYLE)

    def tables(self) -> list[Table]:
        return [
            Table(
                self._series(name, objective),
                ["epoch", "updates", "first cost", "oracle cost", "mean k", "as written"],
                [
                    [f"{entry.epoch:g}", *(_shown(entry, key) for key in _NUMBERS)]
                    for entry in log
                    if entry.objective == objective
                ],
            )
            for name, log in self.logs.items()
            for objective in _objectives(log)
        ]

    def charts(self) -> Iterator[tuple[str, str]]:
        """The name of each chart and its SVG: costs by objective, then updates and mean k."""
        every = list(dict.fromkeys(o for log in self.logs.values() for o in _objectives(log)))
        for number, objective in enumerate(every, start=1):
            lines = {
                f"{name}: {what}" if len(self.logs) > 1 else what: _points(log, objective, key)
                for name, log in self.logs.items()
                for key, what in _COSTS.items()
            }
            # Costs of different objectives have different units: a chart for each.
            yield from self._chart(f"cost-{number}", f"Cost: {objective}", "mean cost", lines)
        for key, title in (("updates", "Updates"), ("mean_k", "Candidates a sentence")):
            lines = {
                self._series(name, objective): _points(log, objective, key)
                for name, log in self.logs.items()
                for objective in _objectives(log)
            }
            yield from self._chart(key.replace("_", "-"), title, title.lower(), lines)

    def _series(self, name: str, objective: str) -> str:
        return f"{name}: {objective}" if len(self.logs) > 1 else objective

    def _chart(
        self, name: str, title: str, y: str, lines: Mapping[str, list[tuple[float, float]]]
    ) -> Iterator[tuple[str, str]]:
        """Nothing if no line has a point."""
        known = {series: points for series, points in lines.items() if points}
        if known:
            epochs = [entry.epoch for log in self.logs.values() for entry in log]
            heights = [value for points in known.values() for _, value in points]
            yield (
                name,
                line_chart(
                    known,
                    title=title,
                    x="epoch",
                    y=y,
                    x_limits=(min(epochs), max(epochs)),
                    y_limits=round_limits([0.0, *heights]),
                    whole_x=True,
                    size=(380, 230),
                ),
            )


def _objectives(log: Sequence[Entry]) -> list[str]:
    return list(dict.fromkeys(entry.objective for entry in log))


def _points(log: Sequence[Entry], objective: str, key: str) -> list[tuple[float, float]]:
    values = [(e.epoch, getattr(e, key)) for e in log if e.objective == objective]
    return [(epoch, value) for epoch, value in values if value is not None]


def _shown(entry: Entry, key: str) -> str:
    value = getattr(entry, key)
    return "-" if value is None else f"{value:,.{_DECIMALS[key]}f}"
