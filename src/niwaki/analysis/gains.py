"""What a parser gained on test sentences: scores, labels, tags, and words it never met.

After Petrov et al. (2010): Table 3 (scores of several ways to train), Table 5 (labels), and
section 5.1 (gold tags, unknown words, confused tags).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from niwaki.analysis.tables import Table
from niwaki.data.sentence import Sentence
from niwaki.draw import Value, binned_chart, round_limits
from niwaki.metrics.attachment import AttachmentEvaluation, evaluate
from niwaki.metrics.significance import Difference, compare
from niwaki.pipeline.learned import Overlap, overlap_of
from niwaki.pipeline.pipeline import Pipeline

_METRICS = ("UAS", "LAS", "UPOS")
# Labels and confusions that a table shows.
_SHOWN = 8


@dataclass(frozen=True)
class Row:
    """One system on one test set."""

    system: str
    test: str
    scores: Mapping[str, float]  # UAS, LAS, UPOS and LAS with the tags of the gold file
    unknown: float | None  # percent of the words that its training data does not have
    labels: Mapping[str, tuple[int, float]]  # how often gold has a label, and its F1
    confusions: Mapping[tuple[str, str], int]  # gold tag and what it was taken for
    sentences: int = 0
    learned: int | None = None  # sentences that it has learned from, if that is known
    evaluation: AttachmentEvaluation | None = None  # by sentence, for differences


def measure(
    model: Pipeline,
    gold: Sequence[Sentence],
    *,
    system: str,
    test: str,
    known: Collection[str] | None = None,
    beam: int | None = None,
) -> Row:
    """Parse the words of gold sentences, and with their tags given."""
    parsed = list(model.parse(gold, beam=beam, retag=True))
    evaluation = evaluate(gold, parsed)
    scores = {metric: evaluation.scores[metric] for metric in _METRICS}
    with_tags = model.parse(gold, beam=beam)
    scores["LAS, gold tags"] = evaluate(gold, with_tags).scores["LAS"]
    unknown = None
    if known is not None:
        words = [form for sentence in gold for form in sentence.forms]
        unknown = 100 * sum(form not in known for form in words) / max(1, len(words))
    pairs: Counter[tuple[str, str]] = Counter()
    for one, other in zip(gold, parsed, strict=True):
        pairs.update(x for x in zip(one.upos, other.upos, strict=True) if x[0] != x[1])
    _, overlap = overlap_of([model.learned], gold)
    labels = label_scores(gold, parsed)
    (learned,) = overlap.learned
    return Row(system, test, scores, unknown, labels, pairs, len(gold), learned, evaluation)


def label_scores(
    gold: Sequence[Sentence], parsed: Sequence[Sentence]
) -> dict[str, tuple[int, float]]:
    """For each label, how often gold has it, and the F1 of arcs with it."""
    right: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    given: Counter[str] = Counter()
    for one, other in zip(gold, parsed, strict=True):
        wanted.update(one.deprels)
        given.update(other.deprels)
        arcs = zip(one.heads, one.deprels, other.heads, other.deprels, strict=True)
        right.update(label for head, label, *found in arcs if [head, label] == found)
    return {
        label: (count, 100 * 2 * right[label] / (count + given[label]))
        for label, count in wanted.items()
    }


@dataclass(frozen=True)
class GainsReport:
    """Systems beside each other; the first one is what the others are compared with."""

    rows: Sequence[Row]

    def tables(self) -> list[Table]:
        return [self._scores(), *self._differences(), *self._labels(), *self._confusions()]

    def to_text(self) -> str:
        return "\n".join([*(table.to_text() for table in self.tables()), *self._notes()])

    def to_json(self) -> list[dict[str, Any]]:
        records = []
        for row in self.rows:
            record = asdict(replace(row, evaluation=None))
            del record["evaluation"]
            record["differences"] = {each.metric: each.to_json() for each in self._apart(row)}
            pairs = Counter(row.confusions).most_common(_SHOWN)
            record["confusions"] = [[*pair, count] for pair, count in pairs]
            records.append(record)
        return records

    def _notes(self) -> list[str]:
        """What is to be said of scores on sentences that were learned, a line a test set."""
        notes = []
        for test in dict.fromkeys(row.test for row in self.rows):
            rows = [row for row in self.rows if row.test == test]
            overlap = Overlap(rows[0].sentences, tuple(row.learned for row in rows))
            note = overlap.note([row.system for row in rows], f"sentences of {test}")
            notes += [f"{note}\n"] if note else []
        return notes

    def _scores(self) -> Table:
        columns = ["test", "system", *_METRICS, "LAS, gold tags", "unknown"]
        rows = []
        for row in self.rows:
            unknown = "" if row.unknown is None else f"{row.unknown:.1f}%"
            scores = [f"{score:.2f}" for score in row.scores.values()]
            rows.append([row.test, row.system, *scores, unknown])
        return Table("Scores", columns, rows)

    def _apart(self, row: Row) -> list[Difference]:
        """From the first system on the same test set."""
        first = next(each for each in self.rows if each.test == row.test)
        if row is first or first.evaluation is None or row.evaluation is None:
            return []
        found = compare(first.evaluation, row.evaluation)
        return [each for each in found if each.metric in _METRICS]

    def _differences(self) -> list[Table]:
        rows = [
            [row.test, row.system, *map(_with_interval, apart)]
            for row in self.rows
            if (apart := self._apart(row))
        ]
        title = "Differences from the first system, and their 95% intervals"
        return [Table(title, ["test", "system", *_METRICS], rows)] if rows else []

    def _pairs(self) -> list[tuple[Row, Row]]:
        """The first system and the last one on each test set."""
        tests: dict[str, list[Row]] = {}
        for row in self.rows:
            tests.setdefault(row.test, []).append(row)
        return [(rows[0], rows[-1]) for rows in tests.values() if len(rows) > 1]

    def _labels(self) -> list[Table]:
        tables = []
        for before, after in self._pairs():
            frequent = sorted(after.labels, key=lambda x: (-after.labels[x][0], x))[: 3 * _SHOWN]
            gains = {x: after.labels[x][1] - before.labels[x][1] for x in frequent}
            rows = [
                [
                    label,
                    str(after.labels[label][0]),
                    f"{before.labels[label][1]:.2f}",
                    f"{after.labels[label][1]:.2f}",
                    f"{gains[label]:+.2f}",
                ]
                for label in sorted(gains, key=lambda x: (-gains[x], x))[:_SHOWN]
            ]
            columns = ["label", "count", before.system, after.system, "gain"]
            tables.append(Table(f"Labels that gained most, F1: {after.test}", columns, rows))
        return tables

    def _confusions(self) -> list[Table]:
        tables = []
        for before, after in self._pairs():
            rows = [
                [f"{gold} as {found}", str(count), str(after.confusions.get((gold, found), 0))]
                for (gold, found), count in Counter(before.confusions).most_common(_SHOWN)
            ]
            columns = ["tags", before.system, after.system]
            tables.append(Table(f"Confused tags: {after.test}", columns, rows))
        return tables


def _with_interval(each: Difference) -> str:
    star = "*" if each.is_significant else ""
    return f"{each.difference:+.2f}{star} [{each.low:+.2f}, {each.high:+.2f}]"


def learning_curve(scores: Mapping[str, Mapping[int, float]], metric: str = "LAS") -> str:
    """A chart of scores over numbers of automatic trees, a line for each test set."""
    sizes = sorted({size for points in scores.values() for size in points})
    values = [score for points in scores.values() for score in points.values()]
    series = {
        name: [Value(points[size]) if size in points else None for size in sizes]
        for name, points in scores.items()
    }
    return binned_chart(
        [f"{size:,}" for size in sizes],
        series,
        title=f"{metric} and trees of the teacher",
        x="trees of the teacher",
        y=f"{metric} (%)",
        y_limits=round_limits(values),
        size=(420, 260),
    )
