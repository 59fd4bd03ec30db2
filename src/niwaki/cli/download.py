"""Fetch models by their names, so that -m NAME and `niwaki.load(NAME)` find them.

They come from an index: a folder, a URL, or an installed package. What comes is checked against
the size and the SHA-256 that the index states; what is wrong leaves nothing behind. A download
that breaks off goes on where it was when the command is run again. Afterwards no connection is
needed. Models lie in the cache of the system (Linux: ~/.cache/niwaki), or in NIWAKI_CACHE.

  niwaki download te
  niwaki download te wo --index https://models.example.org/
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.verbs.fetching import download

GROUP = "Models"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="+", help="as `niwaki models` lists them")
    parser.add_argument(
        "--index", metavar="INDEX", help="a folder, a URL or a package (default: $NIWAKI_INDEX)"
    )


def run(arguments: argparse.Namespace) -> int:
    for name in arguments.names:
        path = download(name, arguments.index)
        print(f"{name}: {path.stat().st_size / 1e6:.1f} MB, {path}", flush=True)
    return OK
