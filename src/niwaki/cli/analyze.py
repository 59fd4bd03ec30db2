"""Show where two or more systems err, with charts.

Accuracy by sentence length; precision and recall by dependency length, distance to the
root, siblings and degree of non-projectivity; by part of speech and label, with mean length,
depth and siblings; and how good a choice among the systems' trees could be. All are compared
with the first system; a star marks a difference whose 95% interval (paired bootstrap by
sentence) does not hold 0.

`niwaki analyze curves` draws logs of training.

  niwaki analyze gold.conllu greedy.conllu beam.conllu --html report.html
  niwaki analyze gold.conllu a.conllu b.conllu c.conllu --no-punct --png pictures
"""

from __future__ import annotations

import argparse
import sys
from pathlib import PurePath

from niwaki.analysis.profiles import SAMPLES
from niwaki.cli import OK
from niwaki.cli._arguments import natural, positive
from niwaki.cli._json import to_json
from niwaki.cli._pictures import add_picture_arguments, write_pictures
from niwaki.cli._stages import Stages
from niwaki.verbs.analyzing import analyze

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", metavar="GOLD", help="CoNLL-U with the right trees")
    parser.add_argument(
        "systems", metavar="SYSTEM", nargs="+", help="CoNLL-U of systems, two or more"
    )
    parser.add_argument("--unlabelled", action="store_true", help="an arc is right if its head is")
    parser.add_argument(
        "--no-punct", action="store_true", help="do not score words that gold tags as PUNCT"
    )
    parser.add_argument(
        "--samples", type=positive, default=SAMPLES, metavar="N", help=f"default: {SAMPLES}"
    )
    parser.add_argument("--seed", type=natural, default=1, help="of the random draws (default: 1)")
    add_picture_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    with Stages({"profiling": "factors"}) as stages:
        report = analyze(
            arguments.gold,
            arguments.systems,
            labelled=not arguments.unlabelled,
            punctuation=not arguments.no_punct,
            samples=arguments.samples,
            seed=arguments.seed,
            watch=stages.watch,
        )
    title = f"Errors: {', '.join(report.found.systems)} on {PurePath(arguments.gold).name}"
    write_pictures(arguments, lambda: report.to_html(title), report.charts)
    if arguments.json:
        print(to_json(report.to_json()))
    else:
        sys.stdout.write(report.to_text())
    return OK
