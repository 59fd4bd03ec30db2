"""Link two languages through a third one, and mix the answers of several systems.

SRC, MIDDLE and TGT hold the same sentences in three languages. FIRST aligns SRC with
MIDDLE and SECOND aligns MIDDLE with TGT: probabilities as `niwaki align --to json`
writes them, or any aligner's links. Each --via is a bridge through one more language.
Each --mix names another file of SRC and TGT, such as the direct one; all count alike
unless --weights gives them shares: of the bridge, of each --via, then of each --mix.

  niwaki bridge text.ja text.en text.ko ja-en.jsonl en-ko.jsonl > ja-ko.align
  niwaki bridge text.ja text.en text.ko ja-en.jsonl en-ko.jsonl --mix direct.jsonl
  niwaki bridge text.ja text.en text.ko ja-en.jsonl en-ko.jsonl \\
    --via text.zh ja-zh.jsonl zh-ko.jsonl
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._links import LINK_FORMATS, add_linking, check_linking, write
from niwaki.errors import NiwakiError
from niwaki.tasks.align.bridge import DEFAULT_EPSILON
from niwaki.verbs.aligning import bridge_probabilities

GROUP = "Word order and translation"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for name, text in (
        ("source", "sentences of the source language"),
        ("middle", "the same in the language between"),
        ("target", "the same in the target language"),
        ("first", "links or probabilities between SRC and MIDDLE"),
        ("second", "links or probabilities between MIDDLE and TGT"),
    ):
        metavar = {"source": "SRC", "target": "TGT"}.get(name, name.upper())
        parser.add_argument(name, metavar=metavar, help=text)
    add_linking(parser, LINK_FORMATS)
    parser.add_argument(
        "--epsilon",
        type=float,
        default=DEFAULT_EPSILON,
        metavar="P",
        help="how surely a word that has no link to the bridge has none at all "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--via",
        nargs=3,
        metavar=("MIDDLE", "FIRST", "SECOND"),
        action="append",
        default=[],
        help="another bridge; may be repeated",
    )
    parser.add_argument(
        "--mix", metavar="FILE", action="append", default=[], help="another system's answer"
    )
    parser.add_argument(
        "--weights", metavar="W,W,...", help="shares of the bridge, of each --via and --mix"
    )


def run(arguments: argparse.Namespace) -> int:
    check_linking(arguments)
    found = bridge_probabilities(
        *(arguments.source, arguments.middle, arguments.target, arguments.first, arguments.second),
        via=[tuple(files) for files in arguments.via],
        mixed=arguments.mix,
        weights=_weights(arguments.weights),
        epsilon=arguments.epsilon,
    )
    write(found, arguments)
    return OK


def _weights(text: str | None) -> list[float] | None:
    try:
        return [float(weight) for weight in text.split(",")] if text else None
    except ValueError:
        raise NiwakiError(f"--weights is {text!r}; write numbers as 0.5,0.5") from None
