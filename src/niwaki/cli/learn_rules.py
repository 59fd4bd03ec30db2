"""Learn reordering rules from reference orders.

The references are made of word-aligned text by `niwaki references`; trees come from a file
or a model. The rules are written as a person would write them, with counts as comments, and
can be used by `niwaki reorder --rules FILE` as they are or after changes.

  niwaki learn-rules references.jsonl --trees trees.conllu -o learned.toml
  niwaki learn-rules references.jsonl -m en -o learned.toml
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import PurePath

from niwaki.cli import OK
from niwaki.cli._progress import Progress
from niwaki.cli._trees import add_tree_arguments, all_trees
from niwaki.data.bilingual.references import check_references, read_references
from niwaki.data.files import open_output
from niwaki.errors import NiwakiError
from niwaki.tasks.reorder.events import collect_events
from niwaki.tasks.reorder.learning import Settings, learn_rules
from niwaki.tasks.reorder.rulefile import format_rules

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
    references = list(read_references(arguments.references))
    check_references(references, arguments.references)
    trees = list(all_trees(arguments, references))
    if len(trees) != 1:
        raise NiwakiError("give either one --trees FILE or one -m MODEL")
    name, sentences = trees[0]
    settings = dataclasses.replace(
        _DEFAULTS,
        **{
            field.name: getattr(arguments, field.name)
            for field in dataclasses.fields(Settings)
            if hasattr(arguments, field.name)
        },
    )
    events = collect_events(sentences, references)
    with Progress("learning", "splits", settings.splits) as progress:
        learned = learn_rules(events, "learned", settings, lambda _: progress.add(1))
    source = PurePath(arguments.references).name
    description = (
        f"Learned from {len(references)} sentences of {source}, trees from {name}:\n"
        f"{len(events.head)} pairs of a head and its children.\n"
        f"class_gain={settings.class_gain:g}, head_gain={settings.head_gain:g}, "
        f"move_gain={settings.move_gain:g}, support={settings.support}, splits={settings.splits}."
    )
    rules = dataclasses.replace(learned.rules, description=description)
    with open_output(arguments.output) as out:
        out.write(format_rules(rules, learned.notes).encode("utf-8"))
    return OK
