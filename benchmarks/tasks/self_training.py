"""Standard and targeted self-training (Katz-Brown et al. 2011, Table 1) for word order.

python -m benchmarks.tasks.self_training [--profile fast] [--base MODEL]

The references are those of benchmarks.tasks.word_order. Trees of a model are chosen
for a part of the training references, as they come (standard) or by their word order
(targeted), and the model is trained on with EWT and these trees. All are compared with
the model that was trained on for as long with EWT alone.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import report, signature
from benchmarks.tasks._adapting import (
    WORK,
    TaggedTreebank,
    loaded,
    lower_case,
    task_parser,
    trained,
)
from benchmarks.tasks.word_order import Judge, make_references, people_references
from niwaki.data.bilingual.references import read_references
from niwaki.kernel.batch import Batch
from niwaki.metrics.significance import compare
from niwaki.objectives.reordering import Reordering
from niwaki.tagging.tagger import Tags
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.training.self_training import Selection, choose_trees

PROFILES: dict[str, dict[str, Any]] = {
    "full": {"epochs": 12, "share": 1, "examples": 10_000, "n": (8, 64, 512), "weights": (1, 10)},
    "standard": {
        "epochs": 12,
        "share": 2,
        "examples": 2_000,
        "n": (8, 64, 512),
        "weights": (1, 10),
    },
    "fast": {"epochs": 3, "share": 4, "examples": 6_000, "n": (8,), "weights": (1,)},
}


def with_trees(
    base: Path, beside: TaggedTreebank, chosen: Path, weight: int, seed: int = 1
) -> Path:
    """The base trained on with EWT and the chosen trees, so many times."""
    tags = beside.tags
    if tags is not None:
        sentences = list(niwaki.read_conllu(chosen))
        # The tagger tags them as it tags any text, with its doubts.
        bare = [s.replace(upos=["_"] * len(s), xpos=["_"] * len(s)) for s in sentences]
        own = loaded(base).tag(Batch([s.source for s in bare]), keep=False)
        parts = [tags, *[own] * weight]
        tags = Tags(
            **{key: np.concatenate([vars(part)[key] for part in parts]) for key in vars(own)}
        )
    files = [str(beside.file), *[str(chosen)] * weight]
    record = {"objective": [{"data": files}], "training": {"epochs": 1, "seed": seed}}
    return trained("on-chosen", record, base, tags)


def main() -> None:
    arguments = task_parser(__doc__).parse_args()
    profile = PROFILES[arguments.profile]
    data = make_references()
    base, beside = lower_case(arguments, profile)
    references = {
        "automatic": list(read_references(data["test"])),
        "people": people_references(),
    }
    judge = Judge("test", references)
    objective = Reordering(
        list(itertools.islice(read_references(data["train"]), profile["examples"])),
        load_rules("ja"),
    )
    alone = trained(
        "on-transition",
        {"objective": [{"data": str(beside.file)}], "training": {"epochs": 1}},
        base,
        beside.tags,
    )
    baseline = judge.look(alone)
    result: dict[str, Any] = {
        "signature": signature(profile=arguments.profile, examples=len(objective.sentences)),
        "EWT alone": judge.beside(baseline, alone),
    }
    systems = {}
    choices = [Selection("first", 1), *(Selection("cost", n) for n in profile["n"])]
    for selection in choices:
        name = "standard" if selection.select == "first" else f"targeted, {selection.n} best"
        path = WORK / f"chosen-{arguments.profile}-{selection.select}-{selection.n}.conllu"
        picked = choose_trees(loaded(base), objective, selection, path)
        for weight in profile["weights"]:
            model = with_trees(base, beside, path, weight)
            row = judge.beside(baseline, model)
            row["cost of the chosen"] = round(float(np.mean([each.cost for each in picked])), 4)
            result[f"{name}, {weight}x"] = row
            systems[f"{name}, {weight}x"] = judge.look(model)[0]["automatic"]
            print(name, weight, row, file=sys.stderr, flush=True)
    for name, found in systems.items():
        if name.startswith("targeted"):
            standard = systems[f"standard, {name.rpartition(', ')[2]}"]
            (gain,) = (x for x in compare(standard, found) if x.metric == "frs_linked")
            result[name]["over standard, frs_linked"] = {
                "gain": round(gain.difference, 4),
                "interval": [round(gain.low, 4), round(gain.high, 4)],
            }
    report("self-training", result)


if __name__ == "__main__":
    main()
