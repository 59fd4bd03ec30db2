"""A million parses in one process, and whether its memory grows.

python -m benchmarks.soak.parses [--parses 1000000]

Sentences are short and made of known words and of words that nobody has ever seen, so that what
would keep words shows. They come alone, as text, in batches, over two threads, with
probabilities, and now and then with their k best trees.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import niwaki
from benchmarks.common import report, signature
from benchmarks.soak._load import LINES
from benchmarks.soak._watch import BAR, megabytes
from benchmarks.soak.serve import IMAGES, chart
from niwaki import Sentence

BATCH = 500
SAMPLES = 100
_LETTERS = "aeioukstnhmrg"


def sentences(seed: int) -> Iterator[Sentence]:
    random_ = random.Random(seed)
    known = sorted({word for line in LINES for word in line.split()})
    while True:
        words = random_.choices(known, k=random_.randint(3, 7))
        words.append("".join(random_.choices(_LETTERS, k=random_.randint(3, 9))))
        yield Sentence.from_words(words)


def ways(nlp: niwaki.Pipeline) -> list[Callable[[list[Sentence]], int]]:
    """How a batch is parsed, in turns; each says how many parses that were."""

    def alone(batch: list[Sentence]) -> int:
        return sum(len(list(nlp.parse([sentence]))) for sentence in batch)

    def as_text(batch: list[Sentence]) -> int:
        return sum(len(nlp(" ".join(sentence.forms))) for sentence in batch)

    return [
        lambda batch: len(list(nlp.parse(batch))),
        lambda batch: len(list(nlp.parse(batch, threads=2))),
        lambda batch: len(list(nlp.parse(batch, probabilities=True))),
        lambda batch: sum(bool(nlp.kbest(sentence, 4)) for sentence in batch[:50]),
        alone,
        as_text,
    ]


def run(parses: int, seed: int) -> dict[str, Any]:
    nlp = niwaki.load("en")
    source, turns = sentences(seed), ways(nlp)
    done, turn, begun = 0, 0, time.process_time()
    samples: list[tuple[int, float]] = []
    while done < parses:
        batch = [next(source) for _ in range(BATCH)]
        done += turns[turn % len(turns)](batch)
        turn += 1
        if done >= (len(samples) + 1) * parses / SAMPLES:
            samples.append((done, round(megabytes(os.getpid()), 2)))
    return {
        "parses": done,
        "processor_seconds": round(time.process_time() - begun, 1),
        **growth([size for _, size in samples]),
        "samples": samples,
    }


def growth(sizes: list[float]) -> dict[str, float | bool]:
    """The last tenth beside the second one: in the first, caches and buffers fill.

    Single samples go up and down by a tenth with the working memory that threads hold, hence
    medians; what single samples say is told too.
    """
    tenth = max(1, len(sizes) // 10)
    before, after = median(sizes[tenth : 2 * tenth]), median(sizes[-tenth:])
    return {
        "mb_second_tenth": round(before, 1),
        "mb_last_tenth": round(after, 1),
        "growth": round(after / before - 1, 4),
        "highest": round(max(sizes[tenth:]) / before - 1, 4),
        "sample_at_a_tenth": sizes[tenth - 1],
        "highest_sample": max(sizes[tenth:]),
        "flat": after / before - 1 <= BAR,
    }


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--parses", type=int, default=1_000_000)
    made.add_argument("--seed", type=int, default=1)
    given = made.parse_args()
    about = signature(seed=given.seed)
    found = run(given.parses, given.seed)
    report("soak-parses", {"signature": about, **found})
    points = [(count / 1000, size) for count, size in found["samples"]]
    picture = chart("Memory of one process", "MB", {"niwaki.load": points}, x="thousand parses")
    (IMAGES / "soak-parses.svg").write_text(picture + "\n")


if __name__ == "__main__":
    main()
