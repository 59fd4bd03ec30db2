"""Write the index of a folder of models, from which `niwaki download` fetches them.

Each file NAME.niwaki is a model called NAME; language, licence, treebank and scores come from its
card. A model's version is 1, and goes up when its bytes are other ones than in the index that is
there. The folder, or a web server that shows it, is then a place to download from.

  niwaki index-models models/
  niwaki download te --index models/
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._models import model_table
from niwaki.verbs.fetching import index_models

GROUP = "Models"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="with files NAME.niwaki")


def run(arguments: argparse.Namespace) -> int:
    for line in model_table(index_models(arguments.folder)):
        print(line)
    return OK
