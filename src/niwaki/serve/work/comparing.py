"""Two systems on one corpus: tables with intervals, and every sentence with what changed.

A system is a model, or a model with rules; a corpus is a treebank or reference orders. A
long corpus is parsed chunk by chunk, so that progress is seen and work can be stopped.
"""

from __future__ import annotations

import os
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from niwaki.data.bilingual.references import Reference
from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.errors import ModelError
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.base import drawn_by, resample
from niwaki.metrics.reordering import evaluate_orders
from niwaki.metrics.significance import Difference, compare
from niwaki.parsers.base import Search
from niwaki.pipeline.learned import Overlap, overlap_of
from niwaki.serve.errors import RequestError
from niwaki.serve.work.loading import model_of, references_of, rules_of, trees_of
from niwaki.serve.work.ordering import scored as scored_order
from niwaki.serve.work.ordering import shown_reordering
from niwaki.tasks.reorder.reorderer import Reorderer, Reordering

SAMPLES = 2_000
_SEED = 1
_SHOWN_TEXT = 240
_KEPT = 8
_FEWEST = 5  # a label that is rarer says nothing

System = dict[str, Any]
Corpus = dict[str, Any]

_parsed: OrderedDict[tuple[Any, ...], dict[int, Sentence]] = OrderedDict()


def _words(corpus: Corpus) -> list[Sentence]:
    """The sentences that are parsed."""
    if corpus["kind"] == "trees":
        return trees_of(corpus["file"])
    return [Sentence.from_words(each.tokens) for each in references_of(corpus["file"])]


def store_of(system: System, corpus: Corpus) -> dict[int, Sentence]:
    files = (corpus["file"], system["model"])
    times = tuple(os.stat(file).st_mtime_ns if os.path.exists(file) else 0 for file in files)
    key = (*files, *times, system.get("beam"))
    found = _parsed.setdefault(key, {})
    _parsed.move_to_end(key)
    while len(_parsed) > _KEPT:
        _parsed.popitem(last=False)
    return found


def scored(systems: Sequence[System], corpus: Corpus, unseen: bool) -> tuple[list[int], Overlap]:
    """The numbers of the sentences that are scored, and how many of them each model knows."""
    records = [model_of(system["model"]).learned for system in systems]
    return overlap_of(records, _words(corpus), unseen=unseen)


def check_systems(systems: list[System], corpus: Corpus, unseen: bool) -> dict[str, Any]:
    """Refuse a way to search that a model has not, and what leaves no sentence, before any is
    parsed.
    """
    scored(systems, corpus, unseen)
    for at, system in enumerate(systems):
        try:
            model_of(system["model"]).parser.check(Search(beam=system["beam"]))
        except ModelError as error:
            raise RequestError(422, f"systems[{at}]: {error}") from error
    return {}


def score_chunk(system: System, corpus: Corpus, start: int, stop: int) -> dict[str, Any]:
    """Parse some sentences and keep the trees for `compare`."""
    model, store, sentences = model_of(system["model"]), store_of(system, corpus), _words(corpus)
    wanted = [n for n in range(start, min(stop, len(sentences))) if n not in store]
    parsed = model.parse(
        [sentences[n] for n in wanted], beam=system.get("beam"), retag=corpus["kind"] == "trees"
    )
    store.update(zip(wanted, parsed, strict=True))
    return {"done": min(stop, len(sentences)), "total": len(sentences)}


def all_parsed(system: System, corpus: Corpus) -> list[Sentence]:
    score_chunk(system, corpus, 0, 1 << 30)
    store = store_of(system, corpus)
    return [store[n] for n in sorted(store)]


def compare_systems(corpus: Corpus, a: System, b: System, unseen: bool) -> dict[str, Any]:
    numbers, overlap = scored([a, b], corpus, unseen)
    found: dict[str, Any]
    if corpus["kind"] == "trees":
        gold = trees_of(corpus["file"])
        if any(UNKNOWN in each.heads for each in gold):
            raise RequestError(422, "this corpus has unknown heads; compare on whole trees")
        trees = gold, all_parsed(a, corpus), all_parsed(b, corpus)
        found = _compare_trees(numbers, *([each[n] for n in numbers] for each in trees))
    else:
        references, orders = references_of(corpus["file"]), (orders_of(x, corpus) for x in (a, b))
        one, other = ([each[n] for n in numbers] for each in orders)
        found = _compare_orders(numbers, [references[n] for n in numbers], one, other)
    signature = "|".join(filter(None, (found["signature"], overlap.signature)))
    return {**found, "overlap": asdict(overlap), "signature": signature}


def orders_of(system: System, corpus: Corpus) -> list[Reordering]:
    return list(Reorderer(rules_of(system["rules"])).reorder(all_parsed(system, corpus)))


# -- trees ------------------------------------------------------------------------


def _compare_trees(
    numbers: list[int], gold: list[Sentence], a: list[Sentence], b: list[Sentence]
) -> dict[str, Any]:
    one, other = evaluate(gold, a), evaluate(gold, b)
    rows = []
    for number, right, x, y in zip(numbers, gold, a, b, strict=True):
        marks = [right_words(right, each) for each in (x, y)]
        wrong = {label for label, p, q in zip(right.deprels, *marks, strict=True) if not (p and q)}
        changed = {label for label, p, q in zip(right.deprels, *marks, strict=True) if p != q}
        size = len(right)
        rows.append(
            {
                **row_of(number, right.id, right.text, size),
                "a": sum(marks[0]) / size,
                "b": sum(marks[1]) / size,
                "wrong": sorted(wrong),
                "changed": sorted(changed),
                "differ": x.heads != y.heads or x.deprels != y.deprels,
            }
        )
    return {
        "measure": "LAS",
        "table": [shown_difference(each) for each in compare(one, other, SAMPLES, _SEED)],
        "labels": _label_table(gold, a, b),
        "rows": rows,
        "signature": f"{one.signature}|{drawn_by(SAMPLES, _SEED)}",
    }


def right_words(gold: Sentence, system: Sentence) -> list[bool]:
    return [
        h == k and x == y
        for h, k, x, y in zip(gold.heads, system.heads, gold.deprels, system.deprels, strict=True)
    ]


def _label_table(
    gold: list[Sentence], a: list[Sentence], b: list[Sentence]
) -> list[dict[str, Any]]:
    """For each gold label, the share that is found with its head, and the change."""
    totals = Counter(label for each in gold for label in each.deprels)
    names = [label for label, count in totals.most_common() if count >= _FEWEST]
    at = {label: n for n, label in enumerate(names)}
    counts = np.zeros((len(gold), len(names), 3), dtype=np.int64)
    for number, (right, x, y) in enumerate(zip(gold, a, b, strict=True)):
        for label, p, q in zip(
            right.deprels, right_words(right, x), right_words(right, y), strict=True
        ):
            if label in at:
                counts[number, at[label]] += (1, p, q)
    if not names:
        return []
    drawn = resample(counts, SAMPLES, _SEED)
    shares = 100 * np.divide(
        drawn[..., 2] - drawn[..., 1],
        drawn[..., 0],
        out=np.zeros(drawn.shape[:2]),
        where=drawn[..., 0] > 0,
    )
    low, high = np.percentile(shares, [2.5, 97.5], axis=0)
    sums = counts.sum(axis=0)
    return [
        {
            "label": label,
            "count": int(sums[n, 0]),
            "a": 100 * sums[n, 1] / sums[n, 0],
            "b": 100 * sums[n, 2] / sums[n, 0],
            "low": float(low[n]),
            "high": float(high[n]),
        }
        for n, label in enumerate(names)
    ]


# -- orders -----------------------------------------------------------------------


def _compare_orders(
    numbers: list[int], references: list[Reference], a: list[Reordering], b: list[Reordering]
) -> dict[str, Any]:
    one, other = (evaluate_orders(references, [each.order for each in x]) for x in (a, b))
    table = compare(one, other, SAMPLES, _SEED)
    measure = "frs_linked"
    rows = []
    for at, (reference, x, y) in enumerate(zip(references, a, b, strict=True)):
        text = " ".join(reference.tokens)
        rows.append(
            {
                **row_of(numbers[at], reference.id, text, len(reference.tokens)),
                "a": float(one.of(measure)[at]),
                "b": float(other.of(measure)[at]),
                "wrong": sorted(set(x.sentence.deprels) | set(y.sentence.deprels)),
                "changed": sorted(x.applied ^ y.applied),
                "differ": x.order != y.order,
            }
        )
    return {
        "measure": measure,
        "table": [shown_difference(each) for each in table if each.metric not in one.costs],
        "labels": [],
        "rows": rows,
        "signature": f"{one.signature}|{drawn_by(SAMPLES, _SEED)}",
    }


def row_of(number: int, name: str, text: str, words: int) -> dict[str, Any]:
    return {"n": number, "id": name, "text": text[:_SHOWN_TEXT], "words": words}


def shown_difference(each: Difference) -> dict[str, Any]:
    return {
        "metric": each.metric,
        "a": each.a,
        "b": each.b,
        "difference": each.difference,
        "low": each.low,
        "high": each.high,
        "p": each.p,
        "significant": each.is_significant,
    }


def sentence(corpus: Corpus, systems: Sequence[System], number: int) -> dict[str, Any]:
    """One sentence of a corpus with what each system makes of it.

    A sentence gets the same tree whatever stands beside it in a batch, so what is shown
    here is what was scored.
    """
    given = _words(corpus)
    if number >= len(given):
        raise RequestError(404, f"there are {len(given)} sentences")
    trees = corpus["kind"] == "trees"
    record: dict[str, Any] = {"systems": []}
    if trees:
        record["gold"] = given[number].to_dict()
    for system in systems:
        model = model_of(system["model"])
        (parsed,) = model.parse([given[number]], beam=system.get("beam"), retag=trees)
        shown = parsed.to_dict()
        if not trees:
            (found,) = Reorderer(rules_of(system["rules"])).reorder([parsed])
            reference = references_of(corpus["file"])[number]
            shown |= shown_reordering(found)
            shown["reference"] = scored_order(reference, found.order)
        record["systems"].append(shown)
    return record
