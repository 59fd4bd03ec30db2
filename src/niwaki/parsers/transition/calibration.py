"""Calibrates the probabilities of a finished model on held-out data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.transition.confidence import weigh
from niwaki.learning.corpus import Corpus
from niwaki.parsers.decoding import Scores, sum_trees
from niwaki.parsers.graph.model import GraphParser, normalised
from niwaki.parsers.transition.confidence import Confidence, Curve, gather_evidence
from niwaki.parsers.transition.model import DEPREL, TransitionParser
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tagging.tagger import UPOS, Tags

# Candidates for the temperature, as shares of the usual lead of a move over the next best.
_SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)


# The search for a temperature of a graph parser: between which, and how often it is halved.
_RANGE = (1e-3, 1e3)
_SECTIONS = 24
# Sentences and words that are enough for one number.
_ENOUGH_SENTENCES, _LONGEST = 600, 120


def calibrate(pipeline: Pipeline, held_out: Corpus) -> Confidence:
    """What is right and what is wrong on held-out data decides what a probability is."""
    batch = held_out.batch
    tags = pipeline.tag(batch, keep=False)
    width = pipeline.beam
    parser = pipeline.parser_for(width)
    assert isinstance(parser, TransitionParser)
    temperature = _find_temperature(pipeline, held_out, tags)
    evidence = gather_evidence(batch, tags, parser, pipeline.greedy, width, temperature)
    arcs = evidence.heads == batch.given_heads()
    labels = evidence.labels == batch.numbers(DEPREL, parser.labels.symbols)
    right = {
        "tag": _right_tags(pipeline, held_out, tags),
        "arc": arcs,
        "label": labels,
        "tree": whole_sentences(arcs & labels, np.asarray(batch.lengths)),
    }
    curves = {kind: Curve.fit(evidence.features[kind], right[kind]) for kind in right}
    return Confidence(temperature, **curves)


def whole_sentences(right: NDArray[np.bool_], lengths: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether all words of a sentence are right."""
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    wrong = np.bincount(sentence, ~right, minlength=len(lengths))
    return np.asarray(wrong == 0)


def _right_tags(pipeline: Pipeline, held_out: Corpus, tags: Tags) -> NDArray[np.bool_]:
    if pipeline.tagger is None:
        return np.ones(held_out.batch.words, dtype=bool)
    return np.asarray(tags.upos == held_out.batch.hashes(UPOS))


def _find_temperature(pipeline: Pipeline, held_out: Corpus, tags: Tags) -> float:
    """The temperature at which the shares of the best trees explain best which ones are right."""
    batch = held_out.batch
    parser = pipeline.parser_for(pipeline.beam)
    assert isinstance(parser, TransitionParser)
    values = parser.attribute_values(batch, tags)
    leads = weigh(parser.kernel, batch, values, pipeline.beam, 1.0)[4]
    scale = max(1e-6, _median(leads[np.isfinite(leads)]))
    best, best_loss = scale, np.inf
    for share in _SHARES:
        found = weigh(parser.kernel, batch, values, pipeline.beam, scale * share)
        heads, labels = parser.decoded(found[0], found[1], batch.lengths)
        trees = found[6]
        words = (heads == batch.given_heads()) & (
            labels == batch.numbers(DEPREL, parser.labels.symbols)
        )
        right = whole_sentences(words, np.asarray(batch.lengths))
        probability = np.clip(trees, 1e-3, 1 - 1e-3)
        loss = -np.log(np.where(right, probability, 1 - probability)).mean()
        if loss < best_loss:
            best, best_loss = scale * share, loss
    return float(best)


def _median(values: NDArray[np.float32]) -> float:
    return float(np.median(values)) if len(values) else 1.0


# -- graph parsers -----------------------------------------------------------------


def calibrate_graph(parser: GraphParser, held_out: Corpus, tags: Tags) -> GraphParser:
    """The parser at those temperatures at which the held-out trees, and the labels of their
    arcs, are most probable. They change no tree.
    """
    batch, heads = held_out.batch, held_out.batch.given_heads()
    values = parser.attribute_values(batch, tags)
    lengths = np.asarray(batch.lengths, dtype=np.int32)
    chosen = np.flatnonzero(lengths <= _LONGEST)[:_ENOUGH_SENTENCES].astype(np.int32)
    if not len(chosen):
        return parser
    words = np.concatenate(
        [np.arange(held_out.starts[s], held_out.starts[s + 1]) for s in chosen.tolist()]
    )
    table = parser.arcs.arcs(batch, values, chosen)
    rows = Scores(table, lengths[chosen]).arcs_of_words(heads[words])

    def tree_loss(temperature: float) -> float:
        scores = Scores(Scores(table / temperature, lengths[chosen]).summed_arcs, lengths[chosen])
        sums = sum_trees(scores, projective=parser.spec.projective, too_long="spanning")
        return float(sums.log_sums.sum() - scores.table[rows].sum())

    found = parser.label_model.chosen(batch, values, heads)
    labels = batch.numbers(DEPREL, parser.labels.symbols)
    known = np.flatnonzero(labels >= 0)

    def label_loss(temperature: float) -> float:
        return float(
            -normalised(found[known] / temperature)[np.arange(len(known)), labels[known]].sum()
        )

    return parser.with_weights(
        parser.weights,
        temperature=_least(tree_loss),
        label_temperature=_least(label_loss),
    )


def _least(loss: Callable[[float], float]) -> float:
    """Where a function of one minimum is least, by golden section on the logarithm."""
    golden = (np.sqrt(5) - 1) / 2
    low, high = np.log(_RANGE)
    inner = [high - golden * (high - low), low + golden * (high - low)]
    losses = [loss(float(np.exp(at))) for at in inner]
    for _ in range(_SECTIONS):
        if losses[0] <= losses[1]:
            high, inner[1], losses[1] = inner[1], inner[0], losses[0]
            inner[0] = high - golden * (high - low)
            losses[0] = loss(float(np.exp(inner[0])))
        else:
            low, inner[0], losses[0] = inner[0], inner[1], losses[1]
            inner[1] = low + golden * (high - low)
            losses[1] = loss(float(np.exp(inner[1])))
    return float(np.exp((low + high) / 2))
