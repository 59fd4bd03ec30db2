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

from niwaki.cli._systems import add_systems_arguments, print_systems
from niwaki.metrics.significance import TESTS
from niwaki.verbs.ranking import evaluate_ranking

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems_arguments(parser, "questions with labels, or qrels", "rankings to be scored")
    parser.add_argument(
        "--test", choices=TESTS, default=TESTS[0], help=f"of p-values (default: {TESTS[0]})"
    )


def run(arguments: argparse.Namespace) -> int:
    found = [evaluate_ranking(arguments.gold, file) for file in arguments.systems]
    return print_systems(arguments, found, arguments.test)
