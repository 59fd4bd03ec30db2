"""Trees for reference orders: from files, or from models that parse their words."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import PurePath

from niwaki.cli._arguments import add_threads, positive
from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load


def add_tree_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-m",
        "--model",
        metavar="MODEL",
        action="append",
        default=[],
        help="parse the words with this model; may be repeated",
    )
    parser.add_argument(
        "--trees",
        metavar="FILE",
        action="append",
        default=[],
        help="CoNLL-U with trees of the same sentences; may be repeated",
    )
    parser.add_argument(
        "--beam",
        type=positive,
        metavar="N",
        action="append",
        default=[],
        help="with -m: 1 is greedy (default: the model's); may be repeated",
    )
    add_threads(parser, prefix="with -m: ")


def only_trees(arguments: argparse.Namespace) -> tuple[str, Pipeline | Iterator[Sentence]]:
    """The trees of the one file, or the one model, with their name."""
    if arguments.beam and not arguments.model:
        raise NiwakiError("--beam is for -m; give a model to parse with")
    if len(arguments.trees) + len(arguments.model) != 1 or len(arguments.beam) > 1:
        raise NiwakiError("give either one --trees FILE or one -m MODEL")
    if arguments.trees:
        (file,) = arguments.trees
        return PurePath(file).name, read_conllu(file, multi_root=True)
    (name,) = arguments.model
    return _shown(name, arguments.beam[0] if arguments.beam else None), load(name)


def all_trees(
    arguments: argparse.Namespace,
) -> Iterator[tuple[str, Pipeline | Iterator[Sentence]]]:
    """The trees of every file, and every model, with a name for each."""
    if arguments.beam and not arguments.model:
        raise NiwakiError("--beam is for -m; give a model to parse with")
    for file in arguments.trees:
        yield PurePath(file).name, read_conllu(file, multi_root=True)
    for name in arguments.model:
        yield _shown(name, None), load(name)


def _shown(name: str, beam: int | None) -> str:
    shown = PurePath(name).name.removesuffix(".niwaki")
    return shown if beam is None else f"{shown} beam {beam}"
