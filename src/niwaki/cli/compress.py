"""Make sentences shorter: words that can be dropped.

The input is CoNLL-U with trees, JSON Lines with `tokens`, or with --parser anything that `niwaki
parse` reads. The output is CoNLL-U with `Keep=0` in MISC of the words to drop; with --text, what is
left of each sentence, one a line.

  niwaki compress trees.conllu -m short.niwaki
  niwaki compress letter.txt -m short.niwaki --parser en --rate 0.7 --text
  niwaki compress report.txt -m short.niwaki --parser en --method ilp --document
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._arguments import add_parser_arguments
from niwaki.cli._loading import optional
from niwaki.cli._shards import add_shards, over_shards
from niwaki.data.compressions import kept_of, shortened_text
from niwaki.data.conllu import write_conllu
from niwaki.data.files import open_output
from niwaki.pipeline.store import load
from niwaki.tasks.compress.model import Compressor
from niwaki.verbs.compressing import METHODS, Rate, compress

GROUP = "Other jobs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        *("-m", "--model"),
        metavar="MODEL",
        required=True,
        help="a compressor of `niwaki train-compressor`",
    )
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    add_parser_arguments(parser)
    parser.add_argument(
        "--rate",
        type=_rate,
        metavar="R",
        help="the share of words that is kept, such as 0.7; `gold`: as many as people kept of "
        "the input's sentences (default: as many as score best)",
    )
    parser.add_argument(
        "--document",
        action="store_true",
        help="look at whole documents: rules keep that share of each, more of some sentences than "
        "of others; the programme keeps what sentences share",
    )
    parser.add_argument(
        "--method",
        choices=METHODS,
        default=METHODS[0],
        help="rules that were learned, or an integer programme over likely and significant words "
        f"(needs niwaki[ilp]; default: {METHODS[0]})",
    )
    parser.add_argument(
        "--wordnet",
        metavar="DIR",
        help="with --method ilp --document: related words are shared, too",
    )
    parser.add_argument("--text", action="store_true", help="write what is left, as text")
    add_shards(parser, model=Compressor.load, parser=optional(load))


@over_shards
def run(arguments: argparse.Namespace) -> int:
    found = compress(
        arguments.file,
        arguments.model,
        parser=arguments.parser,
        rate=arguments.rate,
        document=arguments.document,
        method=arguments.method,
        wordnet=arguments.wordnet,
        threads=arguments.threads,
    )
    if not arguments.text:
        write_conllu(found, arguments.output)
        return OK
    with open_output(arguments.output) as file:
        for sentence in found:
            text = shortened_text(sentence, kept_of(sentence))
            file.write(f"{text}\n".encode())
    return OK


def _rate(text: str) -> Rate:
    if text == "gold":
        return "gold"
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(
            f"found {text!r}; give a share above 0 and up to 1, or gold"
        )
    return value
