"""Combine the links of two directions, from any aligner.

Both files are in Pharaoh format with the source word first. Intersection has few and
safe links, union many, grow-diag-final-and stands between them.

  niwaki symmetrize forward.align backward.align --method grow-diag-final-and
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.data.bilingual.bitext import write_links
from niwaki.tasks.align.symmetrize import HEURISTICS
from niwaki.verbs.aligning import symmetrize

GROUP = "Word order and translation"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("forward", metavar="FORWARD", help="links of one direction")
    parser.add_argument("backward", metavar="BACKWARD", help="links of the other")
    parser.add_argument(
        "--method",
        choices=[name for name in HEURISTICS if name not in ("forward", "backward")],
        default="grow-diag-final-and",
        help="default: %(default)s",
    )
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="default: stdout")


def run(arguments: argparse.Namespace) -> int:
    combined = symmetrize(arguments.forward, arguments.backward, arguments.method)
    write_links(combined, arguments.output)
    return OK
