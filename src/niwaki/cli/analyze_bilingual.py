"""Show whether links to a translation tell when to shift and when to reduce.

After Huang, Jiang and Liu (2009). For gold trees and the links of their words: how often an
arc-standard parser must shift or reduce where the two topmost subtrees are contiguous in the
translation (c), and the topmost one with the next word (c_R). With -m, also the first mistake
of a model in each sentence: shifts that should be reductions and the other way round, by what
the links say there. They are counted twice: against the canonical way to the gold tree, and
only if some gold arc is lost by the move. Gold tags are kept, unless --retag; the beam is 1.
Sentences that the model has learned from are counted in a note; --unseen leaves them out.

  niwaki analyze-bilingual gold.conllu --links gold.align
  niwaki analyze-bilingual gold.conllu --links gold.align -m en --json
"""

from __future__ import annotations

import argparse
import sys

from niwaki.cli import OK
from niwaki.cli._arguments import positive
from niwaki.cli._json import to_json
from niwaki.cli._linked import add_links_argument, add_links_on_error, check_links_on_error
from niwaki.cli._on_error import Skipped
from niwaki.cli._scores import add_unseen_argument
from niwaki.cli._stages import Stages
from niwaki.verbs.analyzing import analyze_bilingual

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", metavar="GOLD", help="CoNLL-U with the right trees")
    add_links_argument(parser)
    add_links_on_error(parser)
    parser.add_argument("-m", "--model", metavar="MODEL", help="count the mistakes of a model")
    parser.add_argument(
        "--beam", type=positive, default=1, metavar="N", help="with -m: default 1, which is greedy"
    )
    parser.add_argument("--retag", action="store_true", help="with -m: predict the tags")
    add_unseen_argument(parser, "with -m: ")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    check_links_on_error(arguments)
    skipped = Skipped(arguments)
    with Stages({"parsing": "sentences"}) as stages:
        report = analyze_bilingual(
            arguments.gold,
            arguments.links,
            arguments.model,
            beam=arguments.beam,
            retag=arguments.retag,
            unseen=arguments.unseen,
            on_error=skipped.on_error,
            watch=stages.watch,
        )
    skipped.tell()
    if arguments.json:
        print(to_json(report.to_json()))
    else:
        sys.stdout.write(report.to_text())
    return OK
