"""Score word links against gold links: alignment error rate, precision, recall.

Gold links may be sure (`i-j`) or possible (`ipj`); a system's links are all alike.
Precision counts a possible link as right, recall asks for the sure ones only.

Each further system is compared with the first by paired bootstrap over sentence pairs; a
star marks a 95% interval of the difference that does not hold 0.

  niwaki evaluate-alignment gold.align system.align
  niwaki evaluate-alignment gold.align one.align other.align
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from niwaki.cli import OK
from niwaki.cli._scores import add_samples_arguments, difference_table
from niwaki.data.bilingual.bitext import read_links
from niwaki.metrics.alignment import METRICS
from niwaki.metrics.base import drawn_by
from niwaki.metrics.significance import compare
from niwaki.verbs.evaluating import evaluate_alignment


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", metavar="GOLD", help="the right links, in Pharaoh format")
    parser.add_argument(
        "systems", metavar="SYSTEM", nargs="+", help="links to be scored, of any aligner"
    )
    add_samples_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object a system")


def run(arguments: argparse.Namespace) -> int:
    gold = list(read_links(arguments.gold))
    found = [evaluate_alignment(gold, file) for file in arguments.systems]
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
    print("".join(f"{name:>11}" for name in METRICS))
    for file, each in zip(arguments.systems, found, strict=True):
        print("".join(f"{score:11.2f}" for score in each.scores.values()) + f"  {file}")
        print(each.signature)
    for file, differences in zip(others, apart, strict=True):
        print(f"\nA: {first}\nB: {file}")
        print("\n".join(difference_table(differences)))
        print(drawn_by(arguments.samples, arguments.seed))
    return OK
