"""Learn what phrases become in their sentences.

SRC and TGT hold the text that a system was trained on. For each source phrase that is seen often
and becomes several things, four classifiers learn which it becomes where: naive Bayes, maximum
entropy, boosted stumps, and nearest neighbours after kernel PCA (Carpuat and Wu 2007). They see the
words of the sentence, words and tags around the phrase, and the tree. The mean of the four is one
more score of each occurrence: `--senses FILE` of `niwaki translate run` and `tune`.

  niwaki translate-train-senses text.en text.ja -o en-ja.senses
  niwaki translate tune -m en-ja dev.en dev.ja -o en-ja-senses --senses en-ja.senses
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._arguments import add_numbers, add_threads, positive
from niwaki.cli._on_error import Skipped, add_on_error
from niwaki.cli._stages import Stages
from niwaki.data.files import check_writable
from niwaki.tasks.translate.senses.learning import SenseSettings
from niwaki.verbs.sensing import translate_train_senses

GROUP = "Word order and translation"
_DEFAULTS = SenseSettings()
_UNITS = {
    "reading": "pairs",
    "learning": "iterations",
    "aligning": "pairs",
    "parsing": "sentences",
    "senses": "phrases",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SRC", help="sentences of the source language")
    parser.add_argument("target", metavar="TGT", help="their translations")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the senses")
    parser.add_argument("--links", metavar="FILE", help="word links (default: align the words)")
    parser.add_argument("-m", "--model", metavar="MODEL", default="en", help="parser, default: en")
    add_numbers(
        parser,
        positive,
        ("least", _DEFAULTS.least, "occurrences that a phrase must have"),
        ("most", _DEFAULTS.most, "occurrences of a phrase that are learned from"),
        ("classes", _DEFAULTS.classes, "translations of a phrase that are told apart"),
    )
    add_threads(parser)
    add_on_error(parser, "pairs that cannot be used")


def run(arguments: argparse.Namespace) -> int:
    check_writable(arguments.output)
    skipped = Skipped(arguments)
    settings = SenseSettings(least=arguments.least, most=arguments.most, classes=arguments.classes)
    with Stages(_UNITS) as stages:
        translate_train_senses(
            arguments.source,
            arguments.target,
            arguments.output,
            links=arguments.links,
            model=arguments.model,
            settings=settings,
            threads=arguments.threads,
            on_error=skipped.on_error,
            watch=stages.watch,
        )
    skipped.tell()
    return OK
