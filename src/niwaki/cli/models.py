"""List the models that have a name: bundled, of packages, downloaded, and available.

`niwaki download NAME` fetches one that is available, from the index that --index or the
environment variable NIWAKI_INDEX names: a folder, a URL, or an installed package. Without either,
all installed packages of models are asked. Scores are those on development data, in percent.

  niwaki models
  niwaki models --index https://models.example.org/ --json
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._json import to_json
from niwaki.cli._models import model_table
from niwaki.errors import ModelError
from niwaki.verbs.fetching import models, models_at_hand

GROUP = "Models"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--index", metavar="INDEX", help="a folder, a URL or a package (default: $NIWAKI_INDEX)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    try:
        found, failure = models(arguments.index), None
    except ModelError as error:
        # What is at hand can be used even when the index cannot be reached.
        found, failure = models_at_hand(), error
    if arguments.json:
        print(to_json({"models": [model.to_json() for model in found]}, indent=1))
    else:
        for line in model_table(found):
            print(line)
    if failure is not None:
        raise failure
    return OK
