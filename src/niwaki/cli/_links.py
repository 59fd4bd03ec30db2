"""What the commands that write links share: their options and the forms of output."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

import numpy as np

from niwaki.data.bilingual.bitext import write_links
from niwaki.data.bilingual.posteriors import LEAST_WRITTEN, Posteriors, write_posteriors
from niwaki.data.files import open_output
from niwaki.errors import NiwakiError
from niwaki.tasks.align.symmetrize import DEFAULT_THRESHOLD, METHODS, POSTERIOR, link

LINK_FORMATS = ("links", "text", "json")


def add_linking(parser: argparse.ArgumentParser, formats: Iterable[str]) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="default: stdout")
    parser.add_argument(
        "--method",
        choices=METHODS,
        default=POSTERIOR,
        help="which links are given (default: %(default)s)",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        metavar="P",
        default=DEFAULT_THRESHOLD,
        help="with --method posterior: the least probability (default: %(default)s)",
    )
    parser.add_argument(
        "--to",
        choices=tuple(formats),
        default="links",
        help="links, or probabilities as text `i-j:p` or as JSON (default: %(default)s)",
    )


def check_linking(arguments: argparse.Namespace) -> None:
    """Before long work, not after it."""
    if not 0 < arguments.threshold <= 1:
        raise NiwakiError(f"--threshold is {arguments.threshold}; it must be above 0 and at most 1")


def write(posteriors: Iterable[Posteriors], arguments: argparse.Namespace) -> None:
    if arguments.to == "json":
        write_posteriors(posteriors, arguments.output)
    elif arguments.to == "text":
        with open_output(arguments.output) as out:
            for each in posteriors:
                out.write(_text(each).encode())
    else:
        made = (link(each, arguments.method, arguments.threshold) for each in posteriors)
        write_links(made, arguments.output)


def _text(posteriors: Posteriors) -> str:
    mean = posteriors.mean
    likely = np.argwhere(mean >= LEAST_WRITTEN).tolist()
    return " ".join(f"{i}-{j}:{mean[i, j]:.4f}" for i, j in likely) + "\n"
