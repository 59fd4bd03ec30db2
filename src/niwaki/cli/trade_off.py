"""Compare what a model gained on a task with what it lost on a treebank.

GOLD is a treebank; TASK.toml is a configuration whose costs say what trees are for, with
examples that neither model was trained on (--set objective.1.data=held-out.jsonl changes
the file). Both models parse both; treebank scores and mean costs are shown with bootstrap
intervals, then the labels and words that got better or worse, how often imperatives were seen,
and the examples whose trees changed most. What a model has learned from all the same is counted
in a note; --unseen leaves it out. --word also counts the tags of a word in the
examples. --html writes a page with the trees.

  niwaki trade-off gold.conllu task.toml -m en -m task.niwaki --html trade-off.html
  niwaki trade-off gold.conllu task.toml -m en -m task.niwaki --word click
"""

from __future__ import annotations

import argparse
import json

from niwaki.analysis.tradeoff import as_page, as_text
from niwaki.cli import OK
from niwaki.cli._arguments import add_html, add_overrides, natural, positive
from niwaki.cli._scores import add_unseen_argument
from niwaki.data.files import open_output
from niwaki.errors import ConfigError
from niwaki.metrics.base import SAMPLES
from niwaki.verbs.analyzing import trade_off

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", metavar="GOLD", help="CoNLL-U with the right trees")
    parser.add_argument("task", metavar="TASK.toml", help="what trees cost, and examples")
    parser.add_argument(
        "-m", "--model", metavar="MODEL", action="append", required=True, help="twice: A, then B"
    )
    add_overrides(parser)
    parser.add_argument(
        "--word",
        metavar="WORD",
        action="append",
        default=[],
        dest="words",
        help="count the tags of this word in the examples; may be repeated",
    )
    parser.add_argument(
        "--samples", type=positive, default=SAMPLES, metavar="N", help=f"default: {SAMPLES}"
    )
    parser.add_argument("--seed", type=natural, default=1, help="of the random draws (default: 1)")
    add_unseen_argument(parser)
    add_html(parser, "the report with the trees that changed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    if len(arguments.model) != 2:
        raise ConfigError(f"{len(arguments.model)} models; give -m twice: before and after")
    found = trade_off(
        arguments.gold,
        arguments.task,
        *arguments.model,
        words=arguments.words,
        overrides=arguments.overrides,
        samples=arguments.samples,
        seed=arguments.seed,
        unseen=arguments.unseen,
    )
    if arguments.html:
        with open_output(arguments.html) as file:
            file.write(as_page(found).encode())
    print(json.dumps(found.to_json()) if arguments.json else as_text(found))
    return OK
