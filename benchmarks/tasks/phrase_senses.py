"""What phrase senses are worth in translation (carpuat-wu2007, Table 1).

python -m benchmarks.tasks.phrase_senses [--pairs N] [--tuning N] [--by pro|mira|mert]

A system of parallel-enja-small without senses and the same one with them, each tuned by itself on
the pack's dev sentences; the test sentences are scored once, those that stand in the training text
left out. Printed are all scores, their differences with paired bootstrap, and the share of
sentences that senses change. Of several tuning runs, the one with the best dev BLEU counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import DATA, ROOT, need, of_parser, report, signature
from niwaki.metrics.significance import compare
from niwaki.tasks.translate.system import System
from niwaki.tasks.translate.tuning import TuningSettings
from niwaki.verbs.sensing import translate_train_senses, with_senses
from niwaki.verbs.translating import translate_run, translate_train
from niwaki.verbs.tuning import TunedSystem, translate_evaluate, translate_tune

WORK = ROOT / "build" / "tasks" / "phrase-senses"
PACK = DATA / "parallel-enja-small"


def lines(part: str, language: str, most: int | None = None) -> list[str]:
    text = need(PACK / f"{part}.{language}").read_text(encoding="utf-8")
    return text.split("\n")[:-1][:most]


def written(name: str, text: list[str]) -> str:
    path = WORK / name
    path.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    return str(path)


def tuned(arguments: argparse.Namespace, folder: Path, senses: Path | None) -> TunedSystem:
    dev = [written(f"dev.{side}", lines("dev", side, arguments.tuning)) for side in ("en", "ja")]
    return translate_tune(
        folder,
        *dev,
        settings=TuningSettings(by=arguments.by),
        runs=arguments.runs,
        stack=arguments.stack,
        parser=arguments.parser if senses else None,
        senses=senses,
    )


def translations(
    arguments: argparse.Namespace, system: System, senses: Path | None, text: Sequence[str]
) -> list[str]:
    scorer = None
    if senses is not None:
        system, scorer = with_senses(system, senses, arguments.parser)
    return [each.text for each in translate_run(text, system, stack=arguments.stack, senses=scorer)]


def measured(arguments: argparse.Namespace) -> dict[str, Any]:
    WORK.mkdir(parents=True, exist_ok=True)
    train = {side: lines("train", side, arguments.pairs) for side in ("en", "ja")}
    files = [written(f"{arguments.pairs}.{side}", text) for side, text in train.items()]
    folder, senses = WORK / f"{arguments.pairs}", WORK / f"{arguments.pairs}.senses"
    translate_train(*files, folder, on_error="skip")
    started = time.perf_counter()
    phrases = translate_train_senses(*files, senses, model=arguments.parser, on_error="skip")
    seconds = time.perf_counter() - started
    known = set(train["en"])
    test = zip(lines("test", "en"), lines("test", "ja"), strict=True)
    source, gold = zip(*(pair for pair in test if pair[0] not in known), strict=True)
    found, weights = [], {}
    for name, file in (("without", None), ("with", senses)):
        best = tuned(arguments, folder, file)
        weights[name] = {"dev BLEU": best.best.bleu, **best.system.weights}
        found.append(translations(arguments, best.system, file, source))
    changed = sum(one != other for one, other in zip(*found, strict=True))
    scored = [translate_evaluate(gold, each) for each in found]
    return {
        "sentences": len(source),
        "changed, %": round(100 * changed / len(source), 1),
        "phrases": len(phrases.senses),
        "senses, s": round(seconds),
        "with over without": [each.to_json() for each in compare(*scored)],
        "weights": weights,
    }


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--pairs", type=int, default=50_000)
    made.add_argument("--tuning", type=int, default=500, help="sentences to tune on")
    made.add_argument("--runs", type=int, default=3)
    made.add_argument("--stack", type=int, default=100)
    made.add_argument("--by", default="pro")
    made.add_argument("--parser", default="en")
    arguments = made.parse_args()
    result = measured(arguments)
    settings = {name: str(value) for name, value in vars(arguments).items()}
    name = f"phrase-senses{of_parser(arguments.parser)}"
    report(name, {"signature": signature(**settings), **result})


if __name__ == "__main__":
    main()
