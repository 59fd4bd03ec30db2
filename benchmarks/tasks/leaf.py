"""F-measure and time of `niwaki align --model leaf`, beside the HMM that it starts from.

python -m benchmarks.tasks.leaf [czenali] [kftt]

All systems learn from the same text: the sentences of a set, for KFTT also 10,000 pairs of the
same source (not its part `tune`, which holds sentences of the set). The first sentences of a
set are given with people's links: they choose the best way to get links from the HMM; as `--gold`,
they choose how many letters of words count, and teach the HMM, or LEAF its weights. All others are
scored, once, with alpha 0.4 and links closed to blocks, against people's links as they are and
closed.
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
from niwaki.verbs._hand_aligned import choose_stems
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
    text = [(pair.source, pair.target) for pair in [*pairs, *more_text(name, most)]]
    seconds: dict[str, float] = {}

    def timed(stage: str, work: Callable[[], Any]) -> Any:
        start = time.process_time()
        made = work()
        seconds[stage] = round((time.process_time() - start) / len(text) * 1000, 2)
        return made

    def trained(settings: Settings, given: dict[int, Links] | None = None) -> Aligner:
        corpus = Corpus(settings)
        for pair in text:
            corpus.add(*pair)
        return Aligner(corpus, settings, threads=2, gold=given)

    def leaf(aligner: Aligner, given: dict[int, Links] | None) -> Leaf:
        corpus = aligner.corpus
        classes = word_classes(corpus.source), word_classes(corpus.target)
        return Leaf(aligner, classes, None, given, 2)

    whole: Aligner = timed("HMM", lambda: trained(Settings()))
    found = list(whole.posteriors(len(pairs)))
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
    scored.add("LEAF", list(timed("LEAF", lambda: leaf(whole, None)).links(len(pairs))))
    gold = {number: pair.links for number, pair in enumerate(pairs[:learned]) if pair.links}
    whole_words: Leaf = timed("LEAF with gold, whole words", lambda: leaf(whole, gold))
    scored.add("LEAF with gold, whole words", list(whole_words.links(len(pairs))))
    alpha = LeafSettings().alpha
    stems = timed("stems", lambda: choose_stems(text, gold, Settings(), alpha=alpha, threads=2))
    start: Aligner = trained(stems)
    scored.add("HMM, stems", [link(each) for each in start.posteriors(len(pairs))])
    taught: Aligner = trained(stems, gold)
    scored.add("HMM with gold", [link(each) for each in taught.posteriors(len(pairs))])
    with_gold: Leaf = timed("LEAF with gold", lambda: leaf(start, gold))
    scored.add("LEAF with gold", list(with_gold.links(len(pairs))))
    return {
        "pairs learned from": len(text),
        "with links": learned,
        "scored": len(pairs) - learned,
        "chosen for the HMM": chosen,
        "letters that count": {"source": stems.source_prefix, "target": stems.target_prefix},
        "cpu seconds for 1,000 pairs": seconds,
        "against HMM": scored.results("HMM"),
        "against LEAF": scored.results("LEAF")["LEAF with gold"],
        "against HMM with gold": scored.results("HMM with gold")["LEAF with gold"],
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
