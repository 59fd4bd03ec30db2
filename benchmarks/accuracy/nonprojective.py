"""Non-projective trees three ways: lifted, lifted with encoded labels, and built by swaps.

For each treebank the three are trained alike on its training data, the epoch is chosen on
its development data, and the test data is scored with gold words and predicted tags. One
training tells little, since seeds differ by as much as the ways: scores are means over
seeds, and sentences are drawn with the parses of all seeds together to see if ways differ.
python -m benchmarks.accuracy.nonprojective
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import niwaki
from benchmarks.common import DATA, need, parser, report, signature
from niwaki.metrics.attachment import AttachmentEvaluation, evaluate
from niwaki.metrics.nonprojective import NonprojectiveEvaluation, count_nonprojective
from niwaki.metrics.significance import compare
from niwaki.training.config_file import make_config
from niwaki.training.reporting import EpochReport
from niwaki.training.run import train

TREEBANKS = {
    "ud-norwegian-nynorsklia": "no_nynorsklia-ud-{}.conllu",
    "ud-korean-gsd": "ko_gsd-ud-{}.conllu",
}
WAYS = {
    "projectivize": {"system": "arc-standard", "nonprojective": "projectivize"},
    "pseudo-projective": {"system": "arc-standard", "nonprojective": "pseudo-projective"},
    "swap": {"system": "arc-standard-swap", "nonprojective": "projectivize"},
}
# Enough to compare; the trees are what differs, so lemmas and the like are left out.
SETTINGS: dict[str, dict[str, Any]] = {
    "model": {"greedy": False, "features": "suffixes"},
    "segmenter": {"enabled": False},
    "tagger": {"feats": False, "lemmas": False, "folds": 4},
    "training": {},
}
EPOCHS = {"beam": 6, "greedy": 8}


class EpochLines:
    """A reporter that prints a line an epoch."""

    def stage(self, name: str, total: int) -> None: ...

    def advance(self, sentences: int) -> None: ...

    def epoch(self, report: EpochReport) -> None:
        print(f"  epoch {report.epoch}: LAS {report.las:.2f} on dev", flush=True)

    def note(self, line: str) -> None:
        print(f"  {line}", flush=True)


class Tally:
    """The results of one way, over all seeds so far."""

    def __init__(self) -> None:
        self.evaluations: list[AttachmentEvaluation] = []
        self.arcs: list[NonprojectiveEvaluation] = []
        self.dev: list[float] = []

    @property
    def pooled(self) -> AttachmentEvaluation:
        """One evaluation of sentences that were parsed by the models of all seeds."""
        return AttachmentEvaluation(np.sum([each.counts for each in self.evaluations], axis=0))

    def row(self) -> dict[str, Any]:
        found = self.pooled.scores
        arcs = NonprojectiveEvaluation(np.sum([each.counts for each in self.arcs], axis=0))
        scores = {metric: found[metric] for metric in ("UAS", "LAS", "UPOS")} | arcs.scores
        row: dict[str, Any] = {metric: round(score, 2) for metric, score in scores.items()}
        row |= {"nonprojective_arcs": arcs.gold, "nonprojective_arcs_found": arcs.system}
        row["LAS_of_seeds"] = [round(each.scores["LAS"], 2) for each in self.evaluations]
        row["LAS_dev_of_seeds"] = self.dev
        return row


def measure(treebank: str, way: str, settings: dict[str, Any], tally: Tally) -> None:
    """Train one model and add its results."""
    names = TREEBANKS[treebank]
    files = {part: need(DATA / treebank / names.format(part)) for part in ("train", "dev", "test")}
    tables = {name: dict(table) for name, table in SETTINGS.items()}
    tables["model"] |= WAYS[way] | {"beam": settings["beam"]}
    tables["training"] |= {key: settings[key] for key in ("epochs", "greedy_epochs", "seed")}
    tables["training"]["dev"] = str(files["dev"])
    config = make_config({"objective": [{"data": str(files["train"])}], **tables})
    with tempfile.TemporaryDirectory() as folder:
        pipeline = train(config, Path(folder) / "model.niwaki", EpochLines(), threads=1)
    gold = list(niwaki.read_conllu(files["test"], multi_root=True))
    parsed = list(pipeline.parse(gold, retag=True))
    tally.evaluations.append(evaluate(gold, parsed))
    tally.arcs.append(count_nonprojective(gold, parsed))
    tally.dev.append(pipeline.config["scores_on_dev"]["beam"]["LAS"])


def rows(tallies: dict[str, Tally]) -> dict[str, Any]:
    made = {name: tally.row() for name, tally in tallies.items()}
    for name in ("pseudo-projective", "swap"):
        differences = compare(tallies["projectivize"].pooled, tallies[name].pooled)
        (las,) = [each for each in differences if each.metric == "LAS"]
        made[f"{name} - projectivize"] = {
            "LAS": round(las.difference, 2),
            "interval": [round(las.low, 2), round(las.high, 2)],
            "significant": las.is_significant,
        }
    return made


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--treebank", choices=TREEBANKS, help="only this one")
    made.add_argument("--search", choices=EPOCHS, default="beam", help="how to parse (beam: of 8)")
    made.add_argument("--seeds", type=int, default=3, help="trainings of each way")
    arguments = made.parse_args()
    epochs = 2 if arguments.profile == "fast" else EPOCHS[arguments.search]
    settings = {"beam": 8 if arguments.search == "beam" else 1, "epochs": epochs}
    settings["greedy_epochs"] = epochs
    chosen = [arguments.treebank] if arguments.treebank else list(TREEBANKS)
    name = f"nonprojective-{arguments.search}"
    if arguments.treebank:
        name += f"-{arguments.treebank}"
    tallies = {treebank: {way: Tally() for way in WAYS} for treebank in chosen}
    signed = signature(profile=arguments.profile, **SETTINGS["model"], **settings)
    results: dict[str, Any] = {"signature": signed}
    for seed in range(1, arguments.seeds + 1):
        for treebank, ways in tallies.items():
            for way, tally in ways.items():
                print(f"{treebank}, {way}, seed {seed}", flush=True)
                measure(treebank, way, settings | {"seed": seed}, tally)
            results[treebank] = {"seeds": seed, **rows(ways)}
            # A long run that is broken off leaves what it has found.
            report(name, results)


if __name__ == "__main__":
    main()
