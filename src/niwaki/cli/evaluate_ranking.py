"""Score rankings of answers.

GOLD has the labels: the questions themselves, or qrels as trec_eval reads them (question, 0,
candidate, label), whose questions are named by id or numbered from 1. Each SYSTEM is what `niwaki
rank` writes. Scores are mean average precision, mean reciprocal rank and precision at 1, in
percent, over the questions that have right and wrong candidates; candidates with equal scores count
as the mean over all their orders.

Each further system is compared with the first by paired bootstrap over questions; a star marks a
95% interval of the difference that does not hold 0. --test randomization takes p-values from there.

  niwaki evaluate-ranking questions.jsonl ranked.jsonl
  niwaki evaluate-ranking test.qrels one.jsonl other.jsonl --json
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from niwaki.cli import OK
from niwaki.cli._scores import add_samples_arguments, difference_table
from niwaki.metrics.base import drawn_by
from niwaki.metrics.ranking import METRICS
from niwaki.metrics.significance import TESTS, compare
from niwaki.verbs.ranking import evaluate_ranking


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", metavar="GOLD", help="questions with labels, or qrels")
    parser.add_argument("systems", metavar="SYSTEM", nargs="+", help="rankings to be scored")
    add_samples_arguments(parser)
    parser.add_argument(
        "--test", choices=TESTS, default=TESTS[0], help=f"of p-values (default: {TESTS[0]})"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a system")


def run(arguments: argparse.Namespace) -> int:
    found = [evaluate_ranking(arguments.gold, file) for file in arguments.systems]
    first, *others = arguments.systems
    drawn = arguments.samples, arguments.seed, arguments.test
    apart = [compare(found[0], each, *drawn) for each in found[1:]]
    if arguments.json:
        for file, each, differences in zip(arguments.systems, found, [None, *apart], strict=True):
            record: dict[str, Any] = {"system": file, **each.to_json()}
            if differences is not None:
                rows = {row.metric: row.to_json() for row in differences}
                record["differences"] = {"from": first, **rows}
            print(json.dumps(record))
        return OK
    print("".join(f"{name:>9}" for name in METRICS))
    for file, each in zip(arguments.systems, found, strict=True):
        print("".join(f"{score:9.2f}" for score in each.scores.values()) + f"  {file}")
        print(each.signature)
    for file, differences in zip(others, apart, strict=True):
        print(f"\nA: {first}\nB: {file}")
        print("\n".join(difference_table(differences)))
        print(drawn_by(*drawn))
    return OK
