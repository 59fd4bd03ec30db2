"""Find what connectives join: the heads of their two arguments.

The input is CoNLL-U with trees, or with --parser anything that `niwaki parse` reads. Connectives
are those that are marked (`Connective=4-5` in MISC of word 4); if none is, or with --mark, they are
found. The output has `Arg1=-1:7|Arg2=9` beside them: word 7 of the sentence before, and word 9.
With --to json, it is one JSON object for each connective, with the words of both arguments.

  niwaki connectives trees.conllu -m connectives.niwaki
  niwaki connectives letter.txt -m connectives.niwaki --parser en
  niwaki connectives letter.txt -m connectives.niwaki --parser en --to json
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
from niwaki.tasks.connectives.model import ConnectiveModel
from niwaki.verbs.connecting import connectives, relations

GROUP = "Other jobs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        *("-m", "--model"),
        metavar="MODEL",
        required=True,
        help="a model of `niwaki train-connectives`",
    )
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    parser.add_argument(
        "--to", choices=["conllu", "json"], default="conllu", help="default: conllu"
    )
    add_parser_arguments(parser)
    parser.add_argument(
        "--mark", action="store_true", help="find connectives even if some are marked"
    )
    add_shards(parser, model=ConnectiveModel.load, parser=optional(load))


@over_shards
def run(arguments: argparse.Namespace) -> int:
    given = arguments.file, arguments.model
    options = {
        "parser": arguments.parser,
        "mark": arguments.mark,
        "threads": arguments.threads,
    }
    if arguments.to == "conllu":
        write_conllu(connectives(*given, **options), arguments.output)
        return OK
    with open_output(arguments.output) as out:
        for relation in relations(*given, **options):
            out.write(f"{json.dumps(relation, ensure_ascii=False)}\n".encode())
    return OK
