"""Check CoNLL-U files and report every fault.

Each fault is one line, `file:line:COLUMN: what was found; what to do`. The exit
status is 1 if there is any. Reading goes on at the next blank line.

  niwaki validate train.conllu dev.conllu
"""

from __future__ import annotations

import argparse
import sys

from niwaki.cli import FAILED, OK
from niwaki.cli._json import to_json
from niwaki.cli._progress import Progress
from niwaki.data.conllu import validate
from niwaki.errors import CorpusError

GROUP = "Parse and look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="CoNLL-U, gzipped or not; - is stdin"
    )
    parser.add_argument("--multi-root", action="store_true", help="allow several roots in a tree")
    parser.add_argument(
        "--unknown-heads", action="store_true", help="allow _ and -1 as heads (partial trees)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    sentences = 0
    found: list[CorpusError] = []
    with Progress("validated", "sentences") as progress:

        def checked(faults: list[CorpusError]) -> None:
            nonlocal sentences
            sentences += 1
            progress.add(1)
            if not arguments.json:
                for fault in faults:
                    print(fault)

        for file in arguments.files:
            before = sentences
            faults = validate(
                file,
                multi_root=arguments.multi_root,
                unknown_heads=arguments.unknown_heads,
                report=checked,
            )
            found += faults
            if not (faults or arguments.quiet):
                print(f"{file}: {sentences - before} sentences, no faults", file=sys.stderr)
    if arguments.json:
        faults_json = [vars(fault) for fault in found]
        print(to_json({"sentences": sentences, "faults": faults_json}))
    return FAILED if found else OK
