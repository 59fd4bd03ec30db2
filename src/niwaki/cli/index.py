"""Write an index of trees, in which `niwaki find --index` finds words at once.

The input is CoNLL-U with trees, or with -m anything that `niwaki parse` reads. The index is one
file with the sentences in it; it needs about twice the room of the CoNLL-U.

  niwaki index news.conllu letters.conllu -o corpus.index
  niwaki find 'VERB >obj [lemma=lantern]' --index corpus.index
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._arguments import positive
from niwaki.cli._on_error import Skipped, add_on_error
from niwaki.cli._tags import add_tags_argument
from niwaki.data.text import FORMATS
from niwaki.verbs.finding import index

GROUP = "Parse and look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="- is stdin")
    parser.add_argument("-o", "--output", metavar="INDEX", required=True, help="file to write")
    parser.add_argument("-m", "--model", metavar="MODEL", help="parse with this model first")
    parser.add_argument(
        "--from", choices=FORMATS, dest="source", help="format of the input (default: by its look)"
    )
    add_tags_argument(parser, "with -m: ")
    parser.add_argument(
        "--threads", type=positive, default=1, metavar="N", help="with -m: default 1"
    )
    add_on_error(parser, "sentences that cannot be read")


def run(arguments: argparse.Namespace) -> int:
    skipped = Skipped(arguments)
    count = index(
        arguments.files,
        arguments.output,
        arguments.model,
        form=arguments.source,
        tags=arguments.tags,
        threads=arguments.threads,
        on_error=skipped.on_error,
    )
    skipped.tell()
    print(f"{arguments.output}: {count:,} sentences")
    return OK
