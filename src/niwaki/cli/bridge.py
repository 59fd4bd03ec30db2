"""Link two languages through a third one, and mix the answers of several systems.

SRC, MIDDLE and TGT hold the same sentences in three languages. FIRST aligns SRC with
MIDDLE and SECOND aligns MIDDLE with TGT: probabilities as `niwaki align --to json`
writes them, or any aligner's links. Each --mix names another file of SRC and TGT (the
direct one, or other bridges); all count alike unless --weights gives them shares, that
of the bridge first.

  niwaki bridge text.ja text.en text.ko ja-en.jsonl en-ko.jsonl > ja-ko.align
  niwaki bridge text.ja text.en text.ko ja-en.jsonl en-ko.jsonl --mix direct.jsonl
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator

from niwaki.cli import OK
from niwaki.cli._links import LINK_FORMATS, add_linking, check_linking, write
from niwaki.data.bilingual.bitext import parse_links
from niwaki.data.bilingual.posteriors import Posteriors, parse_posteriors
from niwaki.data.files import Input
from niwaki.errors import CorpusError, NiwakiError
from niwaki.tasks.align.bridge import DEFAULT_EPSILON, compose, mix, mixing_weights


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
        "--mix", metavar="FILE", action="append", default=[], help="another system's answer"
    )
    parser.add_argument(
        "--weights", metavar="W,W,...", help="shares of the bridge and of each --mix"
    )


def run(arguments: argparse.Namespace) -> int:
    check_linking(arguments)
    if not 0 <= arguments.epsilon <= 1:
        raise NiwakiError(f"--epsilon is {arguments.epsilon}; it must be from 0 to 1")
    write(_bridged(arguments, _weights(arguments)), arguments)
    return OK


def _weights(arguments: argparse.Namespace) -> list[float]:
    systems = 1 + len(arguments.mix)
    try:
        given = [float(w) for w in arguments.weights.split(",")] if arguments.weights else None
    except ValueError:
        raise NiwakiError(f"--weights is {arguments.weights!r}; write numbers as 0.5,0.5") from None
    shares: list[float] = mixing_weights(systems, given).tolist()
    return shares


def _bridged(arguments: argparse.Namespace, weights: list[float]) -> Iterator[Posteriors]:
    texts = [Input(file) for file in (arguments.source, arguments.middle, arguments.target)]
    answers = [Input(file) for file in (arguments.first, arguments.second, *arguments.mix)]
    try:
        for lines in itertools.zip_longest(*(stream.lines() for stream in texts + answers)):
            number = next(line[0] for line in lines if line)
            if None in lines:
                ended = (texts + answers)[lines.index(None)]
                raise NiwakiError(
                    f"{ended.name} ends after line {number - 1}; give files of one length"
                )
            source, middle, target = (len(text.split()) for _, text in lines[:3])
            shapes = [(source, middle), (middle, target)] + [(source, target)] * len(arguments.mix)
            first, second, *others = (
                _parse(text, stream.name, number, shape)
                for (_, text), stream, shape in zip(lines[3:], answers, shapes, strict=True)
            )
            bridged = compose(first, second, arguments.epsilon)
            yield mix([bridged, *others], weights)
    finally:
        for stream in texts + answers:
            stream.close()


def _parse(text: str, file: str, line: int, shape: tuple[int, int]) -> Posteriors:
    """Probabilities from a line of JSON or of links."""
    if not text.startswith("{"):
        return Posteriors.from_links(parse_links(text, file, line, shape), shape)
    found = parse_posteriors(text, file, line)
    if found.shape != shape:
        raise CorpusError(
            file,
            line,
            "LINE",
            f"probabilities for {found.shape[0]} and {found.shape[1]} words",
            f"the sentences have {shape[0]} and {shape[1]}",
        )
    return found
