"""Score shorter sentences against those of people.

GOLD is JSON Lines with `keep`, or CoNLL-U; each SYSTEM is CoNLL-U with `Keep=0` in MISC, as `niwaki
compress` writes it. Scores are in percent: F1 of kept words, a mean over sentences; the share of
words that is kept, by the system and by people; and with --parser F1 of labelled relations, in
trees of the shorter sentences. The last row is a system that copies every word: where people drop
little, its F1 is high. Compare systems at equal rates (`niwaki compress --rate gold`).

Each further system is compared with the first by paired bootstrap over sentences; a star marks
a 95% interval of the difference that does not hold 0.

  niwaki evaluate-compression gold.jsonl system.conllu
  niwaki evaluate-compression gold.jsonl one.conllu other.conllu --parser en
"""

from __future__ import annotations

import argparse

from niwaki.cli._arguments import add_parser_arguments
from niwaki.cli._systems import add_systems_arguments, print_systems
from niwaki.verbs.compressing import COPY, evaluate_compression

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems_arguments(parser, "sentences and what people kept", "CoNLL-U with Keep=0")
    add_parser_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    arguments.systems = [*arguments.systems, COPY]
    found = [
        evaluate_compression(
            arguments.gold, file, parser=arguments.parser, threads=arguments.threads
        )
        for file in arguments.systems
    ]
    return print_systems(arguments, found)
