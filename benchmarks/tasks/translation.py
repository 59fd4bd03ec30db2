"""What word order is worth in translation: BLEU with and without pre-ordering (xu2009, Table 3).

python -m benchmarks.tasks.translation [enja kftt ko tr hi] [--pairs N] [--figure]

BL has the maximum entropy reordering model, -LR has none, PR puts the source into target order
before anything is trained. Each system is tuned by itself, --runs times with other seeds, on the
pack's tuning sentences; the test sentences are scored once, those that stand in the training text
left out. Differences are those of the runs together, with paired bootstrap over sentences. The
figure (docs/images/translation-DATA.svg) shows BLEU against the jump limit, with the weights of
the first run. ko, tr and hi are several packs of raw text joined; stretches of their lines are
held out. Scored is also what is left of the test without sentences that differ by one word from one
of the training text. A run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from benchmarks.common import ROOT, of_parser, report, signature
from benchmarks.tasks._translation import (
    DATA_SETS,
    Made,
    Trial,
    add_settings,
    language_of,
    measured,
    ordered,
    parts_of,
    without_jumps,
)
from niwaki.draw.chart import line_chart, round_limits
from niwaki.metrics.significance import compare
from niwaki.typing import FloatArray

LIMITS = (0, 2, 4, 6, 8, 10)
Curves = dict[str, list[tuple[float, float]]]


def curve(trial: Trial, weights: FloatArray, unit: str) -> list[tuple[float, float]]:
    characters = unit == "characters"
    found = ((limit, trial.scored(trial.texts(weights, limit), characters)) for limit in LIMITS)
    return [(float(limit), round(each.scores["BLEU"], 2)) for limit, each in found]


def draw(curves: Curves, data: str) -> None:
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
    path = ROOT / "docs" / "images" / f"translation-{data}.svg"
    path.write_text(svg + "\n", encoding="utf-8")


def differences(evaluations: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{name} over BL, {unit}": [each.to_json() for each in compare(first, other)]
        for name in evaluations
        if name != "BL"
        for unit, first in evaluations["BL"].items()
        for other in [evaluations[name][unit]]
    }


def experiment(data: str, arguments: argparse.Namespace) -> None:
    parts = parts_of(data, arguments.pairs, arguments.tuning)
    unlike = parts.unlike()
    rules = language_of(data)
    made = {
        "plain": Made(data, parts.train, threads=arguments.threads),
        "pre-ordered": Made(data, parts.train, rules, arguments.parser, threads=arguments.threads),
    }
    systems, training = {}, {}
    for name, each in made.items():
        systems[name], training[name] = each.train_system()
    moved = [
        ordered(systems["pre-ordered"], x, arguments.parser) for x in (parts.tuning, parts.test)
    ]
    settings = {name: value for name, value in vars(arguments).items() if name != "figure"}
    result: dict[str, Any] = {
        "signature": signature(**{**settings, "data": data, "rules": rules}),
        "sentences": {
            "training": len(parts.train),
            "tuning": len(parts.tuning.source),
            "test": len(parts.test.source),
            "test, without near repeats": len(unlike),
        },
        "training": training,
        "phrase pairs": {name: len(system.table) for name, system in systems.items()},
        "systems": {},
    }
    evaluations: dict[str, Any] = {}
    curves: dict[str, Curves] = {"words": {}, "characters": {}}
    for name in ("BL", "+PR", "-LR+PR", "-LR"):
        way = "pre-ordered" if "PR" in name else "plain"
        system = without_jumps(systems[way]) if "-LR" in name else systems[way]
        tuning, test = moved if way == "pre-ordered" else [parts.tuning, parts.test]
        trial = Trial(f"{name} {made[way].identity}", system, tuning, test, arguments)
        found = measured(trial, unlike)
        evaluations[name], weights = found.pop("evaluations"), found.pop("first")
        result["systems"][name] = found
        result["differences"] = differences(evaluations)
        report(f"translation-{data}{of_parser(arguments.parser)}", result)
        if "-LR" not in name:
            for unit, lines in curves.items():
                lines[name] = curve(trial, weights, unit)
        result["limits"] = curves
        print(data, name, found["test"], file=sys.stderr, flush=True)
    report(f"translation-{data}{of_parser(arguments.parser)}", result)
    if arguments.figure:
        shown = {"without pre-ordering": "BL", "with": "+PR"}
        draw({title: curves["words"][name] for title, name in shown.items()}, data)


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("data", nargs="*", choices=[[], *DATA_SETS], default=[], help="default: all")
    made.add_argument("--pairs", type=int, help="to train on, at most")
    made.add_argument("--parser", default="en")
    made.add_argument("--figure", action="store_true")
    add_settings(made)
    arguments = made.parse_args()
    for data in arguments.data or DATA_SETS:
        experiment(data, arguments)


if __name__ == "__main__":
    main()
