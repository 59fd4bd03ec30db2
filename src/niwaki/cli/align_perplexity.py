"""Tell how hard two languages are to align.

SRC and TGT hold a tokenised sentence a line. The aligner learns from them, and for both directions
the perplexity of a word given the other side is printed, at the last iteration. Of languages beside
one text, that with the lowest is the easiest to align; it need not be the best bridge (Kumar, Och
and Macherey 2007, Table 2).

  niwaki align-perplexity text.en text.ja
  niwaki align-perplexity text.en text.ja --preset default --json
"""

from __future__ import annotations

import argparse
import json
import os

from niwaki.cli import OK
from niwaki.cli._arguments import positive
from niwaki.cli._on_error import Skipped, add_on_error
from niwaki.cli._stages import Stages
from niwaki.tasks.align import PRESETS
from niwaki.verbs.bridging import align_perplexity

GROUP = "Word order and translation"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SRC", help="tokenised sentences; - is stdin")
    parser.add_argument("target", metavar="TGT", help="their translations, line by line")
    parser.add_argument(
        "--preset",
        default="kumar2007",
        metavar="NAME",
        help=f"{', '.join(PRESETS)} (default: %(default)s)",
    )
    parser.add_argument("--threads", type=positive, metavar="N", help="default: all cores")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_on_error(parser, "pairs that cannot be used")


def run(arguments: argparse.Namespace) -> int:
    skipped = Skipped(arguments)
    with Stages({"learning": "iterations"}) as stages:
        target, source = align_perplexity(
            arguments.source,
            arguments.target,
            settings=arguments.preset,
            threads=arguments.threads or os.cpu_count() or 1,
            on_error=skipped.on_error,
            watch=stages.watch,
        )
    if arguments.json:
        print(json.dumps({"target": target, "source": source}))
    else:
        print(f"{'target given source':<22}{target:10.1f}")
        print(f"{'source given target':<22}{source:10.1f}")
    skipped.tell()
    return OK
