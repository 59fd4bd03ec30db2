"""Options of commands that train: on how many workers, and who runs them."""

from __future__ import annotations

import argparse

from niwaki.cli._arguments import positive


def add_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers", type=positive, metavar="N", help="as --set training.workers=N (default: 1)"
    )
    parser.add_argument(
        "--mixing",
        choices=["uniform", "weighted"],
        help="how their weights are mixed, as --set training.mixing=...",
    )
    add_engine(parser)


def add_engine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--engine",
        metavar="NAME",
        default="local",
        help="who runs them: local, ray or ray://HOST (default: local)",
    )


def overrides_of_workers(arguments: argparse.Namespace) -> list[str]:
    """The keys of a configuration that were given as options."""
    given = {"workers": arguments.workers, "mixing": arguments.mixing}
    return [f"training.{name}={value}" for name, value in given.items() if value is not None]
