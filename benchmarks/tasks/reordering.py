"""Word order: rules on gold and predicted trees, learned rules, baselines, speed.

python -m benchmarks.tasks.reordering [rules] [matrix] [speed] [--insensitive en-lower.niwaki]
    [--targeted "NAME=MODEL" ...]

Rules were tuned on the first half of each development file; both halves are reported.
Learned rules are learned on the first half and scored on the second. The parser that does
not tell case apart is made by
niwaki train configs/en-ewt.toml --set model.case=insensitive -o en-lower.niwaki
and those of targeted self-training by benchmarks.tasks.self_training.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, best_of, need, parser, report, signature
from niwaki.analysis.orders import System, compare_systems, rule_system, significance_mark
from niwaki.data.bilingual.bitext import read_linked_bitext
from niwaki.data.bilingual.references import Reference
from niwaki.data.sentence import Sentence
from niwaki.kernel.batch import Batch
from niwaki.kernel.bilingual.reorder import reorder
from niwaki.parsers.transition.parser import TransitionParser
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tasks.reorder.events import collect_events
from niwaki.tasks.reorder.learning import learn_rules
from niwaki.tasks.reorder.references import make_reference
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.tasks.reorder.tables import CompiledRules

BASELINES = ("none", "reverse", "head-final-before", "head-final-after")
METRICS = ("frs_linked", "tau", "frs", "exact_linked")
PAIRS = {"en-ja": ("align-pud/en-ja", "ja"), "en-ko": ("align-pud/en-ko", "ko")}
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


def parse_all(
    models: Mapping[str, Pipeline], wanted: Sequence[Reference]
) -> dict[str, list[Sentence]]:
    """Trees of every model with its beam, and greedy if it has weights for that."""
    words = [Sentence.from_words(reference.tokens) for reference in wanted]
    return {
        f"{name} {search}": list(model.parse(words, beam=beam))
        for name, model in models.items()
        for search, beam in (("greedy", 1), ("beam", None))
        if search == "beam" or has_greedy_weights(model)
    }


def has_greedy_weights(model: Pipeline) -> bool:
    return isinstance(model.parser, TransitionParser) and model.parser.greedy is not None


def marks(systems: Sequence[System]) -> dict[str, dict[str, str]]:
    """Pairwise significance: the later system minus the earlier one."""
    return {
        f"{systems[b].name} minus {systems[a].name}": {
            each.metric: f"{each.difference:+.4f} {significance_mark(each)}"
            for each in differences
            if each.metric in ("frs_linked", "tau", "frs")
        }
        for (a, b), differences in compare_systems(systems, 10_000, 1).items()
    }


def matrix(
    trees: Mapping[str, Sequence[Sentence]], wanted: Sequence[Reference], hand: str
) -> dict[str, Any]:
    """Parsers x rule sets: scores, rule sets compared per parser, parsers with the hand rules."""
    table = {
        parser_name: [
            rule_system(name, wanted, parsed, load_rules(name)) for name in (*BASELINES, hand)
        ]
        for parser_name, parsed in trees.items()
    }
    with_hand = [replace(systems[-1], name=name) for name, systems in table.items()]
    return {
        "scores": {
            name: {system.name: rounded(system) for system in systems}
            for name, systems in table.items()
        },
        "rules compared": {name: marks(systems) for name, systems in table.items()},
        "parsers compared": marks(with_hand),
    }


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


def rule_scores(models: Mapping[str, Pipeline]) -> dict[str, Any]:
    """Hand and learned rules on the halves of each set, on gold trees and on parsed ones."""
    made: dict[str, Any] = {}
    for pair, (folder, target) in PAIRS.items():
        wanted, gold = references(folder, target), gold_trees(folder)
        words = [Sentence.from_words(reference.tokens) for reference in wanted]
        parsed = list(models["sensitive"].parse(words))
        made[pair] = {
            "none": halves(gold, wanted, "none"),
            "gold trees": halves(gold, wanted, target),
            "parsed trees": halves(parsed, wanted, target),
            "learned": learned(gold, wanted, target),
        }
    return made


def matrices(models: Mapping[str, Pipeline]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for pair, (folder, target) in PAIRS.items():
        wanted = references(folder, target)
        made[pair] = matrix(
            {"gold": gold_trees(folder)} | parse_all(models, wanted), wanted, target
        )
    wanted = references("align-enja-kftt", "ja")
    made["en-ja, KFTT"] = matrix(parse_all(models, wanted), wanted, "ja")
    return made


def main() -> None:
    made = parser(__doc__)
    made.add_argument("parts", nargs="*", help="rules, matrix, speed (default: all)")
    made.add_argument("--model", default="en")
    made.add_argument("--insensitive", metavar="MODEL", help="a model with case = insensitive")
    made.add_argument(
        "--targeted", metavar="NAME=MODEL", nargs="*", default=[], help="more parsers, with a beam"
    )
    arguments = made.parse_args()
    models = {"sensitive": niwaki.load(arguments.model)}
    if arguments.insensitive:
        models["insensitive"] = niwaki.load(arguments.insensitive)
    for each in arguments.targeted:
        name, _, path = each.partition("=")
        models[name] = niwaki.load(path)
    rounds = 3 if arguments.profile == "fast" else 9
    parts = {
        "rules": lambda: rule_scores(models),
        "matrix": lambda: matrices(models),
        "speed": lambda: speed(rounds),
    }
    for part in arguments.parts or parts:
        settings = {"profile": arguments.profile, "models": sorted(models)}
        report(f"reordering-{part}", {"signature": signature(**settings), part: parts[part]()})


if __name__ == "__main__":
    main()
