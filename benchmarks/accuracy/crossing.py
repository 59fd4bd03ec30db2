"""Crossing trees three ways: lifted, lifted with encoded labels, and built by swaps.

For each treebank the three are trained alike on its training data, the epoch is chosen on
its development data, and the test data is scored with gold words and predicted tags.
python -m benchmarks.accuracy.crossing
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, need, parser, report, signature
from niwaki.metrics.attachment import Evaluation, evaluate
from niwaki.metrics.crossing import count_crossing
from niwaki.metrics.significance import compare
from niwaki.training.config import make_config
from niwaki.training.parsing import EpochReport
from niwaki.training.run import train

TREEBANKS = {
    "ud-norwegian-nynorsklia": "no_nynorsklia-ud-{}.conllu",
    "ud-korean-gsd": "ko_gsd-ud-{}.conllu",
}
WAYS = {
    "lift": {"system": "arc-standard", "crossing": "lift"},
    "encode": {"system": "arc-standard", "crossing": "encode"},
    "swap": {"system": "arc-standard-swap", "crossing": "lift"},
}
# Enough to compare; the trees are what differs, so lemmas and the like are left out.
SETTINGS: dict[str, dict[str, Any]] = {
    "model": {"greedy": False},
    "segmenter": {"enabled": False},
    "tagger": {"feats": False, "lemmas": False, "folds": 4},
    "training": {"epochs": 6},
}


class Quiet:
    """A reporter that prints a line an epoch."""

    def stage(self, name: str, total: int) -> None: ...

    def advance(self, sentences: int) -> None: ...

    def epoch(self, report: EpochReport) -> None:
        print(f"  epoch {report.epoch}: LAS {report.las:.2f} on dev", flush=True)

    def note(self, line: str) -> None:
        print(f"  {line}", flush=True)


def measure(
    treebank: str, names: str, way: dict[str, str], folder: Path, epochs: int
) -> tuple[dict[str, Any], Evaluation]:
    files = {part: need(DATA / treebank / names.format(part)) for part in ("train", "dev", "test")}
    tables = {name: dict(table) for name, table in SETTINGS.items()}
    tables["model"] |= way
    tables["training"] |= {"epochs": epochs, "dev": str(files["dev"])}
    config = make_config({"objective": [{"data": str(files["train"])}], **tables})
    pipeline = train(config, folder / "model.niwaki", Quiet(), threads=1)
    gold = list(niwaki.read_conllu(files["test"], multi_root=True))
    parsed = list(pipeline.parse(gold, retag=True))
    found = evaluate(gold, parsed)
    arcs = count_crossing(gold, parsed)
    scores = {metric: found.scores[metric] for metric in ("UAS", "LAS", "UPOS")} | arcs.scores
    row: dict[str, Any] = {metric: round(score, 2) for metric, score in scores.items()}
    row |= {"crossing_arcs": arcs.gold, "crossing_arcs_found": arcs.system}
    row["LAS_dev"] = pipeline.config["scores_on_dev"]["beam"]["LAS"]
    return row, found


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--treebank", choices=TREEBANKS, help="only this one")
    arguments = made.parse_args()
    epochs = 2 if arguments.profile == "fast" else SETTINGS["training"]["epochs"]
    results: dict[str, Any] = {}
    for treebank, names in TREEBANKS.items():
        if arguments.treebank not in (None, treebank):
            continue
        rows: dict[str, Any] = {}
        evaluations = {}
        for name, way in WAYS.items():
            print(f"{treebank}, {name}", flush=True)
            with tempfile.TemporaryDirectory() as folder:
                rows[name], evaluations[name] = measure(treebank, names, way, Path(folder), epochs)
            print(f"  {rows[name]}", flush=True)
        for name in ("encode", "swap"):
            (las,) = [
                each
                for each in compare(evaluations["lift"], evaluations[name])
                if each.metric == "LAS"
            ]
            rows[f"{name} - lift"] = {
                "LAS": round(las.difference, 2),
                "interval": [round(las.low, 2), round(las.high, 2)],
                "significant": las.is_significant,
            }
        results[treebank] = rows
    settings = signature(profile=arguments.profile, epochs=epochs, beam=8)
    name = f"crossing-{arguments.treebank}" if arguments.treebank else "crossing"
    report(name, {"signature": settings, **results})


if __name__ == "__main__":
    main()
