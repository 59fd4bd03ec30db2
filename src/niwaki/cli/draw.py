"""Draw dependency trees in the terminal, or as a picture.

niwaki draw trees.conllu
niwaki draw trees.conllu --tree
niwaki draw trees.conllu --html trees.html
"""

from __future__ import annotations

import argparse
import itertools
import sys

from niwaki import draw
from niwaki.cli import OK
from niwaki.cli._arguments import positive
from niwaki.data.conllu import read_conllu
from niwaki.data.files import open_output
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="CoNLL-U, gzipped or not; - is stdin")
    parser.add_argument("--id", metavar="ID", help="draw only the sentence with this sent_id")
    parser.add_argument(
        "--first",
        type=positive,
        metavar="N",
        help="draw only the first N (default: all, 1 for --svg)",
    )
    style = parser.add_mutually_exclusive_group()
    style.add_argument("--tree", action="store_true", help="an indented tree instead of arcs")
    style.add_argument("--svg", metavar="OUT", help="write one tree as an SVG picture; - is stdout")
    style.add_argument("--html", metavar="OUT", help="write a self-contained page; - is stdout")


def run(arguments: argparse.Namespace) -> int:
    sentences = read_conllu(arguments.file, multi_root=True)
    if arguments.id is not None:
        sentences = (sentence for sentence in sentences if sentence.id == arguments.id)
    first = 1 if arguments.svg and arguments.first is None else arguments.first
    chosen = itertools.islice(sentences, first)
    if arguments.svg or arguments.html:
        found = list(chosen)
        if not found:
            raise NiwakiError(
                f"{arguments.file}: no sentence {arguments.id!r}; check its # sent_id"
            )
        picture = (
            "\n".join(map(draw.svg, found))
            if arguments.svg
            else draw.html(found, title=arguments.file)
        )
        with open_output(arguments.svg or arguments.html) as out:
            out.write(picture.encode("utf-8"))
        return OK
    for number, sentence in enumerate(chosen):
        if number:
            print()
        sys.stdout.write(_in_terminal(sentence, arguments.tree))
    return OK


def _in_terminal(sentence: Sentence, tree: bool) -> str:
    picture = draw.indented(sentence) if tree else draw.arcs(sentence)
    return f"# {draw.printable(sentence.text)}\n{picture}"
