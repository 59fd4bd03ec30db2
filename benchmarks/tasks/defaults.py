"""What a user gets who sets nothing: jobs x sizes x bases x families, before and after.

python -m benchmarks.tasks.defaults [--profile fast] [--only transition] [--seeds 3]

A cell is a job with so many examples, and a base: weak (a sixteenth of EWT) or strong (half of
it), trained from nothing beside the job or trained on (`--init`). All cells but a third are
left out, such that each two factors meet in all ways (the size is decided by the others). In each,
`niwaki train` runs with its defaults, one pass over the treebank where it trains on. No cell may
lose more than 0.3 LAS on EWT dev, or any task cost on held-out examples; one that does with the
first seed is decided by three.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, need, report, signature
from benchmarks.tasks._adapting import EWT_TRAIN, WORK, parse, task_parser, trained, write
from benchmarks.tasks.known_roots import roots_only, untagged
from benchmarks.tasks.word_order import make_references
from niwaki.data.bilingual.references import read_references, write_references
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.objectives import costs_of_trees, load_objective
from niwaki.training.config_file import make_config

SIZES = (100, 500, 5000)
HELD_OUT = 1000
BASES = {"weak": 16, "strong": 2}
STARTS = ("from nothing", "init")
FAMILIES = ("transition", "graph")
LOSS = 0.3
EPOCHS = {"full": 8, "standard": 5, "fast": 2}
QUICK: dict[str, Any] = {
    "segmenter": {"enabled": False},
    "tagger": {"lemmas": False, "feats": False, "folds": 2},
}
MODEL: dict[str, dict[str, Any]] = {
    "transition": {"features": "lean", "case": "insensitive", "greedy": False},
    "graph": {"kind": "graph", "case": "insensitive"},
}


def subjects(sentence: Sentence, candidates: KBest) -> list[float]:
    """A user's function: the share of subjects that are not found, or found where none are."""
    wanted = _subjects(sentence.heads, sentence.deprels)
    costs = []
    for tree in candidates:
        found = _subjects(tree.heads, tree.deprels)
        every = wanted | found
        costs.append(len(wanted ^ found) / len(every) if every else 0.0)
    return costs


def _subjects(heads: Sequence[int], labels: Sequence[str]) -> set[tuple[int, int]]:
    pairs = enumerate(zip(heads, labels, strict=True), start=1)
    return {(word, head) for word, (head, label) in pairs if label.startswith("nsubj")}


@dataclass(frozen=True)
class Job:
    """A cost, examples to learn from and held-out ones."""

    settings: dict[str, Any]
    learned: Path
    held_out: Path

    def cost(self, model: Path) -> float:
        kind = self.settings["kind"]
        config = make_config({"objective": [{**self.settings, "data": str(self.held_out)}]})
        (cost,) = config.costs.values()
        objective = load_objective(kind, [str(self.held_out)], cost.settings)
        return float(
            costs_of_trees(objective, parse(model, objective.sentences, retag=False)).mean()
        )


def jobs(size: int) -> dict[str, Job]:
    """The jobs with so many examples; of trees, from the half of EWT that no base has seen.

    Examples are drawn: files have beginnings that are not like the rest (the first questions of
    Atis have other roots than the others).
    """
    drawn = np.random.default_rng(1)

    def shuffle(made: Sequence[Any]) -> list[Any]:
        return [made[at] for at in drawn.permutation(len(made)).tolist()]

    trees = shuffle(list(niwaki.read_conllu(need(EWT_TRAIN)))[1::2])
    atis = DATA / "ud-english-atis"
    asked = shuffle(list(niwaki.read_conllu(need(atis / "en_atis-ud-train.conllu"))))
    tested = list(niwaki.read_conllu(need(atis / "en_atis-ud-dev.conllu")))
    references = {part: list(read_references(x)) for part, x in make_references().items()}

    def some_heads(sentence: Sentence) -> Sentence:
        known = drawn.random(len(sentence)) < 0.3
        heads = [h if k else -1 for h, k in zip(sentence.heads, known.tolist(), strict=True)]
        return sentence.replace(heads=heads, deprels=["_"] * len(sentence))

    def file(name: str, sentences: Sequence[Sentence]) -> Path:
        return write(WORK / f"defaults-{name}.conllu", untagged(list(sentences)))

    def of_trees(name: str, kind: str, made: Sequence[Sentence]) -> Job:
        held = file(f"{name}-held-out", made[:HELD_OUT])
        return Job({"kind": kind}, file(f"{name}-{size}", made[HELD_OUT:][:size]), held)

    orders = WORK / f"defaults-order-{size}.jsonl"
    held_orders = WORK / "defaults-order-held-out.jsonl"
    write_references(shuffle(references["train"])[:size], orders)
    write_references(shuffle(references["dev"])[:HELD_OUT], held_orders)
    roots = file(f"roots-{size}", roots_only(asked)[:size])
    return {
        "roots": Job(
            {"kind": "partial"}, roots, file("roots-held-out", roots_only(tested)[:HELD_OUT])
        ),
        "word order": Job({"kind": "reordering", "rules": "ja"}, orders, held_orders),
        "partial heads": of_trees(
            "heads", "partial", [some_heads(s) for s in trees if s.tree.is_projective]
        ),
        "arc lengths": of_trees("lengths", "arc-length", trees),
        "function": of_trees(
            "subjects", f"{__spec__.name if __spec__ else __name__}:subjects", trees
        ),
    }


def cells(families: Sequence[str]) -> Iterator[tuple[str, str, str, str, int]]:
    """A third of all cells: the size is decided by the sum of the other levels."""
    names = ("roots", "word order", "partial heads", "arc lengths", "function")
    levels = [list(enumerate(each)) for each in (families, BASES, STARTS, names)]
    for chosen in itertools.product(*levels):
        size = SIZES[sum(at for at, _ in chosen) % len(SIZES)]
        family, base, start, job = (name for _, name in chosen)
        yield family, base, start, job, size


def run_cell(
    family: str, base: str, start: str, job: Job, epochs: int, seed: int
) -> tuple[Path, Path]:
    """The models before and after."""
    treebank = write(
        WORK / f"defaults-{base}.conllu",
        list(niwaki.read_conllu(need(EWT_TRAIN)))[:: BASES[base]],
    )
    trees, training = {"data": str(treebank)}, {"epochs": epochs, "seed": seed}
    begun = {"objective": [trees], "model": MODEL[family], **QUICK, "training": training}
    before = trained(f"defaults-{family}-{base}", begun)
    cost = {**job.settings, "data": str(job.learned)}
    if start == "init":
        record = {"objective": [trees, cost], "training": {"epochs": 1, "seed": seed}}
        return before, trained(f"defaults-{family}-{base}-on", record, before)
    both = {**begun, "objective": [trees, cost]}
    return before, trained(f"defaults-{family}-{base}-both", both)


def loses(found: Sequence[tuple[float, float, float, float]]) -> bool:
    """Whether the means of a cell's runs, LAS and cost before and after, are worse than before."""
    las, las_after, cost, cost_after = np.mean(found, axis=0).tolist()
    return bool(las_after < las - LOSS or cost_after > cost)


def main() -> None:
    made = task_parser(__doc__)
    made.add_argument("--only", choices=FAMILIES, help="leave out the other family")
    made.add_argument(
        "--seeds", type=int, default=3, help="of a cell that loses with the first (default: 3)"
    )
    arguments = made.parse_args()
    families = [arguments.only] if arguments.only else list(FAMILIES)
    gold = list(niwaki.read_conllu(need(DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu")))
    made_jobs = {size: jobs(size) for size in SIZES}
    looks: dict[Path, float] = {}

    def las(model: Path) -> float:
        if model not in looks:
            looks[model] = float(evaluate(gold, parse(model, gold)).scores["LAS"])
        return looks[model]

    rows = []
    for family, base, start, name, size in cells(families):
        job = made_jobs[size][name]
        found: list[tuple[float, float, float, float]] = []
        seeds = 1
        while len(found) < seeds:
            before, after = run_cell(
                family, base, start, job, EPOCHS[arguments.profile], len(found) + 1
            )
            found.append((las(before), las(after), job.cost(before), job.cost(after)))
            seeds = arguments.seeds if len(found) > 1 or loses(found) else 1
        one = np.mean(found, axis=0)
        row = {
            "cell": [family, base, start, name, size],
            "las": [round(float(one[0]), 2), round(float(one[1]), 2)],
            "cost": [round(float(one[2]), 4), round(float(one[3]), 4)],
            "seeds": len(found),
            "loses": loses(found),
        }
        rows.append(row)
        print(row, file=sys.stderr, flush=True)
    gains = [(r["cost"][0] - r["cost"][1]) / max(r["cost"][0], 1e-9) for r in rows]
    result = {
        "signature": signature(profile=arguments.profile, seeds=arguments.seeds),
        "cells": rows,
        "losing": sum(r["loses"] for r in rows),
        "mean relative gain": round(float(np.mean(gains)), 4),
        "mean LAS": round(float(np.mean([r["las"][1] - r["las"][0] for r in rows])), 3),
    }
    report("defaults" if not arguments.only else f"defaults-{arguments.only}", result)


if __name__ == "__main__":
    main()
