"""Word order: rules on gold and predicted trees, learned rules, baselines, speed.

python -m benchmarks.tasks.reordering [--model en]

Rules were tuned on the first half of each development file; both halves are reported.
Learned rules are learned on the first half and scored on the second.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, best_of, need, parser, report, signature
from niwaki.analysis.orders import System, compare_systems, rule_system, significance_mark
from niwaki.data.bitext import read_linked_bitext
from niwaki.data.references import Reference
from niwaki.data.sentence import Sentence
from niwaki.errors import ModelError
from niwaki.kernel.batch import Batch
from niwaki.kernel.reorder import reorder
from niwaki.models.pipeline import Pipeline
from niwaki.tasks.reorder.events import collect_events
from niwaki.tasks.reorder.learning import learn_rules
from niwaki.tasks.reorder.references import make_reference
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.tasks.reorder.tables import CompiledRules

BASELINES = ("none", "reverse", "head-final-before", "head-final-after")
METRICS = ("frs_linked", "tau", "frs", "exact_linked")
SPEED_FILE = DATA / "ud-english-ewt" / "en_ewt-ud-train.conllu"


def references(folder: str, target: str) -> list[Reference]:
    base = need(DATA / folder)
    files = [base / f"dev.{end}" for end in ("en", target, "align")]
    faults: list[Exception] = []
    pairs = list(read_linked_bitext(*files, faults.append))
    if faults:
        print(f"{folder}: {len(faults)} pairs left out, the first: {faults[0]}")
    return [make_reference(p.source, p.links, str(p.number)) for p in pairs if p.links]


def gold_trees(folder: str) -> list[Sentence]:
    return list(niwaki.read_conllu(DATA / folder / "dev.en.conllu"))


def rounded(system: System) -> dict[str, float]:
    return {metric: round(system.evaluation.scores[metric], 4) for metric in METRICS}


def halves(
    trees: Sequence[Sentence], wanted: Sequence[Reference], name: str
) -> dict[str, dict[str, float]]:
    middle = len(wanted) // 2
    rules = load_rules(name)
    parts = {"first half": slice(middle), "second half": slice(middle, None), "all": slice(None)}
    return {
        part: rounded(rule_system(name, wanted[at], trees[at], rules)) for part, at in parts.items()
    }


def learned(trees: Sequence[Sentence], wanted: Sequence[Reference], hand: str) -> dict[str, Any]:
    """Learned on the first half, beside the hand rules on the second."""
    middle = len(wanted) // 2
    started = time.process_time()
    rules = learn_rules(collect_events(trees[:middle], wanted[:middle])).rules
    seconds = time.process_time() - started
    systems = [
        rule_system(name, wanted[middle:], trees[middle:], each)
        for name, each in (("hand", load_rules(hand)), ("learned", rules))
    ]
    differences = compare_systems(systems, 10_000, 1)[0, 1]
    return {
        **{system.name: rounded(system) for system in systems},
        "difference": {
            each.metric: [round(each.difference, 4), round(each.p, 4)]
            for each in differences
            if each.metric in METRICS
        },
        "rules": len(rules.rules),
        "tuples": sum(len(rule.placements) for rule in rules.rules),
        "seconds": round(seconds, 1),
    }


def parsers(
    model: Pipeline | None, wanted: Sequence[Reference], gold: list[Sentence] | None
) -> Iterator[tuple[str, list[Sentence]]]:
    if gold is not None:
        yield "gold", gold
    if model is not None:
        words = [Sentence.from_words(reference.tokens) for reference in wanted]
        for name, beam in (("greedy", 1), ("beam", None)):
            yield name, list(model.parse(words, beam=beam))


def matrix(
    model: Pipeline | None, wanted: Sequence[Reference], gold: list[Sentence] | None, hand: str
) -> dict[str, Any]:
    """Parsers x rule sets, with pairwise significance of the hand rules over the others."""
    found: dict[str, Any] = {}
    for parser_name, trees in parsers(model, wanted, gold):
        systems = [
            rule_system(name, wanted, trees, load_rules(name)) for name in (*BASELINES, hand)
        ]
        pairs = compare_systems(systems, 10_000, 1)
        found[parser_name] = {
            system.name: rounded(system)
            | {
                f"{hand} minus this, {each.metric}": significance_mark(each)
                for each in pairs.get((at, len(systems) - 1), ())
                if each.metric in ("frs_linked", "tau", "frs")
            }
            for at, system in enumerate(systems)
        }
    return found


def speed(rounds: int) -> dict[str, int]:
    """Words per second of the rules `ja`, in processor time of one thread."""
    sentences = list(niwaki.read_conllu(need(SPEED_FILE)))
    batch = Batch([sentence.source for sentence in sentences])
    compiled = CompiledRules(load_rules("ja"))
    rows, fitting, marks = compiled.rows([batch.texts_of(c) for c in compiled.columns])
    starts = np.zeros(batch.sentences + 1, dtype=np.int32)
    np.cumsum(batch.lengths, out=starts[1:])
    out = [np.empty(batch.words, dtype=np.int32) for _ in range(3)]
    heads = batch.given_heads()
    reorderer = Reorderer(load_rules("ja"))

    def timed(work: Any) -> float:
        started = time.process_time()
        work()
        return time.process_time() - started

    best = best_of(
        rounds,
        {
            "kernel": lambda: timed(
                lambda: reorder(compiled.tables, starts, heads, rows, fitting, marks, *out)
            ),
            "from sentences to orders": lambda: timed(
                lambda: sum(1 for _ in reorderer.reorder(sentences))
            ),
        },
    )
    return {name: round(batch.words / seconds) for name, seconds in best.items()}


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--model", default="en")
    arguments = made.parse_args()
    try:
        model = niwaki.load(arguments.model)
    except ModelError as error:
        print(f"{error}: no figures with predicted trees")
        model = None
    pairs = {"en-ja": ("align-pud/en-ja", "ja"), "en-ko": ("align-pud/en-ko", "ko")}
    result: dict[str, Any] = {
        "signature": signature(profile=arguments.profile, model=arguments.model),
        "gold trees": {},
        "learned": {},
        "matrix": {},
    }
    for pair, (folder, target) in pairs.items():
        wanted, trees = references(folder, target), gold_trees(folder)
        result["gold trees"][pair] = {
            name: halves(trees, wanted, name) for name in ("none", target)
        }
        result["learned"][pair] = learned(trees, wanted, target)
        result["matrix"][pair] = matrix(model, wanted, trees, target)
    if model is not None:
        wanted = references("align-enja-kftt", "ja")
        result["matrix"]["en-ja, KFTT"] = matrix(model, wanted, None, "ja")
    result["words per second"] = speed(3 if arguments.profile == "fast" else 9)
    report("reordering", result)


if __name__ == "__main__":
    main()
