"""Every metric that is found keeps the contract: counts, scores, intervals, signature, JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import niwaki
from niwaki import Sentence
from niwaki.data.answers import Judged, Ranked
from niwaki.data.bilingual.bitext import parse_links
from niwaki.data.bilingual.references import Reference
from niwaki.data.connectives import Connective, Document, Place
from niwaki.data.extraction import Extracted, Found, Patterns
from niwaki.errors import NiwakiError
from niwaki.metrics import load_metric, metric_names
from niwaki.metrics.base import Evaluation
from niwaki.metrics.significance import TESTS, compare
from tests.connected import stories
from tests.labelled import bare, reports
from tests.meant import said
from tests.shorter import choice, pairs

Pair = tuple[list[Any], list[Any]]


@dataclass(frozen=True)
class Sample:
    """Gold data, a system that is not perfect, and what the perfect one scores."""

    gold: list[Any]
    system: list[Any]
    perfect: list[Any]
    best: float | dict[str, float]
    mismatched: Pair
    # Whether a part of the data is counted as it is in the whole.
    by_parts: bool = True


def tree(heads: list[int], label: str = "dep", said: float | None = None) -> Sentence:
    labels = ["root" if head == 0 else label for head in heads]
    made = Sentence.from_words(
        [f"w{word}" for word in range(len(heads))],
        upos=["X"] * len(heads),
        heads=heads,
        deprels=labels,
    )
    if said is None:
        return made
    notes = [f"TagProb={said}|ArcProb={said}|LabelProb={said}"] * len(heads)
    return made.replace(misc=notes).with_comments([f"tree_probability = {said}"])


def trees(**rest: Any) -> list[Sentence]:
    """The first two are non-projective."""
    return [tree(heads, **rest) for heads in ([2, 0, 1, 2], [3, 4, 0, 3], [2, 0, 2], [0])]


def other_trees(**rest: Any) -> list[Sentence]:
    return [tree(heads, **rest) for heads in ([2, 0, 1, 1], [3, 3, 0, 3], [2, 0, 1], [0])]


WORDS: Pair = (trees(), trees()[:3])
LINKS = [parse_links(text, "test", 1) for text in ("0-0 1-1 2p1", "0-0", "", "1-0 0-1")]
OTHER_LINKS = [parse_links(text, "test", 1) for text in ("0-0 2-1", "0-0", "0-1", "0-0 1-0")]
REFERENCES = [Reference(str(n), tuple("abcd"[:n]), tuple(range(n))) for n in (4, 3, 2, 1)]
ORDERS = [(1, 0, 2, 3), (0, 1, 2), (1, 0), (0,)]
NAMES = ["one", "other"]
PATTERNS = [Patterns(f"q{n}", (re.compile("a"),)) for n in range(4)]
TRANSLATIONS = ["a pine grew by the lake", "the herons wait", "snow fell on moss .", "it fell ."]
# Eleven words stand once among 17, three twice; four bigrams go on from words that go on two ways.
NIST = (11 * math.log2(17) + 6 * math.log2(17 / 2)) / 17 + 4 / 13
JUDGED = [Judged(f"q{n}", {"a": True, "b": False, "c": n > 2}) for n in range(4)]


def wrongly_joined() -> list[Document]:
    """One argument is wrong, one connective is missed, one is none."""
    one, two, three, four = stories(4)
    (first, second), (_, last) = one.connectives, two.connectives
    return [
        replace(one, connectives=(replace(first, arg1=Place(1, 1)), second)),
        replace(two, connectives=(last,)),
        replace(three, connectives=(*three.connectives, Connective(0, (4,)))),
        four,
    ]


def wrongly_labelled() -> list[Sentence]:
    """A role is wrong, a predicate is missed, one is none, a filler is another word."""
    one, two, three, four = reports(4)
    misc = list(four.misc)
    misc[0] = "Roleset=be.01"
    return [
        one.replace(misc=[notes.replace("ARG1", "ARG2") for notes in one.misc]),
        bare(two),
        three.replace(misc=[notes.replace("ARG2:3", "ARG2:4") for notes in three.misc]),
        four.replace(misc=misc),
    ]


def judged(*beliefs: float) -> list[Sentence]:
    """Two clean sentences, each followed by the same without its second word, with beliefs."""
    made = []
    for number, belief in enumerate(beliefs):
        clean = "moss grows" if number < 2 else "herons wait"
        words = clean.split()[: 2 - number % 2]
        comments = [f"text = {' '.join(words)}", f"well_formed = {belief}"]
        if number % 2:
            comments += ["broken = missing", f"clean = {clean}"]
        made.append(Sentence.from_words(words, comments=comments))
    return made


SAMPLES = {
    "alignment": Sample(
        LINKS,
        OTHER_LINKS,
        LINKS,
        {"AER": 0, "precision": 100, "recall": 100, "F1": 100},
        (LINKS, LINKS[1:]),
    ),
    "attachment": Sample(trees(), other_trees(), trees(), 100, WORDS),
    "blocks": Sample(LINKS, OTHER_LINKS, LINKS, 100, (LINKS, LINKS[1:])),
    "calibration": Sample(
        trees(),
        other_trees(said=0.75),
        trees(said=1.0),
        0,
        WORDS,
        # Bins are of equal mass over all sentences.
        by_parts=False,
    ),
    "compression": Sample(
        pairs(2),
        [choice("1000111"), choice("10000001"), choice("0010111"), choice("00000110")],
        [each.references[0] for each in pairs(2)],
        {"F1": 100, "rate": 800 / 15, "gold rate": 800 / 15},
        (pairs(2), [choice("1")] * 4),
    ),
    "connectives": Sample(
        stories(4), wrongly_joined(), stories(4), 100, (stories(4), stories(4)[1:])
    ),
    "meaning": Sample(
        said("[a, b, c]", "a.b", "a:(b/c)", "a"),
        said("[a, c, b]", "a.b", "a/c:b", "[a]"),
        said("[a, b, c]", "a.b", "a:(b/c)", "a"),
        100,
        (said("a", "b"), said("a", "a")),
    ),
    "extraction": Sample(
        PATTERNS,
        [
            Extracted(each.id, (Found("b", 1.0), Found("a", n / 2)))
            for n, each in enumerate(PATTERNS)
        ],
        [Extracted(each.id, (Found("a", 1.0),)) for each in PATTERNS],
        100,
        (PATTERNS, [Extracted("other", ())]),
    ),
    "judging": Sample(
        judged(1, 0, 1, 0),
        judged(0.7, 0.6, 0.2, 0.4),
        judged(0.8, 0.1, 0.9, 0.4),
        100,
        (judged(1, 0, 1, 0), judged(1, 0)),
    ),
    "means": Sample(NAMES, [[0.1, 0.5], [0.2, 0], [1, 1]], [[1, 1]] * 3, 1, (NAMES, [[1], [2]])),
    "nonprojective": Sample(trees(), other_trees(), trees(), 100, WORDS),
    "ranking": Sample(
        JUDGED,
        [Ranked(f"q{n}", {"a": n % 2, "b": 0.5, "c": 0}) for n in range(4)],
        [
            Ranked(each.id, {name: int(right) for name, right in each.right.items()})
            for each in JUDGED
        ],
        100,
        (JUDGED, [Ranked("q0", {})]),
    ),
    "reordering": Sample(
        REFERENCES,
        ORDERS,
        [tuple(range(n)) for n in (4, 3, 2, 1)],
        1,
        (REFERENCES, ORDERS[:2]),
    ),
    "roles": Sample(reports(4), wrongly_labelled(), reports(4), 100, (reports(4), reports(4)[1:])),
    "segmentation": Sample(trees(), other_trees(), trees(), 100, WORDS),
    "translation": Sample(
        TRANSLATIONS,
        ["a pine grows by the lake", "herons the wait", "snow on on moss fell .", "it fell"],
        TRANSLATIONS,
        {"BLEU": 100, "chrF": 100, "NIST": NIST, "TER": 0, "WER": 0, "PER": 0, "CDER": 0},
        (TRANSLATIONS, TRANSLATIONS[1:]),
        # What a match is worth depends on all references.
        by_parts=False,
    ),
    "tree_edit": Sample(trees(), other_trees(), trees(), 0, WORDS),
}


def evaluated(name: str, gold: Any, system: Any) -> Evaluation:
    return load_metric(name).evaluate(gold, system)


@pytest.fixture(params=metric_names())
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def sample(name: str) -> Sample:
    return SAMPLES[name]


@pytest.fixture
def found(name: str, sample: Sample) -> Evaluation:
    return evaluated(name, sample.gold, sample.system)


def test_every_metric_has_a_sample() -> None:
    assert metric_names() == sorted(SAMPLES)
    with pytest.raises(NiwakiError, match="no metric 'atachment'; did you mean 'attachment'"):
        load_metric("atachment")
    with pytest.raises(NiwakiError, match="no metric 'significance'"):
        load_metric("significance")


def test_a_perfect_system_has_the_best_scores(name: str, sample: Sample, found: Evaluation) -> None:
    best = evaluated(name, sample.gold, sample.perfect).scores
    wanted = sample.best if isinstance(sample.best, dict) else dict.fromkeys(best, sample.best)
    assert best == pytest.approx(wanted)
    assert found.scores != pytest.approx(wanted)
    worse = {key for key in best if found.scores[key] != pytest.approx(best[key])}
    assert worse
    for key in worse - {name for name in best if name.endswith("tenth")}:
        assert (found.scores[key] > best[key]) == (key in found.costs)


def test_scores_are_made_of_sums_of_counts(found: Evaluation) -> None:
    assert tuple(found.scores) == found.names
    assert found.costs <= set(found.names)
    sums = found.counts.sum(axis=0)
    assert found.scores_of(sums).tolist() == pytest.approx(list(found.scores.values()))
    # Many sums are scored at once as they are one by one.
    both = found.scores_of(np.stack([sums, found.counts[0]]))
    assert both.shape == (2, len(found.names))
    assert both[1] == pytest.approx(found.values[0])
    assert found.values.shape == (found.sentences, len(found.names))
    for key in found.names:
        assert found.of(key) == pytest.approx(found.values[:, found.names.index(key)])
    with pytest.raises(NiwakiError, match="no score 'nothing' here"):
        found.of("nothing")


@pytest.mark.parametrize("name", [name for name, each in SAMPLES.items() if each.by_parts])
def test_parts_add_up_to_the_whole(name: str, sample: Sample, found: Evaluation) -> None:
    # Means are of names and values: the names are not cut.
    cut: Callable[[list[Any], slice], list[Any]] = (
        (lambda data, part: data) if name == "means" else (lambda data, part: data[part])
    )
    parts = [
        evaluated(name, cut(sample.gold, part), sample.system[part])
        for part in (slice(0, 2), slice(2, None))
    ]
    counts = np.concatenate([part.counts for part in parts])
    assert counts.tolist() == found.counts.tolist()
    together = found.scores_of(sum(part.counts.sum(axis=0) for part in parts))
    assert together.tolist() == pytest.approx(list(found.scores.values()))


def test_the_signature_names_version_and_metric(name: str, found: Evaluation) -> None:
    start = f"niwaki={niwaki.__version__}|metric={name}|metrics={','.join(found.names)}|"
    assert found.signature.startswith(start)
    size = "pairs" if name in ("alignment", "blocks") else "sentences"
    assert f"|{size}={found.sentences}" in found.signature
    assert "\n" not in found.signature


def test_intervals_hold_the_scores(found: Evaluation) -> None:
    intervals = found.interval(300, 1)
    assert tuple(intervals) == found.names
    for key, (low, high) in intervals.items():
        assert low <= high
        if found.metric != "calibration":
            assert low - 1e-9 <= found.scores[key] <= high + 1e-9
    assert any(low < high for low, high in intervals.values())
    assert found.interval(300, 1) == intervals


def test_json_comes_back_as_it_was(found: Evaluation) -> None:
    for record in (found.to_json(), found.to_json(100, 3)):
        assert json.loads(json.dumps(record, allow_nan=False)) == record
        assert {key: record[key] for key in found.names} == found.scores
        assert record["signature"].startswith(found.signature)
    assert record["signature"].endswith("|bootstrap=100|seed=3")
    assert set(record["intervals"]) == set(found.names)


@pytest.mark.parametrize("test", TESTS)
def test_a_system_does_not_differ_from_itself(
    name: str, sample: Sample, found: Evaluation, test: str
) -> None:
    for each in compare(found, evaluated(name, sample.gold, sample.system), 200, test=test):
        assert (each.difference, each.low, each.high, each.p) == (0, 0, 0, 1)
    perfect = evaluated(name, sample.gold, sample.perfect)
    differences = compare(found, perfect, 200, test=test)
    assert tuple(each.metric for each in differences) == found.names
    assert any(each.difference for each in differences)


def test_what_does_not_fit_is_refused_in_one_line(
    name: str, sample: Sample, found: Evaluation
) -> None:
    with pytest.raises(NiwakiError) as error:
        evaluated(name, *sample.mismatched)
    assert "\n" not in str(error.value) and "; " in str(error.value)
    other = "attachment" if name == "means" else "means"
    with pytest.raises(NiwakiError, match="are different metrics"):
        compare(found, evaluated(other, SAMPLES[other].gold, SAMPLES[other].system))
