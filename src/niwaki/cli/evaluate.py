"""Score trees against gold trees.

Give a system's output, or a model: then the gold words are parsed, with predicted
tags (--gold-tags keeps those of the file). LAS compares whole labels; LAS_universal
ignores subtypes and equals the CoNLL 2018 scorer, as do UAS, CLAS, UPOS, XPOS, FEATS
and LEMMA.

With --raw, the text of the gold file is segmented, tagged and parsed by the model (or
SYSTEM is a segmentation of it), and F1 of tokens, sentences, words and all the rest
over aligned words is printed, as by the CoNLL 2018 scorer.

With --links, a model whose features look at a translation gets the links of the words to it,
a line for each sentence of the gold file.

With --crossing, precision, recall and F1 of crossing arcs (with their labels) are added.

With --calibration, probabilities are judged: the expected calibration error (15 bins of
equal mass) of tags, arcs, labels and trees, and how many of the errors are found among
the least certain tenth; --curves draws both.

  niwaki evaluate gold.conllu system.conllu
  niwaki evaluate gold.conllu -m en --beam 1
  niwaki evaluate gold.conllu -m en --raw
  niwaki evaluate gold.conllu -m en --crossing
  niwaki evaluate gold.conllu -m bilingual.niwaki --links gold.align --gold-tags
  niwaki evaluate gold.conllu -m en --calibration --curves reliability.html
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping

from niwaki import draw
from niwaki.cli import OK
from niwaki.cli._arguments import positive
from niwaki.cli._linked import add_links_arguments, linked
from niwaki.cli._trees import check_beam
from niwaki.data.conllu import read_conllu
from niwaki.data.files import open_output
from niwaki.data.rawtext import raw_text
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.metrics.attachment import TAG_METRICS, evaluate
from niwaki.metrics.calibration import BINS, Reliability, measure
from niwaki.metrics.nonprojective import count_crossing
from niwaki.metrics.segmentation import evaluate_segmentation
from niwaki.parsers.graph.spec import DECODERS
from niwaki.pipeline.store import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", metavar="GOLD", help="CoNLL-U with the right trees")
    parser.add_argument("system", metavar="SYSTEM", nargs="?", help="CoNLL-U to be scored")
    parser.add_argument("-m", "--model", metavar="MODEL", help="parse the gold words with a model")
    parser.add_argument("--raw", action="store_true", help="score from raw text on")
    add_links_arguments(parser, "with -m: ")
    parser.add_argument("--gold-tags", action="store_true", help="with -m: keep the gold tags")
    parser.add_argument(
        "--beam", type=positive, metavar="N", help="with -m: default is the model's"
    )
    parser.add_argument(
        "--decode", choices=DECODERS, help="with -m: how a graph-based model chooses trees"
    )
    parser.add_argument(
        "--threads", type=positive, default=1, metavar="N", help="with -m: default 1"
    )
    parser.add_argument(
        "--crossing", action="store_true", help="score crossing (non-projective) arcs too"
    )
    parser.add_argument(
        "--calibration", action="store_true", help="judge probabilities instead of trees"
    )
    parser.add_argument(
        "--curves", metavar="OUT", help="with --calibration: the curves as an HTML page"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    gold = list(read_conllu(arguments.gold, multi_root=True))
    if (arguments.system is None) == (arguments.model is None):
        raise NiwakiError("give either SYSTEM or -m MODEL")
    if arguments.links and (arguments.model is None or arguments.raw):
        raise NiwakiError("--links is for -m with gold words; leave it out")
    system: Iterable[Sentence]
    if arguments.model is None:
        system = read_conllu(arguments.system, multi_root=True)
    else:
        pipeline = load(arguments.model)
        check_beam(pipeline, arguments.beam)
        system = pipeline.parse(
            pipeline.read(raw_text(gold)) if arguments.raw else linked(gold, arguments, pipeline),
            threads=arguments.threads,
            beam=arguments.beam,
            retag=not arguments.gold_tags,
            probabilities=arguments.calibration,
            decode=arguments.decode,
        )
    if arguments.calibration:
        return _calibration(measure(gold, system), arguments)
    if arguments.crossing:
        if arguments.raw:
            raise NiwakiError("--crossing needs the gold words; leave out --raw")
        system = list(system)
    result = evaluate_segmentation(gold, system) if arguments.raw else evaluate(gold, system)
    scores: dict[str, float | None] = dict(result.scores)
    signature = result.signature
    if arguments.model is not None and pipeline.tagger is None:
        # What stands there was given, and not predicted.
        scores |= dict.fromkeys(TAG_METRICS)
    if arguments.crossing:
        arcs = count_crossing(gold, system)
        scores |= arcs.scores
        signature += f"|crossing arcs={arcs.gold} gold, {arcs.system} system"
    if arguments.json:
        print(json.dumps({**scores, "signature": signature}))
    else:
        width = max(14, *(len(metric) + 1 for metric in scores))
        for metric, score in scores.items():
            print(f"{metric:{width}}" + ("      -" if score is None else f"{score:7.2f}"))
        print(signature)
    return OK


_SHARES = [step / 20 for step in range(21)]


def _calibration(found: Mapping[str, Reliability], arguments: argparse.Namespace) -> int:
    rows = {
        kind: {
            "error": each.error(),
            "errors_in_least_certain_tenth": each.errors_among_least_certain(0.1),
            "count": len(each.right),
        }
        for kind, each in found.items()
    }
    signature = f"calibration|bins={BINS} of equal mass|tag=UPOS|label=whole|tree=labelled"
    if arguments.curves:
        with open_output(arguments.curves) as out:
            out.write(_curves(found).encode("utf-8"))
    if arguments.json:
        print(json.dumps({**rows, "signature": signature}))
        return OK
    print(f"{'':8}{'ECE':>8}{'errors in the least certain 10%':>34}{'count':>9}")
    for kind, row in rows.items():
        share = 100 * row["errors_in_least_certain_tenth"]
        print(f"{kind:8}{row['error']:8.4f}{share:33.1f}%{row['count']:9}")
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
