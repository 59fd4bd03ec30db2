"""Train a model of each UD treebank in a folder, and score them all.

FOLDER holds the files of a treebank (NAME-ud-train.conllu, -dev, -test, also .gz), or folders
that do, as a release of Universal Dependencies. Each gets tagger, morphology, lemmas, segmenter
and parser in MODELS/NAME.niwaki, with settings that are chosen from its data: size, script,
spaces, multiword tokens, crossing arcs, sizes of the tagsets (docs/explain/languages.md). Without
a dev part, the last tenth of the training part chooses the epoch.

A table has the scores from gold words and from raw text (those of CoNLL 2018), time, size and
words per second; MODELS/NAME.scores.json has those of one. With --resume, finished models are
kept and others go on from their checkpoints. A treebank that cannot be learned from is named
with its fault, the others are trained, and the exit status is 1.

With --beside, parsers also learn from trees of other treebanks of the folder, which helps where
trees are few and a related language has more; tags, lemmas and words stay those of a model's own.

  niwaki train-ud UD_French-Sequoia -o models/
  niwaki train-ud ud-treebanks-v2.17 -o models/ --jobs 2 --resume --html scores.html
  niwaki train-ud ud-treebanks-v2.17 -o models/ --only lt_alksnis --beside lv_lvtb
"""

from __future__ import annotations

import argparse
import json
import sys

from niwaki.cli import OK
from niwaki.cli._arguments import add_html, add_overrides, positive
from niwaki.cli._training import add_progress, training_output
from niwaki.data.files import open_output
from niwaki.verbs.training_treebanks import train_ud

GROUP = "Train and fine-tune"
_SOME_FAILED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="with treebanks in it, or below it")
    parser.add_argument("-o", "--output", metavar="MODELS", required=True, help="folder of models")
    parser.add_argument(
        "--only", metavar="NAME", nargs="+", default=[], help="treebanks, by their files or folders"
    )
    parser.add_argument(
        "--beside",
        metavar="NAME",
        nargs="+",
        default=[],
        help="treebanks of FOLDER whose trees all parsers learn from, too",
    )
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="trained at a time (default: one a core)"
    )
    parser.add_argument(
        "--score", choices=["test", "dev"], default="test", help="the part to score (default: test)"
    )
    add_overrides(parser)
    parser.add_argument("--resume", action="store_true", help="keep what is finished, and go on")
    add_progress(parser)
    add_html(parser, "the table")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")


def run(arguments: argparse.Namespace) -> int:
    with training_output(arguments) as output:
        found = train_ud(
            arguments.folder,
            arguments.output,
            only=arguments.only,
            beside=arguments.beside,
            jobs=arguments.jobs,
            score=arguments.score,
            resume=arguments.resume,
            overrides=arguments.overrides,
            report=output,
        )
    if arguments.html:
        with open_output(arguments.html) as file:
            file.write(found.to_html().encode())
    print(json.dumps(found.to_json()) if arguments.json else found.to_text())
    if arguments.quiet:
        # Else they were told when they were found.
        for row in found.faults:
            print(f"niwaki: {row.name}: {row.fault}", file=sys.stderr)
    return _SOME_FAILED if found.faults else OK
