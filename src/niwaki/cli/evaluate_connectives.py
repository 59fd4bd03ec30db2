"""Score connectives and what they join against gold ones.

GOLD and each SYSTEM hold the same sentences, with connectives and heads of arguments in MISC, as
`niwaki connectives` writes them; GOLD may have relations as GUM has them. Scores are F1 in percent:
of first and second arguments, of both together, and of the connectives themselves.

Each further system is compared with the first by paired bootstrap over sentences; a star marks
a 95% interval of the difference that does not hold 0.

  niwaki evaluate-connectives gold.conllu system.conllu
  niwaki evaluate-connectives gold.conllu one.conllu other.conllu --json
"""

from __future__ import annotations

import argparse

from niwaki.cli._systems import add_systems_arguments, print_systems
from niwaki.verbs.connecting import evaluate_connectives

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems_arguments(parser, "CoNLL-U with the right arguments", "CoNLL-U to be scored")


def run(arguments: argparse.Namespace) -> int:
    found = [evaluate_connectives(arguments.gold, file) for file in arguments.systems]
    return print_systems(arguments, found)
