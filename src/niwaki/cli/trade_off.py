"""Weigh what a model has gained for a task against what it has paid.

GOLD is a treebank; TASK.toml is a configuration whose costs say what trees are for, with
examples that neither model was trained on (--set objective.1.data=held-out.jsonl changes
the file). Both models parse both; treebank scores and mean costs are shown with bootstrap
intervals, then the labels and words that gained and paid, how often imperatives were seen,
and the examples whose trees changed most. --word also counts the tags of a word in the
examples. --html writes a page with the trees.

  niwaki trade-off gold.conllu task.toml -m en -m task.niwaki --html trade-off.html
  niwaki trade-off gold.conllu task.toml -m en -m task.niwaki --word click
"""

from __future__ import annotations

import argparse
import json

from niwaki.analysis.tradeoff import as_page, as_text, weigh_up
from niwaki.cli import OK
from niwaki.cli._arguments import add_overrides, natural, positive
from niwaki.data.conllu import read_conllu
from niwaki.data.files import atomic_write
from niwaki.errors import ConfigError
from niwaki.metrics.base import SAMPLES
from niwaki.pipeline.store import load
from niwaki.training.config_file import read_config
from niwaki.training.examples import load_costs


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
    parser.add_argument("--html", metavar="FILE", help="write a page with the trees that changed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    config = read_config(arguments.task, arguments.overrides)
    if len(arguments.model) != 2:
        raise ConfigError(f"{len(arguments.model)} models; give -m twice: before and after")
    costs = load_costs(config)
    if not costs:
        raise ConfigError(f"{arguments.task}: no objective is a cost; there is nothing to weigh")
    one, other = arguments.model
    found = weigh_up(
        (one, other),
        (load(one), load(other)),
        list(read_conllu(arguments.gold)),
        {each.name: each.objective for each in costs},
        words=arguments.words,
        samples=arguments.samples,
        seed=arguments.seed,
    )
    if arguments.html:
        with atomic_write(arguments.html) as file:
            file.write(as_page(found).encode())
    print(json.dumps(found.to_json()) if arguments.json else as_text(found))
    return OK
