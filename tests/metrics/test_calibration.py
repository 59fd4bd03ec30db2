"""Calibration error and reliability, by hand-made cases and from files."""

from __future__ import annotations

import numpy as np
import pytest

from niwaki import Sentence
from niwaki.errors import CorpusError
from niwaki.metrics.calibration import Reliability, measure


def reliability(pairs: list[tuple[float, bool]]) -> Reliability:
    return Reliability(np.array([p for p, _ in pairs]), np.array([r for _, r in pairs], dtype=bool))


def test_error_is_the_distance_between_said_and_true() -> None:
    honest = reliability([(0.5, True), (0.5, False)] * 10)
    assert honest.error(bins=1) == 0
    boastful = reliability([(0.9, True), (0.9, False)] * 10)
    assert boastful.error(bins=1) == pytest.approx(0.4)
    two_sided = reliability([(0.2, True)] * 5 + [(0.8, False)] * 5)
    assert two_sided.error(bins=1) == 0
    assert two_sided.error(bins=2) == pytest.approx(0.8)


def test_errors_among_the_least_certain() -> None:
    found = reliability([(0.1, False), (0.2, False), (0.9, True), (0.95, False), *[(1, True)] * 6])
    assert found.errors_among_least_certain(0.2) == pytest.approx(2 / 3)
    assert found.errors_among_least_certain(1) == 1
    assert reliability([(0.3, True)]).errors_among_least_certain(0.5) == 0


def gold_and_system() -> tuple[Sentence, Sentence]:
    gold = Sentence.from_words(["a", "b"], upos=["X", "Y"], heads=[2, 0], deprels=["dep", "root"])
    notes = ["TagProb=0.9|ArcProb=0.8|LabelProb=0.7", "TagProb=0.6|ArcProb=0.5|LabelProb=0.4"]
    system = gold.replace(upos=["X", "X"], misc=notes).with_comments(["tree_probability = 0.25"])
    return gold, system


def test_probabilities_are_read_from_the_file() -> None:
    gold, system = gold_and_system()
    found = measure([gold], [system])
    assert found.reliability["tag"].probabilities.tolist() == [0.9, 0.6]
    assert found.reliability["tag"].right.tolist() == [True, False]
    assert found.reliability["arc"].right.tolist() == [True, True]
    assert found.reliability["tree"].probabilities.tolist() == [0.25]
    assert found.reliability["tree"].right.tolist() == [True]


def test_a_file_without_probabilities_is_refused() -> None:
    gold, system = gold_and_system()
    with pytest.raises(CorpusError, match="no TagProb between 0 and 1; parse with"):
        measure([gold], [gold])
    with pytest.raises(CorpusError, match="word 2 is 'c', but 'b'"):
        measure([gold], [system.replace(forms=["a", "c"])])


def test_counts_give_what_all_words_give() -> None:
    gold, system = [], []
    random = np.random.default_rng(1)
    for size in random.integers(1, 9, 40):
        words = [str(word) for word in range(size)]
        heads = [0, *([1] * (size - 1))]
        right = Sentence.from_words(words, upos=["X"] * size, heads=heads, deprels=["a"] * size)
        said = random.random((size, 3)).round(4)
        notes = [f"TagProb={t}|ArcProb={a}|LabelProb={x}" for t, a, x in said.tolist()]
        labels = ["a" if random.random() < x else "b" for x in said[:, 2]]
        tree = f"tree_probability = {random.random():.4f}"
        system.append(right.replace(deprels=labels, misc=notes).with_comments([tree]))
        gold.append(right)
    found = measure(gold, system)
    for kind, each in found.reliability.items():
        assert found.scores[f"{kind}_ECE"] == pytest.approx(each.error())
        doubted = found.scores[f"{kind}_errors_in_least_certain_tenth"]
        assert doubted == pytest.approx(each.errors_among_least_certain(0.1))
    assert 0 < found.scores["label_errors_in_least_certain_tenth"] < 1
    low, high = found.interval(200)["tag_ECE"]
    assert low < found.scores["tag_ECE"] < high
    assert found.costs == {"tag_ECE", "arc_ECE", "label_ECE", "tree_ECE"}


def test_tags_without_probabilities_have_no_scores() -> None:
    gold, system = gold_and_system()
    notes = [note.partition("|")[2] for note in system.misc]
    found = measure([gold], [system.replace(misc=notes)])
    assert list(found.reliability) == ["arc", "label", "tree"]
    assert found.names[0] == "arc_ECE" and len(found.names) == 6
