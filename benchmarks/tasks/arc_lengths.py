"""Long arcs count more (Hall et al. 2011, Table 3): the arc-length objective on EWT.

python -m benchmarks.tasks.arc_lengths [--profile fast] [--kind graph] [--base MODEL] [--tune]

A model of EWT is trained on with EWT and the objective on the same trees, and compared
with one that was trained on for as long with EWT alone. The examples have the tags that the
treebank has in training, predicted by a tagger that has not seen them: given tags, or those
of a tagger that knows them by heart, would teach the parser to trust tags.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import niwaki
from benchmarks.common import DATA, need, report, signature
from benchmarks.tasks._adapting import (
    TaggedTreebank,
    graph_model,
    loaded,
    lower_case,
    task_parser,
    trained,
    write,
)
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.means import evaluate_means
from niwaki.metrics.significance import compare
from niwaki.training.config import ARC_SELECTIONS

EWT = DATA / "ud-english-ewt"
PROFILES: dict[str, dict[str, Any]] = {
    "full": {"epochs": 12, "share": 1, "on": 2, "k": (8, 16, 64)},
    "standard": {"epochs": 12, "share": 2, "on": 1, "k": (8, 16, 64)},
    "fast": {"epochs": 3, "share": 4, "on": 1, "k": (8,)},
}
SELECT: dict[str, dict[str, dict[str, Any]]] = {
    "transition": {
        "hard": {"select": "hard"},
        "hope-fear": {"select": "hope-fear", "scale": 300.0},
        "expected": {"select": "expected", "scale": 50.0, "step": 20.0},
    },
    "graph": {
        "hard": {"select": "hard"},
        "augmented": {"select": "augmented", "scale": 16.0},
        "exact": {"select": "exact", "scale": 1.0},
    },
}


def with_tags(beside: TaggedTreebank, model: Path) -> Path:
    """The sentences of a treebank with their predicted tags written down."""
    tagger = loaded(model).tagger
    assert tagger is not None and beside.tags is not None
    names = [
        (tagger.upos.names[u], tagger.xpos.names[x] if x >= 0 else "_") for u, x in tagger.pairs
    ]
    pairs = iter(beside.tags.pairs.tolist())
    tagged = []
    for sentence in niwaki.read_conllu(beside.file):
        own = [names[next(pairs)] for _ in range(len(sentence))]
        tagged.append(sentence.replace(upos=[u for u, _ in own], xpos=[x for _, x in own]))
    return write(beside.file.with_name(f"{beside.file.stem}-tagged.conllu"), tagged)


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
    made = task_parser(__doc__)
    made.add_argument("--kind", choices=["transition", "graph"], default="transition")
    made.add_argument("--tune", action="store_true", help="score on EWT dev")
    made.add_argument(
        "--k", type=int, nargs="*", help="how many candidates (default: the profile's)"
    )
    made.add_argument("--step", type=float, default=1.0, help="length of an update (default: 1)")
    arguments = made.parse_args()
    profile, kind = PROFILES[arguments.profile], arguments.kind
    lists = arguments.k or profile["k"]
    base, beside = lower_case(arguments, profile)
    examples = with_tags(beside, base)
    if kind == "graph":
        base = graph_model()
    part = "dev" if arguments.tune else "test"
    gold = list(niwaki.read_conllu(need(EWT / f"en_ewt-ud-{part}.conllu")))

    def train_on(**more: Any) -> list[Sentence]:
        objectives: list[dict[str, Any]] = [{"data": str(beside.file)}]
        if more:
            cost = {"kind": "arc-length", "data": str(examples), "step": arguments.step}
            objectives.append({**cost, **more})
        record: dict[str, Any] = {"objective": objectives, "training": {"epochs": profile["on"]}}
        path = trained(f"on-{kind}", record, base, beside.tags)
        return list(loaded(path).parse(gold, retag=True))

    alone = train_on()
    result: dict[str, Any] = {
        "signature": signature(profile=arguments.profile, part=part, step=arguments.step)
    }
    runs = [
        (k, labelled, select)
        for select in SELECT[kind]
        for k in (lists if select == "hard" else lists[:1])
        for labelled in (False, True)
    ]
    for k, labelled, select in runs:
        lists_trees = {} if select in ARC_SELECTIONS else {"k": k}
        parsed = train_on(labelled=labelled, **lists_trees, **SELECT[kind][select])
        found = [
            *compare(evaluate(gold, alone), evaluate(gold, parsed)),
            *compare(
                *(
                    evaluate_means(("ALS", "labelled ALS"), arc_length_scores(gold, trees))
                    for trees in (alone, parsed)
                )
            ),
        ]
        how = f"k {k}" if select == "hard" else select
        name = f"{how}, {'labelled' if labelled else 'unlabelled'}"
        result[name] = {
            each.metric: {
                "without": round(each.a, 2),
                "with": round(each.b, 2),
                "interval": [round(each.low, 2), round(each.high, 2)],
            }
            for each in found
            if each.metric in ("UAS", "LAS", "ALS", "labelled ALS")
        }
        print(name, result[name], file=sys.stderr, flush=True)
        if not arguments.tune:
            report(f"arc-lengths-{kind}", result)


if __name__ == "__main__":
    main()
