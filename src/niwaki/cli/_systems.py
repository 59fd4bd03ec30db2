"""What commands share that score several systems against one gold file, and compare them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from niwaki.cli import OK
from niwaki.cli._scores import add_samples_arguments, difference_table
from niwaki.metrics.base import Evaluation, drawn_by
from niwaki.metrics.significance import TESTS, compare

_NARROWEST = 9


def add_systems_arguments(parser: argparse.ArgumentParser, gold: str, systems: str) -> None:
    """GOLD and SYSTEM..., with what they hold."""
    parser.add_argument("gold", metavar="GOLD", help=gold)
    parser.add_argument("systems", metavar="SYSTEM", nargs="+", help=systems)
    add_samples_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object per system")


def print_systems(
    arguments: argparse.Namespace, found: Sequence[Evaluation], test: str = TESTS[0]
) -> int:
    """The scores of each system, and how each further one differs from the first."""
    files = arguments.systems
    drawn = arguments.samples, arguments.seed, test
    apart = [compare(found[0], each, *drawn) for each in found[1:]]
    if arguments.json:
        for file, each, differences in zip(files, found, [None, *apart], strict=True):
            record: dict[str, Any] = {"system": file, **each.to_json()}
            if differences is not None:
                rows = {row.metric: row.to_json() for row in differences}
                record["differences"] = {"from": files[0], **rows}
            print(json.dumps(record))
        return OK
    width = max(_NARROWEST, *(len(name) + 2 for name in found[0].names))
    print("".join(f"{name:>{width}}" for name in found[0].names))
    for file, each in zip(files, found, strict=True):
        print("".join(f"{score:{width}.2f}" for score in each.scores.values()) + f"  {file}")
        print(each.signature)
    for file, differences in zip(files[1:], apart, strict=True):
        print(f"\nA: {files[0]}\nB: {file}")
        print("\n".join(difference_table(differences)))
        print(drawn_by(*drawn))
    return OK
