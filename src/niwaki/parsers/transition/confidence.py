"""Probabilities that mean something: of tags, arcs, labels and trees, calibrated on held-out data.

The evidence is what the beam, the parser's own choices, the tagger and a second parser say
(see kernel/transition/confidence). A logistic model weighs it, and a rising curve through the
rates that were observed on held-out data turns the result into a probability.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.transition.confidence import weigh
from niwaki.parsers.beliefs import check_temperature
from niwaki.parsers.transition.model import TransitionModel
from niwaki.tagging.tagger import Tags
from niwaki.typing import FloatArray, IntArray

KINDS = ("tag", "arc", "label", "tree")
# How many values speak for each kind; see `gather_evidence`.
_FEATURES = {"tag": 1, "arc": 4, "label": 5, "tree": 3}

_NEWTON_STEPS = 30
_RIDGE = 1e-3
_BINS = 24
_CERTAIN = 1e-4
# Means of equal numbers may differ by so much.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Evidence:
    """The best trees of a batch and what speaks for them; one value a word, or a sentence."""

    heads: IntArray
    labels: IntArray
    features: Mapping[str, FloatArray]  # kind -> values x features


def gather_evidence(
    batch: Batch,
    tags: Tags,
    parser: TransitionModel,
    second: TransitionModel | None,
    width: int,
    temperature: float,
) -> Evidence:
    """Parse a batch and collect evidence; `second` is another parser that may agree or not."""
    values = parser.attribute_values(batch, tags)
    found = weigh(parser.kernel, batch, values, width, temperature)
    arcs, labelled, arc_gaps, label_gaps, trees = found[2:]
    heads, labels = parser.decoded(found[0], found[1], batch.lengths)
    if second is None or second is parser:
        agree = label_agrees = np.ones(batch.words)
    else:
        other_heads, other_labels = second.parse(batch, tags, 1)
        agree = (other_heads == heads).astype(np.float64)
        label_agrees = (other_labels == labels).astype(np.float64)
    tag = _log_odds(tags.probabilities)
    arc = np.stack([_log_odds(arcs), _squashed(arc_gaps, temperature), tag, agree], axis=1)
    label = np.stack(
        [_log_odds(labelled), _squashed(label_gaps, temperature), tag, agree, label_agrees], axis=1
    )
    lengths = np.asarray(batch.lengths, dtype=np.int64)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    doubts = np.bincount(sentence, 1 - agree * label_agrees, minlength=len(lengths))
    tree = np.stack([_log_odds(trees), np.log1p(doubts), np.log1p(lengths)], axis=1)
    return Evidence(heads, labels, {"tag": tag[:, None], "arc": arc, "label": label, "tree": tree})


def _log_odds(share: NDArray[Any]) -> FloatArray:
    clipped = np.clip(np.asarray(share, dtype=np.float64), _CERTAIN, 1 - _CERTAIN)
    return np.asarray(np.log(clipped / (1 - clipped)))


def _squashed(gaps: NDArray[Any], temperature: float) -> FloatArray:
    """Leads in units of the temperature; beyond ten of them, more says nothing more."""
    return np.clip(np.asarray(gaps, dtype=np.float64) / temperature, -2, 10)


@dataclass(frozen=True)
class Curve:
    """From evidence to a probability: logistic weights, then a curve that rises everywhere.

    `rates` are those that were observed around each of `knots`; they may stay level, the curve
    does not: what differs in evidence differs in probability, so that the least certain of many
    can be told.
    """

    weights: tuple[float, ...]
    knots: tuple[float, ...]
    rates: tuple[float, ...]

    def __call__(self, features: FloatArray) -> FloatArray:
        return np.asarray(np.interp(_logistic(features, self.weights), *self._points))

    @cached_property
    def _points(self) -> tuple[FloatArray, FloatArray]:
        """The points that are joined by lines, each higher than the one before.

        Neighbours that do not rise are one point in their middle. Beyond the outermost the curve
        is drawn half way to 0 and to 1: all the way would say too much, because what the evidence
        calls hopeless is right more often than that.
        """
        given = np.array([self.knots, self.rates])
        rises = (np.diff(given) > _ROUNDING).all(axis=0)
        runs = np.split(given, np.flatnonzero(rises) + 1, axis=1)
        knots, rates = np.array([run.mean(axis=1) for run in runs]).T
        low, high = rates[0] / 2, (1 + rates[-1]) / 2
        return np.array([0.0, *knots, 1.0]), np.array([low, *rates, high])

    def check(self, features: int) -> None:
        """Raises ValueError if it gives no probabilities, or takes other evidence."""
        weights, knots, rates = (
            np.asarray(each, dtype=np.float64) for each in (self.weights, self.knots, self.rates)
        )
        if weights.shape != (features + 1,) or not np.isfinite(weights).all():
            raise ValueError(f"{len(weights)} weights of a calibration of {features} values")
        # Comparisons with what is no number are false.
        if not (
            knots.shape == rates.shape == (max(1, len(knots)),)
            and (knots[1:] >= knots[:-1] - _ROUNDING).all()
            and (rates[1:] >= rates[:-1]).all()
            and ((rates >= 0) & (rates <= 1)).all()
            and ((knots >= 0) & (knots <= 1)).all()
        ):
            raise ValueError("a calibrated probability is none")

    @classmethod
    def fit(cls, features: FloatArray, right: NDArray[np.bool_]) -> Curve:
        weights = _fit_logistic(features, right)
        guesses = _logistic(features, weights)
        order = np.argsort(guesses, kind="stable")
        parts = [part for part in np.array_split(order, _BINS) if len(part)]
        knots = [float(guesses[part].mean()) for part in parts]
        # One imagined success and failure keep a rate from being 0 or 1.
        rates = [float((right[part].sum() + 1) / (len(part) + 2)) for part in parts]
        return cls(tuple(weights.tolist()), tuple(knots), tuple(_monotone(rates)))


def _with_constant(features: FloatArray) -> FloatArray:
    return np.hstack([features, np.ones((len(features), 1))])


def _logistic(features: FloatArray, weights: Any) -> FloatArray:
    sums = _with_constant(features) @ np.asarray(weights)
    return np.asarray(1 / (1 + np.exp(-np.clip(sums, -30, 30))))


def _fit_logistic(features: FloatArray, right: NDArray[np.bool_]) -> FloatArray:
    """Newton's method on the log-likelihood, with a small ridge for features that never vary."""
    design = _with_constant(features)
    weights = np.zeros(design.shape[1])
    for _ in range(_NEWTON_STEPS):
        guess = _logistic(features, weights)
        slope = design.T @ (guess - right) + _RIDGE * weights
        bend = (design * (guess * (1 - guess))[:, None]).T @ design + _RIDGE * np.eye(len(weights))
        weights = weights - np.linalg.solve(bend, slope)
    return weights


def _monotone(rates: list[float]) -> list[float]:
    """The nearest sequence that never falls (pool adjacent violators, equal weights)."""
    pools: list[tuple[float, int]] = []
    for rate in rates:
        pools.append((rate, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (high, many), (low, few) = pools[-2:]
            pools[-2:] = [((high * many + low * few) / (many + few), many + few)]
    return [rate for rate, size in pools for _ in range(size)]


@dataclass(frozen=True)
class Confidence:
    """The curves of a model, and the temperature at which the trees of its beam are weighed."""

    temperature: float
    tag: Curve
    arc: Curve
    label: Curve
    tree: Curve

    def probabilities(self, evidence: Evidence) -> dict[str, FloatArray]:
        return {kind: getattr(self, kind)(evidence.features[kind]) for kind in KINDS}

    def to_json(self) -> dict[str, Any]:
        record: dict[str, Any] = {"temperature": self.temperature}
        for kind in KINDS:
            curve = getattr(self, kind)
            record[kind] = {each.name: list(getattr(curve, each.name)) for each in fields(Curve)}
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Confidence:
        curves = {
            kind: Curve(**{name: tuple(values) for name, values in record[kind].items()})
            for kind in KINDS
        }
        return cls(float(record["temperature"]), **curves)

    def check(self) -> None:
        """Raises ValueError if the curves do not fit what they will be given."""
        check_temperature(self.temperature)
        for kind, count in _FEATURES.items():
            getattr(self, kind).check(count)
