"""Learn to find who did what to whom.

The data are CoNLL-U with `Roleset=give.01|Roles=ARG0:1,ARG1:4-6` in MISC of each predicate; words
4 to 6 are headed by the one that hangs outside. Or roles stand in a table beside the trees
(--table): sent_id, word, roleset and `ARG0:1-1 ARG1:4-6`, with tabs between them. --frames are
rolesets of PropBank, as JSON Lines: they name the first roleset of verbs that the data lacks, and
say what roles mean. With --parser, paths are learned from trees as a parser makes them; take one
that has not learned from these sentences.

  niwaki train-roles train.conllu -o roles.niwaki
  niwaki train-roles train.conllu --table train.roles.tsv --frames rolesets.jsonl -o roles.niwaki
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from niwaki.cli import OK
from niwaki.cli._arguments import add_parser_arguments
from niwaki.cli._stages import Stages
from niwaki.tasks.roles.assign import WAYS
from niwaki.tasks.roles.model import Settings
from niwaki.verbs.labelling import train_roles

GROUP = "Other jobs"
_DEFAULTS = Settings()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="FILE", nargs="+", help="CoNLL-U, with roles or a table")
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="the labeller")
    parser.add_argument("--table", metavar="TSV", help="roles beside the trees")
    parser.add_argument("--frames", metavar="JSONL", help="rolesets of PropBank")
    add_parser_arguments(parser)
    parser.add_argument(
        "--assign",
        choices=list(WAYS),
        default=_DEFAULTS.assign,
        help=f"roles of a filler by itself, or of all together (default: {_DEFAULTS.assign})",
    )
    parser.add_argument(
        "--paths-only", action="store_true", help="roles by paths alone, not by words of fillers"
    )
    parser.add_argument(
        "--prior",
        type=float,
        default=_DEFAULTS.prior,
        help="fillers of a roleset that weigh as much as all of its part of speech "
        f"(default: {_DEFAULTS.prior:g})",
    )
    parser.add_argument(
        "--l2",
        type=float,
        default=_DEFAULTS.ranker.l2,
        help=f"how much weights are drawn to 0 (default: {_DEFAULTS.ranker.l2:g})",
    )
    parser.add_argument(
        "--licence",
        metavar="TEXT",
        action="append",
        default=[],
        help="a line for the card, such as 'UD English EWT: CC BY-SA 4.0'",
    )


def run(arguments: argparse.Namespace) -> int:
    settings = Settings(
        words=not arguments.paths_only,
        assign=arguments.assign,
        prior=arguments.prior,
        ranker=replace(_DEFAULTS.ranker, l2=arguments.l2),
    )
    with Stages({"learning": "parts"}) as stages:
        train_roles(
            arguments.data,
            arguments.output,
            table=arguments.table,
            frames=arguments.frames,
            parser=arguments.parser,
            settings=settings,
            card={"licences": arguments.licence} if arguments.licence else None,
            threads=arguments.threads,
            watch=stages.watch,
        )
    return OK
