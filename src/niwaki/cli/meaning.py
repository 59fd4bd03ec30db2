"""Say what sentences mean, as expressions of their words (Natural Logical Form).

The input is CoNLL-U with trees, or with --parser anything that `niwaki parse` reads. Trees of
Universal Dependencies become expressions by rules; trees with formal labels, as a model makes that
has learned them, are decoded. The output is an expression a line; with --to conllu trees with
formal labels, to train such a model; with --to json one JSON object a sentence, with the facts in
the expression; with --to tree, svg (of the first sentence) or html a drawing.

  niwaki meaning letter.txt --parser en
  niwaki meaning trees.conllu --to conllu -o formal.conllu
  niwaki meaning trees.conllu --table roles.tsv
  niwaki meaning letter.txt --parser meaning.niwaki -k 16
  niwaki meaning letter.txt --parser en --to html -o letter.html
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterable, Iterator

from niwaki.cli import OK
from niwaki.cli._arguments import add_parser_arguments, positive
from niwaki.cli._loading import optional
from niwaki.cli._shards import add_shards, over_shards
from niwaki.data.conllu import write_conllu
from niwaki.data.files import open_output
from niwaki.data.meaning import Meaning
from niwaki.pipeline.store import load
from niwaki.tasks.meaning.rules import IN_THE_BOX
from niwaki.verbs.expressing import draw_meaning, meaning, record

GROUP = "Other jobs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    parser.add_argument(
        "--to",
        choices=["text", "conllu", "json", "tree", "svg", "html"],
        default="text",
        help="default: text, an expression a line",
    )
    add_parser_arguments(parser)
    parser.add_argument(
        "-k",
        type=positive,
        default=1,
        metavar="K",
        help="with --parser: the first of the K best trees that does not contradict itself",
    )
    parser.add_argument(
        "--rules",
        metavar="RULES",
        default=IN_THE_BOX,
        help=f"named rules or a file, for trees of UD (default: {IN_THE_BOX})",
    )
    parser.add_argument(
        "--table", metavar="TSV", help="PropBank roles of the trees: they give arguments places"
    )
    add_shards(parser, to="text", parser=optional(load))


@over_shards
def run(arguments: argparse.Namespace) -> int:
    found = meaning(
        arguments.file,
        parser=arguments.parser,
        rules=arguments.rules,
        table=arguments.table,
        k=arguments.k,
        threads=arguments.threads,
    )
    if arguments.to == "conllu":
        write_conllu((each.sentence for each in found), arguments.output)
        return OK
    with open_output(arguments.output) as out:
        for text in _shown(found, arguments.to):
            out.write(text.encode("utf-8"))
    return OK


def _shown(found: Iterable[Meaning], form: str) -> Iterator[str]:
    if form == "text":
        return (f"{each}\n" for each in found)
    if form == "json":
        return (f"{json.dumps(record(each), ensure_ascii=False)}\n" for each in found)
    if form == "svg":
        return draw_meaning(itertools.islice(found, 1), "svg")
    return draw_meaning(found, "tree" if form == "tree" else "html")
