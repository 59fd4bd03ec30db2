"""Error analysis for the workbench: the reports of niwaki.analysis, and what pages show beside
them: confusions, sentences, what doubts are worth, what a wider beam buys."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from niwaki.analysis.orders import System as OrderSystem
from niwaki.analysis.orders import analyse as analyse_orders
from niwaki.analysis.orders import compare_systems, rule_system
from niwaki.analysis.profiles import FEW, profile_errors
from niwaki.analysis.profiles_report import ProfilesReport
from niwaki.data.bilingual.references import Reference
from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.calibration import BINS, Reliability, measure
from niwaki.pipeline.pipeline import Pipeline
from niwaki.serve.errors import RequestError
from niwaki.serve.work.comparing import (
    SAMPLES,
    Corpus,
    System,
    all_parsed,
    scored,
    shown_difference,
    store_of,
)
from niwaki.serve.work.loading import model_of, references_of, rules_of, trees_of

_WIDTHS = (1, 2, 4, 8, 16, 32)
_ROWS = 20
_EXAMPLES = 1_000
_SEED = 1
_SHARES = [step / 20 for step in range(21)]
# Sentences that beams are tried on: enough for a curve, few enough to wait for.
_TRIED = 200


def analyse_chunk(system: System, corpus: Corpus, start: int, stop: int) -> dict[str, Any]:
    """Parse some sentences, with probabilities if there are any, and keep them for `analyse`."""
    pipeline, gold = model_of(system["model"]), trees_of(corpus["file"])
    store = _analysed(system, corpus)
    wanted = [n for n in range(start, min(stop, len(gold))) if n not in store]
    parsed = pipeline.parse(
        [gold[n] for n in wanted],
        beam=system.get("beam"),
        retag=True,
        probabilities=pipeline.parser.gives_probabilities,
    )
    store.update(zip(wanted, parsed, strict=True))
    return {"done": min(stop, len(gold)), "total": len(gold)}


def _analysed(system: System, corpus: Corpus) -> dict[int, Sentence]:
    # The width is no width: trees with probabilities are kept apart from those without.
    return store_of({**system, "beam": ("analysed", system.get("beam"))}, corpus)


def analyse(
    names: list[str],
    systems: list[System],
    corpus: Corpus,
    labelled: bool = True,
    punctuation: bool = True,
    unseen: bool = False,
) -> dict[str, Any]:
    """The error profiles of `niwaki analyze`, and what each system confuses and doubts."""
    gold = trees_of(corpus["file"])
    if any(UNKNOWN in each.heads for each in gold):
        raise RequestError(422, "this corpus has unknown heads; analyse whole trees")
    numbers, overlap = scored(systems, corpus, unseen)
    gold = [gold[n] for n in numbers]
    parsed = []
    for system in systems:
        analyse_chunk(system, corpus, 0, 1 << 30)
        store = _analysed(system, corpus)
        parsed.append([store[n] for n in numbers])
    found = profile_errors(
        gold,
        dict(zip(names, parsed, strict=True)),
        labelled=labelled,
        punctuation=punctuation,
    )
    report = ProfilesReport(found)
    record = report.to_json()
    return {
        **record,
        "signature": "|".join(filter(None, (record["signature"], overlap.signature))),
        "factors": [{**asdict(each.factor), "measures": each.measures} for each in found.profiles],
        "few": FEW,
        "outstanding": [asdict(table) for table in report.difference_tables()],
        "details": {
            name: _details(numbers, gold, trees, model_of(system["model"]))
            for name, trees, system in zip(names, parsed, systems, strict=True)
        },
        "overlap": asdict(overlap),
    }


def _details(
    numbers: list[int], gold: list[Sentence], parsed: list[Sentence], model: Pipeline
) -> dict[str, Any]:
    examples = _examples(numbers, gold, parsed)
    record: dict[str, Any] = {
        "scores": evaluate(gold, parsed).scores,
        "confusions": _confusions(gold, parsed),
        "wrong": len(examples),
        "examples": examples[:_EXAMPLES],
    }
    if model.parser.gives_probabilities:
        record["reliability"] = {
            kind: _reliability(each) for kind, each in measure(gold, parsed).reliability.items()
        }
    return record


def _reliability(found: Reliability) -> dict[str, Any]:
    # A point of a few words only dances about.
    bins = max(3, min(BINS, len(found.right) // 25))
    return {
        "error": found.error(),
        "points": found.points(bins),
        "doubt": [[share, found.errors_among_least_certain(share)] for share in _SHARES],
    }


def _confusions(gold: list[Sentence], parsed: list[Sentence]) -> list[dict[str, Any]]:
    """What is taken for what, most frequent first; `head` if only the head is wrong."""
    counts = Counter(kind for pair in zip(gold, parsed, strict=True) for kind, _ in _errors(*pair))
    return [
        {"gold": kind[0], "system": kind[1], "head": kind[2], "count": count}
        for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_ROWS]
    ]


def _errors(right: Sentence, found: Sentence) -> Iterator[tuple[tuple[str, str, bool], int]]:
    rows = zip(right.heads, right.deprels, found.heads, found.deprels, strict=True)
    for word, (head, label, other_head, other_label) in enumerate(rows, start=1):
        if head != other_head or label != other_label:
            yield (label, other_label, head == other_head), word


def _examples(
    numbers: list[int], gold: list[Sentence], parsed: list[Sentence]
) -> list[dict[str, Any]]:
    """The sentences with most errors, with the words that are wrong."""
    found = []
    for number, right, system in zip(numbers, gold, parsed, strict=True):
        wrong = [word for _, word in _errors(right, system)]
        if wrong:
            labels = sorted({right.deprels[word - 1] for word in wrong})
            tags = sorted({right.upos[word - 1] for word in wrong})
            found.append((number, right, len(wrong), labels, tags))
    found.sort(key=lambda each: (-each[2], each[0]))
    return [
        {
            "n": number,
            "id": each.id,
            "text": each.text[:240],
            "words": len(each),
            "errors": errors,
            "labels": labels,
            "tags": tags,
        }
        for number, each, errors, labels, tags in found
    ]


def widths(model: str) -> list[int]:
    """Beams that are worth trying; none if the model has no beams."""
    return list(_WIDTHS) if "beam" in model_of(model).parser.options else []


def beams(systems: list[System], corpus: Corpus, width: int, unseen: bool) -> dict[str, Any]:
    """Accuracy and speed of the first with a beam of some width, on the first sentences."""
    numbers, _ = scored(systems, corpus, unseen)
    pipeline, trees = model_of(systems[0]["model"]), trees_of(corpus["file"])
    gold = [trees[n] for n in numbers[:_TRIED]]
    list(pipeline.parse(gold[:5], beam=width, retag=True))
    started = time.process_time()
    parsed = list(pipeline.parse(gold, beam=width, retag=True))
    seconds = time.process_time() - started
    scores = evaluate(gold, parsed).scores
    words = sum(map(len, gold))
    return {
        "beam": width,
        "sentences": len(gold),
        "words_per_second": words / max(seconds, 1e-6),
        "UAS": scores["UAS"],
        "LAS": scores["LAS"],
    }


def order_findings(
    names: list[str], systems: list[System], corpus: Corpus, unseen: bool = False
) -> dict[str, Any]:
    """Scores of systems, how the others differ from the first, and what is wrong with each."""
    numbers, overlap = scored(systems, corpus, unseen)
    references = {n: references_of(corpus["file"])[n] for n in numbers}
    found = []
    for name, system in zip(names, systems, strict=True):
        parsed = all_parsed(system, corpus)
        trees, rules = [parsed[n] for n in numbers], rules_of(system["rules"])
        found.append(rule_system(name, list(references.values()), trees, rules))
    compared = compare_systems(found, SAMPLES, _SEED)
    return {
        "systems": [{"system": name} for name in names],
        "differences": {
            name: [shown_difference(each) for each in compared[0, at]]
            for at, name in enumerate(names)
            if at
        },
        "details": {
            name: _order_details(system, references)
            for name, system in zip(names, found, strict=True)
        },
        "overlap": asdict(overlap),
    }


def _order_details(system: OrderSystem, references: dict[int, Reference]) -> dict[str, Any]:
    analysis = analyse_orders(system, list(references.values()), worst=_ROWS)
    numbers = {id(reference): n for n, reference in references.items()}
    return {
        "scores": system.evaluation.to_json(SAMPLES, _SEED),
        "misplaced": {
            kind: [
                {"value": each.kind, "count": each.count, "wrong": each.wrong}
                for each in rows[:_ROWS]
            ]
            for kind, rows in analysis.misplaced.items()
        },
        "rules": [
            {"rule": each.what, "count": each.count, "gain": each.gain, "tau": each.tau}
            for each in (analysis.rules or [])
            if each.gain or each.tau
        ],
        "worst": [
            {
                "n": numbers[id(each.reference)],
                "id": each.reference.id,
                "text": " ".join(each.reference.tokens)[:240],
                "words": len(each.reference.tokens),
                "score": each.score,
                "tau": each.tau,
            }
            for each in analysis.worst
        ],
    }
