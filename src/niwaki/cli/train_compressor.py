"""Learn to make sentences shorter, from sentences of which people have dropped words.

The data are JSON Lines, a sentence each, with a 1 for each word that is kept:

  {"doc": "garden", "tokens": ["Mori", "slowly", "rakes", "."], "keep": ["1011"]}

or CoNLL-U with `Keep=0` in MISC of the words that are dropped. JSON has no trees: give --parser,
the one that will make them later.

  niwaki train-compressor pairs.jsonl -o short.niwaki --parser en
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._arguments import add_parser_arguments, positive
from niwaki.cli._stages import Stages
from niwaki.tasks.compress.loss import LOSSES
from niwaki.tasks.compress.model import Settings
from niwaki.verbs.compressing import train_compressor

GROUP = "Other jobs"
_DEFAULTS = Settings()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="FILE", nargs="+", help="sentences and what is kept")
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="the model file")
    add_parser_arguments(parser)
    parser.add_argument(
        "--annotator",
        type=positive,
        default=_DEFAULTS.annotator,
        metavar="N",
        help=f"whose choice, if several people have made one (default: {_DEFAULTS.annotator})",
    )
    parser.add_argument(
        "--count",
        metavar="FILE",
        action="append",
        default=[],
        dest="text",
        help="count words in a row here, too, for `niwaki compress --method ilp`: CoNLL-U, or "
        "words with spaces between them; may be repeated",
    )
    parser.add_argument(
        "--learner",
        choices=["likelihood", "svm"],
        default=_DEFAULTS.learner,
        help="by what people's choices are likeliest, or win by a margin "
        f"(default: {_DEFAULTS.learner})",
    )
    parser.add_argument(
        "--l2",
        type=float,
        default=_DEFAULTS.l2,
        help=f"likelihood: how much weights are drawn to 0 (default: {_DEFAULTS.l2:g})",
    )
    parser.add_argument(
        "--c",
        type=float,
        default=_DEFAULTS.c,
        help=f"svm: how much mistakes weigh beside the size of weights (default: {_DEFAULTS.c})",
    )
    parser.add_argument(
        "--loss",
        choices=LOSSES,
        default=_DEFAULTS.loss,
        help=f"svm: precision with a brevity penalty, or without (default: {_DEFAULTS.loss})",
    )
    parser.add_argument(
        "--scaling",
        choices=["slack", "margin"],
        default=_DEFAULTS.scaling,
        help=f"svm: what the loss rescales (default: {_DEFAULTS.scaling})",
    )


def run(arguments: argparse.Namespace) -> int:
    settings = Settings(
        learner=arguments.learner,
        l2=arguments.l2,
        c=arguments.c,
        loss=arguments.loss,
        scaling=arguments.scaling,
        annotator=arguments.annotator,
    )
    with Stages({"learning": "passes"}) as stages:
        train_compressor(
            arguments.data,
            arguments.output,
            parser=arguments.parser,
            settings=settings,
            text=arguments.text,
            threads=arguments.threads,
            watch=stages.watch,
        )
    return OK
