"""Tables 1 to 3 of Hall et al. 2011, and 1 and 4 of Katz-Brown et al. 2011, with nothing set.

python -m benchmarks.tasks.papers [--kind graph] [--profile fast] [--seeds 3] [--only roots]
python -m benchmarks.tasks.papers --kind neural --base en-accurate --seeds 1 --only roots

A parser of EWT (lower case) is trained on for a pass over EWT, with a job beside it or with trees
chosen for one, by `niwaki train --init` and `self-train` with their defaults. Each is compared with
the parser that was trained on for as long with EWT alone, by the same seed. Scores are means over
seeds; intervals are of sentences, drawn with all their seeds.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, need, report, signature
from benchmarks.tasks._adapting import (
    EWT_TRAIN,
    WORK,
    TaggedTreebank,
    add_workers,
    by_seeds,
    graph_model,
    loaded,
    lower_case,
    over_seeds,
    parse,
    task_parser,
    trained,
    write,
)
from benchmarks.tasks.arc_lengths import arc_length_scores, with_tags
from benchmarks.tasks.domain_trees import read as read_atis
from benchmarks.tasks.domain_trees import references_of
from benchmarks.tasks.known_roots import roots_only, untagged
from benchmarks.tasks.people_links import TEXTS
from benchmarks.tasks.people_links import people_references as kftt_references
from benchmarks.tasks.self_training import with_trees
from benchmarks.tasks.word_order import make_references, people_references
from niwaki.analysis.orders import rule_system
from niwaki.data.bilingual.references import Reference, read_references
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.base import Evaluation
from niwaki.metrics.means import evaluate_means
from niwaki.metrics.significance import compare
from niwaki.objectives.reordering import Reordering
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.training.self_training import Selection, cheap_ones, choose_trees

SHOWN = {"frs_linked", "exact_linked", "UAS", "LAS", "ALS", "labelled ALS", "root"}
CHOSEN = 10_000
# One in `share` sentences of EWT is seen beside a job.
PROFILES: dict[str, dict[str, Any]] = {
    "full": {"epochs": 12, "share": 1},
    "standard": {"epochs": 12, "share": 2},
    "fast": {"epochs": 3, "share": 8},
}
# The cheapest of many, whatever it costs.
AS_IN_THE_PAPER = Selection("cost", 64, max_cost=math.inf)
Look = Callable[[Path], Evaluation]


@dataclass(frozen=True)
class Start:
    """A parser of EWT, and what of EWT is beside a job."""

    base: Path
    beside: TaggedTreebank
    kind: str

    def on(self, seed: int, cost: dict[str, Any] | None = None) -> Path:
        """Trained on for a pass, with a cost or without."""
        objectives = [{"data": str(self.beside.file)}, *([cost] if cost else [])]
        record = {"objective": objectives, "training": {"epochs": 1, "seed": seed}}
        return trained(f"on-{self.kind}", record, self.base, self.beside.tags)

    def with_chosen(self, name: str, objective: Reordering, selection: Selection) -> Path:
        """Trees of the parser itself, chosen for sentences of a job."""
        stem = f"{self.base.stem}-{name}-{selection.select}-{selection.n}"
        every = choose_trees(loaded(self.base), objective, selection, WORK / f"{stem}.conllu")
        kept = [choice.sentence for choice in cheap_ones(every, selection)]
        return write(WORK / f"{stem}-{selection.max_cost}.conllu", kept)


class Tests:
    """What models are scored on; all that one of them is asked is asked once."""

    @cached_property
    def _ewt(self) -> list[Sentence]:
        return list(niwaki.read_conllu(need(DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu")))

    @cached_property
    def atis(self) -> tuple[dict[str, list[Sentence]], dict[str, list[Reference]]]:
        english = read_atis("ud-english-atis", "en")
        return english, references_of(english, read_atis("ud-turkish-atis", "tr"))

    def ewt(self, model: Path) -> Evaluation:
        return evaluate(self._ewt, parse(model, self._ewt))

    def lengths(self, model: Path) -> Evaluation:
        scores = arc_length_scores(self._ewt, parse(model, self._ewt))
        return evaluate_means(("ALS", "labelled ALS"), scores)

    def trees_of_atis(self, model: Path) -> Evaluation:
        gold = self.atis[0]["test"]
        return evaluate(gold, parse(model, gold))

    def roots_of_atis(self, model: Path) -> Evaluation:
        gold = self.atis[0]["test"]
        pairs = zip(gold, parse(model, gold), strict=True)
        return evaluate_means(
            ["root"], [[100.0 * (a.heads.index(0) == b.heads.index(0))] for a, b in pairs]
        )

    def orders(self, references: Sequence[Reference], language: str) -> Look:
        """By the rules of a language."""
        linked = [each for each in references if each.order]

        def look(model: Path) -> Evaluation:
            parsed = parse(model, [Sentence.from_words(each.tokens) for each in linked])
            return rule_system(language, linked, parsed, load_rules(language)).evaluation

        return look


def row(look: Look, before: Sequence[Path], after: Sequence[Path]) -> dict[str, Any]:
    """What models are worth, and what they gain over those that saw EWT alone."""
    found = compare(over_seeds([look(x) for x in before]), over_seeds([look(x) for x in after]))
    return {
        each.metric: {
            "score": round(each.b, 4),
            "gain": round(each.difference, 4),
            "interval": [round(each.low, 4), round(each.high, 4)],
        }
        for each in found
        if each.metric in SHOWN
    }


Rows = dict[str, tuple[Callable[[int], Path], dict[str, Look]]]


def word_order(start: Start, tests: Tests) -> Rows:
    """Hall 1 and Katz-Brown 1: English for Japanese, on automatic and on people's links."""
    files = make_references()
    looks: dict[str, Look] = {
        "automatic": tests.orders(list(read_references(files["test"])), "ja"),
        "people (PUD)": tests.orders(people_references(), "ja"),
        "people (KFTT)": tests.orders(kftt_references(TEXTS["kftt"]), "ja"),
        "EWT": tests.ewt,
    }
    first = list(itertools.islice(read_references(files["train"]), CHOSEN))
    objective = Reordering(first, load_rules("ja"))
    cost = {"kind": "reordering", "rules": "ja", "data": str(files["train"])}

    def chosen(selection: Selection) -> Callable[[int], Path]:
        file = start.with_chosen("ja", objective, selection)
        return lambda seed: with_trees(start.base, start.beside, file, 1, seed)

    return {
        "word order: objective": (lambda seed: start.on(seed, cost), looks),
        "word order: standard self-training": (chosen(Selection("first", 1)), looks),
        "word order: targeted self-training": (chosen(Selection()), looks),
        "word order: targeted self-training as in the paper": (chosen(AS_IN_THE_PAPER), looks),
    }


def roots(start: Start, tests: Tests) -> Rows:
    """Hall 2: the roots of Atis."""
    known = roots_only(untagged(tests.atis[0]["train"]))
    cost = {"kind": "partial", "data": str(write(WORK / "papers-roots.conllu", known))}
    looks = {"Atis": tests.trees_of_atis, "Atis roots": tests.roots_of_atis, "EWT": tests.ewt}
    trees = write(WORK / "papers-atis.conllu", untagged(tests.atis[0]["train"]))
    return {
        "roots: objective": (lambda seed: start.on(seed, cost), looks),
        "roots: all trees of Atis": (
            lambda seed: with_trees(start.base, start.beside, trees, 1, seed),
            looks,
        ),
    }


def lengths(start: Start, tests: Tests) -> Rows:
    """Hall 3: long arcs count more."""
    data = str(with_tags(start.beside, start.base))
    looks = {"EWT": tests.ewt, "arc lengths": tests.lengths}

    def on(labelled: bool) -> Callable[[int], Path]:
        cost = {"kind": "arc-length", "data": data, "labelled": labelled}
        return lambda seed: start.on(seed, cost)

    return {
        "arc lengths: unlabelled": (on(labelled=False), looks),
        "arc lengths: labelled": (on(labelled=True), looks),
    }


def domain(start: Start, tests: Tests) -> Rows:
    """Katz-Brown 4: trees of Atis, or its word order in Turkish."""
    english, references = tests.atis
    trees = write(WORK / "papers-atis.conllu", untagged(english["train"]))
    objective = Reordering(references["train"], load_rules("tr"))
    targeted = start.with_chosen("atis", objective, Selection())
    as_in_the_paper = start.with_chosen("atis", objective, AS_IN_THE_PAPER)
    looks = {"Turkish": tests.orders(references["test"], "tr"), "Atis": tests.trees_of_atis}
    return {
        f"domain: {name}": (
            lambda seed, file=file: with_trees(start.base, start.beside, file, 1, seed),  # type: ignore[misc]
            looks,
        )
        for name, file in (
            ("trees of Atis", trees),
            ("targeted self-training", targeted),
            ("targeted self-training as in the paper", as_in_the_paper),
        )
    }


TABLES: dict[str, Callable[[Start, Tests], Rows]] = {
    "roots": roots,
    "lengths": lengths,
    "domain": domain,
    "orders": word_order,
}


def main() -> None:
    made = task_parser(__doc__)
    made.add_argument("--kind", choices=["transition", "graph", "neural"], default="transition")
    made.add_argument("--seeds", type=int, default=3)
    made.add_argument("--only", nargs="*", choices=list(TABLES), default=list(TABLES))
    add_workers(made)
    arguments = made.parse_args()
    profile = PROFILES[arguments.profile]
    if arguments.kind == "neural":
        # It looks at no tags, and at words in lower case.
        part = list(niwaki.read_conllu(need(EWT_TRAIN)))[:: profile["share"]]
        file = write(WORK / f"papers-ewt-{profile['share']}.conllu", part)
        base, beside = arguments.base or Path("en-accurate"), TaggedTreebank(file, None)
    else:
        base, beside = lower_case(arguments, profile)
    if arguments.kind == "graph":
        base = graph_model()
    start, tests = Start(base, beside, arguments.kind), Tests()
    seeds = range(1, arguments.seeds + 1)
    who = arguments.workers, arguments.engine
    alone = by_seeds(start.on, seeds, *who)
    result: dict[str, Any] = {
        "signature": signature(profile=arguments.profile, seeds=arguments.seeds)
    }
    for table in arguments.only:
        for name, (train, looks) in TABLES[table](start, tests).items():
            models = by_seeds(train, seeds, *who)
            result[name] = {what: row(look, alone, models) for what, look in looks.items()}
            before = {what: row(look, alone, [base] * len(alone)) for what, look in looks.items()}
            result[f"{name}, before"] = before
            print(arguments.kind, name, result[name], file=sys.stderr, flush=True)
            report(f"papers-{arguments.kind}", result)


if __name__ == "__main__":
    main()
