"""Calibrates the probabilities of a finished transition parser on held-out data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from niwaki.data.faults import DEPREL, UPOS
from niwaki.kernel.transition.confidence import weigh
from niwaki.learning.corpus import Corpus
from niwaki.parsers.transition.confidence import Confidence, Curve, gather_evidence
from niwaki.parsers.transition.parser import TransitionParser
from niwaki.tagging.tagger import Tags

# Candidates for the temperature, as shares of the usual lead of a move over the next best.
_SHARES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)


def calibrate(parser: TransitionParser, held_out: Corpus, tags: Tags) -> Confidence:
    """What is right and what is wrong on held-out data decides what a probability is."""
    batch = held_out.batch
    temperature = _find_temperature(parser, held_out, tags)
    model = parser.model_for(parser.beam)
    evidence = gather_evidence(batch, tags, model, parser.greedy, parser.beam, temperature)
    arcs = evidence.heads == batch.given_heads()
    labels = evidence.labels == batch.numbers(DEPREL, model.labels.symbols)
    right = {
        "tag": _right_tags(held_out, tags),
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


def _right_tags(held_out: Corpus, tags: Tags) -> NDArray[np.bool_]:
    if not tags.are_predicted:
        return np.ones(held_out.batch.words, dtype=bool)
    return np.asarray(tags.upos == held_out.batch.hashes(UPOS))


def _find_temperature(parser: TransitionParser, held_out: Corpus, tags: Tags) -> float:
    """The temperature at which the shares of the best trees explain best which ones are right."""
    batch, beam = held_out.batch, parser.beam
    model = parser.model_for(beam)
    values = model.attribute_values(batch, tags)
    leads = weigh(model.kernel, batch, values, beam, 1.0)[4]
    scale = max(1e-6, _median(leads[np.isfinite(leads)]))
    best, best_loss = scale, np.inf
    for share in _SHARES:
        found = weigh(model.kernel, batch, values, beam, scale * share)
        heads, labels = model.decoded(found[0], found[1], batch.lengths)
        trees = found[6]
        words = (heads == batch.given_heads()) & (
            labels == batch.numbers(DEPREL, model.labels.symbols)
        )
        right = whole_sentences(words, np.asarray(batch.lengths))
        probability = np.clip(trees, 1e-3, 1 - 1e-3)
        loss = -np.log(np.where(right, probability, 1 - probability)).mean()
        if loss < best_loss:
            best, best_loss = scale * share, loss
    return float(best)


def _median(values: NDArray[np.float32]) -> float:
    return float(np.median(values)) if len(values) else 1.0
