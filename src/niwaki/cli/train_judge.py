"""Learn to judge whether sentences are well formed.

The data are clean sentences, in any form that `niwaki parse` reads; each is broken in each way that
is possible, as `niwaki corrupt` does. Or they are CoNLL-U in which broken sentences have a comment
`broken =` and others are clean. --reference is a large text, of other sentences, in which tags,
words, letters and arcs are counted: what is rare there is suspect. Take a parser that has not
learned from the data.

  niwaki train-judge clean.txt --reference large.txt -o judge.niwaki
  niwaki train-judge clean.conllu --reference a.conllu.gz --reference b.conllu.gz -o judge.niwaki
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from niwaki.cli import OK
from niwaki.cli._arguments import add_parser_arguments, natural, positive
from niwaki.cli._stages import Stages
from niwaki.tasks.grammar.corrupt import JUDGED, KINDS
from niwaki.tasks.grammar.judge import METHODS, Settings
from niwaki.verbs.judging import train_judge

GROUP = "Other jobs"
_DEFAULTS = Settings()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="FILE", nargs="+", help="clean sentences")
    parser.add_argument("-o", "--output", metavar="JUDGE", required=True, help="the judge")
    parser.add_argument(
        "--reference",
        metavar="FILE",
        action="append",
        required=True,
        help="a large text; may be repeated",
    )
    add_parser_arguments(parser, default="en")
    parser.add_argument(
        "--kind",
        choices=list(KINDS),
        action="append",
        default=[],
        help=f"how sentences are broken; may be repeated (default: {', '.join(JUDGED)})",
    )
    parser.add_argument("--seed", type=natural, default=1, metavar="N", help="default: 1")
    parser.add_argument(
        "--method",
        choices=list(METHODS),
        default=_DEFAULTS.method,
        help=f"what it looks at (default: {_DEFAULTS.method})",
    )
    parser.add_argument(
        "--rounds",
        type=positive,
        default=_DEFAULTS.boosting.rounds,
        metavar="N",
        help=f"trees of the classifier (default: {_DEFAULTS.boosting.rounds})",
    )


def run(arguments: argparse.Namespace) -> int:
    boosting = replace(_DEFAULTS.boosting, rounds=arguments.rounds)
    with Stages({"counting": "sentences", "parsing": "sentences"}) as stages:
        train_judge(
            arguments.data,
            arguments.reference,
            arguments.output,
            parser=arguments.parser,
            kinds=arguments.kind or JUDGED,
            settings=Settings(arguments.method, boosting),
            seed=arguments.seed,
            threads=arguments.threads,
            watch=stages.watch,
        )
    return OK
