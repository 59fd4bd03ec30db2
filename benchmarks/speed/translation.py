"""How fast sentences are translated and systems are trained.

python -m benchmarks.speed.translation [--profile fast]

Words a second of one core by processor time, stack 100, untuned weights, on the test sentences of
parallel-enja-small; two threads against one on the wall. Training is timed on the wall with two
threads. Memory is the most that the process has held.
"""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.common import DATA, best_of, need, parser, report, signature, timed
from niwaki.tasks.translate.decoder import SearchSettings
from niwaki.tasks.translate.system import System
from niwaki.tasks.translate.training import TrainSettings
from niwaki.verbs.translating import translate_train

PACK = DATA / "parallel-enja-small"
PAIRS = {"full": 50_000, "fast": 10_000}
ROUNDS = {"full": 5, "fast": 2}
LIMITS = (0, 6)
REORDERINGS = ("none", "msd", "maxent")


def memory() -> int:
    """Megabytes, at most, so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def trained(files: list[str], folder: Path, reordering: str) -> tuple[System, float]:
    started = time.perf_counter()
    settings = TrainSettings(reordering=reordering)
    system = translate_train(files[0], files[1], folder, settings=settings, threads=2)
    return system, time.perf_counter() - started


def speeds(system: System, sentences: list[list[str]], rounds: int) -> dict[str, Any]:
    words = sum(map(len, sentences))
    found: dict[str, Any] = {}
    for limit in LIMITS:
        decoder = system.decoder(SearchSettings(limit, 100))

        def work(threads: int, decoder: Any = decoder) -> None:
            for _ in decoder.translate_all(sentences, threads=threads):
                pass

        best = best_of(
            rounds,
            {
                "cpu": lambda work=work: timed(lambda: work(1), time.process_time),
                "one": lambda work=work: timed(lambda: work(1)),
                "two": lambda work=work: timed(lambda: work(2)),
            },
        )
        found[f"limit {limit}"] = {
            "words/s of processor time": round(words / best["cpu"]),
            "words/s on the wall": round(words / best["one"]),
            "two threads, times one": round(best["one"] / best["two"], 2),
        }
    return found


def main() -> None:
    arguments = parser(__doc__).parse_args()
    pairs, rounds = PAIRS[arguments.profile], ROUNDS[arguments.profile]
    test = need(PACK / "test.en").read_text(encoding="utf-8").split("\n")[:-1]
    sentences = [line.split() for line in test]
    result: dict[str, Any] = {"signature": signature(profile=arguments.profile, pairs=pairs)}
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for language in ("en", "ja"):
            files.append(f"{folder}/text.{language}")
            lines = need(PACK / f"train.{language}").read_text(encoding="utf-8").split("\n")
            Path(files[-1]).write_text("\n".join(lines[:pairs]) + "\n", encoding="utf-8")
        for reordering in REORDERINGS:
            system, seconds = trained(files, Path(folder) / reordering, reordering)
            result[reordering] = {
                "training, s": round(seconds, 1),
                "in proportion, 100,000 pairs, s": round(seconds * 100_000 / pairs),
                "phrase pairs": len(system.table),
                **speeds(system, sentences, rounds),
                "memory, MB": memory(),
            }
    report("translation-speed", result)


if __name__ == "__main__":
    main()
