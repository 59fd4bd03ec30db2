"""The evaluation of word orders as text, as JSON and as a page with pictures."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from niwaki.analysis.orders import SHOWN, Analysis, System, significance_mark
from niwaki.analysis.reordering import METRIC, Cost, Misplaced, WorstSentence
from niwaki.analysis.tables import Table
from niwaki.draw import arcs, crossing_lines, escape, page, svg
from niwaki.metrics.significance import Difference
from niwaki.pipeline.learned import Overlap

# Rows of a table of errors: more would not be read.
ROWS = 15

Pairs = Mapping[tuple[int, int], Sequence[Difference]]


@dataclasses.dataclass(frozen=True)
class Report:
    """All that a command found out; `records` are the scores of the systems."""

    systems: Sequence[System]
    records: Sequence[Mapping[str, Any]]
    pairs: Pairs
    analysis: Analysis | None = None
    correlations: Mapping[str, Mapping[str, Mapping[str, float | None]]] | None = None

    def to_json(self) -> dict[str, Any]:
        """One system: its scores at the top. Several: a list, with their differences."""
        record: dict[str, Any]
        if len(self.systems) == 1:
            record = {"system": self.systems[0].name, **self.records[0]}
        else:
            record = {
                "systems": [
                    {"system": system.name, **scores}
                    for system, scores in zip(self.systems, self.records, strict=True)
                ],
                "differences": [
                    {
                        "a": self.systems[a].name,
                        "b": self.systems[b].name,
                        **{
                            each.metric: {
                                "difference": each.difference,
                                "low": each.low,
                                "high": each.high,
                                "p": each.p,
                            }
                            for each in differences
                        },
                    }
                    for (a, b), differences in self.pairs.items()
                ],
            }
        if self.correlations is not None:
            record["correlations"] = self.correlations
        if self.analysis is not None:
            record["analysis"] = _analysis_json(self.analysis)
        return record

    def tables(self) -> list[Table]:
        """Everything but the worst sentences, as tables."""
        found = [_score_table(self.systems, self.records)]
        if self.pairs:
            found += [
                _pair_table(self.systems, self.pairs, m) for m in ("frs_linked", "tau", "frs")
            ]
        for name, values in (self.correlations or {}).items():
            found.append(_correlation_table(name, values))
        if self.analysis is not None:
            found += _analysis_tables(self.analysis)
        return found

    @property
    def notes(self) -> list[str]:
        """What is to be said of scores on sentences that were learned."""
        found = [each.evaluation for each in self.systems]
        overlap = Overlap(found[0].sentences, tuple(each.learned for each in found))
        note = overlap.note([each.name for each in self.systems])
        return [note] if note else []

    def to_text(self) -> str:
        parts = [table.to_text() for table in self.tables()]
        if self.analysis is not None:
            parts += [_worst_text(each) for each in self.analysis.worst]
        return "\n".join([*parts, *self.notes, str(self.records[0]["signature"])]) + "\n"

    def to_html(self, title: str) -> str:
        body = [table.to_html() for table in self.tables()]
        if self.analysis is not None:
            body.append("<h2>Worst sentences</h2>")
            body += [_worst_html(each) for each in self.analysis.worst]
        body += [f"<p>{escape(note)}</p>" for note in self.notes]
        body.append(f"<p class=signature>{escape(str(self.records[0]['signature']))}</p>")
        return page(title, "\n".join(body))


def _score_table(systems: Sequence[System], records: Sequence[Mapping[str, Any]]) -> Table:
    rows = []
    for system, record in zip(systems, records, strict=True):
        row = [system.name]
        for metric in SHOWN:
            low, high = record.get("intervals", {}).get(metric, (record[metric],) * 2)
            row += [f"{record[metric]:.4f}", f"[{low:.3f}, {high:.3f}]"]
        rows.append(row)
    columns = ["system", *(name for metric in SHOWN for name in (metric, "95%"))]
    return Table("Scores", columns, rows)


def _pair_table(systems: Sequence[System], pairs: Pairs, metric: str) -> Table:
    """Which system is better than which, as in the paper: rows are compared with columns."""
    rows = []
    for a in range(len(systems) - 1):
        row = [systems[a].name]
        for b in range(1, len(systems)):
            found = [each for each in pairs.get((a, b), ()) if each.metric == metric]
            row.append(_difference(found[0]) if found else "")
        rows.append(row)
    title = (
        f"{metric}: column minus row (** 95 percent, * 90 percent, 0 not significant) "
        "and its 95% interval"
    )
    return Table(title, ["", *(system.name for system in systems[1:])], rows)


def _difference(each: Difference) -> str:
    return f"{each.difference:+.3f} {significance_mark(each)} [{each.low:+.3f}, {each.high:+.3f}]"


def _correlation_table(name: str, values: Mapping[str, Mapping[str, float | None]]) -> Table:
    def number(value: float | None) -> str:
        return "-" if value is None else f"{value:.3f}"

    rows = [[m, number(each["pearson"]), number(each["spearman"])] for m, each in values.items()]
    return Table(f"Sentence-level correlation: {name}", ["metric", "Pearson", "Spearman"], rows)


def _analysis_tables(analysis: Analysis) -> list[Table]:
    tables = []
    for kind, found in analysis.misplaced.items():
        rows = [[m.kind, str(m.wrong), str(m.count), f"{m.share:.0%}"] for m in found[:ROWS]]
        tables.append(
            Table(f"Misplaced most often, by {kind}", [kind, "misplaced", "of", "share"], rows)
        )

    def costs(title: str, found: Sequence[Cost], keep: Callable[[Cost], bool]) -> Table:
        rows = [[c.what, str(c.count), f"{c.gain:+.4f}", f"{c.tau:+.4f}"] for c in found if keep(c)]
        return Table(title, ["", "count", METRIC, "tau"], rows[: 2 * ROWS])

    if analysis.rules is not None:
        title = "Change if one rule or tuple is switched off"
        tables.append(costs(title, analysis.rules, lambda c: bool(c.gain or c.tau)))
    if analysis.parse_errors is not None:
        title = "Change if one kind of parse error is corrected"
        tables.append(costs(title, analysis.parse_errors, lambda c: True))
    return tables


def _worst_text(worst: WorstSentence) -> str:
    tokens = worst.reference.tokens
    lines = [f"{worst.reference.id}: {METRIC} {worst.score:.3f}, tau {worst.tau:.3f}"]
    for name, order in (
        ("source", range(len(tokens))),
        ("system", worst.order),
        ("reference", worst.reference.order),
    ):
        lines.append(f"  {name:10}{' '.join(tokens[position] for position in order)}")
    if worst.sentence is not None:
        lines.append(arcs(worst.sentence).rstrip("\n"))
    return "\n".join(lines) + "\n"


def _worst_html(worst: WorstSentence) -> str:
    linked = worst.reference.linked
    faint = set() if linked is None else set(range(len(worst.reference.tokens))) - set(linked)
    picture = crossing_lines(
        worst.reference.tokens,
        worst.order,
        worst.reference.order,
        marked=set(worst.misplaced),
        faint=faint,
    )
    tree = "" if worst.sentence is None else f"<div>{svg(worst.sentence)}</div>"
    caption = f"{worst.reference.id}: {METRIC} {worst.score:.3f}, tau {worst.tau:.3f}"
    return f"<figure><figcaption>{escape(caption)}</figcaption>{tree}<div>{picture}</div></figure>"


def _analysis_json(analysis: Analysis) -> dict[str, Any]:
    def rows(found: Sequence[Misplaced] | Sequence[Cost]) -> list[dict[str, Any]]:
        return [dataclasses.asdict(each) for each in found]

    return {
        "misplaced": {kind: rows(found) for kind, found in analysis.misplaced.items()},
        "worst": [
            {
                "id": each.reference.id,
                "score": each.score,
                "tau": each.tau,
                "order": each.order,
                "reference": each.reference.order,
                "misplaced": each.misplaced,
            }
            for each in analysis.worst
        ],
        "rules": None if analysis.rules is None else rows(analysis.rules),
        "parse_errors": None if analysis.parse_errors is None else rows(analysis.parse_errors),
    }
