"""Score word links against gold links: alignment error rate, precision, recall.

Gold links may be sure (`i-j`) or possible (`ipj`); a system's links are all alike.
Precision counts a possible link as right, recall asks for the sure ones only.

  niwaki evaluate-alignment gold.align system.align
"""

from __future__ import annotations

import argparse
import json

from niwaki.cli import OK
from niwaki.data.bilingual.bitext import read_links
from niwaki.metrics.alignment import METRICS, evaluate_links


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", metavar="GOLD", help="the right links, in Pharaoh format")
    parser.add_argument(
        "systems", metavar="SYSTEM", nargs="+", help="links to be scored, of any aligner"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a system")


def run(arguments: argparse.Namespace) -> int:
    gold = list(read_links(arguments.gold))
    if not arguments.json:
        print("".join(f"{name:>11}" for name in METRICS))
    for system in arguments.systems:
        result = evaluate_links(gold, read_links(system))
        if arguments.json:
            record = {"system": system, **result.scores, "signature": result.signature}
            print(json.dumps(record))
        else:
            print("".join(f"{score:11.2f}" for score in result.scores.values()) + f"  {system}")
            print(result.signature)
    return OK
