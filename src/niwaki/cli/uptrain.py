"""Train a fast model on the trees of a slow, accurate teacher.

CONFIG.toml is one as for `niwaki train`, with a treebank; its table [uptraining] says how
much the teacher's trees weigh, which sentences are kept and which labels are renamed. A
teacher is a CoNLL-U file of any parser (--teacher-trees; more than one file is one teacher,
the option twice is two), or a model that parses unlabelled text (-m and --text; several
models parse together). With --agreement, each is a teacher of its own, and sentences are
kept in which they give so large a share of the words the same head and label. With both
--teacher-trees and --text, the words must be the same.

Tagger and parser are trained on the treebank and the trees that are kept; these stay beside
the output, in MODEL.trees. After an interruption, --resume goes on. --progress json is that of
`niwaki train`. With --workers, workers parse for the teachers too; their trees are the same for any
number of them.

With --curve, a model is trained for each number of the teacher's sentences; with --test,
scores on gold sentences are shown, and which labels and tags gained most. A note tells how many
of these sentences were learned; --unseen leaves them out.

  niwaki uptrain en.toml --teacher-trees silver.conllu.gz -o fast.niwaki
  niwaki uptrain en.toml -m a -m b --beam 32 --text questions.txt --questions -o fast.niwaki
  niwaki uptrain en.toml --teacher-trees silver.conllu --curve 0,100,1000,10000 \\
      --test dev.conllu --chart curve.svg -o fast.niwaki
"""

from __future__ import annotations

import argparse
import json

from niwaki.cli import OK
from niwaki.cli._arguments import add_overrides, add_source, add_threads, natural, positive
from niwaki.cli._on_error import add_on_error
from niwaki.cli._scores import add_unseen_argument
from niwaki.cli._training import add_progress, training_output
from niwaki.cli._workers import add_workers, overrides_of_workers
from niwaki.data.files import open_output
from niwaki.draw import png
from niwaki.errors import NiwakiError
from niwaki.training.uptraining import QUESTION_CHARACTERS
from niwaki.verbs.training import Uptrained, uptrain

GROUP = "Train and fine-tune"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG.toml", help="a treebank, and how to train")
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="the new model")
    parser.add_argument(
        "--teacher-trees",
        metavar="FILE",
        nargs="+",
        action="append",
        default=[],
        help="CoNLL-U of a teacher; once for each teacher",
    )
    parser.add_argument(
        "-m", "--model", metavar="MODEL", action="append", default=[], help="a teacher"
    )
    parser.add_argument("--beam", type=positive, metavar="N", help="of the models")
    parser.add_argument("--text", metavar="FILE", nargs="+", default=[], help="to be parsed")
    add_source(parser, "text")
    parser.add_argument(
        "--questions",
        action="store_true",
        help=f"keep English questions of at most {QUESTION_CHARACTERS} characters",
    )
    parser.add_argument(
        "--agreement", type=float, metavar="SHARE", help="of the words that teachers agree on, 0-1"
    )
    add_on_error(parser, "faulty sentences of the teachers")
    parser.add_argument(
        "--curve", type=_sizes, default=[], metavar="N,N...", help="numbers of sentences"
    )
    parser.add_argument(
        "--test", metavar="GOLD", nargs="+", default=[], help="sentences to show scores on"
    )
    add_unseen_argument(parser, "with --test: ")
    parser.add_argument("--chart", metavar="OUT", help="the curve as SVG or PNG (needs --test)")
    add_overrides(parser)
    parser.add_argument("--resume", action="store_true", help="go on where the last run stopped")
    add_threads(parser, all_cores=True)
    add_workers(parser)
    add_progress(parser)
    parser.add_argument("--json", action="store_true", help="print the scores as JSON")


def _sizes(text: str) -> list[int]:
    return [natural(size.strip()) for size in text.split(",")]


def run(arguments: argparse.Namespace) -> int:
    if arguments.chart and not (arguments.test and arguments.curve):
        raise NiwakiError("--chart draws a --curve of scores on a --test; give both")
    if arguments.unseen and not arguments.test:
        raise NiwakiError("--unseen is for scores on a --test; give one, or leave it out")
    overrides = [*arguments.overrides, *overrides_of_workers(arguments)]
    if arguments.agreement is not None:
        overrides.append(f"uptraining.agreement={arguments.agreement}")
    with training_output(arguments) as output:
        found = uptrain(
            arguments.config,
            arguments.output,
            teacher_trees=arguments.teacher_trees,
            models=arguments.model,
            text=arguments.text,
            form=arguments.source,
            beam=arguments.beam,
            questions=arguments.questions,
            sizes=arguments.curve,
            test=arguments.test,
            unseen=arguments.unseen,
            report=output,
            overrides=overrides,
            resume=arguments.resume,
            threads=arguments.threads,
            engine=arguments.engine,
            on_error=arguments.on_error,
        )
        output.done(arguments.output)
    if arguments.chart:
        _write_chart(found, arguments.chart)
    if found.gains is not None:
        print(
            json.dumps(found.gains.to_json()) if arguments.json else found.gains.to_text(), end=""
        )
    return OK


def _write_chart(found: Uptrained, file: str) -> None:
    svg = found.chart()
    drawn = png(svg) if file.endswith(".png") else svg.encode()
    with open_output(file) as out:
        out.write(drawn)
