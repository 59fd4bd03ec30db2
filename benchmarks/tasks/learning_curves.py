"""How many examples a job needs: the model in the box, trained on by 50 to 1,000 of them.

python -m benchmarks.tasks.learning_curves [--beside] [--seeds 3]

Questions of Atis, of which the job shows the root, three in ten heads, or the subjects (a user's
function); scored on Atis dev, and on EWT dev for what is lost. Nothing is set but the files;
--beside has a quarter of EWT beside the job. Curves of word order: people_links --sizes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, need, report, signature
from benchmarks.tasks._adapting import EWT_TRAIN, WORK, loaded, trained, write
from benchmarks.tasks.defaults import Job, some_heads
from benchmarks.tasks.known_roots import roots_only, untagged
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate

SIZES = (50, 100, 200, 500, 1000)
ATIS = DATA / "ud-english-atis"


def projective(sentences: Sequence[Sentence]) -> list[Sentence]:
    return [sentence for sentence in sentences if sentence.tree.is_projective]


def jobs(asked: Sequence[Sentence], tested: Sequence[Sentence]) -> dict[str, Job]:
    def file(name: str, sentences: Sequence[Sentence]) -> Path:
        return write(WORK / f"curves-{name}-{len(sentences)}.conllu", untagged(list(sentences)))

    def job(name: str, kind: str, learned: list[Sentence], held_out: list[Sentence]) -> Job:
        return Job({"kind": kind}, file(name, learned), file(f"{name}-held-out", held_out))

    learned, held_out = list(asked), list(tested)
    return {
        "roots": job("roots", "partial", roots_only(learned), roots_only(held_out)),
        "heads": job(
            "heads",
            "partial",
            some_heads(projective(learned), 1),
            some_heads(projective(held_out), 2),
        ),
        "subjects": job("subjects", "benchmarks.tasks.defaults:subjects", learned, held_out),
    }


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--beside", action="store_true", help="a quarter of EWT beside the job")
    made.add_argument("--seeds", type=int, default=1, help="drawn sets of examples (default: 1)")
    arguments = made.parse_args()
    train = list(niwaki.read_conllu(need(ATIS / "en_atis-ud-train.conllu")))
    tested = list(niwaki.read_conllu(need(ATIS / "en_atis-ud-dev.conllu")))
    ewt = list(niwaki.read_conllu(need(DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu")))
    quarter = write(WORK / "ewt-quarter.conllu", list(niwaki.read_conllu(need(EWT_TRAIN)))[::4])
    beside: list[dict[str, Any]] = [{"data": str(quarter)}] if arguments.beside else []

    def look(model: Path, job: Job) -> list[float]:
        nlp = loaded(model)
        las = [evaluate(x, list(nlp.parse(x, retag=True))).scores["LAS"] for x in (tested, ewt)]
        return [job.cost(model), *las]

    result: dict[str, Any] = {"signature": signature(beside=arguments.beside)}
    result["columns"] = ["job", "examples", "cost on Atis dev", "Atis LAS", "EWT LAS"]
    result["rows"] = []
    for name in jobs([], tested):
        result["rows"].append([name, 0, *look(Path("en"), jobs([], tested)[name])])
        for size in SIZES:
            found = []
            for seed in range(1, arguments.seeds + 1):
                drawn = np.random.default_rng(seed).permutation(len(train))[:size].tolist()
                job = jobs([train[at] for at in drawn], tested)[name]
                cost = {**job.settings, "data": str(job.learned)}
                # Without a treebank an epoch is a pass over the examples.
                epochs = 1 if beside else min(12, 2000 // size)
                record = {"objective": [*beside, cost], "training": {"epochs": epochs}}
                found.append(look(trained(f"curves-{name}", record, Path("en")), job))
            result["rows"].append([name, size, *np.mean(found, axis=0).round(4).tolist()])
            print(result["rows"][-1], file=sys.stderr, flush=True)
    report("learning-curves-beside" if arguments.beside else "learning-curves", result)


if __name__ == "__main__":
    main()
