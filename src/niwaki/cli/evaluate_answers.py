"""Score extracted answers by patterns of right ones.

GOLD has a pattern a line: the id of a question, a space, a regular expression; a question may have
several, and those of questions that no system answers are passed over. Each SYSTEM is what `niwaki
extract-answers` writes. Scores are how often the first answer is right, the mean reciprocal rank of
the first right one to place 5, and how often one of the first five is right, in percent; answers
with equal scores count as the mean over all their orders.

Each further system is compared with the first by paired bootstrap over questions; a star marks a
95% interval of the difference that does not hold 0.

  niwaki evaluate-answers patterns.txt answers.jsonl
  niwaki evaluate-answers patterns.txt one.jsonl other.jsonl --json
"""

from __future__ import annotations

import argparse

from niwaki.cli._systems import add_systems_arguments, print_systems
from niwaki.verbs.extracting import evaluate_answers

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems_arguments(parser, "patterns of right answers", "extracted answers to be scored")


def run(arguments: argparse.Namespace) -> int:
    found = [evaluate_answers(arguments.gold, file) for file in arguments.systems]
    return print_systems(arguments, found)
