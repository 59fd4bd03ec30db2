"""F-measure and time of `niwaki align --model leaf`, beside the HMM that it starts from.

python -m benchmarks.tasks.leaf [czenali] [kftt]

All systems learn from the same text: the sentences of a set, for KFTT also 10,000 pairs of the
same source (not its part `tune`, which holds sentences of the set). The first sentences of a
set are given with people's links: LEAF learns weights from them, and the best way to get
links from the HMM is chosen on them. All others are scored, once, with alpha 0.4 and links
closed to blocks, against people's links as they are and closed.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.common import DATA, need, parser, report, signature
from benchmarks.tasks.alignment import read
from niwaki.data.bilingual.bitext import Links, Pair, read_bitext
from niwaki.metrics.blocks import DEFAULT_ALPHA, BlockEvaluation, evaluate_blocks
from niwaki.metrics.significance import compare
from niwaki.tasks.align import METHODS, Leaf, LeafSettings, Settings, link
from niwaki.tasks.align.aligner import Aligner
from niwaki.tasks.align.corpus import Corpus
from niwaki.tasks.align.symmetrize import POSTERIOR
from niwaki.verbs._leaf import word_classes

# Sentences with links, and how many of them are for learning.
SETS = {
    "czenali": ("align-encs-czenali/all", "cs", 1000),
    "kftt": ("align-enja-kftt/dev", "ja", 300),
}
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)


def more_text(name: str, pairs: int) -> list[Pair]:
    if name != "kftt":
        return []
    files = (need(DATA / f"kftt-30k/train.{language}.gz") for language in ("en", "ja"))
    return list(itertools.islice(read_bitext(*files), pairs))


class Scored:
    """Systems on the sentences that nothing was learned from by hand."""

    def __init__(self, pairs: Sequence[Pair], learned: int) -> None:
        self._gold = [pair.links or Links(frozenset()) for pair in pairs]
        self._learned = learned
        self.made: dict[str, BlockEvaluation] = {}

    def add(self, name: str, links: Sequence[Links]) -> None:
        at = self._learned
        self.made[name] = evaluate_blocks(self._gold[at:], links[at:])

    def choose(self, choices: dict[str, list[Links]]) -> str:
        """The choice that is best where links were given."""
        gold = self._gold[: self._learned]
        return max(
            choices,
            key=lambda name: evaluate_blocks(gold, choices[name][: self._learned]).scores["F"],
        )

    def results(self, first: str) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, each in self.made.items():
            made[name] = {key: round(value, 2) for key, value in each.scores.items()}
            if name != first:
                made[name][f"more than {first}"] = {
                    row.metric: [round(v, 2) for v in (row.difference, row.low, row.high)]
                    for row in compare(self.made[first], each)
                    if row.metric.startswith("F")
                }
        return made


def measure(name: str, most: int) -> dict[str, Any]:
    base, language, learned = SETS[name]
    pairs = read(base, language)
    corpus = Corpus(Settings())
    for pair in [*pairs, *more_text(name, most)]:
        corpus.add(pair.source, pair.target)
    seconds: dict[str, float] = {}

    def timed(stage: str, work: Callable[[], Any]) -> Any:
        start = time.process_time()
        made = work()
        seconds[stage] = round((time.process_time() - start) / corpus.size * 1000, 2)
        return made

    aligner: Aligner = timed("HMM", lambda: Aligner(corpus, Settings(), threads=2))
    classes = timed("classes", lambda: tuple(map(word_classes, (corpus.source, corpus.target))))
    found = list(aligner.posteriors(len(pairs)))
    scored = Scored(pairs, learned)
    scored.add("HMM", [link(each) for each in found])
    choices = {
        f"{POSTERIOR} {threshold}": [link(each, threshold=threshold) for each in found]
        for threshold in THRESHOLDS
    }
    choices |= {
        method: [link(each, method) for each in found]
        for method in METHODS
        if method not in (POSTERIOR, "forward", "backward")
    }
    chosen = scored.choose(choices)
    scored.add("HMM, chosen", choices[chosen])
    gold = {number: pair.links for number, pair in enumerate(pairs[:learned]) if pair.links}
    for system, given in (("LEAF", None), ("LEAF with gold", gold)):
        leaf: Leaf = timed(system, lambda given=given: Leaf(aligner, classes, None, given, 2))
        scored.add(system, list(leaf.links(len(pairs))))
    return {
        "pairs learned from": corpus.size,
        "with links": learned,
        "scored": len(pairs) - learned,
        "chosen for the HMM": chosen,
        "cpu seconds for 1,000 pairs": seconds,
        "against HMM": scored.results("HMM"),
        "against LEAF": scored.results("LEAF")["LEAF with gold"],
    }


def main() -> None:
    made = parser(__doc__)
    made.add_argument("sets", nargs="*", help=f"{', '.join(SETS)} (default: all)")
    arguments = made.parse_args()
    most = 3000 if arguments.profile == "fast" else 10_000
    settings = {"alpha": DEFAULT_ALPHA, "leaf": str(LeafSettings()), "profile": arguments.profile}
    for name in arguments.sets or SETS:
        report(f"leaf-{name}", {"signature": signature(**settings), name: measure(name, most)})


if __name__ == "__main__":
    main()
