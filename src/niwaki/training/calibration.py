"""Calibrates the probabilities of a finished model on held-out data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.confidence import weigh
from niwaki.models.confidence import Confidence, Curve, gather_evidence
from niwaki.models.pipeline import Pipeline
from niwaki.models.tagger import UPOS, Tags
from niwaki.models.transition import DEPREL
from niwaki.training.corpus import Corpus

# Candidates for the temperature, as shares of the usual lead of a move over the next best.
_SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)


def calibrate(pipeline: Pipeline, held_out: Corpus) -> Confidence:
    """What is right and what is wrong on held-out data decides what a probability is."""
    batch = held_out.batch
    tags = pipeline.tag(batch, keep=False)
    width = pipeline.beam
    parser = pipeline.parser_for(width)
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
