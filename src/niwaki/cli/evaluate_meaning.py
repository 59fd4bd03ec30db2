"""Score expressions of what sentences mean against gold ones.

GOLD and each SYSTEM hold trees of the same sentences, with formal labels as `niwaki meaning --to
conllu` writes them, or of Universal Dependencies, which become expressions by rules. Scores are in
percent: words with the right head and label (of those in gold expressions), expressions that are
right as a whole, and F1 of the facts that they say.

Each further system is compared with the first by paired bootstrap over sentences; a star marks
a 95% interval of the difference that does not hold 0.

  niwaki evaluate-meaning gold.conllu system.conllu
  niwaki evaluate-meaning gold.conllu one.conllu other.conllu --json
"""

from __future__ import annotations

import argparse

from niwaki.cli._systems import add_systems_arguments, print_systems
from niwaki.tasks.meaning.rules import IN_THE_BOX
from niwaki.verbs.expressing import evaluate_meaning

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems_arguments(parser, "CoNLL-U with the right trees", "CoNLL-U to be scored")
    parser.add_argument(
        "--rules",
        metavar="RULES",
        default=IN_THE_BOX,
        help=f"named rules or a file, for trees of UD (default: {IN_THE_BOX})",
    )


def run(arguments: argparse.Namespace) -> int:
    found = [
        evaluate_meaning(arguments.gold, file, rules=arguments.rules) for file in arguments.systems
    ]
    return print_systems(arguments, found)
