"""Learn to rank the answers of questions.

The data are JSON Lines as `niwaki rank` reads them, with a label for each candidate: 1 if it
answers the question, else 0. Matchers are

  overlap     how many of the question's words an answer has
  bm25        the same, rare words above all
  tree-match  what it costs to edit one tree into the other
  paths       whether words are joined by like paths in both trees
  quasi       how likely the answer with its tree becomes the question with its tree

Of several matchers the weights are learned from questions that are held out in turn. Related words
are looked up in WordNet (apt install wordnet-base, or --wordnet FOLDER); with --no-wordnet only
forms of the same word are related.

  niwaki train-ranker train.jsonl -o answers.niwaki --parser en
  niwaki train-ranker train.jsonl -o answers.niwaki --matchers quasi --no-wordnet
"""

from __future__ import annotations

import argparse
import dataclasses

from niwaki.cli import OK
from niwaki.cli._arguments import add_parser_arguments, positive
from niwaki.cli._stages import Stages
from niwaki.tasks.answers.model import MATCHERS, Settings
from niwaki.tasks.answers.quasi_learning import QuasiSettings
from niwaki.verbs.ranking import train_ranker

GROUP = "Other jobs"
_DEFAULTS = Settings()
_QUASI = QuasiSettings()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="FILE", nargs="+", help="questions with labels")
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="the model file")
    add_parser_arguments(parser)
    parser.add_argument(
        "--matchers",
        metavar="A,B",
        default=",".join(_DEFAULTS.matchers),
        help=f"of {', '.join(MATCHERS)} (default: {','.join(_DEFAULTS.matchers)})",
    )
    wordnet = parser.add_mutually_exclusive_group()
    wordnet.add_argument("--wordnet", metavar="FOLDER", help="where WordNet is")
    wordnet.add_argument("--no-wordnet", action="store_true", help="do without")
    parser.add_argument(
        "--base", action="store_true", help="quasi: tags, entities and labels alone, no words"
    )
    parser.add_argument(
        "--rounds",
        type=positive,
        default=_QUASI.rounds,
        metavar="N",
        help=f"quasi: rounds of EM (default: {_QUASI.rounds})",
    )
    parser.add_argument(
        "--learn-best",
        action="store_true",
        help="quasi: learn from the likeliest alignment, not from all",
    )
    parser.add_argument(
        "--rank-best",
        action="store_true",
        help="quasi: rank by the likeliest alignment, not by the sum",
    )
    parser.add_argument(
        "--l2",
        type=float,
        default=_DEFAULTS.ranker.l2,
        help=f"how much weights of matchers are drawn to 0 (default: {_DEFAULTS.ranker.l2})",
    )


def run(arguments: argparse.Namespace) -> int:
    settings = Settings(
        matchers=tuple(arguments.matchers.split(",")),
        wordnet=not arguments.no_wordnet,
        quasi=QuasiSettings(
            lexical=not arguments.base,
            rounds=arguments.rounds,
            learn_best=arguments.learn_best,
            rank_best=arguments.rank_best,
        ),
        ranker=dataclasses.replace(_DEFAULTS.ranker, l2=arguments.l2),
    )
    with Stages({"learning": "sets of matchers"}) as stages:
        train_ranker(
            arguments.data,
            arguments.output,
            parser=arguments.parser,
            settings=settings,
            wordnet=arguments.wordnet,
            threads=arguments.threads,
            watch=stages.watch,
        )
    return OK
