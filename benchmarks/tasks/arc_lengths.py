"""Long arcs count more (Hall et al. 2011, Table 3): the arc-length objective on EWT.

python -m benchmarks.tasks.arc_lengths [--profile fast] [--base MODEL]

A model of EWT is trained on with EWT and the objective on the same trees, and compared
with one that was trained on for as long with EWT alone. Nothing was tuned.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import niwaki
from benchmarks.common import DATA, need, parser, report, signature
from benchmarks.tasks._adapting import LEAN, lessons, loaded, trained
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.significance import compare, compare_means

EWT = DATA / "ud-english-ewt"
PROFILES = {
    "full": {"epochs": 12, "share": 1, "on": 2, "k": (8, 16, 64)},
    "fast": {"epochs": 3, "share": 4, "on": 1, "k": (8,)},
}


def arc_length_scores(gold: list[Sentence], parsed: list[Sentence]) -> NDArray[np.float64]:
    """Sentences x (unlabelled, labelled) arc-length scores."""
    rows = []
    for one, other in zip(gold, parsed, strict=True):
        lengths = np.abs(np.arange(1, len(one) + 1) - np.array(one.heads))
        right = np.array(one.heads) == np.array(other.heads)
        labelled = right & (np.array(one.deprels) == np.array(other.deprels))
        rows.append([right @ lengths / lengths.sum(), labelled @ lengths / lengths.sum()])
    return 100 * np.array(rows)


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--base", type=Path, help="a lower-case model of EWT to begin with")
    arguments = made.parse_args()
    profile = PROFILES[arguments.profile]
    file = need(EWT / "en_ewt-ud-train.conllu")
    base = arguments.base or trained(
        "ewt-lower",
        {"objective": [{"data": str(file)}], **LEAN, "training": {"epochs": profile["epochs"]}},
    )
    beside = lessons("ewt-lower", base, file, profile["share"])
    gold = list(niwaki.read_conllu(need(EWT / "en_ewt-ud-test.conllu")))

    def train_on(**more: Any) -> list[Sentence]:
        objectives: list[dict[str, Any]] = [{"data": str(beside.file)}]
        if more:
            objectives.append({"kind": "arc-length", "data": str(beside.file), **more})
        record = {"objective": objectives, "training": {"epochs": profile["on"]}}
        path = trained("on", record, base, beside.tags)
        return list(loaded(path).parse(gold, retag=True))

    alone = train_on()
    result: dict[str, Any] = {"signature": signature(profile=arguments.profile)}
    settings = [(k, labelled) for k in profile["k"] for labelled in (False, True)]
    for k, labelled in settings:
        parsed = train_on(k=k, labelled=labelled)
        found = [
            *compare(evaluate(gold, alone), evaluate(gold, parsed)),
            *compare_means(
                ("ALS", "labelled ALS"),
                [arc_length_scores(gold, alone), arc_length_scores(gold, parsed)],
            )[0, 1],
        ]
        result[f"k {k}, {'labelled' if labelled else 'unlabelled'}"] = {
            each.metric: {
                "without": round(each.a, 2),
                "with": round(each.b, 2),
                "interval": [round(each.low, 2), round(each.high, 2)],
            }
            for each in found
            if each.metric in ("UAS", "LAS", "ALS", "labelled ALS")
        }
    report("arc-lengths", result)


if __name__ == "__main__":
    main()
