"""Translate sentences with a trained system.

Input is a tokenised sentence a line, output a translation a line. --nbest writes the best N
translations of each sentence with their features; --to json adds the phrases, their places and the
order in which the words were translated. A phrase [s, e) may follow one that ends before word L if
|s - L| is at most --limit, and if the first word g that is not yet translated then has |g - e| at
most --limit as well; 0 is monotone. With --shards, the numbers of n-best lists begin anew with each
shard.

  echo "he likes swimming ." | niwaki translate run -m en-ja
  niwaki translate-run -m en-ja news.en --limit 4 --nbest 100 > news.nbest
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence

from niwaki.cli import OK
from niwaki.cli._arguments import add_threads, natural, positive
from niwaki.cli._loading import Loading, optional
from niwaki.cli._on_error import Skipped, add_on_error
from niwaki.cli._progress import Progress
from niwaki.cli._shards import add_shards, over_shards
from niwaki.data.files import open_output
from niwaki.pipeline.store import load
from niwaki.scale.cutting import LINES
from niwaki.tasks.translate.nbest import Hypothesis, NBestList, nbest_lines
from niwaki.tasks.translate.senses.model import SenseModel
from niwaki.tasks.translate.system import System
from niwaki.verbs.sensing import with_senses
from niwaki.verbs.translating import DEFAULTS, Translation, translate_run

GROUP = "Word order and translation"
_DEFAULT_PARSER = "en"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", "--model", metavar="FOLDER", required=True, help="the system")
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: stdout")
    parser.add_argument(
        "--limit",
        type=natural,
        default=DEFAULTS.limit,
        metavar="N",
        help=f"longest jump; 0: monotone (default: {DEFAULTS.limit})",
    )
    parser.add_argument(
        "--stack",
        type=positive,
        default=DEFAULTS.stack,
        metavar="N",
        help=f"partial translations kept of each length (default: {DEFAULTS.stack})",
    )
    parser.add_argument("--nbest", type=positive, metavar="N", help="write the best N of each")
    parser.add_argument(
        "--mbr",
        action="store_true",
        help="the translation that is most like the best 100 (or --nbest), alone",
    )
    parser.add_argument("--senses", metavar="FILE", help="of `translate train-senses`")
    parser.add_argument(
        "--parser", metavar="MODEL", help="for pre-ordering: instead of its own; for senses: not en"
    )
    parser.add_argument("--to", choices=["text", "json"], default="text", help="default: text")
    add_threads(parser)
    add_on_error(parser, "lines that cannot be translated")
    add_shards(
        parser,
        form=LINES,
        to="text",
        model=Loading(System.load, is_model=False),
        senses=optional(SenseModel.load),
        parser=optional(load),
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.shards is not None:
        # Workers share the parser, so the head has to know which one the system asks for.
        arguments.parser = arguments.parser or _parser_of(System.load(arguments.model), arguments)
    return _run(arguments)


def _parser_of(system: System, arguments: argparse.Namespace) -> str | None:
    if arguments.senses is not None:
        return _DEFAULT_PARSER
    return system.parser if system.rules is not None else None


@over_shards
def _run(arguments: argparse.Namespace) -> int:
    skipped = Skipped(arguments)
    system, senses = arguments.model, None
    if not isinstance(system, System):
        system = System.load(system)
    if arguments.senses is not None:
        parser = arguments.parser or _DEFAULT_PARSER
        system, senses = with_senses(system, arguments.senses, parser)
    found = translate_run(
        arguments.file,
        system,
        limit=arguments.limit,
        stack=arguments.stack,
        nbest=arguments.nbest or 1,
        mbr=arguments.mbr,
        parser=arguments.parser,
        senses=senses,
        threads=arguments.threads,
        on_error=skipped.on_error,
    )
    with Progress("translated", "sentences") as progress, open_output(arguments.output) as out:
        for index, each in enumerate(found):
            for line in _rendered(index, each, system.names, arguments):
                out.write(line.encode("utf-8"))
            progress.add(1)
    skipped.tell()
    return OK


def _rendered(
    index: int, found: Translation, names: Sequence[str], arguments: argparse.Namespace
) -> Iterator[str]:
    if arguments.to == "json":
        yield json.dumps(_record(found, names), ensure_ascii=False) + "\n"
    elif arguments.nbest:
        yield from nbest_lines(NBestList(index, found.hypotheses), names)
    else:
        yield found.text + "\n"


def _record(found: Translation, names: Sequence[str]) -> dict[str, object]:
    return {
        "tokens": found.tokens,
        "ordered": found.ordered.tokens,
        "positions": found.ordered.positions,
        "translations": [_translation(each, names) for each in found.hypotheses],
    }


def _translation(found: Hypothesis, names: Sequence[str]) -> dict[str, object]:
    values = (round(value, 6) for value in found.features.tolist())
    return {
        "tokens": found.tokens,
        "score": round(found.score, 6),
        "phrases": found.phrases,
        "features": dict(zip(names, values, strict=True)),
    }
