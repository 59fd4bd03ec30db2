"""Evidence and calibrated probabilities."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki import Sentence, load
from niwaki.data.probabilities import as_text, with_probabilities
from niwaki.errors import ModelError
from niwaki.kernel.batch import Batch
from niwaki.kernel.transition.confidence import weigh
from niwaki.parsers.transition.confidence import Confidence, Curve
from niwaki.pipeline.pipeline import Pipeline
from tests.toy import TOY, quick_model


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    path = tmp_path_factory.mktemp("calibrated") / "m.niwaki"
    return quick_model(path, training={"dev": str(TOY)}, model={"beam": 4})


def test_shares_are_those_of_the_trees_in_the_beam(
    calibrated: Pipeline, toy: list[Sentence]
) -> None:
    """The slow twin: the k best trees one by one, weighed in Python."""
    parser, temperature = calibrated.parser.model, 7.0
    assert len(toy) > 12
    for sentence in toy[:12]:
        batch = Batch([sentence.source])
        values = parser.attribute_values(batch, calibrated.tag(batch))
        heads, labels, arcs, labelled, _, _, tree = weigh(
            parser.kernel, batch, values, 4, temperature
        )
        all_heads, all_labels, scores, _ = parser.kernel.kbest(batch, 0, values, 4, 4)
        weights = np.exp((scores - scores[0]) / temperature)
        weights /= weights.sum()
        assert heads.tolist() == all_heads[0].tolist()
        same = all_heads == heads
        assert np.allclose(arcs, weights @ same, atol=1e-4)
        same &= all_labels == labels
        assert np.allclose(labelled, weights @ same, atol=1e-4)
        assert np.allclose(tree, weights[0], atol=1e-4)


def test_gaps_are_leads_over_other_moves(calibrated: Pipeline, toy: list[Sentence]) -> None:
    batch = Batch([sentence.source for sentence in toy])
    parser = calibrated.parser.model_for(1)
    values = parser.attribute_values(batch, calibrated.tag(batch))
    found = weigh(parser.kernel, batch, values, 1, 1.0)
    heads, labels = parser.kernel.parse(batch, values, 1)
    assert found[0].tolist() == heads.tolist()
    assert found[1].tolist() == labels.tolist()
    # A greedy parser takes the best move, so nothing has a lead over it.
    assert (found[4] >= 0).all() and (found[5] >= 0).all()
    assert (found[2] == 1).all() and (found[6] == 1).all()


def test_probabilities_are_written_and_replaced(calibrated: Pipeline, toy: list[Sentence]) -> None:
    plain = list(calibrated.parse(toy))
    once = list(calibrated.parse(toy, probabilities=True))
    for parsed, sure in zip(plain, once, strict=True):
        assert parsed.tree == sure.tree
        assert 0 < float(sure.metadata["tree_probability"]) < 1
        for notes in sure.notes:
            assert all(0 <= float(notes[name]) <= 1 for name in ("TagProb", "ArcProb", "LabelProb"))
    again = list(calibrated.parse(once, probabilities=True))
    assert [s.misc for s in again] == [s.misc for s in once]
    assert with_probabilities(
        [b"A=1|ArcProb=3", b"_"], dict.fromkeys(("tag", "arc", "label"), np.array([0.5, 1.0]))
    ) == [
        b"A=1|TagProb=0.5000|ArcProb=0.5000|LabelProb=0.5000",
        b"TagProb=1.0000|ArcProb=1.0000|LabelProb=1.0000",
    ]


def test_a_model_keeps_its_curves(calibrated: Pipeline, tmp_path: Path) -> None:
    path = tmp_path / "m.niwaki"
    calibrated.save(path)
    assert load(path).parser.confidence == calibrated.parser.confidence


def test_a_model_without_held_out_data_has_no_probabilities(
    model: Pipeline, toy: list[Sentence]
) -> None:
    bare = dataclasses.replace(model, parser=dataclasses.replace(model.parser, confidence=None))
    with pytest.raises(ModelError, match="not calibrated"):
        bare.parse(toy, probabilities=True)


_CASES = st.lists(st.tuples(st.floats(-5, 5), st.booleans()), min_size=1, max_size=60)
# Sums of evidence that are not the same up to rounding.
_SUMS = st.lists(st.integers(-1000, 1000), min_size=2, max_size=40, unique=True).map(
    lambda numbers: np.array([[number / 100] for number in sorted(numbers)])
)


@given(_CASES)
def test_curves_never_fall_and_stay_between_0_and_1(cases: list[tuple[float, bool]]) -> None:
    features = np.array([[value] for value, _ in cases])
    right = np.array([r for _, r in cases])
    curve = Curve.fit(features, right)
    assert list(curve.rates) == sorted(curve.rates)
    found = curve(features)
    assert ((found > 0) & (found < 1)).all()
    whole = Confidence(1.0, curve, curve, curve, curve)
    assert Confidence.from_json(whole.to_json()) == whole


@given(_CASES, _SUMS)
def test_what_differs_in_evidence_differs_in_probability(
    cases: list[tuple[float, bool]], sums: np.ndarray
) -> None:
    """Nowhere is a fitted curve level: not between, below or above what was observed."""
    fitted = Curve.fit(np.array([[value] for value, _ in cases]), np.array([r for _, r in cases]))
    curve = dataclasses.replace(fitted, weights=(1.0, 0.0))
    assert (np.diff(curve(sums)) > 0).all()


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.sampled_from([0.001, 0.25, 0.25 + 1e-16, 0.5, 0.999])),
        min_size=1,
        max_size=24,
    ),
    _SUMS,
)
def test_curves_of_any_model_file_rise(points: list[tuple[float, float]], sums: np.ndarray) -> None:
    knots, rates = (tuple(sorted(column)) for column in zip(*points, strict=True))
    curve = Curve((1.0, 0.0), knots, rates)
    curve.check(1)
    found = curve(sums)
    assert (np.diff(found) > 0).all()
    assert rates[0] / 2 <= found[0] and found[-1] <= (1 + rates[-1]) / 2


def test_a_curve_is_drawn_through_the_middle_of_a_level_part_and_on_beyond_its_ends() -> None:
    curve = Curve((1.0, 0.0), (0.2, 0.4, 0.6, 0.8), (0.3, 0.5, 0.5, 0.9))
    raw = np.array([0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9])
    found = curve(np.log(raw / (1 - raw))[:, None])
    assert np.allclose(found, [0.225, 0.3, 0.4, 0.5, 0.7, 0.9, 0.925])


def test_no_two_words_of_the_shipped_model_tie_unless_their_evidence_does() -> None:
    """The figure of the least certain words is their own, and no floor that many share."""
    curve = load("en").parser.confidence.arc
    shares = np.linspace(-9, 9, 400)
    gaps = np.linspace(-2, 10, 400)
    evidence = np.stack([shares, gaps, np.zeros(400), np.zeros(400)], axis=1)
    found = curve(evidence)
    assert found.min() < min(curve.rates)
    assert len(set(found.tolist())) == 400 and (np.diff(found) > 0).all()


@given(st.floats(1e-300, 1), st.floats(1e-300, 1))
def test_probabilities_are_written_in_order_and_small_ones_are_not_zero(
    one: float, other: float
) -> None:
    low, high = sorted((one, other))
    assert 0 < float(as_text(low)) <= float(as_text(high)) <= 1
    if high > 2 * low and low < 0.001:
        assert float(as_text(low)) < float(as_text(high))
    assert as_text(0.38954) == "0.3895" and as_text(1.0) == "1.0000"
    assert as_text(0.0000321987) == "3.22e-05" and as_text(0.0) == "0"
