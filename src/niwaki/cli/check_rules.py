"""Check rule files for `niwaki reorder` and report every fault.

Each fault is one line, `file:line: what was found; what to do`: keys, tags and labels that are
unknown, subtypes that are almost those of Universal Dependencies (`acl:rlcl`), weights that
contradict. If there are none, the examples of the file are run; one that does not come true
is a fault. The exit status is 1 if there is any.

A subtype that is like no documented one is noted on standard error: treebanks have their own.
With labels = "any", no label is checked.

`niwaki reorder`, training and the workbench refuse a file with faults, by the first of them.

  niwaki check-rules own.toml
"""

from __future__ import annotations

import argparse
import json
import sys

from niwaki.cli import FAILED, OK
from niwaki.verbs.checking import check_rules

GROUP = "Word order and translation"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="rules as TOML")
    parser.add_argument("--json", action="store_true", help="print a JSON list, an object a file")


def run(arguments: argparse.Namespace) -> int:
    found = [check_rules(file) for file in arguments.files]
    if arguments.json:
        print(json.dumps([each.to_json() for each in found], ensure_ascii=False))
    else:
        for each in found:
            for fault in each.faults:
                print(fault)
            for note in each.notes:
                print(f"niwaki: {note}", file=sys.stderr)
            if not (each.faults or arguments.quiet):
                counts = f"{each.rules} rules, {each.examples} examples"
                print(f"{each.file}: {counts}, no faults", file=sys.stderr)
    return FAILED if any(each.faults for each in found) else OK
