"""Facts (`niwaki find --set facts`) in the trees of parsers beside those in gold trees, on EWT.

python -m benchmarks.tasks.facts [--part test] [--parser en --parser MODEL]

What is told is how many facts of the same queries survive parsing, not how many there are in the
sentences: nobody has annotated these. Words and sentences are given, tags are predicted.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import Any

import niwaki
from benchmarks.common import DATA, need, report, signature
from niwaki.pipeline.store import find_model

QUERIES = niwaki.load_queries("facts")
NAMES = ("subject", "verb", "object")

# The number of a sentence, and the words of subject, verb and object.
Facts = dict[tuple[int, ...], str]


def facts(sentences: Sequence[niwaki.Sentence]) -> Facts:
    """All facts, each with the query that told it."""
    numbers = {id(sentence): number for number, sentence in enumerate(sentences)}
    return {
        (numbers[id(match.sentence)], *(match.words[name] for name in NAMES)): match.query
        for match in niwaki.find(QUERIES, sentences)
    }


def scores(gold: Facts, found: Facts) -> dict[str, Any]:
    right = len(gold.keys() & found.keys())
    kinds = Counter(gold.values())
    kept = Counter(query for fact, query in gold.items() if fact in found)
    return {
        "facts": len(found),
        "precision": round(100 * right / max(1, len(found)), 1),
        "recall": round(100 * right / max(1, len(gold)), 1),
        "F1": round(200 * right / max(1, len(gold) + len(found)), 1),
        "recall by query": {q: f"{kept[q]} of {n}" for q, n in kinds.most_common()},
    }


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--part", choices=["dev", "test"], default="dev")
    made.add_argument("--parser", action="append", help="default: en")
    arguments = made.parse_args()
    path = need(DATA / "ud-english-ewt" / f"en_ewt-ud-{arguments.part}.conllu")
    given = list(niwaki.read_conllu(path))
    gold = facts(given)
    result: dict[str, Any] = {
        "signature": signature(part=arguments.part, sentences=len(given)),
        "gold trees": {"facts": len(gold), "by query": dict(Counter(gold.values()))},
    }
    for parser in arguments.parser or ["en"]:
        trees = list(niwaki.load(parser).parse(given, retag=True))
        result[find_model(parser).stem] = scores(gold, facts(trees))
    report("facts", result)


if __name__ == "__main__":
    main()
