"""What the commands that parse with links to a translation share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator

from niwaki.data.bilingual.links import link_sentences
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError
from niwaki.pipeline.pipeline import Pipeline


def add_links_arguments(parser: argparse.ArgumentParser, prefix: str = "") -> None:
    parser.add_argument(
        "--links",
        metavar="FILE",
        help=f"{prefix}links of the words to a translation, a line `0-0 1-2` for each sentence",
    )
    parser.add_argument(
        "--skip-bad",
        action="store_true",
        help="with --links: do without lines that do not fit, and count them",
    )


def linked(
    sentences: Iterable[Sentence], arguments: argparse.Namespace, model: Pipeline | None = None
) -> Iterator[Sentence]:
    """The sentences with their links, if a file was given that the model has a use for."""
    if arguments.links is None:
        if arguments.skip_bad:
            raise NiwakiError("--skip-bad is for --links; leave it out, or give a file")
        return iter(sentences)
    if model is not None and not model.parser.uses_links:
        raise NiwakiError(
            "this model does not look at links; leave out --links, "
            "or train it with features such as contiguous(s1,s0)"
        )
    return _counted(sentences, arguments)


def _counted(sentences: Iterable[Sentence], arguments: argparse.Namespace) -> Iterator[Sentence]:
    faults: list[CorpusError] = []
    yield from link_sentences(
        sentences, arguments.links, faults.append if arguments.skip_bad else None
    )
    if faults:
        print(f"{len(faults):,} lines of links do not fit, the first: {faults[0]}", file=sys.stderr)
