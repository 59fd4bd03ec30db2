"""Compare two systems: score differences with bootstrap intervals.

A positive difference means that B is better. The test sets of the paired bootstrap
are drawn by sentence; a star marks a 95% interval that does not hold 0.

  niwaki compare gold.conllu a.conllu b.conllu
"""

from __future__ import annotations

import argparse
import dataclasses
import json

from niwaki.cli import OK
from niwaki.cli._arguments import natural, positive
from niwaki.data.conllu import read_conllu
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.significance import SAMPLES, compare


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for name, text in (("gold", "the right trees"), ("a", "one system"), ("b", "the other")):
        parser.add_argument(name, metavar=name.upper(), help=f"CoNLL-U with {text}")
    parser.add_argument(
        "--samples", type=positive, default=SAMPLES, metavar="N", help=f"default: {SAMPLES}"
    )
    parser.add_argument("--seed", type=natural, default=1, help="of the random draws (default: 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    gold = list(read_conllu(arguments.gold, multi_root=True))
    results = [
        evaluate(gold, read_conllu(file, multi_root=True)) for file in (arguments.a, arguments.b)
    ]
    differences = compare(results[0], results[1], arguments.samples, arguments.seed)
    signature = f"{results[0].signature}|bootstrap={arguments.samples}|seed={arguments.seed}"
    if arguments.json:
        record = {
            each.metric: {**dataclasses.asdict(each), "difference": each.difference}
            for each in differences
        }
        print(json.dumps({**record, "signature": signature}))
        return OK
    print(f"{'':14}{'A':>7}{'B':>8}{'B - A':>8}   95% interval        p")
    for each in differences:
        star = "*" if each.is_significant else " "
        print(
            f"{each.metric:14}{each.a:7.2f}{each.b:8.2f}{each.difference:+8.2f}{star}  "
            f"[{each.low:+6.2f}, {each.high:+6.2f}]  {each.p:7.4f}"
        )
    print(signature)
    return OK
