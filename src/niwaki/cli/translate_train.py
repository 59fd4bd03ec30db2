"""Train a translator on parallel text.

SRC and TGT hold a tokenised sentence a line. Words are aligned, phrase pairs are taken from the
links, and a language model and a reordering model are learned; FOLDER holds all of it. With
--preorder, source sentences are parsed with -m and put into target order by rules first, and the
system does the same when it runs. A run that was stopped goes on where it was, if its inputs are
the same. Weights are plain ones until `niwaki translate tune`.

  niwaki translate-train text.en text.ja -o en-ja
  niwaki translate-train text.en text.ja -o en-ja --preorder ja -m en --reordering none
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._arguments import positive
from niwaki.cli._on_error import Skipped, add_on_error
from niwaki.cli._stages import Stages
from niwaki.tasks.align import METHODS, PRESETS
from niwaki.tasks.translate.training import REORDERINGS, TrainSettings
from niwaki.verbs.translating import translate_train

GROUP = "Word order and translation"
_DEFAULTS = TrainSettings()
_UNITS = {
    "reading": "pairs",
    "ordering": "sentences",
    "learning": "iterations",
    "aligning": "pairs",
    "extracting": "steps",
    "reordering": "passes",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SRC", help="sentences to translate from")
    parser.add_argument("target", metavar="TGT", help="their translations")
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="the system")
    parser.add_argument("--links", metavar="FILE", help="word links (default: align the words)")
    parser.add_argument("--preorder", metavar="RULES", help="name or file of reordering rules")
    parser.add_argument(
        "-m", "--model", metavar="MODEL", default="en", help="with --preorder: the parser"
    )
    parser.add_argument(
        "--text",
        metavar="FILE",
        action="append",
        default=[],
        help="more text of the target language, for the language model",
    )
    parser.add_argument(
        "--phrase-length",
        type=positive,
        default=_DEFAULTS.source_length,
        metavar="N",
        help=f"longest source phrase (default: {_DEFAULTS.source_length})",
    )
    parser.add_argument(
        "--target-length",
        type=positive,
        default=_DEFAULTS.target_length,
        metavar="N",
        help=f"longest target phrase (default: {_DEFAULTS.target_length})",
    )
    parser.add_argument(
        "--options",
        type=positive,
        default=_DEFAULTS.options,
        metavar="N",
        help=f"translations kept of a source phrase (default: {_DEFAULTS.options})",
    )
    parser.add_argument(
        "--order",
        type=positive,
        default=_DEFAULTS.order,
        metavar="N",
        help=f"words of the language model's longest n-grams (default: {_DEFAULTS.order})",
    )
    parser.add_argument(
        "--reordering",
        choices=REORDERINGS,
        default=_DEFAULTS.reordering,
        help=f"lexicalised reordering model (default: {_DEFAULTS.reordering})",
    )
    parser.add_argument(
        "--preset",
        choices=list(PRESETS),
        default=_DEFAULTS.preset,
        help=f"how words are aligned (default: {_DEFAULTS.preset})",
    )
    parser.add_argument(
        "--method",
        choices=METHODS,
        default=_DEFAULTS.method,
        help=f"how both directions are joined (default: {_DEFAULTS.method})",
    )
    parser.add_argument("--threads", type=positive, default=1, metavar="N", help="default: 1")
    add_on_error(parser, "pairs that cannot be used")


def run(arguments: argparse.Namespace) -> int:
    skipped = Skipped(arguments)
    settings = TrainSettings(
        source_length=arguments.phrase_length,
        target_length=arguments.target_length,
        options=arguments.options,
        order=arguments.order,
        reordering=arguments.reordering,
        preset=arguments.preset,
        method=arguments.method,
    )
    with Stages(_UNITS) as stages:
        translate_train(
            arguments.source,
            arguments.target,
            arguments.output,
            links=arguments.links,
            preorder=arguments.preorder,
            model=arguments.model,
            more=arguments.text,
            settings=settings,
            threads=arguments.threads,
            on_error=skipped.on_error,
            watch=stages.watch,
        )
    skipped.tell()
    return OK
