"""Sort words into clusters by what stands beside them in text (Brown et al. 1992).

TEXT is CoNLL-U if its first line looks like it, else raw text, which the segmenter of a
model splits into sentences and words; --from says it (tokens: a sentence a line, words
separated by spaces). Gzip is read as it is. Of CoNLL-U, only the words are looked at,
and with --by-tags their tags.

Each word that occurs at least --min-count times gets a line of bits, word and count,
separated by tabs. Words with the same bits are a cluster, and clusters whose bits begin
alike stand near each other. Give the file to a parser and its tagger with
`clusters = "FILE"` under [model] of a training configuration.

  niwaki cluster news.txt.gz letters.conllu -o clusters.txt
  niwaki cluster trees.conllu --by-tags -o classes.txt
  niwaki cluster text.tok --from tokens --clusters 200 --case insensitive -o clusters.txt
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from niwaki.cli import OK
from niwaki.cli._arguments import positive
from niwaki.cli._progress import Progress
from niwaki.data.sentence import Sentence
from niwaki.data.text import FORMATS, read_sentences
from niwaki.errors import CorpusError, NiwakiError
from niwaki.features.brown import MAX_CLUSTERS, MIN_COUNT, cluster
from niwaki.features.clusters import write_clusters
from niwaki.features.tag_classes import untagged
from niwaki.pipeline.store import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", nargs="+", help="one or more files; - is stdin")
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="gzipped if it ends in .gz"
    )
    parser.add_argument(
        "--clusters",
        type=positive,
        default=1000,
        metavar="N",
        help=f"how many, at most {MAX_CLUSTERS} (default: %(default)s)",
    )
    parser.add_argument(
        "--min-count",
        type=positive,
        default=MIN_COUNT,
        metavar="M",
        help="leave out words that occur less often (default: %(default)s)",
    )
    parser.add_argument(
        "--case",
        choices=["sensitive", "insensitive"],
        default="sensitive",
        help="insensitive: read everything in lower case (default: %(default)s)",
    )
    parser.add_argument(
        "--by-tags",
        action="store_true",
        help="sort words first by the tags they have in CoNLL-U: for parsers without a tagger",
    )
    parser.add_argument(
        "--from", choices=FORMATS, dest="source", help="format of the input (default: by its look)"
    )
    parser.add_argument(
        "-m", "--model", metavar="MODEL", default="en", help="whose segmenter reads raw text"
    )
    parser.add_argument(
        "--skip-bad",
        action="store_true",
        help="leave out sentences that cannot be read, and count them",
    )


def run(arguments: argparse.Namespace) -> int:
    faults: list[CorpusError] = []
    with _Stages() as stages:
        found = cluster(
            _sentences(arguments, faults),
            arguments.clusters,
            min_count=arguments.min_count,
            lowercase=arguments.case == "insensitive",
            by_tags=arguments.by_tags,
            watch=stages.watch,
        )
    if faults:
        print(f"skipped {len(faults):,} faults, the first: {faults[0]}", file=sys.stderr)
    write_clusters(found, arguments.output)
    return OK


def _sentences(arguments: argparse.Namespace, faults: list[CorpusError]) -> Iterator[Sentence]:
    segmenter = None
    if arguments.source not in ("tokens", "conllu"):
        segmenter = load(arguments.model).segmenter
    for file in arguments.text:
        words = 0
        on_fault = faults.append if arguments.skip_bad else None
        for sentence in read_sentences(file, arguments.source, segmenter, on_fault=on_fault):
            if arguments.by_tags and on_fault and (fault := untagged(sentence)):
                on_fault(fault)
                continue
            words += len(sentence)
            yield sentence
        if not words:
            raise NiwakiError(f"{file}: no words; give text")


class _Stages:
    """Shows the progress of one stage after the other."""

    def __init__(self) -> None:
        self._name = ""
        self._progress: Progress | None = None

    def watch(self, stage: str, done: int, total: int) -> None:
        if stage != self._name or self._progress is None:
            self._end()
            unit = "clusters" if stage == "merging" else "words"
            self._name, self._progress = stage, Progress(stage, unit, total or None).__enter__()
        self._progress.add(done)

    def _end(self) -> None:
        if self._progress is not None:
            self._progress.__exit__(None, None, None)

    def __enter__(self) -> _Stages:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
