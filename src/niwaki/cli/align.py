"""Link the words of parallel text.

SRC and TGT hold a tokenised sentence a line. IBM Model 1 and then an HMM are trained
on them in both directions, which agree on what they learn, and each pair gets a line
of links `i-j`, counted from 0. A link is given if the mean of both directions'
probabilities reaches the threshold; --method takes a heuristic instead. The text given
by --with is learned from as well, but not written. What is learned can be kept (--save) and
applied to other text, which is then not learned from (--apply). Hand-aligned pairs (--gold) teach
what is right, and choose how many letters of words count, unless --source-prefix or --target-prefix
does; they are learned from, but not written.

--model leaf starts from these links and finds cepts: groups of words, also apart from each
other, that translate each other as a whole. All words of two linked cepts are linked.

  niwaki align text.en text.ja > text.align
  niwaki align text.en text.ja --preset xu2009 --method grow-diag-final-and
  niwaki align text.en text.ja --with more.en more.ja --to json > posteriors.jsonl
  niwaki align text.en text.ja --model leaf --gold some.en some.ja some.align
  niwaki align text.en text.ja --save text.niwaki > text.align
  niwaki align crawl.en crawl.ja --apply text.niwaki --shards links
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from niwaki.cli import OK
from niwaki.cli._arguments import add_threads
from niwaki.cli._links import LINK_FORMATS, add_linking, check_linking, write
from niwaki.cli._on_error import Skipped, add_on_error
from niwaki.cli._shards import add_shards, check_json, run_shards, status_of
from niwaki.cli._stages import Stages
from niwaki.data.bilingual.bitext import write_links
from niwaki.data.bilingual.posteriors import Posteriors
from niwaki.errors import CorpusError, NiwakiError
from niwaki.scale.cutting import Shard, pair_shards
from niwaki.tasks.align import PRESETS, LeafSettings, LearnedAlignment, Settings, preset
from niwaki.tasks.align.corpus import LONGEST
from niwaki.tasks.align.symmetrize import DEFAULT_THRESHOLD, POSTERIOR
from niwaki.verbs.aligning import MODELS, align, align_probabilities

GROUP = "Word order and translation"
_UNITS = {
    "reading": "pairs",
    "choosing": "settings",
    "learning": "iterations",
    "weighting": "rounds",
    "climbing": "pairs",
    "aligning": "pairs",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SRC", help="tokenised sentences; - is stdin")
    parser.add_argument("target", metavar="TGT", help="their translations, line by line")
    parser.add_argument(
        "--model", choices=MODELS, default=MODELS[0], help="what gives links (default: %(default)s)"
    )
    add_linking(parser, LINK_FORMATS)
    parser.add_argument(
        "--with",
        nargs=2,
        metavar=("SRC", "TGT"),
        action="append",
        default=[],
        dest="more",
        help="text to learn from only; may be repeated",
    )
    parser.add_argument("--save", metavar="MODEL", help="keep what is learned in a file")
    parser.add_argument("--apply", metavar="MODEL", help="align by a file of --save; learn nothing")
    parser.add_argument(
        "--preset",
        default="default",
        metavar="NAME",
        help=f"{', '.join(PRESETS)} (default: %(default)s); options below change it",
    )
    parser.add_argument(
        "--gold",
        nargs=3,
        metavar=("SRC", "TGT", "LINKS"),
        help="hand-aligned pairs to learn from",
    )
    _add_leaf_arguments(parser)
    settings = Settings()
    parser.add_argument(
        "--model1",
        type=int,
        metavar="N",
        dest="model1_iterations",
        help=f"iterations of Model 1 (default: {settings.model1_iterations})",
    )
    parser.add_argument(
        "--hmm",
        type=int,
        metavar="N",
        dest="hmm_iterations",
        help=f"iterations of the HMM (default: {settings.hmm_iterations})",
    )
    parser.add_argument(
        "--no-agreement",
        action="store_const",
        const=False,
        dest="agreement",
        help="train each direction for itself",
    )
    parser.add_argument(
        "--empty", type=float, metavar="P", help=f"of the null word (default: {settings.empty})"
    )
    parser.add_argument(
        "--keep-case",
        action="store_const",
        const=False,
        dest="lower",
        help="tell words apart that differ in case only",
    )
    for side in ("source", "target"):
        parser.add_argument(
            f"--{side}-prefix",
            type=int,
            metavar="N",
            help=f"a stemmer: only the first N letters of {side} words count",
        )
    add_on_error(parser, f"pairs with an empty side or over {LONGEST} words: their lines are empty")
    add_threads(parser, all_cores=True)
    add_shards(parser, files=False, to="links", apply=LearnedAlignment.load)


def _add_leaf_arguments(parser: argparse.ArgumentParser) -> None:
    settings = LeafSettings()
    parser.add_argument(
        "--alpha",
        type=float,
        metavar="A",
        help="with --model leaf and --gold: of the F-measure that is raised "
        f"(default: {settings.alpha})",
    )
    parser.add_argument(
        "--iterations",
        type=int,
        metavar="N",
        help="with --model leaf: of EM (default: 1, with --gold 2)",
    )


def run(arguments: argparse.Namespace) -> int:
    check_linking(arguments)
    check_json(arguments)
    if arguments.shards is not None:
        if arguments.apply is None:
            raise NiwakiError("--shards needs --apply MODEL: all of the text is learned from")
        return status_of(run_shards(arguments, [arguments.source], _shards(arguments)))
    skipped = Skipped(arguments)
    leaf = _leaf_settings(arguments)
    with Stages(_UNITS) as stages:
        given: dict[str, Any] = {
            "model": arguments.model,
            "settings": _settings(arguments),
            "more": arguments.more,
            "gold": arguments.gold,
            "leaf": leaf,
            "apply": arguments.apply,
            "save": arguments.save,
            "threads": arguments.threads or os.cpu_count() or 1,
            "on_error": skipped.on_error,
            "watch": stages.watch,
        }
        texts = arguments.source, arguments.target
        if leaf is not None and arguments.to == "links":
            write_links(align(*texts, **given), arguments.output)
        else:
            write(align_probabilities(*texts, **given), arguments)
    skipped.tell()
    return OK


def _shards(arguments: argparse.Namespace) -> Callable[[int], Iterator[Shard]]:
    return functools.partial(pair_shards, arguments.source, arguments.target)


def run_shard(arguments: argparse.Namespace) -> None:
    """In a worker of --shards: links of pairs, a line each with a tab between the two."""
    (file,) = arguments.files
    pairs = []
    lines = file.read().decode("utf-8").removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        source, _, target = line.partition("\t")
        pairs.append((source.split(), target.split()))
        if max(map(len, pairs[-1])) > LONGEST:
            raise CorpusError(
                file.name, number, "LINE", f"more than {LONGEST} words", "split the sentence"
            )
    if any(source and target for source, target in pairs):
        write(align_probabilities(pairs, apply=arguments.apply), arguments)
    else:
        nothing = [np.zeros((len(source), len(target)), np.float32) for source, target in pairs]
        write((Posteriors(each, each) for each in nothing), arguments)


def _settings(arguments: argparse.Namespace) -> Settings:
    given = {
        field.name: getattr(arguments, field.name, None) for field in dataclasses.fields(Settings)
    }
    changes = {name: value for name, value in given.items() if value is not None}
    return dataclasses.replace(preset(arguments.preset), **changes)


def _leaf_settings(arguments: argparse.Namespace) -> LeafSettings | None:
    """Those of LEAF; options of one model are refused for the other."""
    if arguments.model == "leaf":
        if (arguments.method, arguments.threshold) != (POSTERIOR, DEFAULT_THRESHOLD):
            raise NiwakiError("--method and --threshold are not for --model leaf; leave them out")
        if arguments.alpha is not None and arguments.gold is None:
            raise NiwakiError("--alpha without --gold; give hand-aligned pairs")
        given = {"iterations": arguments.iterations, "alpha": arguments.alpha}
        return LeafSettings(**{name: value for name, value in given.items() if value is not None})
    for name in ("alpha", "iterations"):
        if getattr(arguments, name) is not None:
            raise NiwakiError(f"--{name} is for --model leaf; give it, or leave --{name} out")
    return None
