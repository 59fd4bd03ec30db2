"""Models of many treebanks in one table: scores from gold words and from raw text, time, size."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from niwaki.analysis.tables import Table
from niwaki.data.rawtext import raw_text
from niwaki.data.sentence import Sentence
from niwaki.draw.page import page
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.segmentation import evaluate_segmentation
from niwaki.pipeline.pipeline import Pipeline

Scores = Mapping[str, float]

_TAGS = ("UPOS", "XPOS", "FEATS", "AllTags", "LEMMA")
_TREES = ("UAS", "LAS", "LAS_universal", "CLAS", "MLAS", "BLEX")
_GOLD = (*_TAGS, *_TREES)
_RAW = ("Tokens", "Words", "Sentences", *_GOLD)


@dataclass(frozen=True)
class Measured:
    """What a model comes to on sentences: scores in percent, and words a second of one thread."""

    gold_words: Scores
    raw_text: Scores  # empty without a segmenter
    words_per_second: float


def measure(model: Pipeline, gold: Sequence[Sentence]) -> Measured:
    """Parse the words of gold sentences, then their raw text; the model tags them itself."""
    start = time.perf_counter()
    parsed = list(model.parse(gold, retag=True))
    seconds = time.perf_counter() - start
    words = sum(map(len, gold))
    found = evaluate(gold, parsed).without(model.unpredicted).scores
    raw: Scores = {}
    if model.segmenter is not None:
        read = model.parse(model.read(raw_text(gold)))
        raw = evaluate_segmentation(gold, read).without(model.unpredicted).scores
    return Measured(found, raw, words / max(seconds, 1e-9))


@dataclass(frozen=True)
class TreebankRow:
    """The model of one treebank; with a `fault`, it could not be trained."""

    name: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    scored_on: str = ""  # test or dev
    sentences: int = 0  # that were scored
    gold_words: Scores = field(default_factory=dict)
    raw_text: Scores = field(default_factory=dict)
    words_per_second: float = 0.0
    seconds: float = 0.0  # of training
    bytes: int = 0
    fault: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class TreebanksReport:
    """A row for each treebank."""

    rows: Sequence[TreebankRow]

    @property
    def faults(self) -> list[TreebankRow]:
        return [row for row in self.rows if row.fault]

    def to_json(self) -> dict[str, Any]:
        return {"treebanks": [row.to_json() for row in self.rows]}

    def to_text(self) -> str:
        faults = [f"{row.name}: {row.fault}" for row in self.faults]
        return "\n".join([*(table.to_text() for table in self._tables()), *faults])

    def to_html(self) -> str:
        faults = Table("Not trained", ["treebank", "why"], [[x.name, x.fault] for x in self.faults])
        tables = [*self._tables(), *([faults] if faults.rows else [])]
        return page("Models of treebanks", "".join(table.to_html() for table in tables))

    def _tables(self) -> list[Table]:
        rows = [row for row in self.rows if not row.fault]
        if not rows:
            return []
        about = [
            [
                row.name,
                f"{row.facts['sentences']:,}",
                f"{row.facts['words']:,}",
                f"{row.seconds / 60:.1f}",
                f"{row.bytes / 1e6:.1f}",
                f"{row.words_per_second:,.0f}",
                row.scored_on,
            ]
            for row in rows
        ]
        names = ["treebank", "sentences", "words", "minutes", "MB", "words/s", "scored on"]
        return [
            Table("models", names, about),
            _scores("from gold words", _GOLD, {row.name: row.gold_words for row in rows}),
            _scores("from raw text", _RAW, {row.name: row.raw_text for row in rows}),
        ]


def _scores(title: str, names: Sequence[str], scores: Mapping[str, Scores]) -> Table:
    """A table with the mean of each score in the last row."""
    rows = [
        [name, *(f"{found[x]:.2f}" if x in found else "" for x in names)]
        for name, found in scores.items()
    ]
    means = []
    for name in names:
        values = [found[name] for found in scores.values() if name in found]
        means.append(f"{sum(values) / len(values):.2f}" if values else "")
    if len(rows) > 1:
        rows.append(["mean", *means])
    return Table(title, ["treebank", *names], rows)
