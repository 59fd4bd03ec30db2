"""Error analysis for the workbench: where a model errs, what its doubts are worth, what a
wider beam buys, and which rules pay."""

from __future__ import annotations

import itertools
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from niwaki.analysis.orders import analyse as analyse_orders
from niwaki.analysis.orders import rule_system, scores_record
from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.calibration import BINS, Reliability, measure
from niwaki.serve.errors import RequestError
from niwaki.serve.work.comparing import SAMPLES, Corpus, System, _all_parsed, _right, _store
from niwaki.serve.work.loading import model_of, references_of, rules_of, trees_of

WIDTHS = (1, 2, 4, 8, 16, 32)
_ROWS = 20
_SHARES = [step / 20 for step in range(21)]
# Sentences that beams are tried on: enough for a curve, few enough to wait for.
_TRIED = 200

# Name of a factor, and the value of a word: its sentence, its number from 1.
Factor = Callable[[Sentence, int], str]


def analyse_chunk(model: str, file: str, start: int, stop: int) -> dict[str, Any]:
    """Parse some sentences with probabilities and keep them for `analyse`."""
    pipeline, gold = model_of(model), trees_of(file)
    store = _analysed(model, file)
    wanted = [n for n in range(start, min(stop, len(gold))) if n not in store]
    parsed = pipeline.parse(
        [gold[n] for n in wanted], retag=True, probabilities=pipeline.confidence is not None
    )
    store.update(zip(wanted, parsed, strict=True))
    return {"done": min(stop, len(gold)), "total": len(gold)}


def _analysed(model: str, file: str) -> dict[int, Sentence]:
    # The width is no width: trees with probabilities are kept apart from those without.
    return _store({"model": model, "beam": "analysed"}, {"kind": "trees", "file": file})


def analyse(model: str, file: str) -> dict[str, Any]:
    gold = trees_of(file)
    if any(UNKNOWN in each.heads for each in gold):
        raise RequestError(422, "this corpus has unknown heads; analyse whole trees")
    analyse_chunk(model, file, 0, 1 << 30)
    store = _analysed(model, file)
    parsed = [store[n] for n in sorted(store)]
    result = evaluate(gold, parsed)
    record: dict[str, Any] = {
        "scores": result.scores,
        "signature": result.signature,
        "factors": {name: _by(gold, parsed, factor) for name, factor in FACTORS.items()},
        "confusions": _confusions(gold, parsed),
        "examples": _examples(gold, parsed),
    }
    if model_of(model).confidence is not None:
        record["reliability"] = {
            kind: _reliability(each) for kind, each in measure(gold, parsed).items()
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


def _bin(value: int, edges: tuple[int, ...]) -> str:
    for low, high in itertools.pairwise(edges):
        if value < high:
            return str(low) if high == low + 1 else f"{low}–{high - 1}"
    return f"{edges[-1]}+"


def _length(sentence: Sentence, word: int) -> str:
    return _bin(len(sentence), (1, 6, 11, 16, 21, 26, 31, 41, 51))


def _distance(sentence: Sentence, word: int) -> str:
    head = sentence.heads[word - 1]
    return "root" if head == 0 else _bin(abs(word - head), (1, 2, 3, 4, 5, 7, 10, 15))


def _label(sentence: Sentence, word: int) -> str:
    return sentence.deprels[word - 1]


def _tag(sentence: Sentence, word: int) -> str:
    return sentence.upos[word - 1]


FACTORS: dict[str, Factor] = {
    "label": _label,
    "tag": _tag,
    "arc length": _distance,
    "sentence length": _length,
}


def _by(gold: list[Sentence], parsed: list[Sentence], factor: Factor) -> list[dict[str, Any]]:
    """Words by a gold factor: how many, and the shares with the right head and label."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for right, found in zip(gold, parsed, strict=True):
        labelled = _right(right, found)
        for word in range(1, len(right) + 1):
            cell = counts[factor(right, word)]
            cell[0] += 1
            cell[1] += right.heads[word - 1] == found.heads[word - 1]
            cell[2] += labelled[word - 1]
    rows = [
        {"value": value, "count": n, "uas": 100 * heads / n, "las": 100 * both / n}
        for value, (n, heads, both) in counts.items()
    ]
    if factor in (_length, _distance):
        return sorted(rows, key=lambda row: _first_number(row["value"]))
    return sorted(rows, key=lambda row: (-row["count"], row["value"]))


def _first_number(value: str) -> int:
    digits = value.replace("+", "").partition("–")[0]
    return int(digits) if digits.isdecimal() else 0


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


def _examples(gold: list[Sentence], parsed: list[Sentence]) -> list[dict[str, Any]]:
    """The sentences with most errors, with the words that are wrong."""
    found = []
    for number, (right, system) in enumerate(zip(gold, parsed, strict=True)):
        wrong = [word for _, word in _errors(right, system)]
        if wrong:
            labels = sorted({right.deprels[word - 1] for word in wrong})
            found.append((number, right, len(wrong), labels))
    found.sort(key=lambda each: (-each[2], each[0]))
    return [
        {
            "n": number,
            "id": each.id,
            "text": each.text[:240],
            "words": len(each),
            "errors": errors,
            "labels": labels,
        }
        for number, each, errors, labels in found[:200]
    ]


def beams(model: str, file: str, width: int) -> dict[str, Any]:
    """Accuracy and speed with a beam of some width, on the first sentences."""
    pipeline, gold = model_of(model), trees_of(file)[:_TRIED]
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


def order_findings(system: System, corpus: Corpus) -> dict[str, Any]:
    """What is misplaced most often, what each rule is worth, and the worst sentences."""
    references = references_of(corpus["file"])
    trees = _all_parsed(system, corpus)
    found = rule_system("system", references, trees, rules_of(system["rules"]))
    analysis = analyse_orders(found, references, worst=_ROWS)
    numbers = {id(reference): n for n, reference in enumerate(references)}
    return {
        "scores": scores_record(found, SAMPLES, 1),
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
