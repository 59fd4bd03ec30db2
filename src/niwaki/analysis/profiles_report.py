"""Error profiles as text, as JSON and as a page with charts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from niwaki.analysis.profiles import FEW, MEANS, ErrorProfiles, Floats, Profile
from niwaki.analysis.tables import Table
from niwaki.draw import Value, binned_chart, escape, page, round_limits

# Rows of the terminal's tables of tags and labels, and of what stands out.
ROWS = 15
# Factors with too many names for a chart.
_ONLY_TABLES = ("upos", "deprel")

_NOTES = {
    "sentence": "Share of right arcs in sentences of so many words.",
    "length": "The length of an arc is the distance between its words; the root stands at 0. "
    "Long arcs are few and hard.",
    "depth": "How many arcs lead from the word up to the root; 1 is the root's own arc. "
    "Low precision at 1 is a sign of broken trees.",
    "siblings": "How many other words hang from the same head.",
    "degree": "How many words below the arc belong elsewhere; 0 is a projective arc. "
    "A parser of projective trees predicts no other.",
    "pos": "By the gold tag of the dependent. The means over gold arcs often explain it: "
    "what is long, deep or has many siblings is harder.",
    "relation": "Root, subject (nsubj, csubj), object (obj, iobj), and coordination: "
    "conjunctions (cc) and conjuncts (conj).",
}

_STYLE = (
    "body{max-width:1500px;margin:2rem auto;padding:0 1.5rem}"
    "section{background:var(--card);border-radius:10px;padding:.4rem 1.2rem 1rem;margin:1.2rem 0}"
    "section h2{margin:.8rem 0 .2rem}p.note{font-size:.88rem;opacity:.75;margin:.2rem 0 .8rem}"
    ".row{display:flex;flex-wrap:wrap;gap:1rem 1.6rem;align-items:flex-start}"
    ".cards{display:flex;flex-wrap:wrap;gap:0 1.2rem}"
    ".cards section{flex:1 1 min(30rem,100%);min-width:0;box-sizing:border-box}"
    ".row svg{flex:none}.numbers{overflow-x:auto;max-width:100%}"
    ".numbers table{font-size:.8rem}"
    ".numbers td,.numbers th{padding:.12rem .4rem;white-space:nowrap}"
    "tr:hover td{background:#8882}details summary{cursor:pointer;font-size:.9rem;margin:.4rem 0}"
)


@dataclass(frozen=True)
class ProfilesReport:
    """What a command shows of error profiles."""

    found: ErrorProfiles

    # -- numbers --------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        found = self.found
        return {
            "systems": [
                {
                    "system": name,
                    "head_accuracy": 100 * int(found.heads_right[at]) / found.words,
                    "accuracy": float(found.overall.recall[at, 0]),
                    "difference": _difference(found.overall, at, 0, "recall"),
                }
                for at, name in enumerate(found.systems)
            ],
            "oracles": {
                "tree": self._share(found.tree_oracle),
                "arc": self._share(found.arc_oracle),
            },
            "agreement": dict(found.agreement),
            "profiles": {p.factor.key: self._profile_json(p) for p in found.profiles},
            "signature": found.signature,
        }

    def _share(self, count: int) -> float:
        return 100 * count / self.found.words

    def _profile_json(self, profile: Profile) -> list[dict[str, Any]]:
        return [
            {
                "bin": name,
                "gold": int(profile.gold[at]),
                **{
                    f"mean_{what}": _known(mean)
                    for what, mean in zip(MEANS, profile.means[at], strict=True)
                },
                "systems": {
                    system: _cell_json(profile, number, at)
                    for number, system in enumerate(self.found.systems)
                },
            }
            for at, name in enumerate(profile.bins)
        ]

    # -- tables ---------------------------------------------------------------

    def to_text(self) -> str:
        tables = [self.overall_table(), *self.difference_tables()]
        for profile in self.found.profiles:
            table = self.profile_table(profile)
            rows = table.rows[:ROWS] if profile.factor.key in _ONLY_TABLES else table.rows
            title = table.title
            if len(rows) < len(table.rows):
                title += f" (the first {ROWS} of {len(table.rows)})"
            tables.append(Table(title, table.columns, rows))
        stars = f"* differs from {self.found.systems[0]} (95% interval)"
        return "\n".join([*(t.to_text() for t in tables), stars, self.found.signature]) + "\n"

    def overall_table(self) -> Table:
        found = self.found
        rows = []
        for at, name in enumerate(found.systems):
            gain = ""
            if at:
                low, high = found.overall.recall_gain[at, 0]
                change = found.overall.recall[at, 0] - found.overall.recall[0, 0]
                gain = f"{change:+.2f} [{low:+.2f}, {high:+.2f}]"
            rows.append(
                [
                    name,
                    f"{self._share(int(found.heads_right[at])):.2f}",
                    f"{found.overall.recall[at, 0]:.2f}",
                    gain,
                    f"{self._share(found.agreement[f'only {name}']):.2f}",
                ]
            )
        rows += [
            [name, "", f"{self._share(count):.2f}", "", ""]
            for name, count in (
                ("best tree of each sentence", found.tree_oracle),
                ("best tree of all their arcs", found.arc_oracle),
                ("right in all systems", found.agreement["all"]),
            )
        ]
        columns = ["", "heads", "accuracy", f"from {found.systems[0]}", "right alone"]
        return Table(f"Accuracy, {found.words:,} words", columns, rows)

    def difference_tables(self) -> list[Table]:
        """The bins in which a system gains or loses more than overall, if that is no accident."""
        overall = self.found.overall.recall[:, 0]
        return [
            Table(
                f"Where {name} stands out against {self.found.systems[0]} "
                f"({overall[at] - overall[0]:+.2f} overall)",
                ["", "gold", *self.found.systems[:1], name, "difference", "arcs beyond"],
                rows,
            )
            for at, name in enumerate(self.found.systems)
            if at and (rows := self._outstanding(at))
        ]

    def _outstanding(self, system: int) -> list[list[str]]:
        """`arcs beyond`: how many more arcs are right than at the overall difference."""
        overall = self.found.overall.recall[system, 0] - self.found.overall.recall[0, 0]
        # By counts: what two factors call differently, as root and depth 1, is shown once.
        cells: dict[tuple[int, ...], tuple[float, list[str]]] = {}
        for profile in self.found.profiles:
            for at, name in enumerate(profile.bins):
                low, high = profile.recall_gain[system, at]
                if profile.gold[at] < FEW or low <= overall <= high:
                    continue
                first, second = profile.recall[[0, system], at]
                beyond = (second - first - overall) * profile.gold[at] / 100
                counts = (profile.gold[at], *profile.found[[0, system], at].tolist())
                row = [
                    f"{profile.factor.title.lower()}: {name}",
                    f"{profile.gold[at]:,}",
                    f"{first:.1f}",
                    f"{second:.1f}",
                    f"{second - first:+.1f} [{low:+.1f}, {high:+.1f}]",
                    f"{beyond:+.0f}",
                ]
                if abs(beyond) >= 1:
                    cells.setdefault(counts, (beyond, row))
        largest = sorted(cells.values(), key=lambda cell: -abs(cell[0]))
        return [row for _, row in largest[:ROWS]]

    def profile_table(self, profile: Profile) -> Table:
        linguistic = not profile.factor.ordered
        columns = [profile.factor.axis, "gold"]
        for name in self.found.systems:
            columns += [f"{name} P", "R"] if profile.factor.by_tree else [name]
        if linguistic:
            columns += MEANS
        rows = []
        for at, name in enumerate(profile.bins):
            row = [name, f"{profile.gold[at]:,}"]
            for system in range(len(self.found.systems)):
                row += [_cell(profile, system, at, measure) for measure in profile.measures]
            if linguistic:
                row += [_number(value, 1) for value in profile.means[at]]
            rows.append(row)
        return Table(profile.factor.title, columns, rows)

    # -- pictures -------------------------------------------------------------

    def charts(self) -> Iterator[tuple[str, str]]:
        """The name of each chart and its SVG."""
        for profile in self.found.profiles:
            if profile.factor.key not in _ONLY_TABLES:
                yield from self._profile_charts(profile)

    def _profile_charts(self, profile: Profile) -> Iterator[tuple[str, str]]:
        limits = _limits([profile.share(measure) for measure in profile.measures])
        for measure in profile.measures:
            series = {
                name: [
                    None
                    if math.isnan(value)
                    else Value(float(value), f"of {total:,}", is_faint=bool(total < FEW))
                    for value, total in zip(values, counts, strict=True)
                ]
                for name, values, counts in zip(
                    self.found.systems, profile.share(measure), profile.total(measure), strict=True
                )
            }
            chart = binned_chart(
                profile.bins,
                series,
                title=f"{measure.capitalize()} by {profile.factor.title.lower()}",
                x=profile.factor.axis,
                y="percent",
                y_limits=limits,
                counts=profile.gold.tolist(),
                joined=profile.factor.ordered,
            )
            yield f"{profile.factor.key}-{measure}", chart
        if not profile.factor.ordered:
            yield f"{profile.factor.key}-means", _means_chart(profile)

    def to_html(self, title: str) -> str:
        found = self.found
        about = (
            f"{found.sentences:,} sentences, {found.words:,} scored words. Points: percent of "
            f"right arcs, hollow where they stand on fewer than {FEW}; grey: how many gold arcs. "
            f"A star marks a difference from {found.systems[0]} whose 95% interval does not hold "
            "0; of a hundred comparisons of equals, five get one."
        )
        bounds = (
            "The last rows are what a choice among the systems' trees, or a tree made of their "
            "arcs, could reach at best, and what all systems get right."
        )
        note = (
            "Recall in bins of gold arcs where the 95% interval of the difference does not hold "
            "the overall one; those with the most arcs beyond that first."
        )
        summary = [
            _section("Accuracy", bounds, "", self.overall_table().grid()),
            *(_section(t.title, note, "", t.grid()) for t in self.difference_tables()),
        ]
        body = [
            f"<p class=note>{escape(about)}</p>",
            f"<div class=cards>{''.join(summary)}</div>",
        ]
        body += [self._profile_section(profile) for profile in found.profiles]
        body.append(f"<p class=signature>{escape(found.signature)}</p>")
        return page(title, "\n".join(body), _STYLE)

    def _profile_section(self, profile: Profile) -> str:
        key = profile.factor.key
        grid = self.profile_table(profile).grid()
        charts = ""
        if key in _ONLY_TABLES:
            grid = f"<details><summary>{len(profile.bins)} rows</summary>{grid}</details>"
        else:
            charts = "".join(svg for _, svg in self._profile_charts(profile))
        return _section(profile.factor.title, _NOTES.get(key, ""), charts, grid)


def _means_chart(profile: Profile) -> str:
    series = {
        name: [None if math.isnan(value) else Value(float(value)) for value in column]
        for name, column in zip(MEANS, profile.means.T, strict=True)
    }
    known = [value.y for values in series.values() for value in values if value is not None]
    return binned_chart(
        profile.bins,
        series,
        title=f"Means of gold arcs by {profile.factor.title.lower()}",
        x=profile.factor.axis,
        y="mean",
        y_limits=round_limits([0.0, *known]),
        joined=False,
        first_colour=3,  # these are not systems
    )


def _section(title: str, note: str, charts: str, grid: str) -> str:
    about = f"<p class=note>{escape(note)}</p>" if note else ""
    return (
        f"<section><h2>{escape(title)}</h2>{about}"
        f"<div class=row>{charts}<div class=numbers>{grid}</div></div></section>"
    )


def _cell_json(profile: Profile, system: int, at: int) -> dict[str, Any]:
    record: dict[str, Any] = {"found": int(profile.found[system, at])}
    if profile.factor.by_tree:
        record["predicted"] = int(profile.predicted[system, at])
        record["right"] = int(profile.right[system, at])
    for measure in profile.measures:
        record[measure] = _known(profile.share(measure)[system, at])
        if system:
            record[f"{measure}_difference"] = _difference(profile, system, at, measure)
    return record


def _is_sure(interval: Sequence[float] | Floats) -> bool:
    return bool(interval[0] > 0 or interval[1] < 0)


def _cell(profile: Profile, system: int, at: int, measure: str) -> str:
    star = "*" if system and _is_sure(profile.gain(measure)[system, at]) else " "
    return _number(profile.share(measure)[system, at], 1) + star


def _number(value: float, digits: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _difference(profile: Profile, system: int, at: int, measure: str) -> dict[str, Any] | None:
    """From the first system, with its interval; None where one has no arcs."""
    values = profile.share(measure)[:, at]
    if math.isnan(values[0]) or math.isnan(values[system]):
        return None
    low, high = profile.gain(measure)[system, at].tolist()
    return {"difference": float(values[system] - values[0]), "low": low, "high": high}


def _limits(tables: Sequence[Floats]) -> tuple[float, float]:
    """Tens of percent that hold all points and leave some room below, for the grey bars."""
    values = np.concatenate([table.ravel() for table in tables])
    known = values[~np.isnan(values)]
    if not len(known):
        return 0.0, 100.0
    low, high = float(known.min()), float(known.max())
    top = min(100.0, 10 * math.ceil((high + 0.5) / 10))
    return max(0.0, 10 * math.floor((low - 0.15 * (top - low)) / 10)), top
