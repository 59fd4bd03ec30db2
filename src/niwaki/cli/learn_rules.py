"""Learn reordering rules from reference orders.

The references are made of word-aligned text by `niwaki references`; trees come from a file
or a model. The rules are written as a person would write them, with counts as comments, and
can be used by `niwaki reorder --rules FILE` as they are or after changes.

  niwaki learn-rules references.jsonl --trees trees.conllu -o learned.toml
  niwaki learn-rules references.jsonl -m en -o learned.toml
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._stages import Stages
from niwaki.cli._trees import add_tree_arguments, only_trees
from niwaki.data.files import open_output
from niwaki.tasks.reorder.learning import Settings
from niwaki.tasks.reorder.rulewriting import format_rules
from niwaki.verbs.reordering import learn_rules

GROUP = "Word order and translation"
_DEFAULTS = Settings()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("references", metavar="REFERENCES", help="JSON Lines; - is stdin")
    add_tree_arguments(parser)
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    for name, text in (
        ("class-gain", "votes that telling children apart must gain"),
        ("head-gain", "votes that telling heads apart must gain"),
        ("move-gain", "votes that a child must gain to leave its place"),
    ):
        default = getattr(_DEFAULTS, name.replace("-", "_"))
        parser.add_argument(
            f"--{name}", type=float, default=default, help=f"{text} (default: {default})"
        )
    for name, text in (
        ("support", "pairs that a condition must be seen in"),
        ("splits", "splits at most"),
    ):
        default = getattr(_DEFAULTS, name)
        parser.add_argument(
            f"--{name}", type=int, default=default, metavar="N", help=f"{text} (default: {default})"
        )


def run(arguments: argparse.Namespace) -> int:
    with Stages({"learning": "splits"}) as stages:
        learned = learn_rules(
            arguments.references,
            only_trees(arguments),
            class_gain=arguments.class_gain,
            head_gain=arguments.head_gain,
            move_gain=arguments.move_gain,
            support=arguments.support,
            splits=arguments.splits,
            beam=arguments.beam[0] if arguments.beam else None,
            threads=arguments.threads,
            watch=stages.watch,
        )
    with open_output(arguments.output) as out:
        out.write(format_rules(learned.rules, learned.notes).encode("utf-8"))
    return OK
