"""Score translations against references.

GOLD and each SYSTEM hold a translation a line, words with spaces between them. Scores are BLEU and
chrF (as sacrebleu gives them), NIST, and the error rates TER, WER, PER and CDER in percent of the
reference's words, of which less is better. TER needs sacrebleu: pip install niwaki[mt].

Each further system is compared with the first by paired bootstrap over sentences; a star marks
a 95% interval of the difference that does not hold 0.

  niwaki translate-evaluate test.ja system.ja
  niwaki translate-evaluate test.ja one.ja other.ja --characters --scores BLEU,chrF --json
"""

from __future__ import annotations

import argparse

from niwaki.cli._systems import add_systems_arguments, print_systems
from niwaki.metrics.translation import SCORES
from niwaki.verbs.tuning import translate_evaluate

GROUP = "Word order and translation"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems_arguments(parser, "reference translations", "translations to be scored")
    parser.add_argument(
        "--characters", action="store_true", help="score characters instead of words"
    )
    parser.add_argument(
        "--scores",
        metavar="NAME,...",
        type=lambda text: text.split(","),
        default=list(SCORES),
        help=f"of {', '.join(SCORES)} (default: all)",
    )


def run(arguments: argparse.Namespace) -> int:
    chosen = {"characters": arguments.characters, "scores": arguments.scores}
    found = [translate_evaluate(arguments.gold, file, **chosen) for file in arguments.systems]
    return print_systems(arguments, found)
