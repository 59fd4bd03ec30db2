"""Make reference orders from word links.

Source words are ranked by the first target word that they are linked to; words with the
same one form a group whose inner order is free. A word without a link goes before the next
word that has one, or last; with --trees, function words without a link travel with their
heads instead. Links are in Pharaoh format, of any aligner. Output is JSON Lines.

  niwaki references text.en text.ja links -o references.jsonl
  niwaki references text.en text.ja links --trees text.en.conllu -o references.jsonl
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._on_error import Skipped, add_on_error
from niwaki.cli._progress import Progress
from niwaki.cli._stages import counted
from niwaki.data.bilingual.references import write_references
from niwaki.verbs.reordering import references

GROUP = "Word order and translation"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SRC", help="tokenised source sentences, one a line")
    parser.add_argument("target", metavar="TGT", help="their translations")
    parser.add_argument("links", metavar="LINKS", help="links such as 0-0 1-2, one line a pair")
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    parser.add_argument(
        "--trees",
        metavar="FILE",
        help="CoNLL-U with trees of the source: unlinked function words go with their heads",
    )
    add_on_error(parser, "bad pairs")


def run(arguments: argparse.Namespace) -> int:
    skipped = Skipped(arguments)
    made = references(
        arguments.source,
        arguments.target,
        arguments.links,
        trees=arguments.trees,
        on_error=skipped.on_error,
    )
    with Progress("made", "references") as progress:
        write_references(counted(made, progress), arguments.output)
    skipped.tell()
    return OK
