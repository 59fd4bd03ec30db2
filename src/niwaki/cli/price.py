"""Compute what models cost on the objectives of a configuration, without training.

Each model parses the examples of each objective that is a cost; its trees are priced. The mean
cost and the share of examples that cost nothing are shown, with 95% bootstrap intervals. Of
several models, each two are compared in both: a star marks a significant difference, one whose
interval excludes 0. Less cost is better. Examples that say nothing of trees are left out and
counted. Treebanks of the configuration need not be there.

`niwaki train` prices as many as 300 examples after each epoch in the same way. Examples that a
model was trained on flatter it: a note tells how many there are, --unseen leaves them out, and
--set objective.1.data=held-out.jsonl names others.

  niwaki price task.toml -m task.niwaki
  niwaki price task.toml -m en -m task.niwaki --set objective.1.data=held-out.jsonl --json
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

from niwaki.cli import OK
from niwaki.cli._arguments import add_overrides, add_threads, positive
from niwaki.cli._scores import add_samples_arguments, add_unseen_argument
from niwaki.metrics.significance import Difference
from niwaki.verbs.pricing import Prices, price

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG.toml", help="what trees cost, and examples")
    parser.add_argument(
        "-m",
        "--model",
        metavar="MODEL",
        action="append",
        required=True,
        help="may be repeated, to compare",
    )
    add_overrides(parser)
    parser.add_argument("--beam", type=positive, metavar="N", help="default: the model's")
    parser.add_argument(
        "--decode", metavar="HOW", help="how a graph-based model chooses trees (default: its own)"
    )
    add_threads(parser)
    add_unseen_argument(parser)
    add_samples_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    found = price(
        arguments.config,
        arguments.model,
        overrides=arguments.overrides,
        beam=arguments.beam,
        decode=arguments.decode,
        threads=arguments.threads,
        samples=arguments.samples,
        seed=arguments.seed,
        unseen=arguments.unseen,
    )
    print(json.dumps(found.to_json()) if arguments.json else "\n".join(_lines(found)))
    return OK


def _lines(found: Prices) -> Iterator[str]:
    record = found.to_json()
    width = max(map(len, found.models))
    for name, each in record.items():
        left_out = f"; {found.left_out[name]}" if name in found.left_out else ""
        yield f"{name}: {each['examples']:,} examples{left_out}"
        yield f"  {'':{width}}    cost  95% interval        at 0  95% interval"
        for row in each["models"]:
            low, high = row["intervals"]["cost"]
            least, most = (100 * x for x in row["intervals"]["perfect"])
            yield (
                f"  {row['model']:{width}}{row['cost']:8.4f}  [{low:.4f}, {high:.4f}]  "
                f"{100 * row['perfect']:5.1f}%  [{least:.1f}, {most:.1f}]"
            )
        for (a, b), (cost, perfect) in found.differences(name).items():
            pair = f"{found.models[b]} - {found.models[a]}"
            yield f"  {pair}: {_difference(cost, 1, 4)}"
            yield f"  {pair}, % at 0: {_difference(perfect, 100, 1)}"
        if note := found.note(name):
            yield f"  {note}"
        yield f"  {each['signature']}"


def _difference(each: Difference, scale: int, digits: int) -> str:
    """With a star if its interval does not hold 0."""
    change, low, high = (f"{scale * x:+.{digits}f}" for x in (each.difference, each.low, each.high))
    return f"{change}{'*' if each.is_significant else ' '} [{low}, {high}]  p {each.p:.4f}"
