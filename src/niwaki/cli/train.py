"""Train a model from a treebank, or from a configuration.

With --data and --dev, two CoNLL-U files are all that is needed: settings are chosen from the data
(docs/explain/languages.md). The best epoch on --dev is kept, scores are those on it, and it makes
the model's probabilities mean something.

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

With --init a model is fine-tuned, for instance for a task: it keeps its tagger, features,
labels and calibration, and its parser, with a beam and greedy, learns from where it is.

With --workers N, processes learn a shard of the data each, and their weights are mixed after each
epoch (iterative parameter mixing): other weights than those of one process, about as good, sooner.
--engine says who runs them: processes of this machine (local), Ray on this machine (ray), or a
cluster (ray://HOST), whose machines must find the files under the same names. A worker that dies
is replaced and its shard repeated; a checkpoint is written after each epoch. With one worker the
model is that of a run without --workers.

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

  niwaki train --data train.conllu --dev dev.conllu -o new.niwaki
  niwaki train en.toml -o en.niwaki
  niwaki train en.toml -o en.niwaki --set model.beam=16 --set training.seed=2
  niwaki train task.toml -o task.niwaki --init en
  niwaki train en.toml -o en.niwaki --workers 4
  niwaki train en.toml -o en.niwaki --workers 32 --engine ray://head.example.org
"""

from __future__ import annotations

import argparse
from pathlib import Path

from niwaki.cli import OK
from niwaki.cli._arguments import add_overrides, add_threads
from niwaki.cli._on_error import add_on_error
from niwaki.cli._summary import summary
from niwaki.cli._training import add_progress, training_output
from niwaki.cli._workers import add_workers, overrides_of_workers
from niwaki.errors import NiwakiError
from niwaki.learning.from_data import tables_for
from niwaki.verbs.training import Configuration, train

GROUP = "Train and fine-tune"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config", metavar="CONFIG.toml", nargs="?", help="what to train, and from what"
    )
    parser.add_argument(
        "--data",
        metavar="FILE",
        action="append",
        default=[],
        help="instead of CONFIG.toml: a treebank to learn from; may be repeated",
    )
    parser.add_argument("--dev", metavar="FILE", help="with --data: trees to choose an epoch by")
    parser.add_argument("-o", "--output", metavar="MODEL", required=True, help="the model file")
    add_overrides(parser)
    parser.add_argument(
        "--init", metavar="MODEL", help="train this model on instead of beginning from nothing"
    )
    add_on_error(parser, "faulty lines of clusters and links")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    add_threads(parser, all_cores=True)
    add_workers(parser)
    add_progress(parser)


def run(arguments: argparse.Namespace) -> int:
    with training_output(arguments) as output:
        model = train(
            _configuration(arguments),
            arguments.output,
            init=arguments.init,
            report=output,
            overrides=[*arguments.overrides, *overrides_of_workers(arguments)],
            resume=arguments.resume,
            threads=arguments.threads,
            on_error=arguments.on_error,
            engine=arguments.engine,
        )
        for line in summary(model, arguments.output):
            output.note(line)
        output.done(arguments.output)
    return OK


def _configuration(arguments: argparse.Namespace) -> Configuration:
    if bool(arguments.data) == (arguments.config is not None):
        raise NiwakiError("give either CONFIG.toml or --data TRAIN.conllu")
    if arguments.config is not None:
        if arguments.dev is not None:
            raise NiwakiError("--dev is for --data; beside a file say --set training.dev=FILE")
        return str(arguments.config)
    for file in [*arguments.data, *([arguments.dev] if arguments.dev else [])]:
        if not Path(file).is_file():
            raise NiwakiError(f"{file}: no such file; give CoNLL-U for --data and --dev")
    if arguments.init is None:
        return tables_for(arguments.data, arguments.dev)
    # It keeps its settings.
    training = {} if arguments.dev is None else {"dev": arguments.dev}
    return {"objective": [{"data": arguments.data}], "training": training}
