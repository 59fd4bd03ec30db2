"""Tune the weights of a translation system.

SRC and REF hold sentences that were not trained on, and their translations. They are decoded round
after round; the N best translations of all rounds are collected, and weights are found that prefer
those with a better BLEU: by PRO, by k-best MIRA or by MERT. Tuning ends when nothing new is found
or BLEU does not rise; kept are the weights of the best round of all runs. FOLDER after -o becomes
a system with these weights and may be the one that is tuned.

  niwaki translate-tune -m en-ja dev.en dev.ja -o en-ja-tuned
  niwaki translate-tune -m en-ja dev.en dev.ja -o en-ja --by mert --runs 1 --limit 4
"""

from __future__ import annotations

import argparse
import json

from niwaki.cli import OK
from niwaki.cli._arguments import add_numbers, add_threads, natural, positive
from niwaki.cli._stages import Stages
from niwaki.tasks.translate.decoder import SearchSettings
from niwaki.tasks.translate.optimisers import OPTIMISERS
from niwaki.tasks.translate.tuning import Tuned, TuningSettings
from niwaki.verbs.tuning import NBEST, TunedSystem, translate_tune

GROUP = "Word order and translation"
_SETTINGS, _SEARCH = TuningSettings(), SearchSettings()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SRC", help="sentences, as for `translate run`")
    parser.add_argument("reference", metavar="REF", help="their translations")
    parser.add_argument("-m", "--model", metavar="FOLDER", required=True, help="the system")
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="the tuned one")
    parser.add_argument(
        "--by",
        choices=list(OPTIMISERS),
        default=_SETTINGS.by,
        help=f"how weights are found (default: {_SETTINGS.by})",
    )
    add_numbers(
        parser,
        positive,
        ("runs", 3, "runs with other seeds"),
        ("rounds", _SETTINGS.rounds, "most rounds of a run"),
        ("nbest", NBEST, "translations of a sentence in a round"),
        ("stack", _SEARCH.stack, "as for `translate run`"),
    )
    add_threads(parser)
    add_numbers(
        parser,
        natural,
        ("limit", _SEARCH.limit, "as for `translate run`"),
        ("seed", _SETTINGS.seed, "of the first run"),
    )
    parser.add_argument("--senses", metavar="FILE", help="of `translate train-senses`")
    parser.add_argument(
        "--parser", metavar="MODEL", help="for pre-ordering: instead of its own; for senses: not en"
    )
    parser.add_argument("--json", action="store_true", help="print weights and BLEU as JSON")


def run(arguments: argparse.Namespace) -> int:
    settings = TuningSettings(by=arguments.by, rounds=arguments.rounds, seed=arguments.seed)
    with Stages({"tuning": "rounds"}) as stages:
        found = translate_tune(
            arguments.model,
            arguments.source,
            arguments.reference,
            arguments.output,
            settings=settings,
            runs=arguments.runs,
            nbest=arguments.nbest,
            limit=arguments.limit,
            stack=arguments.stack,
            parser=arguments.parser,
            senses=arguments.senses,
            threads=arguments.threads,
            watch=stages.watch,
        )
    print(json.dumps(found.to_json()) if arguments.json else _table(found, settings.seed))
    return OK


def _table(found: TunedSystem, seed: int) -> str:
    lines = [f"{'seed':>5} {'rounds':>7} {'BLEU':>7} {'tuned':>7}"]
    lines += [_line(run, seed + number) for number, run in enumerate(found.runs)]
    lines += [f"{name:<22}{weight:9.4f}" for name, weight in found.system.weights.items()]
    return "\n".join(lines)


def _line(run: Tuned, seed: int) -> str:
    return f"{seed:>5} {len(run.rounds):>7} {run.rounds[0].bleu:>7.2f} {run.best.bleu:>7.2f}"
