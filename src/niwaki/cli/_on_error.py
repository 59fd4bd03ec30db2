"""`--on-error fail|skip`: what every command that reads many items does about faulty ones."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any, Literal, NoReturn

from niwaki.errors import CorpusError


class FormerOption(argparse.Action):
    """An option that has another name now; `const` is how it is written today."""

    def __init__(self, option_strings: list[str], dest: str, const: str, **_: Any) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help=argparse.SUPPRESS)
        self._today = const

    def __call__(self, parser: argparse.ArgumentParser, *given: Any) -> NoReturn:
        parser.error(f"{given[-1]} is now {self._today}")


def add_on_error(parser: argparse.ArgumentParser, items: str) -> None:
    parser.add_argument(
        "--on-error",
        choices=["fail", "skip"],
        default="fail",
        help=f"skip: leave out {items}, and say how many (default: fail)",
    )
    parser.add_argument("--skip-bad", "--keep-going", action=FormerOption, const="--on-error skip")


class Skipped:
    """Counts the faults of what is left out, and says so in the end."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._skips = arguments.on_error == "skip"
        self._faults: list[CorpusError] = []

    @property
    def on_error(self) -> Callable[[CorpusError], None] | Literal["fail"]:
        """For a verb."""
        return self._faults.append if self._skips else "fail"

    def tell(self) -> None:
        if self._faults:
            line = f"skipped {len(self._faults):,} faults, the first: {self._faults[0]}"
            print(f"niwaki: {line}", file=sys.stderr)
