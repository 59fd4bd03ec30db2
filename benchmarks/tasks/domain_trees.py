"""Trees of a domain, or word orders of it (Katz-Brown et al. 2011, Table 4): Atis, for Turkish.

python -m benchmarks.tasks.domain_trees [--profile fast] [--base MODEL]

A model of EWT (lower case, without punctuation, as Atis is) is trained on with EWT and either
the trees of Atis, or with trees that were chosen by the word order of their Turkish
translations (targeted self-training). References are automatic: `niwaki.align` links all
sentences of Atis, and the rules `tr` were written for it. What all are compared with was
trained on for as long with EWT alone; the gold trees of the test are reordered as well.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, need, report, signature
from benchmarks.tasks._adapting import (
    LEAN,
    WORK,
    loaded,
    tagged_treebank,
    task_parser,
    trained,
    write,
)
from benchmarks.tasks.known_roots import EWT, plain
from benchmarks.tasks.self_training import with_trees
from niwaki.analysis.orders import rule_system
from niwaki.data.bilingual.references import Reference
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.reordering import OrderEvaluation
from niwaki.metrics.significance import compare
from niwaki.objectives.reordering import Reordering
from niwaki.tasks.align import Settings, link, train
from niwaki.tasks.reorder.references import make_reference
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.training.self_training import Selection, choose_trees

PARTS = ("train", "dev", "test")
SHOWN = ("frs_linked", "exact_linked", "tau")
PROFILES: dict[str, dict[str, Any]] = {
    "full": {"epochs": 10, "share": 1, "n": 512, "weights": (1, 10)},
    "standard": {"epochs": 10, "share": 2, "n": 64, "weights": (1, 10)},
    "fast": {"epochs": 3, "share": 4, "n": 8, "weights": (1,)},
}
# Suffixes are many: words count by their first letters.
ALIGNER = dataclasses.replace(Settings(), target_prefix=5)


def read(folder: str, code: str) -> dict[str, list[Sentence]]:
    return {
        part: list(niwaki.read_conllu(need(DATA / folder / f"{code}_atis-ud-{part}.conllu")))
        for part in PARTS
    }


def references_of(
    english: dict[str, list[Sentence]], turkish: dict[str, list[Sentence]]
) -> dict[str, list[Reference]]:
    """Orders that the links of each part ask for; all parts are aligned together."""
    pairs = [
        (source.forms, target.forms)
        for part in PARTS
        for source, target in zip(english[part], turkish[part], strict=True)
    ]
    links = iter([link(each) for each in train(pairs, ALIGNER).posteriors()])
    return {
        part: [make_reference(s.forms, next(links), str(at)) for at, s in enumerate(english[part])]
        for part in PARTS
    }


class Judge:
    """Word order and trees of the test sentences."""

    def __init__(self, gold: list[Sentence], references: list[Reference]) -> None:
        linked = [at for at, each in enumerate(references) if each.order]
        self._gold = [gold[at] for at in linked]
        self._references = [references[at] for at in linked]

    def orders(self, parsed: list[Sentence]) -> OrderEvaluation:
        return rule_system("tr", self._references, parsed, load_rules("tr")).evaluation

    def parsed(self, model: Path) -> list[Sentence]:
        return list(loaded(model).parse(self._gold, retag=True))

    def beside(self, before: list[Sentence], after: list[Sentence]) -> dict[str, Any]:
        orders = compare(self.orders(before), self.orders(after))
        differences = [each for each in orders if each.metric in SHOWN]
        trees = compare(evaluate(self._gold, before), evaluate(self._gold, after))
        return {
            each.metric: {
                "score": round(each.b, 4),
                "gain": round(each.difference, 4),
                "interval": [round(each.low, 4), round(each.high, 4)],
            }
            for each in (*differences, *(x for x in trees if x.metric in ("UAS", "LAS")))
        }

    def gold_trees(self, before: list[Sentence]) -> dict[str, Any]:
        return self.beside(before, self._gold)


def main() -> None:
    arguments = task_parser(__doc__).parse_args()
    profile = PROFILES[arguments.profile]
    source = write(WORK / "ewt-plain.conllu", plain(EWT / "en_ewt-ud-train.conllu"))
    record = {"objective": [{"data": str(source)}], **LEAN}
    base = arguments.base or trained(
        "ewt-plain", {**record, "training": {"epochs": profile["epochs"]}}
    )
    beside = tagged_treebank(source.stem, base, source, profile["share"])
    english, turkish = read("ud-english-atis", "en"), read("ud-turkish-atis", "tr")
    references = references_of(english, turkish)
    judge = Judge(english["test"], references["test"])
    treebank = {"objective": [{"data": str(beside.file)}], "training": {"epochs": 1}}
    alone = judge.parsed(trained("on-transition", treebank, base, beside.tags))
    result: dict[str, Any] = {
        "signature": signature(profile=arguments.profile, n=profile["n"]),
        "sentences": {part: len(each) for part, each in references.items()},
        "EWT": judge.beside(alone, judge.parsed(base)),
        "EWT alone": judge.beside(alone, alone),
        "gold trees": judge.gold_trees(alone),
    }
    objective = Reordering(references["train"], load_rules("tr"))
    chosen = WORK / f"atis-chosen-{arguments.profile}.conllu"
    choose_trees(loaded(base), objective, Selection("cost", profile["n"]), chosen)
    files = {
        "EWT + trees of Atis": write(WORK / "atis-trees.conllu", english["train"]),
        "EWT + targeted": chosen,
    }
    for name, file in files.items():
        for weight in profile["weights"]:
            parsed = judge.parsed(with_trees(base, beside, file, weight))
            result[f"{name}, {weight}x"] = judge.beside(alone, parsed)
            print(name, weight, result[f"{name}, {weight}x"], file=sys.stderr, flush=True)
    report("domain-trees", result)


if __name__ == "__main__":
    main()
