"""Neural, transition and graph parsers of EWT alone, three seeds each, beside other tools.

python -m benchmarks.accuracy.neural --encoder FOLDER [--seeds 3] [--profile fast]

All learn from the same trees, and parse EWT test and PUD with gold words and predicted tags.
Scores are means over seeds; differences to the transition parser have 95% intervals, by sentences
drawn with all their seeds. Published figures of other tools are in docs/benchmarks.md. Models are
kept in build/tasks and not trained again; `--profile fast` has an eighth of EWT and one epoch.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.accuracy.english import FILES, METRICS, PEERS
from benchmarks.common import DATA, need, parser, peer, report, signature
from benchmarks.tasks._adapting import EWT_TRAIN, WORK, over_seeds, parse, trained, write
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.significance import compare

BASELINE = "transition"
DEV = DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu"
FAMILIES: dict[str, dict[str, Any]] = {
    BASELINE: {"training": {"epochs": 12}},
    "graph": {"model": {"kind": "graph"}, "training": {"epochs": 5}},
    "neural": {"model": {"kind": "neural"}, "training": {"epochs": 6}},
}


def model(family: str, seed: int, encoder: Path, treebank: Path, fast: bool) -> Path:
    settings = FAMILIES[family]
    training = {**settings["training"], "seed": seed, "dev": str(need(DEV))}
    if fast:
        training["epochs"] = 1
    record = {"objective": [{"data": str(treebank)}], **settings, "training": training}
    record["segmenter"] = {"enabled": False}
    if family == "neural":
        record["neural"] = {"encoder": str(encoder)}
    return trained(f"alone-{family}", record)


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--encoder", type=Path, required=True, help="a folder, of all-MiniLM-L6-v2")
    made.add_argument("--seeds", type=int, default=3)
    made.add_argument("--family", choices=list(FAMILIES), nargs="*", default=list(FAMILIES))
    arguments = made.parse_args()
    fast = arguments.profile == "fast"
    share = 8 if fast else 1
    sentences = list(niwaki.read_conllu(need(EWT_TRAIN)))[::share]
    treebank = write(WORK / f"alone-{share}.conllu", sentences)
    models = {
        family: [
            model(family, seed, arguments.encoder, treebank, fast)
            for seed in range(1, arguments.seeds + 1)
        ]
        for family in arguments.family
    }
    result: dict[str, Any] = {"signature": signature(seeds=arguments.seeds, families=FAMILIES)}
    for name, file in FILES.items():
        gold = list(niwaki.read_conllu(need(file)))
        found = {
            family: over_seeds([evaluate(gold, parse(path, gold)) for path in paths])
            for family, paths in models.items()
        }
        rows: dict[str, Any] = {
            family: {metric: round(each.scores[metric], 2) for metric in METRICS}
            for family, each in found.items()
        }
        for family in found.keys() & (FAMILIES.keys() - {BASELINE}):
            (las,) = (x for x in compare(found[BASELINE], found[family]) if x.metric == "LAS")
            rows[family]["LAS over transition"] = {
                "gain": round(las.difference, 2),
                "interval": [round(las.low, 2), round(las.high, 2)],
            }
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "peer.conllu"
            for tool, (script, path) in PEERS.items():
                if path.exists() and peer("parse.py", script, path, "5", file, out):
                    theirs = evaluate(gold, niwaki.read_conllu(out, multi_root=True))
                    rows[tool] = {metric: round(theirs.scores[metric], 2) for metric in METRICS}
        result[name] = rows
        print(name, rows, file=sys.stderr, flush=True)
    report("neural", result)


if __name__ == "__main__":
    main()
