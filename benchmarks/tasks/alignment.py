"""Alignment error rate, speed and bridges of `niwaki align`, beside eflomal as a command.

python -m benchmarks.tasks.alignment [speed] [bridges] [errors]

Both aligners learn from the same text: the sentences of a gold set, for the Japanese
sets also with 50,000 pairs of other text. What can be chosen (Niwaki's threshold,
eflomal's heuristic) is chosen on one half of a set and scored on the other, both ways.
"""

from __future__ import annotations

import dataclasses
import itertools
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import DATA, PEERS, best_of, need, parser, report, signature
from niwaki.data.bilingual.bitext import Links, Pair, read_bitext, read_links
from niwaki.data.bilingual.posteriors import Posteriors
from niwaki.metrics.alignment import AlignmentEvaluation, evaluate_links
from niwaki.tasks.align import Settings, compose, link, mix, preset, symmetrize, train

EFLOMAL = PEERS.parent / "eflomal-align"
NIWAKI = Path(sys.executable).parent / "niwaki"
SETS = {
    "en-ja pud": ("align-pud/en-ja/dev", "ja"),
    "en-ko pud": ("align-pud/en-ko/dev", "ko"),
    "en-ja kftt": ("align-enja-kftt/dev", "ja"),
    "en-cs czenali": ("align-encs-czenali/all", "cs"),
}
MORE = "parallel-enja-small/train"
THRESHOLDS = np.round(np.arange(0.05, 0.96, 0.025), 3).tolist()
HEURISTICS = ("intersection", "union", "grow-diag-final-and")

Choices = dict[Any, AlignmentEvaluation]


def read(base: str, language: str, gold: bool = True) -> list[Pair]:
    path = need(DATA / f"{base}.en")
    links = path.with_suffix(".align") if gold else None
    return list(read_bitext(path, path.with_suffix(f".{language}"), links))


def choose_on_half(choices: Choices) -> dict[str, Any]:
    """The choice that is best on one half, scored on the other."""
    size = len(next(iter(choices.values())).counts)
    halves = slice(0, size // 2), slice(size // 2, size)
    made: dict[str, Any] = {}
    for number, (mine, other) in enumerate((halves, halves[::-1]), start=1):

        def error(choice: Any, half: slice) -> float:
            return AlignmentEvaluation(choices[choice].counts[half]).scores["AER"]

        best = min(choices, key=lambda choice: error(choice, other))
        made[f"half {number}"] = {"AER": round(error(best, mine), 2), "chosen": best}
    made["AER"] = round(sum(made[f"half {n}"]["AER"] for n in (1, 2)) / 2, 2)
    return made


def by_threshold(gold: Sequence[Links], posteriors: Sequence[Posteriors]) -> Choices:
    return {
        threshold: evaluate_links(gold, [link(each, threshold=threshold) for each in posteriors])
        for threshold in THRESHOLDS
    }


def niwaki_errors(pairs: list[Pair], more: list[Pair], settings: Settings) -> dict[str, Any]:
    gold = [pair.links for pair in pairs]
    words = ((pair.source, pair.target) for pair in itertools.chain(pairs, more))
    posteriors = list(train(words, settings, threads=2).posteriors(len(pairs)))
    made = choose_on_half(by_threshold(gold, posteriors))
    default = evaluate_links(gold, [link(each) for each in posteriors])
    return {**made, "threshold 0.5": {k: round(v, 2) for k, v in default.scores.items()}}


def write_text(pairs: Sequence[Pair], folder: Path) -> tuple[Path, Path]:
    paths = folder / "source", folder / "target"
    for path, side in zip(paths, ("source", "target"), strict=True):
        path.write_text("".join(" ".join(getattr(pair, side)) + "\n" for pair in pairs))
    return paths


def run_eflomal(pairs: Sequence[Pair], folder: Path) -> tuple[Path, Path]:
    source, target = write_text(pairs, folder)
    out = folder / "forward", folder / "backward"
    command = [EFLOMAL, "--overwrite", "-s", source, "-t", target, "-f", out[0], "-r", out[1]]
    subprocess.run(command, check=True, capture_output=True)
    return out


def eflomal_errors(pairs: list[Pair], more: list[Pair]) -> dict[str, Any] | None:
    if not EFLOMAL.exists():
        return None
    gold = [pair.links for pair in pairs]
    with tempfile.TemporaryDirectory() as folder:
        files = run_eflomal([*pairs, *more], Path(folder))
        directions = [list(itertools.islice(read_links(file), len(pairs))) for file in files]
    choices = {
        method: evaluate_links(
            gold, [symmetrize(f, b, method) for f, b in zip(*directions, strict=True)]
        )
        for method in HEURISTICS
    }
    return choose_on_half(choices)


def error_rates() -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, (base, language) in SETS.items():
        pairs = read(base, language)
        texts: dict[str, list[Pair]] = {name: []}
        if language == "ja":
            texts[f"{name} + 50k"] = read(MORE, "ja", gold=False)
        for text, more in texts.items():
            stemmed = dataclasses.replace(Settings(), source_prefix=5)
            made[text] = {
                "niwaki": niwaki_errors(pairs, more, Settings()),
                "niwaki, 5 letters of English": niwaki_errors(pairs, more, stemmed),
                "niwaki xu2009": niwaki_errors(pairs, more, preset("xu2009")),
                "eflomal": eflomal_errors(pairs, more),
            }
    return made


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of the processes that `work` starts and waits for."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    start = used()
    work()
    return used() - start


def iteration_times(pairs: Sequence[Pair], threads: int) -> dict[str, float]:
    """CPU time of the quickest iteration of each model; wall and CPU time of all.

    "serial" is the CPU time of the thread that waits for the others.
    """
    marks: list[tuple[str, float, float, float]] = []
    words = [(pair.source, pair.target) for pair in pairs]

    def mark(stage: str, score: float) -> None:
        clocks = time.perf_counter(), time.process_time(), time.thread_time()
        marks.append((stage.rsplit(" ", 1)[0], *clocks))

    train(words, Settings(), threads, mark)
    # The first mark of all ends an iteration whose beginning is not known.
    quickest: dict[str, float] = {}
    for (_, _, before, _), (stage, _, after, _) in itertools.pairwise(marks):
        quickest[stage] = min(quickest.get(stage, after - before), after - before)
    return {
        **quickest,
        "wall": marks[-1][1] - marks[0][1],
        "cpu": marks[-1][2] - marks[0][2],
        "serial": marks[-1][3] - marks[0][3],
    }


def speeds(rounds: int) -> dict[str, Any]:
    pairs = read(MORE, "ja", gold=False)
    single, double = {}, {}
    for _ in range(rounds):
        for threads, best in ((1, single), (2, double)):
            for name, seconds in iteration_times(pairs, threads).items():
                best[name] = min(best.get(name, seconds), seconds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, target = write_text(pairs, folder)
        command = [NIWAKI, "align", source, target, "--threads", "1", "-o", folder / "links"]
        work = {
            "niwaki": lambda: cpu_seconds(
                lambda: subprocess.run(command, check=True, capture_output=True)
            )
        }
        if EFLOMAL.exists():
            work["eflomal"] = lambda: cpu_seconds(lambda: run_eflomal(pairs, folder))
        cpu = best_of(rounds, work)
    return {
        "pairs": len(pairs),
        # Both directions are done in one iteration.
        "pairs per second and core, both directions": {
            stage: round(len(pairs) / single[stage]) for stage in ("Model 1", "HMM")
        },
        "cpu seconds, all": {tool: round(value, 1) for tool, value in cpu.items()},
        # On the wall says little on a machine that has other work to do. What two free cores
        # would take is the serial part and half of the rest.
        "two threads are faster by, on the wall": round(single["wall"] / double["wall"], 2),
        "two threads are faster by, from CPU time": round(
            single["cpu"] / (double["serial"] + (double["cpu"] - double["serial"]) / 2), 2
        ),
        "cpu time of two threads / one": round(double["cpu"] / single["cpu"], 2),
        "serial part of one": round(double["serial"] / single["cpu"], 3),
    }


def bridges() -> dict[str, Any]:
    """Japanese and Korean through English, against the composition of people's links."""
    sets = {base: read(f"align-pud/{base}/dev", base[-2:]) for base in ("en-ja", "en-ko")}
    korean = {pair.source: pair for pair in sets["en-ko"]}
    shared = [(pair, korean[pair.source]) for pair in sets["en-ja"] if pair.source in korean]
    gold = [
        Links(frozenset((j, k) for i, j in ja.links.sure for e, k in ko.links.sure if i == e))
        for ja, ko in shared
    ]

    def posteriors(pairs: list[tuple[Sequence[str], Sequence[str]]]) -> list[Posteriors]:
        return list(train(pairs, threads=2).posteriors())

    first = posteriors([(ja.target, ja.source) for ja, _ in shared])
    second = posteriors([(ko.source, ko.target) for _, ko in shared])
    direct = posteriors([(ja.target, ko.target) for ja, ko in shared])
    bridged = [compose(a, b) for a, b in zip(first, second, strict=True)]
    mixed = [mix(list(both)) for both in zip(direct, bridged, strict=True)]
    systems = {"direct": direct, "through English": bridged, "mixed": mixed}
    return {
        "pairs": len(shared),
        **{name: choose_on_half(by_threshold(gold, made)) for name, made in systems.items()},
    }


def main() -> None:
    made = parser(__doc__)
    made.add_argument("parts", nargs="*", help="speed, bridges, errors (default: all)")
    arguments = made.parse_args()
    rounds = 1 if arguments.profile == "fast" else 3
    parts = {"speed": lambda: speeds(rounds), "bridges": bridges, "errors": error_rates}
    for part in arguments.parts or parts:
        settings = {
            "settings": Settings().signature,
            "thresholds": "0.05 to 0.95 by 0.025",
            "eflomal": EFLOMAL.exists(),
            "profile": arguments.profile,
        }
        report(f"alignment-{part}", {"signature": signature(**settings), part: parts[part]()})


if __name__ == "__main__":
    main()
