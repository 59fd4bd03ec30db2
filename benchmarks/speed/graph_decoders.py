"""Words per second of tree decoders and of sums over trees, and how they grow with length.

python -m benchmarks.speed.graph_decoders

One thread, processor time, the decoders alone: from a table of scores, which is checked,
to arrays of heads or probabilities. Scores are random, but the arcs of some projective
tree are raised, as a model that has learned something would do.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from benchmarks.common import best_of, parser, report, signature
from niwaki.parsers.decoding import Scores, decode, decode_mbr, kbest, sample, sum_trees

LENGTHS = (10, 20, 40, 80, 160, 320)
WORDS = 4000
K = 8
RAISED = 8


def batch(n: int, siblings: bool) -> Callable[[], Scores]:
    random = np.random.default_rng(n)
    sentences = max(1, WORDS // n)
    lengths = np.full(sentences, n, dtype=np.int32)
    table = random.normal(size=sentences * (n + 1) * n)
    noise = Scores(table, lengths)
    table[noise.arcs_of_words(decode(noise, projective=True).heads)] += RAISED
    second = random.normal(size=sentences * (n + 1) ** 2 * n) if siblings else None
    return lambda: Scores(table, lengths, second)


def methods() -> dict[str, tuple[bool, int, Callable[[Scores], object]]]:
    """By name: whether siblings are scored, the longest sentence, what is done."""
    return {
        "spanning": (False, 320, lambda s: decode(s)),
        "spanning, any roots": (False, 320, lambda s: decode(s, single_root=False)),
        "spanning, marginals": (False, 320, lambda s: sum_trees(s)),
        "spanning, least expected error": (False, 320, lambda s: decode_mbr(s)),
        f"spanning, {K} best": (False, 80, lambda s: kbest(s, K)),
        "spanning, one sample": (False, 80, lambda s: sample(s, 1, np.random.default_rng(1))),
        "projective": (False, 320, lambda s: decode(s, projective=True)),
        "projective, marginals": (False, 320, lambda s: sum_trees(s, projective=True)),
        f"projective, {K} best": (False, 80, lambda s: kbest(s, K, projective=True)),
        "projective, siblings": (True, 80, lambda s: decode(s, projective=True)),
        "siblings with head swaps": (True, 40, lambda s: decode(s)),
    }


def timed(make: Callable[[], Scores], work: Callable[[Scores], object]) -> float:
    start = time.process_time()
    work(make())
    return time.process_time() - start


def main() -> None:
    arguments = parser(__doc__).parse_args()
    rounds = 3 if arguments.profile == "fast" else 25
    seconds: dict[str, dict[int, float]] = {name: {} for name in methods()}
    for n in LENGTHS:
        made = {siblings: batch(n, siblings) for siblings in (False, n <= 80)}
        words = made[False]().words
        best = best_of(
            rounds,
            {
                name: (lambda make=made[siblings], work=work: timed(make, work))
                for name, (siblings, longest, work) in methods().items()
                if n <= longest
            },
        )
        for name, value in best.items():
            seconds[name][n] = value / words
    report(
        "graph_decoders",
        {
            "signature": signature(
                scores=f"normal, one tree raised by {RAISED}", threads=1, profile=arguments.profile
            ),
            "words_per_second": {
                name: {n: round(1 / value) for n, value in by_length.items()}
                for name, by_length in seconds.items()
            },
            # Time a sentence grows like length ** exponent, over the longest doubling.
            "exponent": {
                name: round(
                    1 + math.log2(list(by_length.values())[-1] / list(by_length.values())[-2]), 2
                )
                for name, by_length in seconds.items()
            },
            "marginals_by_decode": {
                shape: {
                    n: round(seconds[f"{shape}, marginals"][n] / value, 2)
                    for n, value in seconds[shape].items()
                }
                for shape in ("spanning", "projective")
            },
        },
    )


if __name__ == "__main__":
    main()
