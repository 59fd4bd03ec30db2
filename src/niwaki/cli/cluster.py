"""Sort words into clusters by what stands beside them in text (Brown et al. 1992).

TEXT is CoNLL-U if its first line looks like it, else raw text, which the segmenter of a
model splits into sentences and words; --from says it (tokens: one sentence per line, words
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

from niwaki.cli import OK
from niwaki.cli._arguments import add_source, positive
from niwaki.cli._on_error import Skipped, add_on_error
from niwaki.cli._stages import Stages
from niwaki.features.brown import MAX_CLUSTERS, MIN_COUNT
from niwaki.features.clusters import write_clusters
from niwaki.verbs.clustering import cluster

GROUP = "Train and fine-tune"
_UNITS = {"reading": "words", "clustering": "words", "merging": "clusters"}


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
    add_source(parser)
    parser.add_argument(
        "-m", "--model", metavar="MODEL", default="en", help="whose segmenter reads raw text"
    )
    add_on_error(parser, "sentences that cannot be read")


def run(arguments: argparse.Namespace) -> int:
    skipped = Skipped(arguments)
    with Stages(_UNITS) as stages:
        found = cluster(
            arguments.text,
            arguments.clusters,
            min_count=arguments.min_count,
            lowercase=arguments.case == "insensitive",
            by_tags=arguments.by_tags,
            form=arguments.source,
            model=arguments.model,
            on_error=skipped.on_error,
            watch=stages.watch,
        )
    skipped.tell()
    write_clusters(found, arguments.output)
    return OK
