"""Pages and pictures that several commands write."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from niwaki.cli._arguments import add_html
from niwaki.data.files import atomic_write, open_output
from niwaki.draw import png


def add_picture_arguments(parser: argparse.ArgumentParser) -> None:
    add_html(parser, "charts and numbers")
    parser.add_argument(
        "--png",
        metavar="FOLDER",
        help="write each chart as a PNG file (needs: pip install niwaki[plots])",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def write_pictures(
    arguments: argparse.Namespace,
    page: Callable[[], str],
    charts: Callable[[], Iterable[tuple[str, str]]],
) -> None:
    """What --html and --png ask for; `charts` gives names and SVG."""
    if arguments.html:
        with open_output(arguments.html) as out:
            out.write(page().encode("utf-8"))
    if arguments.png:
        # Drawn before the folder is made: a missing package leaves nothing behind.
        pictures = [(name, png(svg)) for name, svg in charts()]
        folder = Path(arguments.png)
        folder.mkdir(parents=True, exist_ok=True)
        for name, picture in pictures:
            with atomic_write(folder / f"{name}.png") as file:
                file.write(picture)
