"""Systems that order words, scored side by side: a matrix with pairwise significance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from niwaki.analysis.reordering import (
    Cost,
    Misplaced,
    WorstSentence,
    count_misplaced,
    parse_error_costs,
    rule_effects,
    worst_sentences,
)
from niwaki.data.bilingual.references import Reference, check_same_sentences
from niwaki.data.sentence import Sentence
from niwaki.metrics.correlation import pearson, spearman
from niwaki.metrics.reordering import OrderEvaluation, evaluate_orders
from niwaki.metrics.significance import Difference, compare_all
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rules import RuleSet

# The metrics that tables show; the others are in the JSON.
SHOWN = ("frs", "frs_linked", "exact", "exact_linked", "tau")
# Those that correlations are given for.
CORRELATED = ("frs", "frs_linked", "tau")


@dataclass(frozen=True)
class System:
    """A way to order words, with its scores; trees and rules if it has them."""

    name: str
    evaluation: OrderEvaluation
    orders: tuple[tuple[int, ...], ...] | None = None
    sentences: tuple[Sentence, ...] | None = None
    rules: RuleSet | None = None


@dataclass(frozen=True)
class Analysis:
    """What is wrong with one system; parts that cannot be known are None."""

    misplaced: dict[str, list[Misplaced]]
    worst: list[WorstSentence]
    rules: list[Cost] | None
    parse_errors: list[Cost] | None


def rule_system(
    name: str, references: Sequence[Reference], sentences: Sequence[Sentence], rules: RuleSet
) -> System:
    """Trees and rules as a system; the trees must be of the references' sentences."""
    check_same_sentences(references, sentences)
    orders = tuple(each.order for each in Reorderer(rules).reorder(sentences))
    return System(name, evaluate_orders(references, orders), orders, tuple(sentences), rules)


def compare_systems(
    systems: Sequence[System], samples: int, seed: int
) -> dict[tuple[int, int], list[Difference]]:
    """Differences of each two systems, the later minus the earlier."""
    return compare_all([each.evaluation for each in systems], samples, seed)


def significance_mark(difference: Difference) -> str:
    """As in the paper's tables: `**` at 95 percent, `*` at 90, `0` for no difference."""
    stars = "**" if difference.p < 0.05 else "*" if difference.p < 0.10 else ""
    if not stars:
        return "0"
    return ("+" if difference.difference > 0 else "-") + stars


def correlations(
    evaluation: OrderEvaluation, ratings: Sequence[float]
) -> dict[str, dict[str, float | None]]:
    """Pearson's and Spearman's correlation of sentence scores with ratings."""

    def known(value: float) -> float | None:
        return None if math.isnan(value) else value

    return {
        metric: {
            "pearson": known(pearson(evaluation.of(metric), ratings)),
            "spearman": known(spearman(evaluation.of(metric), ratings)),
        }
        for metric in CORRELATED
    }


def analyse(
    system: System,
    references: Sequence[Reference],
    worst: int,
    gold: Sequence[Sentence] | None = None,
) -> Analysis:
    """Everything that is known about the errors of a system that has orders."""
    if system.orders is None:
        raise ValueError("a system that gives only text has no orders to analyse")
    effects = costs = None
    if system.sentences is not None and system.rules is not None:
        effects = rule_effects(references, system.sentences, system.rules)
        if gold is not None:
            costs = parse_error_costs(references, gold, system.sentences, system.rules)
    return Analysis(
        count_misplaced(references, system.orders, system.sentences),
        worst_sentences(references, system.orders, system.sentences, system.evaluation, worst),
        effects,
        costs,
    )
