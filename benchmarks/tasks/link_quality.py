"""How well scores against automatic links predict scores against people's links.

python -m benchmarks.tasks.link_quality

After Tables 6 and 7 of Talbot et al. (2011), with the score against people's links in the
place of ratings: each sentence in the orders of all rule sets on gold trees. The aligner
learns from the sentences of the set, for Japanese also from 50,000 pairs of other text.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.common import DATA, need, parser, report, signature
from benchmarks.tasks.reordering import BASELINES, PAIRS, gold_trees
from niwaki.analysis.orders import CORRELATED
from niwaki.data.bilingual.bitext import Links, Pair, read_bitext
from niwaki.metrics.correlation import pearson, spearman
from niwaki.metrics.reordering import evaluate_orders
from niwaki.tasks.align import Settings, link, preset, train
from niwaki.tasks.reorder.references import make_reference
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import load_rules

ALIGNERS = {
    "Niwaki's default": Settings(),
    "Model 1 alone": replace(Settings(), hmm_iterations=0),
    "recipe xu2009": preset("xu2009"),
}


def automatic(pairs: Sequence[Pair], more: Sequence[Pair], settings: Settings) -> list[Links]:
    words = ((pair.source, pair.target) for pair in itertools.chain(pairs, more))
    return [link(each) for each in train(words, settings, threads=2).posteriors(len(pairs))]


def compared(folder: str, target: str) -> dict[str, Any]:
    base = need(DATA / folder / "dev.en")
    pairs = list(read_bitext(base, base.with_suffix(f".{target}"), base.with_suffix(".align")))
    more: list[Pair] = []
    if target == "ja":
        other = need(DATA / "parallel-enja-small" / "train.en")
        more = list(read_bitext(other, other.with_suffix(".ja")))
    trees = gold_trees(folder)
    orders = [
        order.order
        for name in (*BASELINES, target)
        for order in Reorderer(load_rules(name)).reorder(trees)
    ]

    def scores(links: Sequence[Links]) -> Any:
        made = [make_reference(pair.source, each) for pair, each in zip(pairs, links, strict=True)]
        return evaluate_orders(made * (len(BASELINES) + 1), orders)

    people = scores([pair.links for pair in pairs if pair.links is not None])
    found: dict[str, Any] = {
        "people's links: frs_linked with tau": _both(people.of("frs_linked"), people.of("tau"))
    }
    for name, settings in ALIGNERS.items():
        other_scores = scores(automatic(pairs, more, settings))
        found[name] = {
            metric: _both(other_scores.of(metric), people.of(metric)) for metric in CORRELATED
        }
    return found


def _both(a: Any, b: Any) -> dict[str, float]:
    return {
        "pearson": round(pearson(np.asarray(a), np.asarray(b)), 3),
        "spearman": round(spearman(np.asarray(a), np.asarray(b)), 3),
    }


def main() -> None:
    parser(__doc__).parse_args()
    result = {"signature": signature()}
    for pair, (folder, target) in PAIRS.items():
        result[pair] = compared(folder, target)
    report("reordering-links", result)


if __name__ == "__main__":
    main()
