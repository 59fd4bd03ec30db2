"""What the first try gains: 1,500 questions of Atis of which only the root is known.

python -m benchmarks.tasks.first_try [--only bundled]

The bundled model, fine-tuned by `niwaki train --init en` with nothing set, beside a quarter of
EWT, and by `niwaki adapt en`; and a parser from nothing, of a sixteenth of EWT with the roots
beside them. Rows with the steps of the papers (`select = "hard"`, `step = 1.0`) show what is
avoided. Scored on Atis test and on EWT dev; nothing was chosen on either.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, need, report, signature
from benchmarks.tasks._adapting import (
    EWT_TRAIN,
    WORK,
    loaded,
    trained,
    tree_counts,
    tree_scores,
    write,
)
from benchmarks.tasks.known_roots import roots_only, untagged
from niwaki.metrics.attachment import evaluate

EXAMPLES, FEW_TREES = 1500, 16  # of Atis; every so many sentences of EWT
ATIS = DATA / "ud-english-atis"
OF_THE_PAPERS = {"select": "hard", "step": 1.0, "schedule": 1.0}


def roots() -> Path:
    """Drawn questions: the first of the file have other roots than the rest."""
    asked = list(niwaki.read_conllu(need(ATIS / "en_atis-ud-train.conllu")))
    drawn = np.random.default_rng(1).permutation(len(asked))[:EXAMPLES].tolist()
    known = roots_only(untagged([asked[at] for at in drawn]))
    return write(WORK / "first-try-roots.conllu", known)


def trees(step: int) -> dict[str, Any]:
    kept = list(niwaki.read_conllu(need(EWT_TRAIN)))[::step]
    return {"data": str(write(WORK / f"first-try-ewt-{step}.conllu", kept))}


def adapted(name: str, objectives: list[dict[str, Any]]) -> Path:
    """By `niwaki adapt`; the bundled model itself where nothing better was found."""
    path = WORK / f"first-try-{name}.niwaki"
    found = niwaki.adapt("en", {"objective": objectives}, path, resume=True)
    for line in found.to_json()["trials"]:
        print(name, line, file=sys.stderr)
    return path if found.written else Path("en")


def bundled(cost: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    def on(name: str, objectives: list[dict[str, Any]], **training: Any) -> Path:
        return trained(name, {"objective": objectives, "training": training}, Path("en"))

    beside = trees(4)
    yield "as it is", Path("en")
    yield "steps of the papers", on("first-try", [{**cost, **OF_THE_PAPERS}])
    yield "nothing set", on("first-try", [cost])
    yield "nothing set, a quarter of EWT beside", on("first-try", [beside, cost], epochs=1)
    yield "niwaki adapt", adapted("adapt", [cost])
    yield "niwaki adapt, a quarter of EWT beside", adapted("adapt-beside", [beside, cost])


def nothing(cost: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    few = trees(FEW_TREES)
    model = {"segmenter": {"enabled": False}, "model": {"case": "insensitive"}}

    def new(objectives: list[dict[str, Any]], **training: Any) -> Path:
        return trained("first-try-new", {"objective": objectives, **model, "training": training})

    as_in_the_papers = {**cost, **OF_THE_PAPERS}
    yield "trees alone", new([few])
    yield "steps of the papers", new([few, as_in_the_papers], costs="throughout")
    yield "nothing set", new([few, cost])


STARTS = {"bundled": bundled, "nothing": nothing}


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--only", choices=list(STARTS), help="leave out the other start")
    arguments = made.parse_args()
    atis = list(niwaki.read_conllu(need(ATIS / "en_atis-ud-test.conllu")))
    ewt = list(niwaki.read_conllu(need(DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu")))

    def look(model: Path) -> dict[str, float]:
        nlp = loaded(model)
        of_atis = tree_scores(tree_counts(atis, list(nlp.parse(atis, retag=True))))
        of_ewt = evaluate(ewt, list(nlp.parse(ewt, retag=True))).scores["LAS"]
        return {"Atis LAS": of_atis["LAS"], "roots": of_atis["root"], "EWT LAS": round(of_ewt, 2)}

    cost = {"kind": "partial", "data": str(roots())}
    result: dict[str, Any] = {"signature": signature(examples=EXAMPLES)}
    for start in [arguments.only] if arguments.only else STARTS:
        for name, model in STARTS[start](cost):
            result[f"{start}: {name}"] = look(model)
            print(start, name, result[f"{start}: {name}"], file=sys.stderr, flush=True)
    report("first-try", result)


if __name__ == "__main__":
    main()
