"""Draw the costs of training objectives, epoch by epoch.

A log is JSON Lines with the keys epoch, objective, updates, first_cost, oracle_cost,
mean_k and written_cost. Several logs are drawn into the same charts. Of an epoch that is told
twice, as after a resumed run, the last line counts. `niwaki analyze curves` is the same command.

  niwaki analyze-curves log.jsonl --html curves.html
  niwaki analyze-curves first.jsonl second.jsonl --png pictures
"""

from __future__ import annotations

import argparse
import sys

from niwaki.cli import OK
from niwaki.cli._json import to_json
from niwaki.cli._pictures import add_picture_arguments, write_pictures
from niwaki.verbs.analyzing import analyze_curves

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logs", metavar="LOG", nargs="+", help="JSON Lines; - is stdin")
    add_picture_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    report = analyze_curves(arguments.logs)
    title = f"Training: {', '.join(report.logs)}"
    write_pictures(arguments, lambda: report.to_html(title), report.charts)
    if arguments.json:
        print(to_json(report.to_json()))
    else:
        sys.stdout.write(report.to_text())
    return OK
