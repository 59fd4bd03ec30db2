"""Make a model small: at most so many bytes, with as little loss on development data as possible.

The file is packed, which costs nothing but a moment when it is read. If that is not enough, tables
of weights give up rows, the least important first; which table is next is decided by what trees,
tags and words of --dev lose for each byte. If there is no room for weights for a beam and others
for greedy search, one of the two is left out, whichever --dev misses less. The scores before and
after are printed, and stand on the new card. A network has no such rows: it is packed only.

  niwaki shrink te.niwaki --to-size 2.5MB --dev te_mtg-ud-dev.conllu -o small.niwaki
"""

from __future__ import annotations

import argparse
import re
import sys

from niwaki.analysis.tables import Table
from niwaki.cli import OK
from niwaki.cli._json import to_json
from niwaki.verbs.shrinking import shrink

GROUP = "Models"
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,6})?) ?([kmg]?)b?", re.IGNORECASE)


def size(text: str) -> int:
    """`2.5MB`, `800 kB`, `2500000`."""
    found = _SIZE.fullmatch(text)
    value = float(found[1]) * _UNITS[found[2].lower()] if found else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}; give a size such as 2.5MB")
    return int(value)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a model file, or its name")
    parser.add_argument("--to-size", metavar="SIZE", type=size, required=True, help="such as 2.5MB")
    parser.add_argument("--dev", metavar="FILE", required=True, help="trees to judge by")
    parser.add_argument("-o", "--output", metavar="NEW", required=True, help="the model file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    def watch(stage: str, done: int, total: int) -> None:
        if sys.stderr.isatty() and not arguments.quiet:
            print(f"\r{stage}", end="", file=sys.stderr, flush=True)

    found = shrink(
        arguments.model, arguments.output, dev=arguments.dev, size=arguments.to_size, watch=watch
    )
    if arguments.json:
        print(to_json(found.to_json(), indent=1))
        return OK
    scores = [
        [name, f"{before:.2f}", f"{found.after[name]:.2f}"] for name, before in found.before.items()
    ]
    rows = [[name, f"{old:,}", f"{new:,}"] for name, (old, new) in found.rows.items()]
    print(
        Table(
            "scores on the development data, in percent", ["", "before", "after"], scores
        ).to_text()
    )
    print(Table("rows of weights", ["", "before", "after"], rows).to_text())
    if found.alone:
        print(f"weights: those of the {found.alone} search alone, by which it searches now")
    old, new = found.sizes
    print(f"{arguments.output}: {new / 1e6:.2f} MB of {old / 1e6:.2f} MB")
    return OK
