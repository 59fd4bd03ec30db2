"""Score word links against gold links: alignment error rate, precision, recall.

Gold links may be sure (`i-j`) or possible (`ipj`); a system's links are all alike.
Precision counts a possible link as right, recall asks for the sure ones only.

With --alpha, links that hang together are closed to blocks first, and F of this alpha (0.4 and
0.1 in papers; below 0.5 recall counts more) is given against gold links as they are and closed.

Each further system is compared with the first by paired bootstrap over sentence pairs; a
star marks a 95% interval of the difference that does not hold 0.

  niwaki evaluate-alignment gold.align system.align
  niwaki evaluate-alignment gold.align one.align other.align
  niwaki evaluate-alignment gold.align system.align --alpha 0.4
"""

from __future__ import annotations

import argparse

from niwaki.cli._systems import add_systems_arguments, print_systems
from niwaki.data.bilingual.bitext import read_links
from niwaki.verbs.evaluating import evaluate_alignment

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems_arguments(
        parser, "the right links, in Pharaoh format", "links to be scored, of any aligner"
    )
    parser.add_argument(
        "--alpha", type=float, metavar="A", help="score blocks of links by F with this alpha"
    )


def run(arguments: argparse.Namespace) -> int:
    gold = list(read_links(arguments.gold))
    found = [evaluate_alignment(gold, file, arguments.alpha) for file in arguments.systems]
    return print_systems(arguments, found)
