"""What the commands that score and compare share: intervals and tables of differences."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from niwaki.cli._arguments import natural, positive
from niwaki.metrics.base import SAMPLES
from niwaki.metrics.significance import Difference


def add_samples_arguments(parser: argparse.ArgumentParser, prefix: str = "") -> None:
    parser.add_argument(
        "--samples",
        type=positive,
        default=SAMPLES,
        metavar="N",
        help=f"{prefix}test sets that are drawn (default: {SAMPLES})",
    )
    parser.add_argument(
        "--seed", type=natural, default=1, help=f"{prefix}of the random draws (default: 1)"
    )


def add_unseen_argument(parser: argparse.ArgumentParser, prefix: str = "") -> None:
    parser.add_argument(
        "--unseen",
        action="store_true",
        help=f"{prefix}leave out sentences that a model has learned from",
    )


def difference_table(found: Iterable[Difference]) -> Iterator[str]:
    """A line for each score; a star marks an interval that does not hold 0."""
    yield f"{'':14}{'A':>7}{'B':>8}{'B - A':>8}   95% interval        p"
    for each in found:
        star = "*" if each.is_significant else " "
        yield (
            f"{each.metric:14}{each.a:7.2f}{each.b:8.2f}{each.difference:+8.2f}{star}  "
            f"[{each.low:+6.2f}, {each.high:+6.2f}]  {each.p:7.4f}"
        )
