"""Choose, of several systems' translations, those that agree best with the others.

Each FILE holds a system's translations, one per line, or its n-best lists as `niwaki translate
run --nbest N` writes them. Of each sentence, the translation is written that has the greatest
expected BLEU against all others (Kumar, Och and Macherey 2007). Systems count alike unless
--weights gives them shares.

  niwaki translate-consensus one.ja other.ja third.ja > together.ja
  niwaki translate-consensus one.nbest other.nbest --weights 2,1
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._arguments import amount, weights
from niwaki.data.files import open_output
from niwaki.verbs.tuning import translate_consensus

GROUP = "Word order and translation"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("systems", metavar="FILE", nargs="+", help="translations of one text")
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    parser.add_argument("--weights", type=weights, metavar="W,W,...", help="shares of the systems")
    parser.add_argument(
        "--scale",
        type=amount,
        default=1.0,
        metavar="X",
        help="how much scores of n-best lists count (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    chosen = translate_consensus(
        arguments.systems, weights=arguments.weights, scale=arguments.scale
    )
    with open_output(arguments.output) as out:
        for line in chosen:
            out.write(line.encode("utf-8") + b"\n")
    return OK
