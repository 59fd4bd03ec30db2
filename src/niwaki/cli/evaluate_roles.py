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
import json
from typing import Any

from niwaki.cli import OK
from niwaki.cli._scores import add_samples_arguments, difference_table
from niwaki.metrics.base import drawn_by
from niwaki.metrics.roles import METRICS
from niwaki.metrics.significance import compare
from niwaki.verbs.labelling import evaluate_roles


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", metavar="GOLD", help="CoNLL-U with the right roles")
    parser.add_argument("systems", metavar="SYSTEM", nargs="+", help="CoNLL-U to be scored")
    parser.add_argument("--table", metavar="TSV", help="the right roles, beside GOLD")
    add_samples_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object a system")


def run(arguments: argparse.Namespace) -> int:
    gold, table = arguments.gold, arguments.table
    found = [evaluate_roles(gold, file, table=table) for file in arguments.systems]
    first, *others = arguments.systems
    apart = [compare(found[0], each, arguments.samples, arguments.seed) for each in found[1:]]
    if arguments.json:
        for file, each, differences in zip(arguments.systems, found, [None, *apart], strict=True):
            record: dict[str, Any] = {"system": file, **each.to_json()}
            if differences is not None:
                rows = {row.metric: row.to_json() for row in differences}
                record["differences"] = {"from": first, **rows}
            print(json.dumps(record))
        return OK
    print("".join(f"{name:>12}" for name in METRICS))
    for file, each in zip(arguments.systems, found, strict=True):
        print("".join(f"{score:12.2f}" for score in each.scores.values()) + f"  {file}")
        print(each.signature)
    for file, differences in zip(others, apart, strict=True):
        print(f"\nA: {first}\nB: {file}")
        print("\n".join(difference_table(differences)))
        print(drawn_by(arguments.samples, arguments.seed))
    return OK
