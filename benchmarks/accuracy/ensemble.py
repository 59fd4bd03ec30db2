"""Parsers of both families on UD English EWT, alone and together.

A log-linear graph parser of the default features learns all of the training data; with the
transition parser of configs/en-ewt.toml it is judged on the test data, gold words, the tags of
that model for all. How much each member of an ensemble is believed is chosen on sentences of
the development data.

python -m benchmarks.accuracy.ensemble [--models FOLDER]
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.accuracy.graph import SAMPLES, Material, Shelf, trained
from benchmarks.common import DATA, EWT_MODEL, need, parser, report, signature
from niwaki.features.arc_templates import load_arc_feature_set
from niwaki.metrics.attachment import AttachmentEvaluation, evaluate
from niwaki.metrics.calibration import measure
from niwaki.metrics.significance import compare
from niwaki.parsers.beliefs import Beliefs
from niwaki.pipeline.ensemble import Ensemble, beliefs_of
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load

TREEBANK = "ud-english-ewt"
# Settings and passes.
MODELS: dict[str, tuple[dict[str, Any], int]] = {
    "graph, log-linear": ({"trainer": "log-linear"}, 2),
}
BEAM, GREEDY = "transition, beam 8", "transition, greedy"
ENSEMBLES = (
    (BEAM, "graph, log-linear"),
    (BEAM, "graph, log-linear", GREEDY),
)
# Sentences of dev on which weights are chosen, and what is tried for all but the first member.
DEV_SENTENCES = 600
WEIGHTS = (0.3, 0.5, 0.7, 1.0, 1.4, 2.0)
ROUNDS = 2


def all_members(folder: Path, fast: bool) -> dict[str, Pipeline]:
    transition = load(need(EWT_MODEL))
    model = {**transition.config["model"], "beam": 1}
    found = {
        BEAM: transition,
        GREEDY: replace(transition, config={**transition.config, "model": model}),
    }
    for name, (settings, epochs) in MODELS.items():
        path = folder / f"ewt-{name}.niwaki".replace(", ", "-")
        if not path.exists():
            print(name, flush=True)
            material = Material(TREEBANK, Shelf(folder), 300 if fast else None)
            made = trained(
                material,
                settings,
                1 if fast else epochs,
                features=load_arc_feature_set("rich"),
                label_features=load_arc_feature_set("labels"),
            )
            replace(transition, parser=made, greedy=None, confidence=None).save(path)
        found[name] = load(path)
    return found


def sentences(part: str) -> list[niwaki.Sentence]:
    return list(niwaki.read_conllu(need(DATA / TREEBANK / f"en_ewt-ud-{part}.conllu")))


def right_words(gold: niwaki.Sentence, beliefs: Sequence[Beliefs], weights: Sequence[float]) -> int:
    """Words of a sentence that get their head and label when beliefs are added up."""
    together = Beliefs(np.zeros_like(beliefs[0].arcs))
    for each, weight in zip(beliefs, weights, strict=True):
        together.add(each, weight)
    tree = together.best_tree(False)
    pairs = zip(tree.heads, tree.deprels, strict=True)
    return sum(
        a == b for a, b in zip(pairs, zip(gold.heads, gold.deprels, strict=True), strict=True)
    )


def choose_weights(
    gold: Sequence[niwaki.Sentence], beliefs: dict[str, list[Beliefs]], names: Sequence[str]
) -> tuple[float, ...]:
    """The weights with the most right words, one member after the other, some rounds."""
    rows = list(zip(*(beliefs[name] for name in names), strict=True))

    def right(weights: Sequence[float]) -> int:
        return sum(right_words(s, row, weights) for s, row in zip(gold, rows, strict=True))

    best = [1.0] * len(names)
    for place in [*range(1, len(names))] * ROUNDS:
        tried = {w: right([*best[:place], w, *best[place + 1 :]]) for w in WEIGHTS}
        best[place] = max(tried, key=lambda weight: tried[weight])
    return tuple(best)


def judged(members: dict[str, Pipeline], fast: bool) -> dict[str, Any]:
    dev = sentences("dev")[: 100 if fast else DEV_SENTENCES]
    tagged_dev = list(members[BEAM].parse(dev, retag=True))
    beliefs = {
        name: [beliefs_of(member, s) for s in member.parse(tagged_dev)]
        for name, member in members.items()
    }
    gold = sentences("test")
    tagged = list(members[BEAM].parse(gold, retag=True))
    parsed = {name: list(member.parse(tagged)) for name, member in members.items()}
    for how in ("mbr", "eisner"):
        parsed[f"graph, log-linear, {how}"] = list(
            members["graph, log-linear"].parse(tagged, decode=how)
        )
    result: dict[str, Any] = {"weights": {}}
    for names in ENSEMBLES:
        weights = choose_weights(dev, beliefs, names)
        result["weights"][" + ".join(names)] = weights
        ensemble = Ensemble([members[name] for name in names], weights)
        parsed[" + ".join(names)] = list(ensemble.parse(tagged))
    evaluations = {name: evaluate(gold, each) for name, each in parsed.items()}
    for name, each in evaluations.items():
        result[name] = {m: round(each.scores[m], 2) for m in ("UAS", "LAS")}
        if name != BEAM:
            result[name] |= beaten(evaluations[BEAM], each)
    sure = measure(gold, members["graph, log-linear"].parse(tagged, probabilities=True))
    result["calibration errors, log-linear"] = {
        kind: round(each.error(), 4) for kind, each in sure.reliability.items()
    }
    return result


def beaten(base: AttachmentEvaluation, other: AttachmentEvaluation) -> dict[str, Any]:
    (las,) = [each for each in compare(base, other, SAMPLES) if each.metric == "LAS"]
    return {
        "LAS over beam": round(las.difference, 2),
        "interval": [round(las.low, 2), round(las.high, 2)],
    }


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--models", type=Path, help="where what is trained is kept")
    arguments = made.parse_args()
    fast = arguments.profile == "fast"
    with tempfile.TemporaryDirectory() as scratch:
        members = all_members(arguments.models or Path(scratch), fast)
    results = judged(members, fast)
    results["signature"] = signature(
        profile=arguments.profile,
        epochs={name: epochs for name, (_, epochs) in MODELS.items()},
        dev_sentences=DEV_SENTENCES,
    )
    report("ensemble", results)


if __name__ == "__main__":
    main()
