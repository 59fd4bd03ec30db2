"""Score word orders against reference orders.

Orders come from trees and rules (--trees or -m, with --rules), from a file of source
positions (--orders), or from words alone (--text). Several of them are compared pairwise by
bootstrap. `frs` is the fuzzy reordering score over all words, `frs_linked` over the words
that the reference links, `tau` is Kendall's over linked words. --analysis adds what is
misplaced most often, the worst sentences, the effect of each rule and, with --gold, what
parse errors cost; it is about the last system that gives positions. --html writes all of
it with pictures.

  niwaki evaluate-reordering references.jsonl --trees trees.conllu --rules ja
  niwaki evaluate-reordering references.jsonl -m en --rules none --rules ja --html report.html
  niwaki evaluate-reordering references.jsonl --orders system.txt --ratings ratings.txt
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from niwaki.analysis.orders import (
    Analysis,
    System,
    analyse,
    compare_systems,
    correlations,
    rule_system,
    scores_record,
)
from niwaki.analysis.orders_report import Report
from niwaki.cli import OK
from niwaki.cli._arguments import positive
from niwaki.cli._trees import add_tree_arguments, all_trees, check_references
from niwaki.data.bilingual.orders import read_orders, read_ratings, read_texts
from niwaki.data.bilingual.references import Reference, check_same_sentences, read_references
from niwaki.data.conllu import read_conllu
from niwaki.data.files import open_output
from niwaki.errors import NiwakiError
from niwaki.metrics.reordering import OrderEvaluation, evaluate_orders, evaluate_texts
from niwaki.metrics.significance import SAMPLES
from niwaki.tasks.reorder.rulefile import load_rules


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
            help=f"score {text}, one line a sentence; may be repeated",
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
    parser.add_argument("--html", metavar="OUT", help="write a page with analysis and pictures")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    references = list(read_references(arguments.references))
    check_references(references, arguments.references)
    systems = list(_systems(arguments, references))
    if not systems:
        raise NiwakiError("nothing to score; give --trees, -m, --orders or --text")
    analysis = _analysis(arguments, references, systems)
    report = Report(
        systems,
        [scores_record(system, arguments.samples, arguments.seed) for system in systems],
        compare_systems(systems, arguments.samples, arguments.seed),
        analysis,
        _correlations(arguments, references, systems),
    )
    if arguments.html:
        with open_output(arguments.html) as out:
            title = f"Word order: {PurePath(arguments.references).name}"
            out.write(report.to_html(title).encode("utf-8"))
    if arguments.json:
        print(json.dumps(report.to_json(), ensure_ascii=False))
    else:
        sys.stdout.write(report.to_text())
    return OK


def _systems(arguments: argparse.Namespace, references: list[Reference]) -> Iterator[System]:
    rule_sets = [load_rules(name) for name in arguments.rules or ["ja"]]
    for name, sentences in all_trees(arguments, references):
        for rules in rule_sets:
            yield rule_system(f"{name} + {rules.name}", references, sentences, rules)
    for file in arguments.orders:
        orders = tuple(read_orders(file, references))
        yield System(PurePath(file).name, evaluate_orders(references, orders), orders)
    for file in arguments.text:
        texts = list(read_texts(file, references))
        yield System(PurePath(file).name, evaluate_texts(references, texts))


def _analysis(
    arguments: argparse.Namespace, references: list[Reference], systems: Sequence[System]
) -> Analysis | None:
    if not (arguments.analysis or arguments.html):
        if arguments.gold is not None:
            raise NiwakiError("--gold is for --analysis or --html; add one of them")
        return None
    with_orders = [system for system in systems if system.orders is not None]
    if not with_orders:
        raise NiwakiError("words alone (--text) cannot be analysed; give --trees, -m or --orders")
    gold = None
    if arguments.gold is not None:
        gold = list(read_conllu(arguments.gold, multi_root=True))
        check_same_sentences(references, gold)
    return analyse(with_orders[-1], references, arguments.worst, gold)


def _correlations(
    arguments: argparse.Namespace, references: list[Reference], systems: Sequence[System]
) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    if arguments.ratings is not None:
        ratings = read_ratings(arguments.ratings, references)
        for system in systems:
            found[f"{system.name}, ratings"] = correlations(system.evaluation, ratings)
    if arguments.other_references is not None:
        others = list(read_references(arguments.other_references))
        _check_other(references, others, arguments.other_references)
        for system in systems:
            if system.orders is not None:
                other = evaluate_orders(others, system.orders)
                found[f"{system.name}, other references"] = _between(system.evaluation, other)
    return found or None


def _between(one: OrderEvaluation, other: OrderEvaluation) -> dict[str, Any]:
    """How far two sets of references agree on which sentences are good."""
    return {
        metric: correlations(one, other.of(metric).tolist())[metric]
        for metric in ("frs", "frs_linked", "tau")
    }


def _check_other(references: list[Reference], others: list[Reference], file: str) -> None:
    if len(others) != len(references):
        raise NiwakiError(
            f"{file}: {len(others)} references, not {len(references)}; give the same sentences"
        )
    for number, (one, other) in enumerate(zip(references, others, strict=True), start=1):
        if one.tokens != other.tokens:
            raise NiwakiError(
                f"{file}: reference {number} has other words; give the same sentences"
            )
