"""What came out of adapting a model: as text, as JSON and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from niwaki.adapting.trials import Trial
from niwaki.draw import escape
from niwaki.metrics.significance import Difference
from niwaki.metrics.tables import html_row, text_row


@dataclass(frozen=True)
class TrialReport:
    """What settings came to: mean costs on the examples to choose by, LAS, or why they could not
    be tried.
    """

    trial: Trial
    seconds: float
    costs: Mapping[str, float]
    las: float | None
    fault: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "settings": dict(self.trial.settings),
            "passes": self.trial.passes,
            "seconds": self.seconds,
            "costs": dict(self.costs),
            "las": self.las,
            "fault": self.fault,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> TrialReport:
        trial = Trial(record["settings"], record["passes"])
        rest = (record[name] for name in ("seconds", "costs", "las", "fault"))
        return cls(trial, *rest)


@dataclass(frozen=True)
class Tried:
    """A trial that is over, for somebody who waits; number 0 is the model as it is."""

    number: int
    name: str
    costs: Mapping[str, float]  # means on the examples to choose by
    las: float | None
    seconds: float
    seconds_left: float  # for other trials
    fault: str = ""


@dataclass(frozen=True)
class Adapted:
    """A model before and after, and what was tried."""

    name: str
    written: bool
    reason: str  # why it is not written, or would not have been
    best: int | None  # the trial that was chosen
    trials: Sequence[TrialReport]
    not_tried: Sequence[str]  # for lack of time
    costs_before: Mapping[str, float]  # on the examples to choose by
    las_before: float | None
    costs: Sequence[Difference]  # after - before, on examples that had no part in choosing
    trees: Sequence[Difference]
    examples: Mapping[str, Mapping[str, int]]
    note: str
    signature: str

    def to_json(self) -> dict[str, Any]:
        return {
            "model": self.name,
            "written": self.written,
            "reason": self.reason,
            "chosen": self.best,
            "trials": [each.to_json() for each in self.trials],
            "not_tried": list(self.not_tried),
            "before": {"costs": dict(self.costs_before), "las": self.las_before},
            "costs": {each.metric: each.to_json() for each in self.costs},
            "treebank": {each.metric: each.to_json() for each in self.trees},
            "examples": {name: dict(each) for name, each in self.examples.items()},
            "note": self.note,
            "signature": self.signature,
        }


def as_text(found: Adapted) -> str:
    return "\n".join(_lines(found))


def _lines(found: Adapted) -> Iterator[str]:
    for name, sizes in found.examples.items():
        yield (
            f"{name}: {sizes['learned']:,} examples to learn from, {sizes['choosing']:,} to choose "
            f"by, {sizes['reporting']:,} to report on"
        )
    names = list(found.costs_before)
    yield ""
    yield f"{'tried':44}" + "".join(f"{_short(name):>16}" for name in names) + f"{'LAS':>8}{'s':>7}"
    yield f"{f'  {found.name} as it is':44}" + _row(found.costs_before, found.las_before, names)
    for number, each in enumerate(found.trials):
        mark = "* " if number == found.best else "  "
        said = _row(each.costs, each.las, names) + f"{each.seconds:7.0f}"
        yield f"{mark + each.trial.name:44}" + (each.fault or said)
    for name in found.not_tried:
        yield f"  {name:42}no time"
    if found.costs:
        yield ""
        yield f"{'unseen examples':24}{'before':>9}{'after':>9}{'change':>9}   95% interval"
        yield from map(text_row, found.costs)
        yield from map(text_row, found.trees)
    yield ""
    if found.note:
        yield f"note: {found.note}"
    if found.reason:
        yield f"{'written all the same' if found.written else 'not written'}: {found.reason}"
    yield found.signature


def _short(name: str) -> str:
    return name if len(name) <= 15 else name[:14] + "…"


def _row(costs: Mapping[str, float], las: float | None, names: Sequence[str]) -> str:
    shown = "".join(f"{costs.get(name, float('nan')):16.4f}" for name in names)
    return shown + ("       -" if las is None else f"{las:8.2f}")


_STYLE = (
    "body{font:15px system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;margin:1em 0}td,th{padding:.25em .8em;text-align:right}"
    "td:first-child,th:first-child{text-align:left}tr.chosen{font-weight:600}"
    ".good{color:#2f6f4f}.bad{color:#b4552d}small{color:#666}"
)


def as_page(found: Adapted) -> str:
    """A page of its own."""
    end = "is written" if found.written else "is not written"
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        f"<title>{escape(found.name)}, adapted</title><style>{_STYLE}</style>",
        f"<h1>{escape(found.name)}, adapted</h1>",
        f"<p>The adapted model {end}{escape(': ' + found.reason if found.reason else '')}.</p>",
        "<h2>Before and after</h2>",
        "<p>On examples that were neither learned nor used to choose. Costs fall with quality, "
        "treebank scores rise. Intervals are of 95%.</p>",
        "<table><tr><th><th>before<th>after<th>change<th>interval",
    ]
    parts += [html_row(each, more_is_better=False) for each in found.costs]
    parts += [html_row(each, more_is_better=True) for each in found.trees]
    names = list(found.costs_before)
    heads = "".join(f"<th>{escape(name)}" for name in names)
    parts += ["</table><h2>What was tried</h2>", f"<table><tr><th>{heads}<th>LAS<th>seconds"]
    rows = [("as it is", found.costs_before, found.las_before, "", "")]
    rows += [
        (each.trial.name, each.costs, each.las, f"{each.seconds:.0f}", each.fault)
        for each in found.trials
    ]
    for number, (name, costs, las, seconds, fault) in enumerate(rows, start=-1):
        chosen = " class=chosen" if number == found.best else ""
        cells = "".join(f"<td>{costs[x]:.4f}" if x in costs else "<td>" for x in names)
        score = "" if las is None else f"{las:.2f}"
        parts.append(
            f"<tr{chosen}><td>{escape(name)}{escape(': ' + fault if fault else '')}{cells}"
            f"<td>{score}<td>{seconds}"
        )
    parts.append("</table>")
    if found.not_tried:
        parts.append(f"<p>No time for: {escape('; '.join(found.not_tried))}.</p>")
    if found.note:
        parts.append(f"<p>{escape(found.note)}.</p>")
    return "\n".join([*parts, f"<p><small>{escape(found.signature)}</small></p></html>"])
