"""The simulation agrees with what can be counted by hand, and with what it must at its limits."""

from __future__ import annotations

import math

import pytest

from niwaki.scale.costs import JobCosts, MixingCosts, simulate_job, simulate_training

JOB = JobCosts(words_per_second=100, start_up=2)
MIXING = MixingCosts(
    epoch=100, start_up=3, handling=1, table_bytes=50, bandwidth=100, mixing=0.25, finish=4
)


@pytest.mark.parametrize(("workers", "seconds"), [(1, 102), (2, 52), (3, 42), (10, 12), (20, 12)])
def test_a_job_without_accidents(workers: int, seconds: float) -> None:
    """Ten shards of ten seconds: as many rounds as workers need for ten, after the start."""
    found = simulate_job(JOB, words=10_000, shard_words=1_000, workers=workers)
    assert found.seconds == pytest.approx(seconds)
    assert found.busy == pytest.approx(100 / (seconds * workers))
    assert found.failures == 0
    assert found.price(36.0) == pytest.approx(seconds * workers / 100)


def test_a_head_that_is_slow_holds_all_up() -> None:
    slow = JobCosts(words_per_second=100, start_up=0, dispatch=1)
    found = simulate_job(slow, words=100_000, shard_words=1_000, workers=50)
    # A shard a second is begun; the last one takes ten.
    assert found.seconds == pytest.approx(110)
    assert found.bottleneck == "head"


def test_storage_is_shared() -> None:
    narrow = JobCosts(words_per_second=100, start_up=0, bytes_per_word=1, bandwidth=500)
    few = simulate_job(narrow, words=100_000, shard_words=1_000, workers=5)
    many = simulate_job(narrow, words=100_000, shard_words=1_000, workers=50)
    assert few.seconds == pytest.approx(200)
    assert many.seconds == pytest.approx(200)
    assert many.bottleneck == "network"


def test_failures_cost_time_and_no_shard() -> None:
    failing = JobCosts(words_per_second=100, start_up=2, hours_to_failure=60 / 3600)
    found = simulate_job(failing, words=100_000, shard_words=1_000, workers=4)
    sure = simulate_job(JOB, words=100_000, shard_words=1_000, workers=4)
    assert found.failures > 5
    assert sure.seconds < found.seconds < 2 * sure.seconds


def test_shards_of_uneven_length_take_as_long_on_average() -> None:
    uneven = JobCosts(words_per_second=100, start_up=0, spread=0.5)
    found = simulate_job(uneven, words=2_000_000, shard_words=1_000, workers=1)
    assert found.seconds == pytest.approx(20_000, rel=0.05)
    ten = simulate_job(uneven, words=20_000, shard_words=1_000, workers=10)
    assert ten.straggling > 0
    assert ten.bottleneck == "stragglers"


def test_training_by_hand() -> None:
    one = simulate_training(MIXING, workers=1, epochs=3)
    assert one.seconds == pytest.approx(3 * 104)
    two = simulate_training(MIXING, workers=2, epochs=3)
    # 1 s there, 51 s of learning, 1 s back, half a second of mixing; scoring at the end.
    assert two.seconds == pytest.approx(3 + 3 * (1 + 51 + 1 + 0.5) + 4)
    assert two.network == pytest.approx(6)


def test_scoring_counts_when_shards_are_shorter() -> None:
    many = simulate_training(MIXING, workers=100, epochs=3)
    # The first epoch has nothing beside it; later ones wait for 4 s instead of 2.
    assert many.seconds == pytest.approx(3 + 3 * (50 + 50 + 25) + 2 + 4 + 4 + 4)
    assert many.bottleneck == "network"


def test_a_tree_of_workers_would_scale_further() -> None:
    star = simulate_training(MIXING, workers=64, epochs=3)
    tree = simulate_training(MIXING, workers=64, epochs=3, tree=True)
    assert tree.seconds < star.seconds / 5
    assert tree.network == pytest.approx(star.network * math.log2(64) / 64)
