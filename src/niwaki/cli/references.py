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
import sys
from collections.abc import Iterator

from niwaki.cli import OK
from niwaki.cli._progress import Progress
from niwaki.data.bilingual.bitext import Pair, read_linked_bitext
from niwaki.data.bilingual.references import Reference, write_references
from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from niwaki.tasks.reorder.references import make_reference


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
    parser.add_argument(
        "--skip-bad", action="store_true", help="leave bad pairs out and report how many"
    )


def run(arguments: argparse.Namespace) -> int:
    faults: list[CorpusError] = []
    pairs = read_linked_bitext(
        arguments.source,
        arguments.target,
        arguments.links,
        faults.append if arguments.skip_bad else None,
    )
    trees = None
    if arguments.trees is not None:
        trees = list(read_conllu(arguments.trees, multi_root=True))
    with Progress("made", "references") as progress:
        write_references(_references(pairs, trees, arguments, progress), arguments.output)
    if faults:
        print(f"niwaki: {len(faults)} pairs left out, the first: {faults[0]}", file=sys.stderr)
    return OK


def _references(
    pairs: Iterator[Pair],
    trees: list[Sentence] | None,
    arguments: argparse.Namespace,
    progress: Progress,
) -> Iterator[Reference]:
    for pair in pairs:
        assert pair.links is not None
        name, tree = str(pair.number), None
        if trees is not None:
            sentence = _tree_of(pair, trees, arguments)
            name, tree = sentence.id or name, sentence.tree
        yield make_reference(pair.source, pair.links, name, tree)
        progress.add(1)


def _tree_of(pair: Pair, trees: list[Sentence], arguments: argparse.Namespace) -> Sentence:
    if pair.number > len(trees):
        raise CorpusError(
            arguments.trees,
            0,
            "FILE",
            f"{len(trees)} trees, but a sentence on line {pair.number} of {arguments.source}",
            "give a tree for every line",
        )
    sentence = trees[pair.number - 1]
    if sentence.forms != pair.source:
        raise CorpusError(
            arguments.trees,
            sentence.line,
            "SENTENCE",
            f"other words than line {pair.number} of {arguments.source}",
            "give the trees of the same sentences",
        )
    return sentence
