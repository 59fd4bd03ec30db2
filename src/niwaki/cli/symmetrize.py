"""Combine the links of two directions, from any aligner.

Both files are in Pharaoh format with the source word first. Intersection has few and
safe links, union many, grow-diag-final-and stands between them.

  niwaki symmetrize forward.align backward.align --method grow-diag-final-and
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator

from niwaki.cli import OK
from niwaki.data.bilingual.bitext import Links, read_links, write_links
from niwaki.errors import NiwakiError
from niwaki.tasks.align.symmetrize import HEURISTICS, symmetrize


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
    write_links(_combined(arguments), arguments.output)
    return OK


def _combined(arguments: argparse.Namespace) -> Iterator[Links]:
    files = arguments.forward, arguments.backward
    pairs = itertools.zip_longest(*(read_links(file) for file in files))
    for number, (forward, backward) in enumerate(pairs, start=1):
        if forward is None or backward is None:
            ended = files[0] if forward is None else files[1]
            raise NiwakiError(f"{ended} ends after line {number - 1}; give files of one length")
        yield symmetrize(forward, backward, arguments.method)
