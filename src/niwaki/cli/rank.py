"""Rank the candidate answers of questions.

The input is JSON Lines, a question a line:

  {"id": "7", "question": "Who rakes?", "candidates": ["Mori rakes gravel.", "Gravel is grey."]}

A question or candidate is a text, a list of words, or an object with them and, if they are known,
tags, trees and entities. With --parser, trees are made first, and texts are cut into words; else
texts are cut at spaces. The output has the candidates best first, each with its score.

  niwaki rank questions.jsonl -m answers.niwaki --parser en
  niwaki rank questions.jsonl -m answers.niwaki --parser en --trees -o with-trees.jsonl
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._arguments import add_parser_arguments
from niwaki.cli._loading import Loading, optional
from niwaki.cli._shards import add_shards, over_shards
from niwaki.data.answers import write_rankings
from niwaki.pipeline.store import load
from niwaki.scale.cutting import LINES
from niwaki.tasks.answers.model import AnswerModel
from niwaki.verbs.ranking import rank

GROUP = "Other jobs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        *("-m", "--model"),
        metavar="MODEL",
        required=True,
        help="a model of `niwaki train-ranker`",
    )
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    add_parser_arguments(parser)
    parser.add_argument(
        "--wordnet", metavar="FOLDER", help="where WordNet is, if the model has learned with it"
    )
    parser.add_argument(
        "--trees", action="store_true", help="also write words, tags and trees of all sentences"
    )
    ranker = Loading(AnswerModel.load, also=("wordnet",))
    add_shards(parser, form=LINES, to="json", model=ranker, parser=optional(load))


@over_shards
def run(arguments: argparse.Namespace) -> int:
    ranked = rank(
        arguments.file,
        arguments.model,
        parser=arguments.parser,
        wordnet=arguments.wordnet,
        threads=arguments.threads,
    )
    write_rankings(ranked, arguments.output, trees=arguments.trees)
    return OK
