"""Scores of systems and differences between them: trees, raw text, word orders, links.

Treebanks, references and links are given as paths or as what such a file holds. Trees to be
scored may also be a model that makes them: a `Pipeline`, a file `*.niwaki`, or the name of
a bundled one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from niwaki.analysis.orders import (
    CORRELATED,
    Analysis,
    System,
    analyse,
    compare_systems,
    correlations,
    rule_system,
)
from niwaki.analysis.orders_report import Report
from niwaki.data.bilingual.bitext import Links
from niwaki.data.bilingual.orders import read_orders, read_ratings, read_texts
from niwaki.data.bilingual.references import (
    Reference,
    check_references,
    check_same_sentences,
    read_references,
)
from niwaki.data.files import Source
from niwaki.data.rawtext import raw_text
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.metrics import load_metric
from niwaki.metrics.alignment import AlignmentEvaluation, evaluate_links
from niwaki.metrics.attachment import TAG_METRICS, AttachmentEvaluation
from niwaki.metrics.base import SAMPLES, Evaluation, Metric, drawn_by
from niwaki.metrics.blocks import BlockEvaluation, evaluate_blocks
from niwaki.metrics.reordering import evaluate_orders, evaluate_texts
from niwaki.metrics.significance import TESTS, Difference
from niwaki.metrics.significance import compare as compare_evaluations
from niwaki.pipeline.learned import overlap_of
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.tasks.reorder.rules import RuleSet
from niwaki.verbs._given import (
    GivenTags,
    Named,
    OnError,
    Sentences,
    Trees,
    check_uses_links,
    fault_handler,
    last_part,
    linked,
    links_of,
    model_among_trees,
    name_of,
    named_trees,
    predicts,
    references_of,
    sentences_of,
)

T = TypeVar("T")


@dataclass(frozen=True)
class Comparison:
    """Differences between two systems, B minus A, by the names of the scores.

    `learned` says of each how many of the sentences it has learned from, if that is known.
    """

    differences: dict[str, Difference]
    signature: str
    learned: tuple[int | None, int | None] = (None, None)

    def __getitem__(self, name: str) -> Difference:
        return self.differences[name]

    def to_json(self) -> dict[str, Any]:
        record: dict[str, Any] = {name: each.to_json() for name, each in self.differences.items()}
        if self.learned != (None, None):
            record["learned"] = list(self.learned)
        return {**record, "signature": self.signature}


def evaluate(
    gold: Sentences,
    system: Trees,
    *,
    metric: str = "attachment",
    tags: GivenTags = "predict",
    links: Source | None = None,
    beam: int | None = None,
    decode: str | None = None,
    threads: int = 1,
    unseen: bool = False,
    on_error: OnError = "fail",
) -> Evaluation:
    """Score trees, or those that a model gives to the gold words, against gold trees.

    `metric` is the name of a file of `niwaki.metrics`: "attachment" (with tags and lemmas),
    "segmentation" (from raw text on), "nonprojective", "tree_edit" or "calibration". A model
    predicts tags, features and lemmas itself, as in `parse`, or with `tags="keep"` uses the gold
    ones; the signature says which. Scores of what was not predicted are left out. `beam`, `decode`
    and `threads` are as for `Pipeline.parse`. `links` is a file of links to a translation, for a
    model that looks at them (see `parse`).

    `learned` of the result says how many of the sentences the model has learned from (None if
    it does not know); with `unseen`, these are left out.

        >>> found = evaluate("gold.conllu", "en")
        >>> found.scores["LAS"], found.interval()["LAS"], found.signature
    """
    found = evaluate_all(
        gold,
        system,
        [metric],
        tags=tags,
        links=links,
        beam=beam,
        decode=decode,
        threads=threads,
        unseen=unseen,
        on_error=on_error,
    )
    return found[metric]


def evaluate_all(
    gold: Sentences,
    system: Trees,
    metrics: Sequence[str],
    *,
    tags: GivenTags = "predict",
    links: Source | None = None,
    beam: int | None = None,
    decode: str | None = None,
    threads: int = 1,
    unseen: bool = False,
    on_error: OnError = "fail",
) -> dict[str, Evaluation]:
    """Several metrics of one system, which parses only once; see `evaluate`.

    >>> evaluate_all("gold.conllu", "en", ["attachment", "nonprojective"])
    """
    loaded = _tree_metrics(metrics)
    raw = "segmentation" in loaded
    model = model_among_trees(system)
    if links is not None and (model is None or raw):
        raise NiwakiError("links are for a model that parses the gold words; give none")
    if model is not None:
        check_uses_links(model, links)
    on_fault = fault_handler(on_error)
    gold_trees = list(linked(sentences_of(gold), links, on_fault))
    records = [] if model is None else [model.learned]
    scored, overlap = overlap_of(records, gold_trees, unseen=unseen)
    gold_trees = [gold_trees[number] for number in scored]
    if model is None:
        trees = list(sentences_of(system))
    else:
        parsed = model.parse(
            model.read(raw_text(gold_trees)) if raw else gold_trees,
            threads=threads,
            beam=beam,
            retag=predicts(tags),
            probabilities="calibration" in loaded,
            decode=decode,
        )
        trees = list(parsed)
    found = {name: each.evaluate(gold_trees, trees) for name, each in loaded.items()}
    if model is not None:
        used = "none" if model.tagger is None else "predict" if raw else tags
        # What was given, or is empty, has no score.
        missing = model.unpredicted if used == "predict" else TAG_METRICS
        more = "|".join(filter(None, (f"tags={used}", overlap.signature)))
        (learned,) = overlap.learned
        found = {
            name: replace(_without(each, missing), more=more, learned=learned)
            for name, each in found.items()
        }
    return found


def compare(
    gold: Sentences,
    a: Trees,
    b: Trees,
    *,
    metric: str = "attachment",
    samples: int = SAMPLES,
    seed: int = 1,
    test: str = TESTS[0],
    tags: GivenTags = "predict",
    beam: int | None = None,
    decode: str | None = None,
    threads: int = 1,
    unseen: bool = False,
) -> Comparison:
    """Differences between two systems in all scores of a metric, with 95% intervals.

    Intervals are of the paired bootstrap over sentences; p-values are of it, too, or of
    approximate randomization (`test="randomization"`). Scores that only one system has are
    left out. With `unseen`, so are sentences that one of two models has learned from. The rest is
    as for `evaluate`.

        >>> found = compare("gold.conllu", "a.conllu", "b.conllu")
        >>> las = found["LAS"]
        >>> las.difference, (las.low, las.high), las.p
    """
    gold = list(sentences_of(gold))
    left_out = ""
    if unseen:
        gold, (a, b), left_out = _unseen(gold, (a, b), metric)
    one, other = (
        evaluate(
            gold,
            each,
            metric=metric,
            tags=tags,
            beam=beam,
            decode=decode,
            threads=threads,
        )
        for each in (a, b)
    )
    unshared = set(one.names) ^ set(other.names)
    one, other = _without(one, unshared), _without(other, unshared)
    found = compare_evaluations(one, other, samples, seed, test)
    drawn = drawn_by(samples, seed, test)
    signature = "|".join(filter(None, (one.signature, left_out, drawn)))
    learned = one.learned, other.learned
    return Comparison({each.metric: each for each in found}, signature, learned)


def _unseen(
    gold: list[Sentence], systems: Sequence[Trees], metric: str
) -> tuple[list[Sentence], list[Trees], str]:
    """What no model among the systems has learned from, of the gold trees and of files."""
    given: list[Pipeline | list[Sentence]] = [
        model_among_trees(each) or list(sentences_of(each)) for each in systems
    ]
    models = [each for each in given if isinstance(each, Pipeline)]
    if metric == "segmentation" and 0 < len(models) < len(given):
        raise NiwakiError("unseen: segmentations have sentences of their own; give two models")
    scored, overlap = overlap_of([each.learned for each in models], gold, unseen=True)
    cut: list[Trees] = [
        each if isinstance(each, Pipeline) else [each[n] for n in scored if n < len(each)]
        for each in given
    ]
    return [gold[number] for number in scored], cut, overlap.signature


def evaluate_alignment(
    gold: Source | Iterable[Links], system: Source | Iterable[Links], alpha: float | None = None
) -> AlignmentEvaluation | BlockEvaluation:
    """Score word links, in Pharaoh format or as `Links`, against gold links.

    With `alpha`, the system's links are closed to blocks and scored by F of this alpha, against
    gold links as they are and closed.

        >>> evaluate_alignment("gold.align", "system.align").scores["AER"]
        >>> evaluate_alignment("gold.align", "system.align", alpha=0.4).scores["F"]
    """
    if alpha is not None:
        return evaluate_blocks(list(links_of(gold)), list(links_of(system)), alpha)
    return evaluate_links(links_of(gold), links_of(system))


def evaluate_reordering(
    references: Source | Iterable[Reference],
    trees: Iterable[Named] = (),
    *,
    rules: Sequence[str] = ("ja",),
    orders: Iterable[Source] = (),
    texts: Iterable[Source] = (),
    ratings: Source | None = None,
    other_references: Source | None = None,
    gold: Sentences | None = None,
    analysis: bool = False,
    worst: int = 5,
    samples: int = SAMPLES,
    seed: int = 1,
    beam: int | Sequence[int] | None = None,
    threads: int = 1,
    unseen: bool = False,
) -> Report:
    """Score word orders against reference orders, and compare all systems.

    Systems are all `trees` (files, models, or pairs of a name and trees) with all `rules`,
    and files of `orders` and of `texts`; a model parses with each `beam`. With `analysis`, the last
    system that has orders is looked at closely, with `gold` trees also what its parse errors cost.
    `ratings` and `other_references` are correlated with the scores of sentences. With `unseen`,
    sentences that one of the models has learned from are left out.

        >>> report = evaluate_reordering("references.jsonl", ["en"], rules=["none", "ja"])
        >>> report.records[1]["frs_linked"], report.pairs[0, 1]
    """
    if gold is not None and not analysis:
        raise NiwakiError("gold trees are for an analysis; leave them out, or ask for one")
    rule_sets = [load_rules(name) for name in rules]
    wanted = list(references_of(references))
    check_references(wanted, name_of(references, "references"))
    words = [Sentence.from_words(each.tokens) for each in wanted]
    parsed = [each for x in trees for each in _parsed(x, words, beam, threads)]
    models = [each.model for each in parsed if each.model is not None]
    numbers, overlap = overlap_of([each.learned for each in models], words, unseen=unseen)
    scored = _Scored(wanted, numbers)
    learned = iter(overlap.learned)
    systems = [
        *(
            system
            for each in parsed
            for system in scored.by_rules(each, rule_sets, next(learned) if each.model else None)
        ),
        *scored.order_systems(orders, texts),
    ]
    if not systems:
        raise NiwakiError("nothing to score; give trees, a model, orders or text")
    more = overlap.signature
    systems = [replace(x, evaluation=replace(x.evaluation, more=more)) for x in systems]
    return Report(
        systems,
        [each.evaluation.to_json(samples, seed) for each in systems],
        compare_systems(systems, samples, seed),
        scored.analysis(systems, worst, gold) if analysis else None,
        scored.correlations(systems, ratings, other_references),
    )


# -- trees ------------------------------------------------------------------------


def _tree_metrics(names: Sequence[str]) -> dict[str, Metric]:
    loaded = {name: load_metric(name) for name in names}
    for name, each in loaded.items():
        if each.compares != "sentences":
            raise NiwakiError(f"metric {name!r} is of {each.compares}, not of trees; give another")
        if name != "segmentation" and "segmentation" in loaded:
            raise NiwakiError(
                f"metric {name!r} needs the gold words, and segmentation finds words; ask for one"
            )
    return loaded


def _without(found: Evaluation, names: Iterable[str]) -> Evaluation:
    return found.without(names) if isinstance(found, AttachmentEvaluation) else found


# -- orders and links -------------------------------------------------------------


@dataclass(frozen=True)
class _Parsed:
    """Trees of the references' sentences, and the model that made them."""

    name: str
    sentences: list[Sentence]
    model: Pipeline | None


def _parsed(
    given: Named, words: list[Sentence], beam: int | Sequence[int] | None, threads: int
) -> Iterator[_Parsed]:
    name, trees = given if isinstance(given, tuple) else (last_part(given), given)
    model = model_among_trees(trees)
    if model is None or not isinstance(beam, Sequence):
        width = beam if isinstance(beam, int) else None
        _, found = named_trees((name, model or trees), words, width, threads)
        yield _Parsed(name, found, model)
        return
    for width in beam:
        _, found = named_trees((name, model), words, width, threads)
        yield _Parsed(f"{name} beam {width}", found, model)


@dataclass(frozen=True)
class _Scored:
    """References, and the numbers of those that are scored; what is given has one for each."""

    references: list[Reference]
    numbers: list[int]

    def of(self, values: Sequence[T]) -> list[T]:
        return [values[number] for number in self.numbers]

    def by_rules(
        self, parsed: _Parsed, rule_sets: Sequence[RuleSet], learned: int | None
    ) -> Iterator[System]:
        check_same_sentences(self.references, parsed.sentences)
        wanted, sentences = self.of(self.references), self.of(parsed.sentences)
        for rules in rule_sets:
            found = rule_system(f"{parsed.name} + {rules.name}", wanted, sentences, rules)
            yield replace(found, evaluation=replace(found.evaluation, learned=learned))

    def order_systems(self, orders: Iterable[Source], texts: Iterable[Source]) -> Iterator[System]:
        wanted = self.of(self.references)
        for file in orders:
            found = tuple(self.of(list(read_orders(file, self.references))))
            yield System(last_part(file), evaluate_orders(wanted, found), found)
        for file in texts:
            words = self.of(list(read_texts(file, self.references)))
            yield System(last_part(file), evaluate_texts(wanted, words))

    def analysis(self, systems: Sequence[System], worst: int, gold: Sentences | None) -> Analysis:
        with_orders = [system for system in systems if system.orders is not None]
        if not with_orders:
            raise NiwakiError("words alone cannot be analysed; give trees, a model or orders")
        trees = None
        if gold is not None:
            trees = list(sentences_of(gold))
            check_same_sentences(self.references, trees)
            trees = self.of(trees)
        return analyse(with_orders[-1], self.of(self.references), worst, trees)

    def correlations(
        self, systems: Sequence[System], ratings: Source | None, other_references: Source | None
    ) -> dict[str, Any] | None:
        found: dict[str, Any] = {}
        if ratings is not None:
            numbers = self.of(read_ratings(ratings, self.references))
            for system in systems:
                found[f"{system.name}, ratings"] = correlations(system.evaluation, numbers)
        if other_references is not None:
            others = list(read_references(other_references))
            _check_other(self.references, others, name_of(other_references, "other references"))
            for system in systems:
                if system.orders is not None:
                    # How far two sets of references agree on which sentences are good.
                    other = evaluate_orders(self.of(others), system.orders)
                    found[f"{system.name}, other references"] = {
                        name: correlations(system.evaluation, other.of(name).tolist())[name]
                        for name in CORRELATED
                    }
        return found or None


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
