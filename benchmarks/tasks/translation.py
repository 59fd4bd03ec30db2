"""What word order is worth in translation: BLEU with and without pre-ordering (xu2009, Table 3).

python -m benchmarks.tasks.translation [--data enja|kftt] [--pairs N] [--figure SVG]

BL has the maximum entropy reordering model, -LR has none, PR puts the source into Japanese order
before anything is trained. Each system is tuned by itself, --runs times with other seeds, on the
pack's tuning sentences; the test sentences are scored once, those that stand in the training text
left out. Differences are those of the runs together, with paired bootstrap over sentences. The
figure shows BLEU against the jump limit, with the weights of the first run.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import DATA, ROOT, need, of_parser, report, signature
from niwaki.draw.chart import line_chart, round_limits
from niwaki.metrics.significance import compare
from niwaki.metrics.translation import TranslationEvaluation, evaluate_translation
from niwaki.tasks.translate.decoder import SearchSettings
from niwaki.tasks.translate.features import REORDERING
from niwaki.tasks.translate.nbest import NBestList
from niwaki.tasks.translate.system import System
from niwaki.tasks.translate.training import TrainSettings
from niwaki.tasks.translate.tuning import TuningSettings, tune
from niwaki.typing import FloatArray
from niwaki.verbs.translating import translate_run, translate_train

WORK = ROOT / "build" / "tasks" / "translation"
# Folder, training, tuning and test files without their language.
PACKS = {
    "enja": ("parallel-enja-small", "train", "dev", "test"),
    "kftt": ("kftt-30k", "train", "tune", "dev"),
}
LIMITS = (0, 2, 4, 6, 8, 10)
SCORES = ("BLEU",)
Words = tuple[str, ...]


@dataclass(frozen=True)
class Texts:
    """Sentences of one part, as given and as a system translates them, with references."""

    source: list[Words]
    references: list[str]


def read(pack: str, part: str, language: str, most: int | None = None) -> list[str]:
    path = DATA / pack / f"{part}.{language}"
    if path.exists():
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    else:
        with gzip.open(need(path.with_name(f"{path.name}.gz")), "rt", encoding="utf-8") as file:
            lines = file.read().split("\n")[:-1]
    return lines[:most]


def train(arguments: argparse.Namespace, rules: str | None) -> tuple[System, float]:
    """A system with the reordering model, of the first pairs that have words on both sides."""
    pack, part = PACKS[arguments.data][:2]
    WORK.mkdir(parents=True, exist_ok=True)
    files = []
    for language in ("en", "ja"):
        files.append(WORK / f"{arguments.data}-{arguments.pairs}.{language}")
        lines = read(pack, part, language, arguments.pairs)
        files[-1].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    folder = WORK / f"{arguments.data}-{arguments.pairs}-{rules or 'plain'}"
    started = time.perf_counter()
    system = translate_train(
        str(files[0]),
        str(files[1]),
        folder,
        preorder=rules,
        model=arguments.parser,
        settings=TrainSettings(reordering="maxent"),
        threads=arguments.threads,
        on_error="skip",
    )
    return system, time.perf_counter() - started


def without_jumps(system: System) -> System:
    weights = {name: weight for name, weight in system.weights.items() if name != REORDERING}
    return replace(system, jumps=None, weights=weights)


def ordered(system: System, texts: Texts, parser: str) -> Texts:
    """The sentences as the system wants them, so that they are parsed once."""
    if system.rules is None:
        return texts
    found = translate_run(texts.source, system, limit=0, stack=1, parser=parser)
    return replace(texts, source=[each.ordered.tokens for each in found])


class Trial:
    """A system that is tuned and scored at one limit."""

    def __init__(self, system: System, dev: Texts, test: Texts, arguments: argparse.Namespace):
        self.system, self.dev, self.test, self.arguments = system, dev, test, arguments

    def decode(self, weights: FloatArray, texts: Texts, nbest: int, limit: int) -> list[NBestList]:
        named = dict(zip(self.system.names, weights.tolist(), strict=True))
        search = SearchSettings(limit, self.arguments.stack)
        decoder = self.system.with_weights(named).decoder(search)
        return list(decoder.translate_all(texts.source, nbest, threads=self.arguments.threads))

    def tuned(self, seed: int) -> tuple[FloatArray, float]:
        """Weights of one run, and their BLEU on what they were tuned on."""
        first = np.array([self.system.weights[name] for name in self.system.names])
        references = [text.split() for text in self.dev.references]
        found = tune(
            lambda weights: self.decode(weights, self.dev, 100, self.arguments.limit),
            references,
            first,
            TuningSettings(by=self.arguments.by, rounds=self.arguments.rounds, seed=seed),
        )
        return found.best.weights, found.best.bleu

    def texts(self, weights: FloatArray, limit: int) -> list[str]:
        return [each.hypotheses[0].text for each in self.decode(weights, self.test, 1, limit)]

    def scored(self, texts: list[str], characters: bool = False) -> TranslationEvaluation:
        references = self.test.references
        return evaluate_translation(references, texts, characters=characters, scores=SCORES)


def together(runs: Sequence[TranslationEvaluation]) -> TranslationEvaluation:
    """The counts of all runs, so that a sentence is drawn with all its translations."""
    return replace(runs[0], counts=np.sum([run.counts for run in runs], axis=0))


def measured(trial: Trial, arguments: argparse.Namespace) -> dict[str, Any]:
    runs = [trial.tuned(seed) for seed in range(1, arguments.runs + 1)]
    texts = [trial.texts(weights, arguments.limit) for weights, _ in runs]
    words, characters = ([trial.scored(each, unit) for each in texts] for unit in (False, True))
    return {
        "tuned": [round(float(bleu), 2) for _, bleu in runs],
        "test": [round(run.scores["BLEU"], 2) for run in words],
        "weights": dict(zip(trial.system.names, runs[0][0].round(4).tolist(), strict=True)),
        "evaluations": {"words": together(words), "characters": together(characters)},
        "first": runs[0][0],
    }


def curve(trial: Trial, weights: FloatArray) -> list[tuple[float, float]]:
    found = ((limit, trial.scored(trial.texts(weights, limit))) for limit in LIMITS)
    return [(float(limit), round(each.scores["BLEU"], 2)) for limit, each in found]


def draw(curves: dict[str, list[tuple[float, float]]], path: Path) -> None:
    values = [bleu for points in curves.values() for _, bleu in points]
    svg = line_chart(
        curves,
        title="BLEU by jump limit",
        x="jump limit",
        y="BLEU",
        x_limits=(0.0, float(LIMITS[-1])),
        y_limits=round_limits(values),
        whole_x=True,
    )
    path.write_text(svg + "\n", encoding="utf-8")


def parts_of(arguments: argparse.Namespace) -> tuple[Texts, Texts]:
    """Sentences for tuning and for the test, those of the training text left out of the test."""
    pack, train_part, dev_part, test_part = PACKS[arguments.data]
    seen = set(read(pack, train_part, "en", arguments.pairs))
    found = []
    for part in (dev_part, test_part):
        pairs = list(zip(read(pack, part, "en"), read(pack, part, "ja"), strict=True))
        if part == test_part:
            pairs = [(source, target) for source, target in pairs if source not in seen]
        if part == dev_part:
            pairs = pairs[: arguments.tuning]
        found.append(Texts([tuple(a.split()) for a, _ in pairs], [b for _, b in pairs]))
    return found[0], found[1]


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--data", choices=list(PACKS), default="enja")
    made.add_argument("--pairs", type=int, default=50_000)
    made.add_argument("--tuning", type=int, default=500, help="sentences to tune on")
    made.add_argument("--parser", default="en")
    made.add_argument("--rules", default="ja")
    made.add_argument("--limit", type=int, default=10)
    made.add_argument("--stack", type=int, default=100)
    made.add_argument("--by", default="pro")
    made.add_argument("--rounds", type=int, default=8)
    made.add_argument("--runs", type=int, default=3)
    made.add_argument("--threads", type=int, default=1)
    made.add_argument("--figure", type=Path)
    arguments = made.parse_args()
    dev, test = parts_of(arguments)
    plain, seconds = train(arguments, None)
    moved, more = train(arguments, arguments.rules)
    moved_texts = ordered(moved, dev, arguments.parser), ordered(moved, test, arguments.parser)
    trials = {
        "BL": Trial(plain, dev, test, arguments),
        "-LR": Trial(without_jumps(plain), dev, test, arguments),
        "-LR+PR": Trial(without_jumps(moved), *moved_texts, arguments),
        "+PR": Trial(moved, *moved_texts, arguments),
    }
    found = {name: measured(trial, arguments) for name, trial in trials.items()}
    evaluations = {name: each.pop("evaluations") for name, each in found.items()}
    weights = {name: each.pop("first") for name, each in found.items()}
    differences = {
        f"{name} over BL, {unit}": [
            each.to_json() for each in compare(evaluations["BL"][unit], evaluations[name][unit])
        ]
        for name in ("-LR", "-LR+PR", "+PR")
        for unit in ("words", "characters")
    }
    curves = {name: curve(trials[name], weights[name]) for name in ("BL", "+PR")}
    if arguments.figure:
        draw({"without pre-ordering": curves["BL"], "with": curves["+PR"]}, arguments.figure)
    settings = {name: value for name, value in vars(arguments).items() if name != "figure"}
    result = {
        "signature": signature(**settings),
        "sentences": {"tuning": len(dev.source), "test": len(test.source)},
        "training, s": {"plain": round(seconds), "pre-ordered": round(more)},
        "phrase pairs": {"plain": len(plain.table), "pre-ordered": len(moved.table)},
        "systems": found,
        "characters": {
            name: round(each["characters"].scores["BLEU"], 2) for name, each in evaluations.items()
        },
        "differences": differences,
        "limits": curves,
    }
    report(f"translation-{arguments.data}{of_parser(arguments.parser)}", result)


if __name__ == "__main__":
    main()
