"""Where new sentences were put in handbooks: rankers of sections and paragraphs, in ten folds.

python -m benchmarks.tasks.insertion [--parser MODEL] [--folds 10]

The paper's features and rankers (examples/insertion.py). Pages are held out whole, all their
versions together; idf and adjacency are, for each insertion, those of the pages of other folds.
Nothing is tuned. Intervals are over pages.
"""

from __future__ import annotations

import argparse
import itertools
import json
import lzma
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from examples.insertion import (
    OF_TREES,
    PARAGRAPH,
    RANKERS,
    SECTION,
    Insertion,
    Instance,
    Learner,
    Statistics,
    instance,
    read_insertions,
    scaled,
)

import niwaki
from benchmarks.common import DATA, need, of_parser, report, signature
from niwaki.metrics.means import MeanEvaluation
from niwaki.metrics.significance import compare
from niwaki.typing import FloatArray

PACK = DATA / "insertions-git"
SAMPLES = 2000
# Scores of a perceptron are means over these seeds; likelihood needs none.
LEARNERS: dict[Learner, tuple[int, ...]] = {"perceptron": (1, 2, 3), "likelihood": (1,)}
NAMES = ("section", "paragraph", "distance")


def read_lines(name: str) -> list[dict[str, Any]]:
    with lzma.open(need(PACK / name), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def read_records() -> tuple[list[dict[str, Any]], list[str]]:
    """Insertions with the document before each, and their pages."""
    documents = {each["doc"]: each["sections"] for each in read_lines("documents.jsonl.xz")}
    found = read_lines("insertions.jsonl.xz")
    records = [{**each, "sections": documents[each["doc"]]} for each in found]
    return records, [f"{each['repo']}/{each['path']}" for each in found]


def scores(given: Instance, place: int) -> list[float]:
    """Whether section and paragraph are right, and the way between paragraphs in the tree."""
    section = bool(given.section_of[place] == given.section)
    return [section, place == given.place, 0 if place == given.place else 2 if section else 4]


def by_page(values: FloatArray, pages: Sequence[str]) -> MeanEvaluation:
    """Means over insertions; what is drawn together is a page."""
    names = sorted(set(pages))
    counts = np.zeros((len(names), len(NAMES), 2))
    np.add.at(counts, np.searchsorted(names, pages), np.stack([values, np.ones_like(values)], -1))
    return MeanEvaluation(counts, NAMES)


def baselines(given: Instance, random: np.random.Generator) -> dict[str, int]:
    return {
        "random": int(random.integers(len(given.paragraphs))),
        "first": 0,
        "last": len(given.paragraphs) - 1,
        "cosine": int(given.paragraphs[:, 0].argmax()),
    }


def in_numbers(
    insertions: Sequence[Insertion], pages: Sequence[str], fold_of: Sequence[int]
) -> list[Instance]:
    """Features of all insertions; each by the statistics of other folds, of those that teach too,
    since a later version of their own page has the sentence in its place.
    """
    # One version of each page.
    versions = {page: number for number, page in enumerate(pages)}.values()
    every = Statistics(insertions[n].document for n in versions)
    others = {
        fold: every.without(
            Statistics(insertions[n].document for n in versions if fold_of[n] == fold)
        )
        for fold in sorted(set(fold_of))
    }
    pairs = zip(insertions, fold_of, strict=True)
    return [instance(each, others[fold]) for each, fold in pairs]


def without_trees(given: Instance) -> Instance:
    """The same with nothing in the features that trees tell."""
    above, below = (
        np.array([name not in OF_TREES for name in names]) for names in (SECTION, PARAGRAPH)
    )
    return replace(given, sections=given.sections * above, paragraphs=given.paragraphs * below)


def placed(every: Sequence[Instance], fold_of: Sequence[int]) -> dict[str, FloatArray]:
    """Scores of all systems on all instances, each by what was learned from other folds."""
    values: dict[str, FloatArray] = {}
    random = np.random.default_rng(1)

    def put(name: str, number: int, found: list[float], share: float = 1.0) -> None:
        table = values.setdefault(name, np.zeros((len(every), len(NAMES))))
        table[number] += share * np.array(found)

    for fold in sorted(set(fold_of)):
        outside = [number for number, own in enumerate(fold_of) if own == fold]
        known = [x for x, own in zip(every, fold_of, strict=True) if own != fold]
        held = dict(zip(outside, scaled([every[n] for n in outside], known), strict=True))
        known = scaled(known, known)
        for number, given in held.items():
            for name, place in baselines(given, random).items():
                put(name, number, scores(given, place))
        for (learner, seeds), (name, learn) in itertools.product(LEARNERS.items(), RANKERS.items()):
            for seed in seeds:
                placer = learn(known, learner, seed)
                for number, given in held.items():
                    found = scores(given, placer(given))
                    put(f"{name}, {learner}", number, found, 1 / len(seeds))
    return values


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--parser", default="en", help="who makes the trees")
    made.add_argument("--folds", type=int, default=10)
    arguments = made.parse_args()
    records, pages = read_records()
    order = np.random.default_rng(1).permutation(sorted(set(pages))).tolist()
    fold_of = [order.index(page) % arguments.folds for page in pages]
    insertions = read_insertions(records, niwaki.load(arguments.parser))
    every = in_numbers(insertions, pages, fold_of)
    values = placed(every, fold_of)
    blind = placed([without_trees(each) for each in every], fold_of)
    values |= {f"{name}, no trees": blind[name] for name in values if "," in name}
    found = {name: by_page(table, pages) for name, table in values.items()}

    def over(name: str, other: str) -> dict[str, Any]:
        return {each.metric: each.to_json() for each in compare(found[other], found[name], SAMPLES)}

    learned = [f"{name}, {learner}" for learner in LEARNERS for name in RANKERS]
    result = {
        "signature": signature(parser=Path(arguments.parser).name, folds=arguments.folds),
        "insertions": len(records),
        "pages": len(set(pages)),
        "systems": {name: each.to_json(SAMPLES) for name, each in found.items()},
        "over cosine": {name: over(name, "cosine") for name in learned},
        "over no trees": {name: over(name, f"{name}, no trees") for name in learned},
        "hierarchy over flat": {
            learner: over(f"hierarchy, {learner}", f"flat, {learner}") for learner in LEARNERS
        },
    }
    report(f"insertion{of_parser(arguments.parser)}", result)


if __name__ == "__main__":
    main()
