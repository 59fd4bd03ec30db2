"""Neural, transition and graph parsers of EWT alone, three seeds each, beside other tools.

python -m benchmarks.accuracy.neural --encoder FOLDER [--seeds 3] [--profile fast] [--speeds]

All learn from the same trees, and parse EWT test and PUD with gold words and predicted tags.
Scores are means over seeds; differences have 95% intervals, by sentences drawn with all their
seeds. Speed is in words a second of EWT test, on one thread, of the first seed; all take turns.
Published figures of other tools are in docs/benchmarks.md. Models are kept in build/tasks and not
trained again; `--profile fast` has an eighth of EWT and one epoch. `--train FAMILY SEED` trains
one of them, takes up what was broken off, and scores nothing. `--speeds` measures only the speed of
what the kept result has scored, for a moment when nothing else runs, and puts it in there.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.accuracy.english import FILES, METRICS, PEERS
from benchmarks.common import (
    DATA,
    RESULTS,
    best_of,
    need,
    parser,
    peer,
    report,
    signature,
    timed,
)
from benchmarks.tasks._adapting import (
    EWT_TRAIN,
    WORK,
    loaded,
    over_seeds,
    parse,
    trained,
    write,
)
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.base import Evaluation
from niwaki.metrics.significance import compare

RESULT = "neural"
# Of UDPipe.
BEAM = "5"
ROUNDS = 3
DEV = DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu"
FAMILIES: dict[str, dict[str, Any]] = {
    "transition": {"training": {"epochs": 12}},
    "graph": {"model": {"kind": "graph"}, "training": {"epochs": 5}},
    "neural": {"model": {"kind": "neural"}, "training": {"epochs": 3}},
}


@dataclass(frozen=True)
class Start:
    """What models are made from."""

    encoder: Path
    treebank: Path
    is_fast: bool
    threads: int | None

    def model(self, family: str, seed: int) -> Path:
        settings = FAMILIES[family]
        training = {**settings["training"], "seed": seed, "dev": str(need(DEV))}
        if self.is_fast:
            training["epochs"] = 1
        record = {"objective": [{"data": str(self.treebank)}], **settings, "training": training}
        record["segmenter"] = {"enabled": False}
        if family == "neural":
            record["neural"] = {"encoder": str(self.encoder)}
        return trained(f"alone-{family}", record, threads=self.threads)


def theirs(file: Path, gold: Sequence[Sentence]) -> dict[str, Evaluation]:
    """Of the tools that are at hand."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "peer.conllu"
        for tool, (script, path) in PEERS.items():
            if path.exists() and peer("parse.py", script, path, BEAM, file, out):
                found[tool] = evaluate(gold, niwaki.read_conllu(out, multi_root=True))
    return found


def rows_of(found: Mapping[str, Evaluation], families: Sequence[str]) -> dict[str, Any]:
    """Scores, and by how much each family leads those before it and the other tools."""
    rows: dict[str, Any] = {
        name: {metric: round(each.scores[metric], 2) for metric in METRICS}
        for name, each in found.items()
    }
    for at, family in enumerate(families):
        for other in found:
            if other in families[at:]:
                continue
            (las,) = (x for x in compare(found[other], found[family]) if x.metric == "LAS")
            rows[family][f"LAS over {other}"] = {
                "gain": round(las.difference, 2),
                "interval": [round(las.low, 2), round(las.high, 2)],
            }
    return rows


def speeds(models: Mapping[str, Path], tools: Sequence[str]) -> dict[str, Any]:
    """Words a second, tags and trees; our models give FEATS and lemmas too."""
    file = need(FILES["EWT test"])
    words = [Sentence.from_words(each.forms) for each in niwaki.read_conllu(file)]

    def ours(path: Path) -> Callable[[], float]:
        nlp = loaded(path)
        return lambda: timed(lambda: sum(1 for _ in nlp.parse(words, threads=1)))

    def other(tool: str) -> Callable[[], float]:
        script, path = PEERS[tool]

        def seconds() -> float:
            answer = peer("parse.py", script, path, BEAM, file)
            assert answer is not None
            return float(answer["both"])

        return seconds

    work = {name: ours(path) for name, path in models.items()}
    best = best_of(ROUNDS, work | {tool: other(tool) for tool in tools})
    count = sum(map(len, words))
    return {
        "signature": signature(threads=1, rounds=ROUNDS),
        "words/s": {name: round(count / seconds) for name, seconds in best.items()},
    }


def with_speeds(start: Start, result: dict[str, Any]) -> dict[str, Any]:
    """A result with the speed of all that it has scored."""
    scored = result["EWT test"]
    models = {family: start.model(family, 1) for family in FAMILIES if family in scored}
    return {**result, "speed": speeds(models, [tool for tool in PEERS if tool in scored])}


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--encoder", type=Path, required=True, help="a folder, of all-MiniLM-L6-v2")
    made.add_argument("--seeds", type=int, default=3)
    made.add_argument("--family", choices=list(FAMILIES), nargs="*", default=list(FAMILIES))
    made.add_argument("--train", nargs=2, metavar=("FAMILY", "SEED"), help="one model, and stop")
    made.add_argument("--speeds", action="store_true", help="of a kept result; nothing is scored")
    made.add_argument("--threads", type=int, help="to train with (default: all cores)")
    arguments = made.parse_args()
    share = 8 if arguments.profile == "fast" else 1
    treebank = WORK / f"alone-{share}.conllu"
    if not treebank.exists():
        write(treebank, list(niwaki.read_conllu(need(EWT_TRAIN)))[::share])
    start = Start(arguments.encoder, treebank, arguments.profile == "fast", arguments.threads)
    if arguments.train:
        family, seed = arguments.train
        print(start.model(family, int(seed)))
        return
    if arguments.speeds:
        kept = json.loads(need(RESULTS / f"{RESULT}.json").read_text())
        report(RESULT, with_speeds(start, kept))
        return
    models = {
        family: [start.model(family, seed) for seed in range(1, arguments.seeds + 1)]
        for family in FAMILIES
        if family in arguments.family
    }
    result: dict[str, Any] = {"signature": signature(seeds=arguments.seeds, families=FAMILIES)}
    for name, file in FILES.items():
        gold = list(niwaki.read_conllu(need(file)))
        seeds = {
            family: [evaluate(gold, parse(path, gold)) for path in paths]
            for family, paths in models.items()
        }
        found = {family: over_seeds(each) for family, each in seeds.items()}
        result[name] = rows_of(found | theirs(file, gold), list(found))
        for family, each in seeds.items():
            result[name][family]["LAS of seeds"] = [round(x.scores["LAS"], 2) for x in each]
        print(name, result[name], file=sys.stderr, flush=True)
    report(RESULT, with_speeds(start, result))


if __name__ == "__main__":
    main()
