"""Train a model from a configuration.

The configuration is TOML (see configs/); its defaults are good, so that

  [[objective]]
  data = "train.conllu"

is a whole one. Training writes checkpoints beside the output; after an interruption,
the same command with --resume goes on and ends with the same model. What each epoch did
is also written beside it, to MODEL.log.jsonl.

Features such as contiguous(s1,s0) look at links of the words to a translation, which `links`
names beside `data`. A line of links that does not fit its sentence is an error; with --skip-bad
the sentence goes without, and such lines are counted.

With --init a model is trained on, for instance for a task: it keeps its tagger, features
and labels, and its parser learns from where it is.

  niwaki train en.toml -o en.niwaki
  niwaki train en.toml -o en.niwaki --set model.beam=16 --set training.seed=2
  niwaki train task.toml -o task.niwaki --init en
"""

from __future__ import annotations

import argparse
import time

from niwaki.cli import OK
from niwaki.cli._arguments import add_overrides, positive
from niwaki.cli._training import TrainingLines
from niwaki.pipeline.store import load
from niwaki.training.config_file import read_config
from niwaki.training.run import train


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG.toml", help="what to train, and from what")
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="the model file")
    add_overrides(parser)
    parser.add_argument(
        "--init", metavar="MODEL", help="train this model on instead of beginning from nothing"
    )
    parser.add_argument(
        "--skip-bad",
        action="store_true",
        help="leave out faulty lines of clusters and links, and count them",
    )
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    parser.add_argument("--threads", type=positive, metavar="N", help="default: all cores")


def run(arguments: argparse.Namespace) -> int:
    config = read_config(arguments.config, arguments.overrides)
    started = time.monotonic()
    init = load(arguments.init) if arguments.init else None
    with TrainingLines() as lines:
        train(
            config,
            arguments.output,
            lines,
            resume=arguments.resume,
            threads=arguments.threads,
            init=init,
            on_error="skip" if arguments.skip_bad else "fail",
        )
        lines.note(f"wrote {arguments.output} after {time.monotonic() - started:.0f} s")
    return OK
