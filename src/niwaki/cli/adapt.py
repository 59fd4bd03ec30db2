"""Adapt a model to a job, and write it if that made it better.

TASK.toml is a configuration as for `niwaki train`, with at least one cost; two lines are enough:

  [[objective]]
  kind = "partial"
  data = "roots.conllu"

A part of the examples is held out, by documents where these are known. Few settings are tried
within the given time, the best is chosen by its cost on the one half of what was held out, and
what it is worth is told on the other half, with 95% intervals. Settings that lose more LAS than
--floor on the treebank are not chosen. The treebank is training.dev of the configuration, or else
taken from its treebanks; one beside the examples is also learned from, so that less is
forgotten. Settings that the configuration says (select, step, scale, k) are kept; schedule,
epochs and weights of treebanks are chosen.

If nothing was gained, nothing is written and the exit status is 1; --force writes the best
trial all the same. Trials are kept in NEW.trials until all is done: after an interruption, --resume
goes on. With --workers, trials are trained side by side, each by one worker of --engine; what comes
out is the same where there is time for all of them.

--progress json is that of `niwaki train`, without epochs and with trials that are over:

  trial     number (0: the model as it is), name, costs (means on the examples to choose by), las,
            seconds, seconds_left (for other trials), fault (why it could not be tried)

  niwaki adapt en --for roots.toml -o roots.niwaki
  niwaki adapt en --for order.toml -o order.niwaki --minutes 30 --html report.html
"""

from __future__ import annotations

import argparse
import json

from niwaki.adapting.report import as_page, as_text
from niwaki.cli import OK
from niwaki.cli._arguments import add_html, add_overrides, add_threads, amount, positive
from niwaki.cli._training import TrainingLines, add_progress, training_output
from niwaki.cli._workers import add_engine
from niwaki.data.files import open_output
from niwaki.verbs.adapting import adapt

GROUP = "Train and fine-tune"
_NOTHING_GAINED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="the model to adapt")
    parser.add_argument(
        "--for", metavar="TASK.toml", required=True, dest="task", help="what trees cost, examples"
    )
    parser.add_argument("-o", "--output", metavar="NEW", required=True, help="the adapted model")
    add_overrides(parser)
    parser.add_argument(
        "--minutes", type=amount, default=10.0, metavar="N", help="for all trials (default: 10)"
    )
    parser.add_argument(
        "--floor", type=amount, default=0.3, metavar="LAS", help="what may be lost (default: 0.3)"
    )
    parser.add_argument("--force", action="store_true", help="write the best trial in any case")
    parser.add_argument("--resume", action="store_true", help="go on where the last run stopped")
    add_threads(parser, all_cores=True)
    parser.add_argument(
        "--workers", type=positive, default=1, metavar="N", help="trials side by side (default: 1)"
    )
    add_engine(parser)
    add_progress(parser)
    add_html(parser, "the report")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace) -> int:
    with training_output(arguments) as output:
        found = adapt(
            arguments.model,
            arguments.task,
            arguments.output,
            minutes=arguments.minutes,
            floor=arguments.floor,
            force=arguments.force,
            report=output,
            tried=output.tried,
            overrides=arguments.overrides,
            resume=arguments.resume,
            threads=arguments.threads,
            workers=arguments.workers,
            engine=arguments.engine,
        )
        if found.written:
            output.done(arguments.output)
    if arguments.html:
        with open_output(arguments.html) as file:
            file.write(as_page(found).encode())
    print(json.dumps(found.to_json()) if arguments.json else as_text(found))
    if found.written:
        return OK
    # Why the status is not 0, which --quiet does not keep back.
    (TrainingLines() if arguments.quiet else output).note(
        f"niwaki: {arguments.output} is not written: {found.reason}; --force writes the best trial"
    )
    return _NOTHING_GAINED
