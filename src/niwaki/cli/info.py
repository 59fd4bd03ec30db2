"""Print the card of a model: what it is, what it was trained on, its scores and licences.

Settings that mean nothing to its kind of model are left out; --json prints all.

niwaki info en
niwaki info model.niwaki --json
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._json import to_json
from niwaki.draw import printable
from niwaki.verbs.describing import info

GROUP = "Models"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a model file, or en")
    parser.add_argument("--json", action="store_true", help="print the whole configuration as JSON")


def run(arguments: argparse.Namespace) -> int:
    found = info(arguments.model)
    if arguments.json:
        print(to_json(found.to_json(), indent=1))
    else:
        for line in found.to_text().split("\n"):
            print(printable(line))
    return OK
