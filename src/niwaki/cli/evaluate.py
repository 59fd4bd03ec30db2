"""Score trees against gold trees.

Give a system's output, or a model: then the gold words are parsed. Tags, features and lemmas
are predicted anew, as by `niwaki parse`; --tags keep keeps those of the file, and leaves out
their scores. The last line says which tags were used. LAS compares whole labels; LAS_universal
ignores subtypes and equals the LAS of the CoNLL 2018 scorer, as do all other scores: MLAS is of
content words with their tags, features and function words, BLEX of those with their lemmas.

With --raw, the text of the gold file is segmented, tagged and parsed by the model (or
SYSTEM is a segmentation of it), and F1 of tokens, sentences, words and all the rest
over aligned words is printed, as by the CoNLL 2018 scorer.

With --links, a model whose features look at a translation gets the links of the words to it,
a line for each sentence of the gold file.

With --nonprojective, precision, recall and F1 of non-projective arcs (with their labels) are
added; with --tree-edits, the fewest words (in a hundred) that must be removed, added or renamed to
turn a tree into the right one. With --intervals, each score has its 95% bootstrap interval.

Sentences that the model has learned from say how well it remembers them: a note tells how many
there are, and --unseen leaves them out.

With --calibration, probabilities are judged: the expected calibration error (15 bins of
equal mass) of tags, arcs, labels and trees, and how many of the errors are found among
the least certain tenth; --curves draws both.

  niwaki evaluate gold.conllu system.conllu
  niwaki evaluate gold.conllu -m en --beam 1
  niwaki evaluate gold.conllu -m en --raw
  niwaki evaluate gold.conllu -m my.niwaki --unseen
  niwaki evaluate gold.conllu -m en --nonprojective --intervals
  niwaki evaluate gold.conllu system.conllu --tree-edits
  niwaki evaluate gold.conllu -m bilingual.niwaki --links gold.align --tags keep
  niwaki evaluate gold.conllu -m en --calibration --curves reliability.html
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

from niwaki import draw
from niwaki.cli import OK
from niwaki.cli._arguments import add_threads, positive
from niwaki.cli._counts import read_counts, write_counts
from niwaki.cli._linked import add_links_argument, add_links_on_error, check_links_on_error
from niwaki.cli._loading import optional
from niwaki.cli._on_error import FormerOption, Skipped
from niwaki.cli._scores import add_samples_arguments, add_unseen_argument
from niwaki.cli._shards import add_shards, run_shards
from niwaki.cli._tags import add_tags_argument
from niwaki.data.conllu import read_conllu
from niwaki.data.files import open_output
from niwaki.errors import NiwakiError
from niwaki.metrics import attachment, segmentation
from niwaki.metrics.base import Evaluation, drawn_by
from niwaki.metrics.calibration import (
    CalibrationEvaluation,
    Reliability,
    doubted_name,
    error_name,
)
from niwaki.metrics.nonprojective import NonprojectiveEvaluation
from niwaki.metrics.tree_edit import TreeEditEvaluation
from niwaki.pipeline.learned import Overlap
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.verbs.evaluating import evaluate_all

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", metavar="GOLD", help="CoNLL-U with the right trees")
    parser.add_argument("system", metavar="SYSTEM", nargs="?", help="CoNLL-U to be scored")
    parser.add_argument("-m", "--model", metavar="MODEL", help="parse the gold words with a model")
    parser.add_argument("--raw", action="store_true", help="score from raw text on")
    add_links_argument(parser, "with -m: ")
    add_links_on_error(parser)
    add_tags_argument(parser, "with -m: ")
    parser.add_argument(
        "--beam", type=positive, metavar="N", help="with -m: default is the model's"
    )
    parser.add_argument(
        "--decode", metavar="HOW", help="with -m: how a graph-based model chooses trees"
    )
    add_threads(parser, prefix="with -m: ")
    parser.add_argument(
        "--nonprojective", action="store_true", help="score non-projective (crossing) arcs too"
    )
    parser.add_argument(
        "--tree-edits", action="store_true", help="score tree edit distances (less is better) too"
    )
    parser.add_argument("--crossing", action=FormerOption, const="--nonprojective")
    parser.add_argument(
        "--calibration", action="store_true", help="judge probabilities instead of trees"
    )
    parser.add_argument(
        "--curves", metavar="OUT", help="with --calibration: the curves as an HTML page"
    )
    add_unseen_argument(parser, "with -m: ")
    parser.add_argument("--intervals", action="store_true", help="add 95%% intervals")
    add_samples_arguments(parser, "with --intervals: ")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_shards(parser, files=False, to="json", model=optional(load))


def run(arguments: argparse.Namespace) -> int:
    if (arguments.system is None) == (arguments.model is None):
        raise NiwakiError("give either SYSTEM or -m MODEL")
    if arguments.links and (arguments.model is None or arguments.raw):
        raise NiwakiError("--links is for -m with gold words; leave it out")
    if arguments.unseen and arguments.model is None:
        raise NiwakiError("--unseen is for -m: trees do not tell who learned them; leave it out")
    check_links_on_error(arguments)
    for name in ("nonprojective", "calibration", "tree-edits"):
        if arguments.raw and getattr(arguments, name.replace("-", "_")):
            raise NiwakiError(f"--{name} needs the gold words; leave out --raw")
    found = _over_shards(arguments) if arguments.shards is not None else _evaluated(arguments)
    if "calibration" in found:
        return _calibration(found, arguments)
    return _scores(found, arguments)


def run_shard(arguments: argparse.Namespace) -> None:
    """In a worker of --shards: the counts of a shard, which is the only file."""
    (arguments.gold,) = arguments.files
    write_counts(_evaluated(arguments), arguments.output)


def _over_shards(arguments: argparse.Namespace) -> dict[str, Evaluation]:
    if arguments.model is None:
        raise NiwakiError("--shards is for -m; scores of SYSTEM need no workers")
    for name in ("raw", "calibration", "unseen"):
        if getattr(arguments, name):
            raise NiwakiError(f"--{name} looks at all sentences at once; leave out --shards")
    report = run_shards(arguments, [arguments.gold], to_stderr=True)
    if not report.words:
        raise NiwakiError(f"{arguments.gold}: no sentence that can be scored; see --shards")
    return read_counts(report.outputs)


def _evaluated(arguments: argparse.Namespace) -> dict[str, Evaluation]:
    gold = read_conllu(arguments.gold, multi_root=True)
    if arguments.model is None:
        return evaluate_all(
            gold, read_conllu(arguments.system, multi_root=True), _metrics(arguments)
        )
    skipped = Skipped(arguments)
    found = evaluate_all(
        gold,
        # Workers of --shards have loaded it.
        arguments.model if isinstance(arguments.model, Pipeline) else load(arguments.model),
        _metrics(arguments),
        tags=arguments.tags,
        links=arguments.links,
        beam=arguments.beam,
        decode=arguments.decode,
        threads=arguments.threads,
        unseen=arguments.unseen,
        on_error=skipped.on_error,
    )
    skipped.tell()
    return found


def _metrics(arguments: argparse.Namespace) -> list[str]:
    if arguments.calibration:
        return ["calibration"]
    if arguments.raw:
        return ["segmentation"]
    more = {"nonprojective": arguments.nonprojective, "tree_edit": arguments.tree_edits}
    return ["attachment", *(name for name, wanted in more.items() if wanted)]


def _scores(found: Mapping[str, Evaluation], arguments: argparse.Namespace) -> int:
    names = segmentation.METRICS if arguments.raw else attachment.METRICS
    # What a system did not predict has no score.
    scores: dict[str, float | None] = dict.fromkeys(names)
    intervals: dict[str, tuple[float, float]] = {}
    (signature, *_) = (each.signature for each in found.values())
    for each in found.values():
        scores |= each.scores
        if arguments.intervals:
            intervals |= each.interval(arguments.samples, arguments.seed)
        if isinstance(each, NonprojectiveEvaluation):
            signature += f"|{each.arcs}"
        if isinstance(each, TreeEditEvaluation):
            signature += f"|{each.nodes}"
    if intervals:
        signature += f"|{drawn_by(arguments.samples, arguments.seed)}"
    if arguments.json:
        record = {**scores, **_scored(found, arguments), "signature": signature}
        print(json.dumps(record | ({"intervals": intervals} if intervals else {})))
        return OK
    width = max(14, *(len(metric) + 1 for metric in scores))
    for metric, score in scores.items():
        line = f"{metric:{width}}" + ("      -" if score is None else f"{score:7.2f}")
        if metric in intervals:
            low, high = intervals[metric]
            line += f"  [{low:6.2f}, {high:6.2f}]"
        print(line)
    _tell_learned(found)
    print(signature)
    return OK


def _scored(found: Mapping[str, Evaluation], arguments: argparse.Namespace) -> dict[str, Any]:
    """How many sentences were scored, and how many of them the model has learned from."""
    (first, *_) = found.values()
    # A model that does not know says null.
    learned = {"learned": first.learned} if arguments.model is not None else {}
    return {"sentences": first.sentences, **learned}


def _tell_learned(found: Mapping[str, Evaluation]) -> None:
    (first, *_) = found.values()
    note = Overlap(first.sentences, (first.learned,)).note()
    if note:
        print(note)


_SHARES = [step / 20 for step in range(21)]


def _calibration(evaluations: Mapping[str, Evaluation], arguments: argparse.Namespace) -> int:
    (found,) = evaluations.values()
    assert isinstance(found, CalibrationEvaluation)
    scores, signature = found.scores, found.signature
    rows: dict[str, dict[str, Any]] = {
        kind: {
            "error": scores[error_name(kind)],
            "errors_in_least_certain_tenth": scores[doubted_name(kind)],
            "count": len(each.right),
        }
        for kind, each in found.reliability.items()
    }
    if arguments.intervals:
        signature += f"|{drawn_by(arguments.samples, arguments.seed)}"
        intervals = found.interval(arguments.samples, arguments.seed)
        for kind, row in rows.items():
            row["error_interval"] = intervals[error_name(kind)]
    if arguments.curves:
        with open_output(arguments.curves) as out:
            out.write(_curves(found.reliability).encode("utf-8"))
    if arguments.json:
        print(json.dumps({**rows, **_scored(evaluations, arguments), "signature": signature}))
        return OK
    print(f"{'':8}{'ECE':>8}{'errors in the least certain 10%':>34}{'count':>9}")
    for kind, row in rows.items():
        share = 100 * row["errors_in_least_certain_tenth"]
        line = f"{kind:8}{row['error']:8.4f}{share:33.1f}%{row['count']:9}"
        if "error_interval" in row:
            line += "  ECE [{:.4f}, {:.4f}]".format(*row["error_interval"])
        print(line)
    _tell_learned(evaluations)
    print(signature)
    return OK


def _curves(found: Mapping[str, Reliability]) -> str:
    reliability = draw.line_chart(
        {kind: [(said, true) for said, true, _ in each.points()] for kind, each in found.items()},
        title="Reliability: what is said, and what is",
        x="probability",
        y="share that is right",
        diagonal=True,
    )
    doubt = draw.line_chart(
        {
            kind: [(share, each.errors_among_least_certain(share)) for share in _SHARES]
            for kind, each in found.items()
        },
        title="Errors found by looking at the least certain first",
        x="share looked at",
        y="share of errors found",
        diagonal=True,
    )
    return draw.page("Calibration", reliability + doubt)
