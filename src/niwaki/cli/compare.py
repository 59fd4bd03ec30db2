"""Compare two systems: score differences with bootstrap intervals.

A positive difference means that B is better. The test sets of the paired bootstrap
are drawn by sentence; a star marks a 95% interval that does not hold 0. With --test
randomization, p-values come from swapping what the systems did on some sentences.

With --tree-edits, tree edit distances are compared: there, less is better.

With --raw, both are segmentations of the text of the gold file, as for `niwaki evaluate`.

  niwaki compare gold.conllu a.conllu b.conllu
  niwaki compare gold.conllu a.conllu b.conllu --raw --test randomization
  niwaki compare gold.conllu a.conllu b.conllu --tree-edits
"""

from __future__ import annotations

import argparse
import json

from niwaki.cli import OK
from niwaki.cli._scores import add_samples_arguments, difference_table
from niwaki.data.conllu import read_conllu
from niwaki.metrics.significance import TESTS
from niwaki.verbs.evaluating import compare

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for name, text in (("gold", "the right trees"), ("a", "one system"), ("b", "the other")):
        parser.add_argument(name, metavar=name.upper(), help=f"CoNLL-U with {text}")
    metrics = parser.add_mutually_exclusive_group()
    metrics.add_argument("--raw", action="store_true", help="score from raw text on")
    metrics.add_argument("--tree-edits", action="store_true", help="compare tree edit distances")
    parser.add_argument(
        "--test", choices=TESTS, default=TESTS[0], help=f"of p-values (default: {TESTS[0]})"
    )
    add_samples_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    gold, a, b = (
        read_conllu(file, multi_root=True) for file in (arguments.gold, arguments.a, arguments.b)
    )
    metric = "segmentation" if arguments.raw else "attachment"
    found = compare(
        *(gold, a, b),
        metric="tree_edit" if arguments.tree_edits else metric,
        samples=arguments.samples,
        seed=arguments.seed,
        test=arguments.test,
    )
    if arguments.json:
        print(json.dumps(found.to_json()))
        return OK
    for line in difference_table(found.differences.values()):
        print(line)
    print(found.signature)
    return OK
