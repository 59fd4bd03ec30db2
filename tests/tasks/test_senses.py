"""Phrase senses: features, four classifiers and their mean, models, and scores in a system."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import niwaki
from niwaki.cli import main
from niwaki.data.bilingual.bitext import Links
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, ModelError, NiwakiError
from niwaki.learning.candidates import feature_key
from niwaki.tasks.translate.features import SENSE
from niwaki.tasks.translate.senses.classifiers import Ensemble, nearest_neighbours
from niwaki.tasks.translate.senses.features import Occurrences
from niwaki.tasks.translate.senses.learning import SenseSettings, learn_senses
from niwaki.tasks.translate.senses.model import SenseModel, SenseScorer
from niwaki.tasks.trees import TreeView
from tests.translated import table_of

Words = tuple[str, ...]
SIGNS = {"river": "dote", "water": "dote", "money": "ginko", "coins": "ginko"}
VERBS = ("saw", "left", "liked")


def pairs(count: int = 60) -> list[tuple[Words, Words]]:
    """`bank` is `dote` beside water and `ginko` beside money."""
    chance = random.Random(4)
    made = []
    for _ in range(count):
        sign, verb = chance.choice(sorted(SIGNS)), chance.choice(VERBS)
        made.append((("they", verb, "the", "bank", sign), ("karera", verb, SIGNS[sign], sign)))
    return made


LINKS = Links(frozenset({(0, 0), (1, 1), (3, 2), (4, 3)}))


def tree_of(words: Sequence[str]) -> TreeView:
    """The second word is the root, all others hang from it."""
    heads = [2, 0, *[2] * (len(words) - 2)][: len(words)]
    labels = ["root" if head == 0 else "obj" for head in heads]
    tags = ["NOUN"] * len(words)
    return TreeView(Sentence.from_words(words, upos=tags, heads=heads, deprels=labels))


def trees(text: Sequence[Words]) -> Callable[[Sequence[int]], list[TreeView]]:
    return lambda numbers: [tree_of(text[number]) for number in numbers]


@pytest.fixture(scope="module")
def model() -> SenseModel:
    source, target = (list(side) for side in zip(*pairs(), strict=True))
    return learn_senses(source, target, [LINKS] * len(source), trees(source))


def test_features_are_of_words_places_borders_and_tree() -> None:
    view = Occurrences(tree_of("They saw the bank today".split()))
    found = set(view.keys(2, 4).tolist())
    for name in (
        *("b:they", "b:today", "w-1:saw", "w-2:they", "w1:today", "w2:_", "t-1:NOUN"),
        *("c-11:saw today", "d-2-1:NOUN NOUN", "label:obj", "head:saw", "headtag:NOUN"),
        "side:left",
    ):
        assert feature_key(name) in found, name
    assert feature_key("b:bank") not in found
    verb = set(view.keys(1, 2).tolist())
    assert {feature_key("child:obj"), feature_key("childword:obj bank")} <= verb
    assert feature_key("head:_") in verb


def table(seed: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Feature 0 means class 0, feature 1 class 1, none of the two class 2; others are noise."""
    noise = np.random.default_rng(seed)
    rows = (noise.random((size, 8)) < 0.4).astype(np.float64)
    labels = noise.integers(0, 3, size)
    rows[:, 0], rows[:, 1] = labels == 0, labels == 1
    return rows, labels


def test_each_classifier_learns_what_tells() -> None:
    made = Ensemble.learn(*table(1, 120), 3)
    right = np.zeros(4)
    rows, labels = table(2, 60)
    for row, label in zip(rows, labels.tolist(), strict=True):
        beliefs = made.beliefs(row)
        assert beliefs.sum(axis=1) == pytest.approx(np.ones(4))
        assert made.probabilities(row) == pytest.approx(beliefs.mean(axis=0))
        right += beliefs.argmax(axis=1) == label
    assert (right[:3] == 60).all()
    assert right[3] > 45


def test_stumps_tell_classes_that_no_single_feature_tells() -> None:
    """Two of three features make class 1: a sum of stumps, none of which is enough."""
    every = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
    labels = (every.sum(axis=1) >= 2).astype(np.int64)
    made = Ensemble.learn(every, labels, 2)
    assert [int(made.stumps.scores(row).argmax()) for row in every] == labels.tolist()


def test_dimensions_keep_what_kernels_say() -> None:
    """With a dimension for each, products of places are the centred kernels."""
    rows, labels = table(3, 8)
    made = nearest_neighbours(rows, labels)
    places, _ = made._known
    square = np.square(1 + rows @ rows.T) / np.outer(1 + rows.sum(1), 1 + rows.sum(1))
    middle = np.eye(8) - 1 / 8
    assert places @ places.T == pytest.approx(middle @ square @ middle, abs=1e-5)
    # An example is nearest to itself.
    for row, label in zip(rows, labels.tolist(), strict=True):
        assert made.probabilities(row, 3)[label] > 0.3


def test_the_sentence_decides(model: SenseModel) -> None:
    sense = model.senses["bank",]
    assert sense.targets == (("dote",), ("ginko",))
    for sign, target in (("river", 0), ("coins", 1)):
        view = Occurrences(tree_of(("they", "saw", "the", "bank", sign)))
        likely = sense.probabilities(view.keys(3, 4))
        assert likely.sum() == pytest.approx(1)
        assert likely[target] > 0.9
    # What becomes one thing only has no senses.
    assert ("they",) not in model.senses
    assert model.longest >= 1


def test_models_are_files(model: SenseModel, tmp_path: Path) -> None:
    path = tmp_path / "senses"
    model.save(path)
    again = SenseModel.load(path)
    assert list(again.senses) == list(model.senses)
    view = Occurrences(tree_of(("they", "saw", "the", "bank", "river"))).keys(3, 4)
    for phrase, sense in again.senses.items():
        expected = model.senses[phrase].probabilities(view).tolist()
        assert sense.probabilities(view).tolist() == expected
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ModelError, match="give a file of `niwaki translate train-senses`"):
        SenseModel.load(path)


def test_options_are_scored_where_they_stand(model: SenseModel) -> None:
    scores = (-1.0, -2.0, -3.0, -4.0)
    entries = {
        ("bank",): [((word,), scores, ()) for word in ("dote", "ginko", "isu")],
        ("the",): [(("sono",), scores, ())],
    }
    phrases = table_of(entries)
    asked = []

    def tree(tokens: Words) -> TreeView:
        asked.append(tokens)
        return tree_of(tokens)

    scorer = SenseScorer(model, phrases, tree)
    options = phrases.find(("they", "saw", "the", "bank", "river"))
    found = {options.target(at): value for at, value in enumerate(scorer(options).tolist())}
    assert found["dote",] > -0.2 > -2 > found["ginko",]
    assert found["isu",] < -2
    # Without classifiers, what the table says; copied words have nothing to say.
    assert found["sono",] == -2.0
    assert found["river",] == 0.0
    assert scorer(phrases.find(("the",))).tolist() == [-2.0]
    assert len(asked) == 1


def test_too_little_text(model: SenseModel) -> None:
    source, target = (list(side) for side in zip(*pairs(5), strict=True))
    with pytest.raises(NiwakiError, match="no phrase becomes two things among 20"):
        learn_senses(source, target, [LINKS] * 5, trees(source))
    with pytest.raises(NiwakiError, match="links of words that are not there"):
        learn_senses(source, target, [Links(frozenset({(9, 9)}))] * 5, trees(source))
    source, target = (list(side) for side in zip(*pairs(), strict=True))
    often = SenseSettings(least=61)
    with pytest.raises(NiwakiError, match="among 61"):
        learn_senses(source, target, [LINKS] * 60, trees(source), often)
    few = learn_senses(source, target, [LINKS] * 60, trees(source), SenseSettings(most=10))
    assert len(few.senses["bank",].ensemble.neighbours.labels) == 10
    assert len(model.senses["bank",].ensemble.neighbours.labels) == 40


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / name for name in ("text.en", "text.ja", "links")]
    both = pairs()
    for file, lines in zip(
        files, (*zip(*both, strict=True), [str(LINKS).split()] * len(both)), strict=True
    ):
        file.write_text("".join(" ".join(words) + "\n" for words in lines), encoding="utf-8")
    source, target, links = map(str, files)
    system, senses, tuned = (str(tmp_path / name) for name in ("system", "senses", "tuned"))
    ways = "--links", links, "--phrase-length", "1", "--order", "1"
    assert main(["translate", "train", source, target, "-o", system, *ways]) == 0
    assert main(["translate", "train-senses", source, target, "-o", senses, *ways[:2]]) == 0
    some = tmp_path / "some"
    some.write_text("they saw the bank river\nthey saw the bank coins\n", encoding="utf-8")
    run = ["translate", "run", "-m", system, str(some), "--limit", "0"]
    assert main([*run, "--senses", senses]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert "dote" in first.split() and "ginko" in second.split()
    assert main(run) == 0
    plain = capsys.readouterr().out.splitlines()
    assert plain[0].split()[2] == plain[1].split()[2]
    tune = ["translate", "tune", "-m", system, source, target, "-o", tuned, "--senses", senses]
    assert main([*tune, "--rounds", "2", "--runs", "1", "--nbest", "10", "--json"]) == 0
    assert SENSE in json.loads(capsys.readouterr().out)["weights"]
    # A tuned system asks for them.
    assert main(["translate", "run", "-m", tuned, str(some), "--senses", senses]) == 0
    assert main(["translate", "run", "-m", tuned, str(some)]) == 1
    error = capsys.readouterr().err
    assert SENSE in error and error.count("\n") == 1


def test_a_system_that_orders_words_has_no_senses(model: SenseModel, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("text.en", "text.ja")]
    for file, lines in zip(files, zip(*pairs(), strict=True), strict=True):
        file.write_text("".join(" ".join(words) + "\n" for words in lines), encoding="utf-8")
    system = niwaki.translate_train(*files, tmp_path / "system", preorder="ja")
    with pytest.raises(ConfigError, match="orders words"):
        niwaki.with_senses(system, model)
