"""Score word orders against reference orders.

Orders come from trees and rules (--trees or -m, with --rules), from a file of source
positions (--orders), or from words alone (--text). Several of them are compared pairwise by
bootstrap. `frs` is the fuzzy reordering score over all words, `frs_linked` over the words
that the reference links, `tau` is Kendall's over linked words. --analysis adds what is
misplaced most often, the worst sentences, the effect of each rule and, with --gold, what
parse errors cost; it is about the last system that gives positions. --html writes all of
it with pictures. A note tells how many of the sentences a model has learned from; --unseen
leaves them out.

  niwaki evaluate-reordering references.jsonl --trees trees.conllu --rules ja
  niwaki evaluate-reordering references.jsonl -m en --rules none --rules ja --html report.html
  niwaki evaluate-reordering references.jsonl --orders system.txt --ratings ratings.txt
"""

from __future__ import annotations

import argparse
import sys
from pathlib import PurePath

from niwaki.cli import OK
from niwaki.cli._arguments import add_html, positive
from niwaki.cli._json import to_json
from niwaki.cli._scores import add_unseen_argument
from niwaki.cli._trees import add_tree_arguments, all_trees
from niwaki.data.bilingual.references import check_references, read_references
from niwaki.data.files import open_output
from niwaki.errors import NiwakiError
from niwaki.metrics.base import SAMPLES
from niwaki.verbs.evaluating import evaluate_reordering

GROUP = "Scores and analysis"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("references", metavar="REFERENCES", help="JSON Lines; - is stdin")
    add_tree_arguments(parser)
    parser.add_argument(
        "--rules",
        metavar="RULES",
        action="append",
        default=[],
        help="name or file of rules for the trees; may be repeated (default: ja)",
    )
    for name, text in (("orders", "source positions"), ("text", "reordered words")):
        parser.add_argument(
            f"--{name}",
            metavar="FILE",
            action="append",
            default=[],
            help=f"score {text}, one line per sentence; may be repeated",
        )
    parser.add_argument("--ratings", metavar="FILE", help="correlate with ratings, one a line")
    parser.add_argument(
        "--other-references",
        metavar="FILE",
        help="correlate with scores against these, such as references from automatic links",
    )
    parser.add_argument("--gold", metavar="FILE", help="CoNLL-U with gold trees, for --analysis")
    parser.add_argument("--analysis", action="store_true", help="say what is wrong, too")
    parser.add_argument("--worst", type=int, default=5, metavar="N", help="sentences (default: 5)")
    parser.add_argument(
        "--samples", type=positive, default=SAMPLES, metavar="N", help=f"default: {SAMPLES}"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the random draws (default: 1)")
    add_unseen_argument(parser, "with -m: ")
    add_html(parser, "the analysis with pictures")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    references = list(read_references(arguments.references))
    check_references(references, arguments.references)
    analysis = bool(arguments.analysis or arguments.html)
    if arguments.gold is not None and not analysis:
        raise NiwakiError("--gold is for --analysis or --html; add one of them")
    report = evaluate_reordering(
        references,
        all_trees(arguments),
        rules=arguments.rules or ["ja"],
        orders=arguments.orders,
        texts=arguments.text,
        ratings=arguments.ratings,
        other_references=arguments.other_references,
        gold=arguments.gold,
        analysis=analysis,
        worst=arguments.worst,
        samples=arguments.samples,
        seed=arguments.seed,
        beam=arguments.beam or None,
        threads=arguments.threads,
        unseen=arguments.unseen,
    )
    if arguments.html:
        with open_output(arguments.html) as out:
            title = f"Word order: {PurePath(arguments.references).name}"
            out.write(report.to_html(title).encode("utf-8"))
    if arguments.json:
        print(to_json(report.to_json()))
    else:
        sys.stdout.write(report.to_text())
    return OK
