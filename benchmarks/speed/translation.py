"""How fast sentences are translated and systems are trained.

python -m benchmarks.speed.translation [training] [decoding] [threads] [--profile fast]

training: 100,000 pairs of English and Japanese, with two threads: parallel-enja-small, kftt-30k and
20,000 sentences of python-docs, whose Japanese is split where the kind of its letters changes.
Memory is the most that the process has held. decoding: words a second of one core by processor
time, stack 100, untuned weights, on the test sentences of parallel-enja-small. threads: two against
one on the wall, which needs two cores that nobody else uses. What is not asked for is kept as it
was measured before.
"""

from __future__ import annotations

import json
import re
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.common import RESULTS, best_of, parser, report, signature, timed
from benchmarks.tasks._translation import lines_of, parts_of
from niwaki.tasks.translate.decoder import Decoder, SearchSettings
from niwaki.tasks.translate.system import System
from niwaki.tasks.translate.training import TrainSettings
from niwaki.verbs.translating import translate_train

NAME = "translation-speed"
PAIRS = {"full": 50_000, "fast": 10_000}
ROUNDS = {"full": 5, "fast": 2}
LIMITS = (0, 6)
REORDERINGS = ("none", "msd", "maxent")
DOCUMENTATION = 20_000
CLOCK = time.process_time
# Japanese without a tokeniser: runs of kanji, hiragana, katakana, other letters and digits, marks.
KINDS = re.compile(r"[一-鿿々]+|[ぁ-ゟ]+|[ァ-ヿー]+|[^\W一-鿿々ぁ-ゟァ-ヿー]+|\S")


def memory() -> int:
    """Megabytes, at most, so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def joined() -> list[tuple[str, str]]:
    """100,000 pairs."""
    pairs = [*parts_of("enja").train, *parts_of("kftt").train]
    sides = (lines_of("python-docs", f"en-ja.{side}") for side in ("en", "ja"))
    more = list(zip(*sides, strict=True))[:DOCUMENTATION]
    return pairs + [(a, " ".join(KINDS.findall(b))) for a, b in more]


def trained(
    pairs: list[tuple[str, str]], folder: Path, reordering: str
) -> tuple[System, dict[str, Any]]:
    files = [folder.with_name(f"text.{side}") for side in ("en", "ja")]
    for file, lines in zip(files, zip(*pairs, strict=True), strict=True):
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    settings = TrainSettings(reordering=reordering)
    started, used = time.perf_counter(), time.process_time()
    system = translate_train(*files, folder, settings=settings, threads=2, on_error="skip")
    return system, {
        "training, s": round(time.perf_counter() - started, 1),
        "training, processor time of all threads, s": round(time.process_time() - used, 1),
        "phrase pairs": len(system.table),
    }


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir()) >> 20


def training(place: Path) -> dict[str, Any]:
    pairs = joined()
    words = [sum(len(side.split()) for side in sides) for sides in zip(*pairs, strict=True)]
    _, found = trained(pairs, place / "joined", "maxent")
    return {
        "pairs": len(pairs),
        "words": dict(zip(("en", "ja"), words, strict=True)),
        **found,
        "memory, MB": memory(),
        "folder, MB": size_of(place / "joined"),
    }


def decode(decoder: Decoder, sentences: list[list[str]], threads: int = 1) -> None:
    for _ in decoder.translate_all(sentences, threads=threads):
        pass


def decoding(place: Path, pairs: int, rounds: int, wall: bool) -> dict[str, Any]:
    """Words a second of one core; with `wall`, how much faster two threads are."""
    parts = parts_of("enja", pairs)
    sentences = [list(each) for each in parts.test.source]
    words = sum(map(len, sentences))
    found: dict[str, Any] = {"pairs": pairs}
    for reordering in ("maxent",) if wall else REORDERINGS:
        system, told = trained(parts.train, place / reordering, reordering)
        found[reordering] = {} if wall else told
        for limit in LIMITS:
            decoder = system.decoder(SearchSettings(limit, 100))
            if wall:
                best = best_of(
                    rounds,
                    {
                        "one": lambda d=decoder: timed(lambda: decode(d, sentences)),
                        "two": lambda d=decoder: timed(lambda: decode(d, sentences, 2)),
                    },
                )
                told = {
                    "words/s on the wall": round(words / best["one"]),
                    "two threads, times one": round(best["one"] / best["two"], 2),
                }
            else:
                run = {"cpu": lambda d=decoder: timed(lambda: decode(d, sentences), CLOCK)}
                told = {"words/s of processor time": round(words / best_of(rounds, run)["cpu"])}
            found[reordering][f"limit {limit}"] = told
    return found


def main() -> None:
    made = parser(__doc__)
    made.add_argument("parts", nargs="*", help="training, decoding, threads (default: all)")
    arguments = made.parse_args()
    pairs, rounds = PAIRS[arguments.profile], ROUNDS[arguments.profile]
    file = RESULTS / f"{NAME}.json"
    result: dict[str, Any] = json.loads(file.read_bytes()) if file.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        # In this order, so that the memory of training is that of nothing else.
        for part in ("training", "decoding", "threads"):
            if arguments.parts and part not in arguments.parts:
                continue
            if part == "training":
                found = training(place)
            else:
                found = decoding(place, pairs, rounds, part == "threads")
            result[part] = {"signature": signature(profile=arguments.profile), **found}
            report(NAME, result)


if __name__ == "__main__":
    main()
