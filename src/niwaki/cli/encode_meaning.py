"""Make trees with formal labels of sentences and their expressions, for a parser to learn.

A line of PAIRS has the words of a sentence with spaces between them, a tab, and the expression of
the sentence. Words that the expression leaves out, as punctuation, say nothing. Where a word occurs
more than once, the copy is taken that keeps dependents near their heads; `pond#4` says that the
fourth word is meant.

  niwaki encode-meaning pairs.tsv -o trees.conllu
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.data.conllu import write_conllu
from niwaki.verbs.expressing import encode_meaning

GROUP = "Other jobs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="PAIRS", nargs="?", default="-", help="default: stdin")
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")


def run(arguments: argparse.Namespace) -> int:
    found = encode_meaning(arguments.file)
    write_conllu((each.sentence for each in found), arguments.output)
    return OK
