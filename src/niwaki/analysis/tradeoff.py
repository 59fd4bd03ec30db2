"""What a model has gained for a task, and what it has paid for it on the treebank."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.analysis.tag_shifts import Imperatives, TagShift, count_imperatives, shifted_tags
from niwaki.data.sentence import Sentence
from niwaki.draw import escape, svg
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.base import drawn_by
from niwaki.metrics.means import evaluate_means
from niwaki.metrics.significance import Difference, compare
from niwaki.metrics.tables import html_row, text_row
from niwaki.objectives import AnyObjective, LeftOut, costs_of_trees, groups_of, left_out_of
from niwaki.pipeline.learned import Overlap, overlap_of
from niwaki.pipeline.pipeline import Pipeline

ROWS = 12
TREEBANK = "treebank"
_SHOWN = ("UAS", "LAS", "UPOS")
# A word or label that is met less often tells nothing.
_LEAST = 5


@dataclass(frozen=True)
class Shift:
    """A label or a word of the treebank: how often it is, and how often it was got right."""

    name: str
    count: int
    before: int
    after: int

    @property
    def gain(self) -> int:
        return self.after - self.before


@dataclass(frozen=True)
class Changed:
    """An example of a task whose tree, or cost, is another one now."""

    objective: str
    id: str
    before: Sentence
    after: Sentence
    cost_before: float
    cost_after: float


@dataclass(frozen=True)
class TradeOff:
    """Two models beside each other: on a treebank, and on the examples of tasks."""

    names: tuple[str, str]
    trees: Sequence[Difference]
    costs: Sequence[Difference]
    labels: Sequence[Shift]
    words: Sequence[Shift]
    imperatives: Sequence[Imperatives]
    tags: Sequence[TagShift]
    changed: Sequence[Changed]
    signature: str
    # By "treebank" and the names of tasks: what of it the two have learned from.
    overlaps: Mapping[str, Overlap] = dataclasses.field(default_factory=dict)
    # By the names of tasks: examples that were read but not priced, and why.
    left_out: Mapping[str, LeftOut] = dataclasses.field(default_factory=dict)

    @property
    def notes(self) -> list[str]:
        """What is to be said of examples that were left out, and of what was learned."""
        said = [f"note: examples of {name}: {each}" for name, each in self.left_out.items()]
        for name, each in self.overlaps.items():
            what = "sentences of the treebank" if name == TREEBANK else f"examples of {name}"
            said.append(each.note(self.names, what))
        return [note for note in said if note]

    def to_json(self) -> dict[str, Any]:
        def differences(found: Sequence[Difference]) -> dict[str, Any]:
            return {each.metric: each.to_json() for each in found}

        return {
            "models": list(self.names),
            "treebank": differences(self.trees),
            "costs": differences(self.costs),
            "labels": [{**dataclasses.asdict(each), "gain": each.gain} for each in self.labels],
            "words": [{**dataclasses.asdict(each), "gain": each.gain} for each in self.words],
            "imperatives": [dataclasses.asdict(each) for each in self.imperatives],
            "tags": [dataclasses.asdict(each) for each in self.tags],
            "changed": [
                {
                    "objective": each.objective,
                    "id": each.id,
                    "tokens": each.before.forms,
                    "upos": [each.before.upos, each.after.upos],
                    "cost": [each.cost_before, each.cost_after],
                    "heads": [each.before.heads, each.after.heads],
                    "deprels": [each.before.deprels, each.after.deprels],
                }
                for each in self.changed
            ],
            "overlaps": {name: dataclasses.asdict(each) for name, each in self.overlaps.items()},
            "left_out": {name: dataclasses.asdict(each) for name, each in self.left_out.items()},
            "signature": self.signature,
        }


def weigh_up(
    names: tuple[str, str],
    models: tuple[Pipeline, Pipeline],
    gold: Sequence[Sentence],
    objectives: Mapping[str, AnyObjective],
    *,
    words: Sequence[str] = (),
    samples: int = 10_000,
    seed: int = 1,
    unseen: bool = False,
) -> TradeOff:
    """Parse a treebank and the examples of objectives with both models, and compare.

    The tags of `words` in these examples are counted. Without a treebank the report tells only
    what was gained. With `unseen`, sentences and examples that one of the models has learned from
    are left out.
    """
    records = [model.learned for model in models]
    overlaps: dict[str, Overlap] = {}
    if gold:
        numbers, overlaps[TREEBANK] = overlap_of(records, gold, unseen=unseen)
        gold = [gold[number] for number in numbers]
    parsed = [list(model.parse(gold, retag=True)) for model in models]
    before, after = (evaluate(gold, each) for each in parsed)
    trees: list[Difference] = []
    if gold:
        trees = [each for each in compare(before, after, samples, seed) if each.metric in _SHOWN]
    costs: list[Difference] = []
    changed: list[Changed] = []
    imperatives = [count_imperatives(TREEBANK, gold, *parsed)]
    examples: list[list[Sentence]] = [[], []]
    for name, objective in objectives.items():
        groups = groups_of(objective)
        numbers, overlaps[name] = overlap_of(
            records, objective.sentences, groups=groups, unseen=unseen
        )
        both = [_first_trees(model, objective) for model in models]
        mine, other = (evaluate_means([name], found[1][numbers, None]) for found in both)
        costs += compare(mine, other, samples, seed)
        changed += _changes(name, objective, numbers, *both)
        scored = sorted({s for number in numbers for s in groups[number]})
        one, two = ([found[0][s] for s in scored] for found in both)
        imperatives.append(count_imperatives(name, None, one, two))
        for all_of, trees_of in zip(examples, (one, two), strict=True):
            all_of += trees_of
    # What changed most first, for better or for worse.
    changed.sort(key=lambda each: -abs(each.cost_before - each.cost_after))
    right = [_right(gold, each) for each in parsed]
    left_out = overlaps[TREEBANK].signature if gold else ""
    return TradeOff(
        names,
        trees,
        costs,
        _shifts([label for s in gold for label in s.deprels], right),
        _shifts([form.lower() for s in gold for form in s.forms], right),
        imperatives,
        shifted_tags(words, *examples),
        changed[:ROWS],
        "|".join(filter(None, (before.signature, left_out, drawn_by(samples, seed)))),
        overlaps,
        {name: out for name, each in objectives.items() if (out := left_out_of(each))},
    )


def _first_trees(
    model: Pipeline, objective: AnyObjective
) -> tuple[list[Sentence], NDArray[np.float64]]:
    """The trees that a model gives to the examples, and what they cost."""
    parsed = list(model.parse(objective.sentences))
    return parsed, costs_of_trees(objective, parsed)


def _changes(
    kind: str,
    objective: AnyObjective,
    numbers: Sequence[int],
    before: tuple[list[Sentence], NDArray[np.float64]],
    after: tuple[list[Sentence], NDArray[np.float64]],
) -> Iterator[Changed]:
    groups = groups_of(objective)
    for at in numbers:
        cost, new = float(before[1][at]), float(after[1][at])
        if cost == new:
            continue
        for s in groups[at]:
            one, other = before[0][s], after[0][s]
            if one.tree != other.tree:
                yield Changed(kind, objective.ids[at], one, other, cost, new)


def _right(gold: Sequence[Sentence], parsed: Sequence[Sentence]) -> list[bool]:
    return [
        (a, b) == (c, d)
        for one, other in zip(gold, parsed, strict=True)
        for a, b, c, d in zip(one.heads, one.deprels, other.heads, other.deprels, strict=True)
    ]


def _shifts(names: Sequence[str], right: Sequence[Sequence[bool]]) -> list[Shift]:
    """Those that gained most and those that paid most."""
    counts = Counter(names)
    before, after = (
        Counter(name for name, good in zip(names, each, strict=True) if good) for each in right
    )
    rows = [
        Shift(name, count, before[name], after[name])
        for name, count in counts.items()
        if count >= _LEAST and before[name] != after[name]
    ]
    rows.sort(key=lambda each: (-each.gain, each.name))
    return rows if len(rows) <= 2 * ROWS else rows[:ROWS] + rows[-ROWS:]


# -- as text and as a page --------------------------------------------------------


def as_text(found: TradeOff) -> str:
    lines = [
        f"A: {found.names[0]}",
        f"B: {found.names[1]}",
        "",
        f"{'':24}{'A':>9}{'B':>9}{'B - A':>9}   95% interval",
        *map(text_row, found.trees),
        *map(text_row, found.costs),
    ]
    for title, rows in (("labels", found.labels), ("words", found.words)):
        lines += ["", f"{title:24}{'met':>7}{'right A':>9}{'right B':>9}{'gain':>7}"]
        lines += [f"{x.name:24}{x.count:7}{x.before:9}{x.after:9}{x.gain:+7}" for x in rows]
    lines += ["", f"{'imperatives':24}{'all':>7}{'gold':>9}{'A':>9}{'B':>9}"]
    for text in found.imperatives:
        known = "" if text.gold is None else text.gold
        lines.append(f"{text.text:24}{text.sentences:7}{known:>9}{text.before:9}{text.after:9}")
    if found.tags:
        lines += ["", f"{'tags in the examples':24}{'':16}{'A':>9}{'B':>9}"]
        lines += [f"{x.word:24}{x.upos:16}{x.before:9}{x.after:9}" for x in found.tags]
    lines += ["", "examples that changed (cost A -> B)"]
    for each in found.changed:
        costs = f"{each.cost_before:.3f} -> {each.cost_after:.3f}"
        lines.append(f"{costs}  {each.id}: {' '.join(each.before.forms)}")
    return "\n".join([*lines, "", *found.notes, found.signature])


def as_page(found: TradeOff) -> str:
    """A page of its own, with the trees that changed."""
    parts = [
        "<!doctype html><meta charset=utf-8><title>Trade-off</title>",
        "<style>body{font:15px system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
        "table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;text-align:right}"
        "td:first-child,th:first-child{text-align:left}.good{color:#2f6f4f}.bad{color:#b4552d}"
        "figure{margin:1em 0;overflow-x:auto}</style>",
        f"<h1>{escape(found.names[0])} and {escape(found.names[1])}</h1>",
        "<p>Treebank scores rise with quality, costs fall. Intervals are of 95%.</p>",
        "<table><tr><th><th>A<th>B<th>B &minus; A<th>interval",
    ]
    parts += [html_row(each, more_is_better=True) for each in found.trees]
    parts += [html_row(each, more_is_better=False) for each in found.costs]
    parts.append("</table>")
    parts += [f"<p>{escape(note)}</p>" for note in found.notes]
    for title, rows in (("Labels", found.labels), ("Words", found.words)):
        parts.append(f"<h2>{title}</h2><table><tr><th><th>met<th>right A<th>right B<th>gain")
        parts += [
            f"<tr><td>{escape(x.name)}<td>{x.count}<td>{x.before}<td>{x.after}"
            f"<td class='{'good' if x.gain > 0 else 'bad'}'>{x.gain:+}"
            for x in rows
        ]
        parts.append("</table>")
    parts.append("<h2>Imperatives</h2><table><tr><th><th>all<th>gold<th>A<th>B")
    parts += [
        f"<tr><td>{escape(x.text)}<td>{x.sentences}<td>{'' if x.gold is None else x.gold}"
        f"<td>{x.before}<td>{x.after}"
        for x in found.imperatives
    ]
    parts.append("</table>")
    if found.tags:
        parts.append("<h2>Tags in the examples</h2><table><tr><th><th>tag<th>A<th>B")
        parts += [
            f"<tr><td>{escape(x.word)}<td>{escape(x.upos)}<td>{x.before}<td>{x.after}"
            for x in found.tags
        ]
        parts.append("</table>")
    parts.append("<h2>Examples that changed</h2>")
    for changed in found.changed:
        parts.append(f"<h3>{escape(changed.id)}</h3>")
        for name, sentence, cost in (
            ("A", changed.before, changed.cost_before),
            ("B", changed.after, changed.cost_after),
        ):
            parts.append(f"<figure><figcaption>{name}, cost {cost:.3f}</figcaption>")
            parts.append(f"{svg(sentence)}</figure>")
    parts.append(f"<p><small>{escape(found.signature)}</small></p>")
    return "\n".join(parts)
