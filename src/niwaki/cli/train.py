"""Train a model from a configuration.

The configuration is TOML (see configs/), or the same tables in a .json file; its defaults are
good, so that

  [[objective]]
  data = "train.conllu"

is a whole one. Training writes checkpoints beside the output; after an interruption,
the same command with --resume goes on and ends with the same model. What each epoch did
is also written beside it, to MODEL.log.jsonl.

Features such as contiguous(s1,s0) look at links of the words to a translation, which `links`
names beside `data`. A line of links that does not fit its sentence is an error; with
--on-error skip the sentence goes without, and such lines are counted.

With --init a model is trained on, for instance for a task: it keeps its tagger, features,
labels and calibration, and its parser, with a beam and greedy, learns from where it is.

With --progress json, standard error has one JSON object a line, for programs that watch. `kind`
is one of these:

  stage     name, total: work begins; so many sentences will be looked at (0: not known)
  progress  stage, done, total
  epoch     stage, epoch, epochs, updates, rows, uas, las (null without training.dev), objectives:
            of each cost name, examples, updates, written (the mean cost of the model as it
            would be written now, over up to 300 examples: `priced`), first (while learning),
            oracle, k, rescued, retagged, single (examples of which one tree was found only)
  note      text: something that the user should know
  done      path, seconds: the model is written
  error     message, status: the last line; the exit status is this one

  niwaki train en.toml -o en.niwaki
  niwaki train en.toml -o en.niwaki --set model.beam=16 --set training.seed=2
  niwaki train task.toml -o task.niwaki --init en
"""

from __future__ import annotations

import argparse

from niwaki.cli import OK
from niwaki.cli._arguments import add_overrides, positive
from niwaki.cli._on_error import add_on_error
from niwaki.cli._training import add_progress, training_output
from niwaki.verbs.training import train


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG.toml", help="what to train, and from what")
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="the model file")
    add_overrides(parser)
    parser.add_argument(
        "--init", metavar="MODEL", help="train this model on instead of beginning from nothing"
    )
    add_on_error(parser, "faulty lines of clusters and links")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    parser.add_argument("--threads", type=positive, metavar="N", help="default: all cores")
    add_progress(parser)


def run(arguments: argparse.Namespace) -> int:
    with training_output(arguments) as output:
        train(
            arguments.config,
            arguments.output,
            init=arguments.init,
            report=output,
            overrides=arguments.overrides,
            resume=arguments.resume,
            threads=arguments.threads,
            on_error=arguments.on_error,
        )
        output.done(arguments.output)
    return OK
