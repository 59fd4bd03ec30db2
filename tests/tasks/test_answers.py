"""Rankers of answers: words, trees, learning, sums of matchers, files."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.answers import Question
from niwaki.data.modelfile import write_model_file
from niwaki.data.sentence import Sentence
from niwaki.data.wordnet import WordNet
from niwaki.errors import ConfigError, CorpusError, ModelError, NiwakiError
from niwaki.kernel.answers.quasi import RELATION_SETS
from niwaki.metrics.ranking import evaluate_ranking
from niwaki.tasks.answers.edits import TreeMatch
from niwaki.tasks.answers.learning import learn_answers
from niwaki.tasks.answers.lexical import Overlap, learn_bm25
from niwaki.tasks.answers.model import MATCHERS, AnswerModel, Settings, standardized
from niwaki.tasks.answers.paths import learn_paths, pairs_of_ways
from niwaki.tasks.answers.quasi import QuasiSynchronous, word_probabilities
from niwaki.tasks.answers.quasi_learning import (
    QuasiSettings,
    empty_counts,
    fitted,
    fitted_weights,
    learn_quasi,
)
from niwaki.tasks.answers.words import RELATIONS, WordView
from tests.asked import pool, small_wordnet

# Without WordNet, and quick.
QUICK = Settings(wordnet=False, folds=3)


def view(*forms: str, wordnet: WordNet | None = None) -> WordView:
    return WordView(Sentence.from_words(forms), wordnet)


def names(bits: int) -> set[str]:
    return {name for number, name in enumerate(RELATIONS) if bits >> number & 1}


def right_pairs(questions: list[Question]) -> list[tuple[WordView, WordView]]:
    return [
        (WordView(question.sentence), WordView(answer.sentence))
        for question in questions
        for answer in question.answers
        if answer.right
    ]


# -- words -------------------------------------------------------------------------------------


def test_relations_of_words(tmp_path: Path) -> None:
    wordnet = WordNet(small_wordnet(tmp_path / "wordnet"))
    question = view("Who", "bought", "it", "Buys", wordnet=wordnet)
    answer = view("who", "purchases", "buys", "acquired", "sold", wordnet=wordnet)
    found = question.relations(answer)
    assert [names(bits) for bits in found[0].tolist()] == [
        {"identical", "question word"},
        *[{"question word"}] * 4,
    ]
    row = [names(bits) for bits in found[1].tolist()]
    assert row == [set(), {"synonym"}, {"variant"}, {"hypernym"}, set()], "sold is no form here"
    assert not found[2].any()
    assert names(found[3, 2]) == {"identical"}, "a word is nothing else to itself"
    # Without WordNet, lemmas say what is a form of the same word.
    lemmas = Sentence.from_words(["bought"], lemmas=["buy"])
    assert names(int(WordView(lemmas).relations(view("buy"))[0, 0])) == {"variant"}
    assert not view("bought").relations(view("buy")).any()


def test_other_trees_have_the_same_words() -> None:
    question, answer = right_pairs(pool(1))[0]
    found = question.relations(answer)
    other = question.with_tree(question.tree)
    assert other.relations(answer.with_tree(answer.tree)) is found


def test_without_a_tree_there_is_no_answer() -> None:
    for heads in ([-1, -1], [2, 1]):
        sentence = Sentence.from_words(["Go", "on"], heads=heads)
        with pytest.raises(CorpusError, match='HEAD: no tree of "Go on"; give whole trees'):
            WordView(sentence).tree  # noqa: B018


def test_overlap_and_rarity() -> None:
    answers = [view("moss", "grows"), view("the", "moss", "and", "gravel"), view("gravel", ".")]
    question = view("Does", "moss", "cover", "gravel", "?")
    assert Overlap().scores(question, answers).tolist() == pytest.approx([1 / 3, 2 / 3, 1 / 3])
    # "moss" stands everywhere but in the last one, "gravel" in one only.
    ranker = learn_bm25([view("moss", "grows")] * 8 + [view("gravel")])
    moss, both, gravel = ranker.scores(
        question, [view("moss", "stone"), view("moss", "gravel"), view("gravel", "stone")]
    )
    assert 0 < moss < gravel < both
    short, long = ranker.scores(question, [view("moss"), view("moss", *["stone"] * 9)])
    assert short > long
    assert ranker.scores(view("sand"), answers).tolist() == [0, 0, 0]


# -- trees -------------------------------------------------------------------------------------


def test_edits_prefer_the_same_tree() -> None:
    question, answer = right_pairs(pool(1))[0]
    other = answer.with_tree(dataclasses.replace(answer.tree, heads=(0, 3, 1, 1)))
    near, far = TreeMatch().scores(question, [answer, other])
    # "Who" becomes "Mori": a function word goes, a content word comes; and "?" becomes "."
    assert near == pytest.approx(-1.075) and far < near


def test_ways_between_words() -> None:
    question, answer = right_pairs(pool(1))[0]
    assert list(pairs_of_ways(question, answer)) == [(("obj",), ("obj",))]
    matcher = learn_paths(right_pairs(pool()))
    (right,) = matcher.scores(question, [answer])
    labels = list(answer.tree.deprels)
    labels[2] = "nsubj"
    other = answer.with_tree(dataclasses.replace(answer.tree, deprels=tuple(labels)))
    (wrong,) = matcher.scores(question, [other])
    assert 0 < wrong < right <= 1
    assert matcher.scores(question, [view("nothing", "alike")]).tolist() == [0]


@given(st.integers(0, 2**32 - 1))
def test_weights_are_those_that_give_back_what_was_counted(seed: int) -> None:
    random = np.random.default_rng(seed)
    words = np.zeros(RELATION_SETS)
    words[random.integers(1, RELATION_SETS, 5)] = random.random(5) * 10
    weights = fitted_weights(words, 0.1)
    likely = word_probabilities(weights)
    assert likely.sum() == pytest.approx(1) and likely[0] == 0
    bits = np.arange(RELATION_SETS)[:, None] >> np.arange(len(RELATIONS)) & 1
    wanted = (words @ bits + 0.1) / (words.sum() + 0.1 * len(RELATIONS))
    assert likely @ bits == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("lexical", [False, True])
def test_each_round_makes_right_answers_likelier(lexical: bool) -> None:
    pairs = right_pairs(pool())
    settings = QuasiSettings(lexical=lexical, smoothing=1e-6)
    model = learn_quasi(pairs, dataclasses.replace(settings, rounds=1))
    data, sums = model.pairs(pairs), []
    for _ in range(6):
        counts = empty_counts(model)
        sums.append(float(model.grammar.scores(*data, False, counts).sum()))
        model = fitted(model, counts, settings)
    assert sums == sorted(sums) and sums[-1] > sums[0] + 1
    assert model.alpha == 1.0 or lexical
    for table in (model.tags, model.entities, model.labels):
        assert table.sum(axis=0) == pytest.approx(np.ones(table.shape[1]))


def test_trees_of_a_question_are_scored_together() -> None:
    model = learn_quasi(right_pairs(pool()))
    question, answer = right_pairs(pool(1))[0]
    other = question.with_tree(dataclasses.replace(question.tree, heads=(0, 1, 2, 3)))
    answers = [answer, answer.with_tree(other.tree), view_of(3)]
    together = model.scores_of_trees([question, other], answers)
    assert together[0] == pytest.approx(model.scores(question, answers))
    assert together[1] == pytest.approx(model.scores(other, answers))
    assert together[0, 0] > together[0, 1], "the answer whose tree is like the question's"
    assert model.scores(question, []).shape == (0,)


def view_of(number: int) -> WordView:
    return WordView(pool(number + 1)[number].answers[0].sentence)


def test_words_and_tags_that_were_not_seen() -> None:
    model = learn_quasi(right_pairs(pool()))
    strange = Sentence.from_words(
        ["?!"], upos=["SYM"], heads=[0], deprels=["strange"], misc=["NE=X"]
    )
    (score,) = model.scores(WordView(strange), [WordView(strange)])
    assert -50 < score < 0


# -- models ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("matchers", "least"),
    [
        (("overlap",), 70),
        (("tree-match",), 70),
        (("paths",), 70),
        (("quasi",), 100),
        (("bm25", "quasi"), 100),
        (tuple(MATCHERS), 100),
    ],
)
def test_answers_are_ranked(matchers: tuple[str, ...], least: float) -> None:
    model = learn_answers(pool(), dataclasses.replace(QUICK, matchers=matchers))
    assert model.uses_trees == bool({"quasi", "paths", "tree-match"} & set(matchers))
    new = pool(20)[12:]
    found = evaluate_ranking([each.judged for each in new], [model.rank(each) for each in new])
    assert found.sentences == 8 and found.scores["MAP"] >= least


def test_kinds_of_grammars_are_learned() -> None:
    kinds = [
        QuasiSettings(),
        QuasiSettings(lexical=False),
        QuasiSettings(learn_best=True),
        QuasiSettings(rank_best=True),
    ]
    found = []
    for quasi in kinds:
        model = learn_answers(pool(), dataclasses.replace(QUICK, matchers=("quasi",), quasi=quasi))
        found.append(tuple(model.rank(pool(1)[0]).scores.values()))
    assert len(set(found)) == len(kinds)


def test_weights_are_learned_from_what_is_held_out() -> None:
    told: list[int] = []
    model = learn_answers(pool(), QUICK, told=told.append)
    assert told == [4] * 4 and len(model.weights) == 2
    assert model.weights[1] > 0, "trees tell what words do not"


def test_standard_scores() -> None:
    table = np.array([[1.0, 2, 3], [5, 5, 5]])
    found = standardized(table)
    assert found.mean(axis=1).tolist() == pytest.approx([0, 0])
    assert found.std(axis=1).tolist() == pytest.approx([1, 0])
    assert standardized(np.zeros((2, 0))).shape == (2, 0)


def test_scores_with_trees_of_an_answer() -> None:
    model = learn_answers(pool(), QUICK)
    question, *answers = (model.view(s) for s in pool(1)[0].sentences)
    trees = [answers[1], answers[1].with_tree(answers[2].tree)]
    found = model.scores_with_trees(question, model.parts(question, answers), 1, trees)
    assert found[0] == pytest.approx(model.scores(question, answers))
    assert found[1, 1] == pytest.approx(found[1, 2]), "now both have the same words and tree"


def test_a_model_comes_back_from_its_file(tmp_path: Path) -> None:
    model = learn_answers(pool(), dataclasses.replace(QUICK, matchers=tuple(MATCHERS)))
    model.save(tmp_path / "a.niwaki")
    again = AnswerModel.load(tmp_path / "a.niwaki")
    assert again.settings == model.settings and again.weights == model.weights
    assert [again.rank(each) for each in pool()] == [model.rank(each) for each in pool()]
    again.save(tmp_path / "b.niwaki")
    assert (tmp_path / "a.niwaki").read_bytes() == (tmp_path / "b.niwaki").read_bytes()


def test_a_model_that_learned_with_wordnet_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small_wordnet(tmp_path / "wordnet")
    settings = dataclasses.replace(QUICK, wordnet=True, matchers=("quasi",))
    learn_answers(pool(), settings, WordNet(folder)).save(tmp_path / "a.niwaki")
    assert AnswerModel.load(tmp_path / "a.niwaki", folder).wordnet is not None
    monkeypatch.setattr("niwaki.data.wordnet.PLACES", ("/nowhere",))
    with pytest.raises(NiwakiError, match="no WordNet in /nowhere"):
        AnswerModel.load(tmp_path / "a.niwaki")


def test_other_models_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.niwaki"
    write_model_file(path, {"config.json": {"kind": "graph"}})
    with pytest.raises(ModelError, match="no ranker of answers"):
        AnswerModel.load(path)
    settings = dataclasses.asdict(dataclasses.replace(QUICK, matchers=("quasi",)))
    for change, part in (
        ({"folds": 1}, {}),
        ({"matchers": ["nothing"]}, {}),
        ({}, {}),
        ({}, learn_quasi(right_pairs(pool())).arrays | {"weights": np.ones(2)}),
        ({}, learn_quasi(right_pairs(pool())).arrays | {"mixture": np.zeros(2)}),
    ):
        card = {"kind": "answers", "settings": settings | change, "weights": [1.0]}
        write_model_file(path, {"config.json": card, "quasi.safetensors": part})
        with pytest.raises(
            ModelError, match=r"x.niwaki: not a ranker of answers that this niwaki can use"
        ):
            AnswerModel.load(path)
    card = {"kind": "answers", "settings": settings, "weights": []}
    part = learn_quasi(right_pairs(pool())).arrays
    write_model_file(path, {"config.json": card, "quasi.safetensors": part})
    with pytest.raises(ModelError, match="a weight for each matcher"):
        AnswerModel.load(path)
    assert QuasiSynchronous.of(part).name == "quasi"


def test_what_cannot_be_learned_from_is_refused() -> None:
    wrong = [
        dataclasses.replace(each, answers=tuple(a for a in each.answers if not a.right))
        for each in pool()
    ]
    with pytest.raises(NiwakiError, match="no right answer to learn from"):
        learn_answers(wrong, QUICK)
    with pytest.raises(NiwakiError, match="no right answer to learn from"):
        learn_quasi([])
    for matchers, message in (
        (("qausi",), "no matcher 'qausi'; did you mean 'quasi'"),
        ((), "name each of them once"),
        (("bm25", "bm25"), "name each of them once"),
    ):
        with pytest.raises(ConfigError, match=message):
            Settings(matchers=matchers)
    with pytest.raises(ConfigError, match="rounds is 0"):
        Settings(quasi=QuasiSettings(rounds=0))
