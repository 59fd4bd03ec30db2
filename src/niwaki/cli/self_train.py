"""Train a model on trees of its own choice.

CONFIG.toml is one as for `niwaki train`, with a treebank and at least one cost. The model
parses the sentences of the cost and a tree is chosen for each: the first (--select first,
standard self-training), or the cheapest of the n best (--select cost, targeted
self-training), unless even that one costs much: more than half of what first trees cost,
or than --max-cost. A new model is then trained on the treebank and these trees, tagger
and parser alike; --train-on trains the model's parser on instead. --candidates-from takes
the candidates of a better parser. With --tags, trees over other tags of doubtful words
are candidates too, so that the tagger learns what helps.

The trees are kept beside the output, in MODEL.rounds, as CoNLL-U with their cost, their
rank and what the first tree would have cost. After an interruption, --resume goes on.
--progress json is that of `niwaki train`. With --workers, workers list and price candidates too;
what is chosen is the same for any number of them.

  niwaki self-train task.toml -m en -o better.niwaki
  niwaki self-train task.toml -m en -o better.niwaki -n 512 --weight 10 --rounds 2
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable

from niwaki.cli import OK
from niwaki.cli._arguments import add_overrides, add_threads, positive
from niwaki.cli._training import add_progress, training_output
from niwaki.cli._workers import add_workers, overrides_of_workers
from niwaki.training.self_training import Round
from niwaki.verbs.training import self_train

GROUP = "Train and fine-tune"
_MOST = 512


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG.toml", help="a treebank, and what trees cost")
    parser.add_argument("-m", "--model", metavar="MODEL", required=True, help="whose trees")
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="the new model")
    parser.add_argument(
        "--select",
        choices=["first", "cost"],
        default="cost",
        help="the first tree, or the cheapest candidate (default: cost)",
    )
    parser.add_argument(
        "-n", type=_candidates, default=8, help=f"candidates, up to {_MOST} (default: 8)"
    )
    parser.add_argument(
        "--max-cost",
        type=float,
        metavar="COST",
        help="leave out trees that cost more; inf keeps all "
        "(default: half of what first trees cost on average)",
    )
    parser.add_argument(
        "--tags", type=positive, default=1, metavar="N", help="ways to tag a sentence (default: 1)"
    )
    parser.add_argument(
        "--weight", type=positive, default=1, metavar="N", help="of the chosen trees (default: 1)"
    )
    parser.add_argument(
        "--rounds", type=positive, default=1, metavar="N", help="choose and train (default: 1)"
    )
    parser.add_argument("--candidates-from", metavar="MODEL", help="take its candidates instead")
    parser.add_argument(
        "--train-on", action="store_true", help="train the model on instead of a new one"
    )
    add_overrides(parser)
    parser.add_argument("--resume", action="store_true", help="go on where the last run stopped")
    add_threads(parser, all_cores=True)
    add_workers(parser)
    add_progress(parser)
    parser.add_argument("--json", action="store_true", help="print what was chosen as JSON")


def _candidates(text: str) -> int:
    count = positive(text)
    if count > _MOST:
        raise argparse.ArgumentTypeError(f"{count}; give at most {_MOST}")
    return count


def run(arguments: argparse.Namespace) -> int:
    with training_output(arguments) as output:
        found = self_train(
            arguments.config,
            arguments.model,
            arguments.output,
            select=arguments.select,
            n=arguments.n,
            max_cost=arguments.max_cost,
            tags=arguments.tags,
            weight=arguments.weight,
            rounds=arguments.rounds,
            candidates_from=arguments.candidates_from,
            train_on=arguments.train_on,
            report=output,
            overrides=[*arguments.overrides, *overrides_of_workers(arguments)],
            resume=arguments.resume,
            threads=arguments.threads,
            engine=arguments.engine,
        )
        output.done(arguments.output)
    print(json.dumps(found.to_json()) if arguments.json else _table(found.rounds))
    return OK


def _table(rounds: Iterable[Round]) -> str:
    columns = f"{'first':>8} {'chosen':>8} {'changed':>8} {'rank':>6} {'kept':>8}"
    lines = [f"{'round':>5} {'examples':>9} {columns}"]
    for each in rounds:
        lines.append(
            f"{each.number:>5} {each.examples:>9,} {each.first_cost:>8.4f} {each.cost:>8.4f} "
            f"{each.changed:>8,} {each.rank:>6.1f} {each.kept:>8,}"
        )
    return "\n".join(lines)
