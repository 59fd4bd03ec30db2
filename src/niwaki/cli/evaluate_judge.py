"""Score judgements: how often clean and broken sentences are told apart.

GOLD holds clean sentences and broken ones with the comments of `niwaki corrupt`; each SYSTEM the
same sentences with comments `well_formed = 0.8231`, as `niwaki judge --to conllu` writes them.
Scores are percents: accuracy at one half over pairs of a clean sentence and what was made of it,
pairs in which the clean one is judged better, and the accuracy of each kind of breakage.

Each further system is compared with the first by paired bootstrap over clean sentences; a star
marks a 95% interval of the difference that does not hold 0.

  niwaki evaluate-judge both.conllu judged.conllu
  niwaki evaluate-judge both.conllu one.conllu other.conllu --json
"""

from __future__ import annotations

import argparse

from niwaki.cli._systems import add_systems_arguments, print_systems
from niwaki.verbs.judging import evaluate_judge

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems_arguments(
        parser, "CoNLL-U with clean and broken sentences", "the same, judged; CoNLL-U"
    )


def run(arguments: argparse.Namespace) -> int:
    found = [evaluate_judge(arguments.gold, file) for file in arguments.systems]
    return print_systems(arguments, found)
