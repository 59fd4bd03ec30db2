"""Reordering models of translation: the msd table, events, and maximum entropy."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from niwaki.errors import ModelError, NiwakiError
from niwaki.tasks.translate.reordering import (
    BACK,
    BACKWARD,
    FORWARD,
    MONOTONE,
    NEXT,
    SWAP,
    Event,
    MaxentReordering,
    events,
    jump_class,
    learn_reordering,
    msd_table,
)


def test_the_msd_table_counts_with_half_an_event_more() -> None:
    pairs = np.array([0, 0, 0, 2])
    before = np.array([MONOTONE, MONOTONE, SWAP, SWAP])
    after = np.array([SWAP, SWAP, SWAP, MONOTONE])
    table = np.exp(msd_table(pairs, before, after, 3))
    assert table[0] == pytest.approx(np.array([2.5, 1.5, 0.5, 0.5, 3.5, 0.5]) / 4.5)
    assert table[1] == pytest.approx([1 / 3] * 6)
    assert table[2] == pytest.approx(np.array([0.5, 1.5, 0.5, 1.5, 0.5, 0.5]) / 2.5)


def test_classes_of_jumps() -> None:
    jumps = {1: NEXT, 2: FORWARD, 7: FORWARD, -1: BACK, -2: BACKWARD, -9: BACKWARD}
    assert {jump: jump_class(10, 10 + jump) for jump in jumps} == jumps


def test_events_of_a_pair() -> None:
    source, target = "a b c d".split(), "W X Y Z V".split()
    # W from b; X from nothing; Y and Z from d; V from a and c.
    found = list(events(source, target, [(1, 0), (3, 2), (3, 3), (0, 4), (2, 4)]))
    assert found == [
        (FORWARD, "b", "a", "c", "<s>", "<s>"),
        (FORWARD, "d", "c", "</s>", "X", "W"),
        (BACKWARD, "a", "<s>", "b", "Z", "Y"),
    ]


def verbs_jump(count: int) -> list[Event]:
    """What stands behind `verb` jumps back; what follows WA goes on; noise in the other words."""
    rng = random.Random(3)
    found: list[Event] = []
    for _ in range(count):
        here = rng.choice(["verb", "noun", "name"])
        last = rng.choice(["WA", "GA"])
        certain = BACKWARD if here == "verb" else NEXT if last == "WA" else FORWARD
        kind = certain if rng.random() < 0.9 else rng.randrange(4)
        found.append((kind, here, rng.choice("xyz"), rng.choice("xyz"), last, rng.choice("xyz")))
    return found


def test_it_learns_what_words_say() -> None:
    model = learn_reordering(verbs_jump(2000))
    likely = np.exp(model.log_probabilities((0, "verb", "x", "y", "GA", "z")))
    assert likely.sum() == pytest.approx(1)
    assert likely[BACKWARD] > 0.8
    assert np.exp(model.log_probabilities((0, "noun", "x", "y", "WA", "z")))[NEXT] > 0.8
    assert np.exp(model.log_probabilities((0, "noun", "x", "y", "GA", "z")))[FORWARD] > 0.8


def test_the_gradient_vanishes_where_it_ends() -> None:
    """With few features and no cutoff, expected counts are those seen, less the prior's pull."""
    data = verbs_jump(400)
    model = learn_reordering(data, least_count=1, l2=0.5, passes=500)
    seen = sum(1 for event in data if event[1] == "verb" and event[0] == BACKWARD)
    expected = sum(
        math.exp(model.log_probabilities(event)[BACKWARD]) for event in data if event[1] == "verb"
    )
    weight = float(model.source[model.source_words.index("verb"), 0, BACKWARD])
    assert seen - expected == pytest.approx(0.5 * weight, abs=0.3)


def test_rare_words_weigh_nothing() -> None:
    data = [*verbs_jump(50), (BACK, "once", "x", "y", "WA", "z")]
    model = learn_reordering(data, least_count=2)
    assert "once" not in model.source_words
    unknown = model.log_probabilities((0, "never", "x", "y", "WA", "z"))
    assert model.log_probabilities(data[-1]).tolist() == unknown.tolist()


def test_scores_of_a_sentence_add_up() -> None:
    model = learn_reordering(verbs_jump(300))
    tokens = ["x", "verb", "y", "noun"]
    source = model.source_scores(tokens)
    target = model.target_scores(["<unk>", "<s>", "WA", "z"])
    assert source.shape == (4, 4)
    assert target.shape == (4, 2, 4)
    assert not target[:2].any()
    scores = (source[1] + target[2, 0] + target[3, 1]).astype(np.float64)
    expected = model.log_probabilities((0, "verb", "x", "y", "WA", "z"))
    assert scores - np.logaddexp.reduce(scores) == pytest.approx(expected, abs=1e-5)


def test_files(tmp_path: Path) -> None:
    model = learn_reordering(verbs_jump(100))
    path = tmp_path / "reordering.bin"
    model.save(path)
    again = MaxentReordering.load(path)
    assert again.source_words == model.source_words
    assert np.array_equal(again.source_scores(["verb", "x"]), model.source_scores(["verb", "x"]))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelError, match="train the system again"):
        MaxentReordering.load(path)


def test_nothing_to_learn_from() -> None:
    with pytest.raises(NiwakiError, match="no jumps"):
        learn_reordering(events(["a"], ["A"], []))
