"""Show what a parser is least certain of: sentences, arcs, labels and tags.

The input is anything that `niwaki parse` reads; it is parsed with -m. CoNLL-U of
`niwaki parse --probabilities` has what is needed and is taken as it is, unless -m is given.
The probability of a sentence is the mean over its arcs: the share of them that can be expected to
be right.

  niwaki doubts letter.txt --first 10
  niwaki doubts sure.conllu --of arcs --of tags --json
"""

from __future__ import annotations

import argparse

from niwaki.analysis.doubts import KINDS
from niwaki.cli import OK
from niwaki.cli._arguments import positive
from niwaki.cli._json import to_json
from niwaki.data.files import open_output
from niwaki.data.text import FORMATS
from niwaki.verbs.doubting import doubts

GROUP = "Parse and look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="default: stdin")
    parser.add_argument(
        *("-m", "--model"),
        metavar="MODEL",
        help="parse with this model (default: en, if the input has no probabilities)",
    )
    parser.add_argument(
        "--first", type=positive, default=20, metavar="N", help="how many of each (default: 20)"
    )
    parser.add_argument(
        "--of",
        choices=tuple(KINDS),
        action="append",
        help="only these; may be repeated (default: all)",
    )
    parser.add_argument(
        "--from", choices=FORMATS, dest="source", help="format of the input (default: by its look)"
    )
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    parser.add_argument("--threads", type=positive, default=1, metavar="N", help="default: 1")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    found = doubts(
        arguments.file,
        arguments.model,
        first=arguments.first,
        of=arguments.of or tuple(KINDS),
        form=arguments.source,
        threads=arguments.threads,
    )
    text = to_json(found.to_json(), indent=1) + "\n" if arguments.json else found.to_text()
    with open_output(arguments.output) as out:
        out.write(text.encode("utf-8"))
    return OK
