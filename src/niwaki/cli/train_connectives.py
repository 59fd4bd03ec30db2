"""Learn to find what connectives join.

The data are CoNLL-U, documents beginning with `# newdoc`, with `Connective=4-5|Arg1=-1:7|Arg2=9` in
MISC of word 4; or with relations as GUM has them (`PDTB=Explicit:...`), whose arguments get their
heads by the trees. With --parser, the ranker learns from trees as a parser makes them; take one
that has not learned from these sentences.

  niwaki train-connectives train.conllu -o connectives.niwaki
  niwaki train-connectives train.conllu -o connectives.niwaki --parser en
"""

from __future__ import annotations

import argparse
import dataclasses

from niwaki.cli import OK
from niwaki.cli._arguments import add_parser_arguments, positive
from niwaki.cli._stages import Stages
from niwaki.tasks.connectives.features import FEATURE_SETS
from niwaki.tasks.connectives.model import Settings
from niwaki.verbs.connecting import train_connectives

GROUP = "Other jobs"
_DEFAULTS = Settings()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="FILE", nargs="+", help="CoNLL-U with marked connectives")
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="the model file")
    add_parser_arguments(parser)
    parser.add_argument(
        "--features",
        choices=list(FEATURE_SETS),
        default=_DEFAULTS.features,
        help=f"what rankers look at (default: {_DEFAULTS.features})",
    )
    parser.add_argument(
        "--levels",
        type=positive,
        default=_DEFAULTS.levels,
        metavar="N",
        help="1: a ranker of all connectives; 2: and one a type; 3: and one a frequent phrase "
        f"(default: {_DEFAULTS.levels})",
    )
    parser.add_argument("--no-rerank", action="store_true", help="choose each argument for itself")
    parser.add_argument(
        "--gamma",
        type=float,
        default=_DEFAULTS.gamma,
        help=f"how much rankers weigh when pairs are reranked (default: {_DEFAULTS.gamma})",
    )
    parser.add_argument(
        "--learner",
        choices=["likelihood", "perceptron"],
        default=_DEFAULTS.ranker.learner,
        help=f"default: {_DEFAULTS.ranker.learner}",
    )
    parser.add_argument(
        "--l2",
        type=float,
        default=_DEFAULTS.ranker.l2,
        help=f"how much weights are drawn to 0 (default: {_DEFAULTS.ranker.l2})",
    )


def run(arguments: argparse.Namespace) -> int:
    ranker = dataclasses.replace(_DEFAULTS.ranker, learner=arguments.learner, l2=arguments.l2)
    settings = Settings(
        features=arguments.features,
        levels=arguments.levels,
        rerank=not arguments.no_rerank,
        gamma=arguments.gamma,
        ranker=ranker,
    )
    with Stages({"learning": "rankers"}) as stages:
        train_connectives(
            arguments.data,
            arguments.output,
            parser=arguments.parser,
            settings=settings,
            threads=arguments.threads,
            watch=stages.watch,
        )
    return OK
