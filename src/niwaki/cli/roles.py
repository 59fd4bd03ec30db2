"""Find who did what to whom: predicates, their rolesets, and who fills their roles.

The input is CoNLL-U with trees, or with --parser anything that `niwaki parse` reads. Predicates are
those that are marked (`Roleset=give.01` in MISC); if none is, or with --find, they are found. The
output has `Roleset=give.01|Roles=ARG0:1,ARG1:4` in MISC of a predicate: word 1 heads what gives,
word 4 what is given. With --to json, it is one JSON object for each predicate that has roles, with
the words that fill them and what PropBank says they are.

  niwaki roles letter.txt --parser en
  niwaki roles letter.txt --parser en --to json
  niwaki roles trees.conllu -m roles.niwaki
"""

from __future__ import annotations

import argparse
import json

from niwaki.cli import OK
from niwaki.cli._arguments import add_parser_arguments
from niwaki.cli._loading import optional
from niwaki.cli._shards import add_shards, over_shards
from niwaki.data.conllu import write_conllu
from niwaki.data.files import open_output
from niwaki.pipeline.store import load
from niwaki.tasks.roles.model import IN_THE_BOX, RoleLabeller
from niwaki.verbs.labelling import facts, roles

GROUP = "Other jobs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        *("-m", "--model"),
        metavar="MODEL",
        default=IN_THE_BOX,
        help=f"a labeller of `niwaki train-roles` (default: {IN_THE_BOX})",
    )
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    parser.add_argument(
        "--to", choices=["conllu", "json"], default="conllu", help="default: conllu"
    )
    add_parser_arguments(parser)
    parser.add_argument(
        "--find", action="store_true", help="find predicates even if some are marked"
    )
    add_shards(parser, model=RoleLabeller.load, parser=optional(load))


@over_shards
def run(arguments: argparse.Namespace) -> int:
    given = arguments.file, arguments.model
    options = {
        "parser": arguments.parser,
        "find": arguments.find,
        "threads": arguments.threads,
    }
    if arguments.to == "conllu":
        write_conllu(roles(*given, **options), arguments.output)
        return OK
    with open_output(arguments.output) as out:
        for fact in facts(*given, **options):
            out.write(f"{json.dumps(fact, ensure_ascii=False)}\n".encode())
    return OK
