"""Scores of systems and differences between them: trees, raw text, word orders, links.

Treebanks, references and links are given as paths or as what such a file holds. Trees to be
scored may also be a model that makes them: a `Pipeline`, a file `*.niwaki`, or the name of
one in the box.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
from niwaki.metrics.reordering import evaluate_orders, evaluate_texts
from niwaki.metrics.significance import TESTS, Difference
from niwaki.metrics.significance import compare as compare_evaluations
from niwaki.tasks.reorder.rulefile import load_rules
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


@dataclass(frozen=True)
class Comparison:
    """Differences between two systems, B minus A, by the names of the scores."""

    differences: dict[str, Difference]
    signature: str

    def __getitem__(self, name: str) -> Difference:
        return self.differences[name]

    def to_json(self) -> dict[str, Any]:
        return {
            **{name: each.to_json() for name, each in self.differences.items()},
            "signature": self.signature,
        }


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
    on_error: OnError = "fail",
) -> Evaluation:
    """Score trees, or those that a model gives to the gold words, against gold trees.

    `metric` is the name of a file of `niwaki.metrics`: "attachment" (with tags and lemmas),
    "segmentation" (from raw text on), "nonprojective" or "calibration". A model predicts
    tags, features and lemmas itself, as in `parse`, or with `tags="keep"` uses the gold ones; the
    signature says which. Scores of what was not predicted are left out. `beam`, `decode` and
    `threads` are as for `Pipeline.parse`. `links` is a file of links to a translation, for a model
    that looks at them (see `parse`).

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
        found = {
            name: replace(_without(each, missing), more=f"tags={used}")
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
) -> Comparison:
    """Differences between two systems in all scores of a metric, with 95% intervals.

    Intervals are of the paired bootstrap over sentences; p-values are of it, too, or of
    approximate randomization (`test="randomization"`). Scores that only one system has are
    left out. The rest is as for `evaluate`.

        >>> found = compare("gold.conllu", "a.conllu", "b.conllu")
        >>> las = found["LAS"]
        >>> las.difference, (las.low, las.high), las.p
    """
    gold = list(sentences_of(gold))
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
    signature = f"{one.signature}|{drawn_by(samples, seed, test)}"
    return Comparison({each.metric: each for each in found}, signature)


def evaluate_alignment(
    gold: Source | Iterable[Links], system: Source | Iterable[Links]
) -> AlignmentEvaluation:
    """Score word links, in Pharaoh format or as `Links`, against gold links.

    >>> evaluate_alignment("gold.align", "system.align").scores["AER"]
    """
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
    beam: int | None = None,
    threads: int = 1,
) -> Report:
    """Score word orders against reference orders, and compare all systems.

    Systems are all `trees` (files, models, or pairs of a name and trees) with all `rules`,
    and files of `orders` and of `texts`. With `analysis`, the last system that has orders is
    looked at closely, with `gold` trees also what its parse errors cost. `ratings` and
    `other_references` are correlated with the scores of sentences.

        >>> report = evaluate_reordering("references.jsonl", ["en"], rules=["none", "ja"])
        >>> report.records[1]["frs_linked"], report.pairs[0, 1]
    """
    if gold is not None and not analysis:
        raise NiwakiError("gold trees are for an analysis; leave them out, or ask for one")
    rule_sets = [load_rules(name) for name in rules]
    wanted = list(references_of(references))
    check_references(wanted, name_of(references, "references"))
    words = [Sentence.from_words(each.tokens) for each in wanted]
    systems = [
        *(
            rule_system(f"{name} + {each.name}", wanted, sentences, each)
            for name, sentences in (named_trees(x, words, beam, threads) for x in trees)
            for each in rule_sets
        ),
        *_order_systems(wanted, orders, texts),
    ]
    if not systems:
        raise NiwakiError("nothing to score; give trees, a model, orders or text")
    return Report(
        systems,
        [each.evaluation.to_json(samples, seed) for each in systems],
        compare_systems(systems, samples, seed),
        _analysis(wanted, systems, worst, gold) if analysis else None,
        _correlations(wanted, systems, ratings, other_references),
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


def _order_systems(
    references: list[Reference], orders: Iterable[Source], texts: Iterable[Source]
) -> Iterator[System]:
    for file in orders:
        found = tuple(read_orders(file, references))
        yield System(last_part(file), evaluate_orders(references, found), found)
    for file in texts:
        words = list(read_texts(file, references))
        yield System(last_part(file), evaluate_texts(references, words))


def _analysis(
    references: list[Reference], systems: Sequence[System], worst: int, gold: Sentences | None
) -> Analysis:
    with_orders = [system for system in systems if system.orders is not None]
    if not with_orders:
        raise NiwakiError("words alone cannot be analysed; give trees, a model or orders")
    trees = None
    if gold is not None:
        trees = list(sentences_of(gold))
        check_same_sentences(references, trees)
    return analyse(with_orders[-1], references, worst, trees)


def _correlations(
    references: list[Reference],
    systems: Sequence[System],
    ratings: Source | None,
    other_references: Source | None,
) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    if ratings is not None:
        numbers = read_ratings(ratings, references)
        for system in systems:
            found[f"{system.name}, ratings"] = correlations(system.evaluation, numbers)
    if other_references is not None:
        others = list(read_references(other_references))
        _check_other(references, others, name_of(other_references, "other references"))
        for system in systems:
            if system.orders is not None:
                # How far two sets of references agree on which sentences are good.
                other = evaluate_orders(others, system.orders)
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
