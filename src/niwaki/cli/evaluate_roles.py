"""Score predicates and roles against gold ones.

GOLD and each SYSTEM hold the same sentences, with roles in MISC as `niwaki roles` writes them; the
gold ones may stand in a table beside GOLD (--table). Scores are F1 in percent: of roles (predicate,
label, head of the filler), of fillers (predicate and head), of predicates, and of their rolesets.

Each further system is compared with the first by paired bootstrap over sentences; a star marks
a 95% interval of the difference that does not hold 0.

  niwaki evaluate-roles gold.conllu system.conllu
  niwaki evaluate-roles dev.conllu one.conllu other.conllu --table dev.roles.tsv --json
"""

from __future__ import annotations

import argparse

from niwaki.cli._systems import add_systems_arguments, print_systems
from niwaki.verbs.labelling import evaluate_roles

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems_arguments(parser, "CoNLL-U with the right roles", "CoNLL-U to be scored")
    parser.add_argument("--table", metavar="TSV", help="the right roles, beside GOLD")


def run(arguments: argparse.Namespace) -> int:
    gold, table = arguments.gold, arguments.table
    found = [evaluate_roles(gold, file, table=table) for file in arguments.systems]
    return print_systems(arguments, found)
