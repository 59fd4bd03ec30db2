"""Arguments of connectives: candidates beside a search, pairs beside brute force, learning."""

from __future__ import annotations

import dataclasses
from collections import deque
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.connectives import Connective, Document, Place
from niwaki.data.modelfile import write_model_file
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, CorpusError, ModelError, NiwakiError
from niwaki.learning.ranker import RankerSettings
from niwaki.tasks.connectives.candidates import MOST_STEPS, DocumentView, candidates
from niwaki.tasks.connectives.learning import learn_connectives
from niwaki.tasks.connectives.lexicon import type_of
from niwaki.tasks.connectives.mixture import LEVELS, likeliest_shares, mixed
from niwaki.tasks.connectives.model import ConnectiveModel, Settings
from niwaki.tasks.connectives.questions import Questions
from niwaki.tasks.connectives.reranker import best_pairs
from tests.connected import joined, stories


def random_document(seed: int) -> Document:
    random = np.random.default_rng(seed)
    sentences = []
    for _ in range(3):
        n = int(random.integers(1, 14))
        # Each word hangs from one before it, so that any such heads are a tree.
        heads = [0] + [int(random.integers(1, word)) for word in range(2, n + 1)]
        labels = ["root", *(str(random.choice(["conj", "obj", "mark"])) for _ in heads[1:])]
        tags = [str(random.choice(["VERB", "ADP", "PRON"])) for _ in heads]
        sentences.append(Sentence.from_words(["w"] * n, upos=tags, heads=heads, deprels=labels))
    home = int(random.integers(3))
    word = int(random.integers(len(sentences[home]))) + 1
    return Document(tuple(sentences), (Connective(home, (word,)),))


def steps_to(document: Document, start: Place) -> dict[Place, int]:
    """The twin: breadth first along arcs, and from root to root of the sentence before."""
    found, todo = {start: 0}, deque([start])
    while todo:
        place = todo.popleft()
        tree = document.sentences[place.sentence].tree
        near = [Place(place.sentence, word) for word in tree.children(place.word)]
        if head := tree.heads[place.word - 1]:
            near.append(Place(place.sentence, head))
        elif place.sentence:
            before = document.sentences[place.sentence - 1].tree.root
            assert before is not None
            near.append(Place(place.sentence - 1, before))
        for other in near:
            if other not in found:
                found[other] = found[place] + 1
                todo.append(other)
    return found


@given(st.integers(0, 2**32 - 1))
def test_candidates_are_as_far_as_a_search_says(seed: int) -> None:
    document = random_document(seed)
    (connective,) = document.connectives
    view, start = DocumentView(document), Place(connective.sentence, connective.words[0])
    steps = steps_to(document, start)
    for argument in (0, 1):
        wanted = {
            place: far
            for place, far in steps.items()
            if place != start
            and far <= MOST_STEPS
            and (argument == 0 or place.sentence == connective.sentence)
            and place.word in view.possible(place.sentence)
        }
        found = candidates(view, connective, argument)
        assert {c.place: len(c.path) for c in found} == (wanted or {start: 0})


def test_ways_say_where_they_go() -> None:
    document = stories(1)[0]
    view = DocumentView(document)
    joining, looking_back = document.connectives
    ways = {c.place: " ".join(c.path) for c in candidates(view, joining, 0)}
    assert ways[Place(1, 2)] == "cc^ conj^"
    assert ways[Place(1, 3)] == "cc^ conj^ objv"
    assert ways[Place(0, 2)] == "cc^ conj^ SENT"
    ways = {c.place: " ".join(c.path) for c in candidates(view, looking_back, 0)}
    assert ways[Place(1, 5)] == "advmod^ SENT conjv"
    assert ways[Place(0, 5)] == "advmod^ SENT SENT objv conjv"


def test_without_a_tree_there_is_no_way() -> None:
    sentence, connective = joined(0)
    unknown = sentence.replace(heads=[-1] * len(sentence))
    with pytest.raises(CorpusError, match="no tree above word 1"):
        candidates(DocumentView(Document((unknown,))), connective, 0)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_best_pairs_are_those_of_brute_force(seed: int, most: int) -> None:
    random = np.random.default_rng(seed)
    questions = Questions.of([DocumentView(random_document(seed))], 7)
    beliefs = tuple(random.dirichlet(np.ones(len(each.shares))) for each in questions.sets)
    (found,) = best_pairs(questions, (beliefs[0], beliefs[1]), most)
    places = [[c.place for c in each[0]] for each in questions.candidates]
    every = [
        (float(np.log(p) + np.log(q)), i, j)
        for i, p in enumerate(beliefs[0])
        for j, q in enumerate(beliefs[1])
        if places[0][i] != places[1][j]
    ]
    wanted = sorted(every, reverse=True)[:most]
    if wanted:
        assert [(i, j) for i, j, _ in found] == [(i, j) for _, i, j in wanted]
        assert np.allclose([log for _, _, log in found], [log for log, _, _ in wanted])
    else:
        assert len(found) == 1


QUICK = Settings(folds=3, ranker=RankerSettings(passes=30, l2=0.05))


@pytest.fixture(scope="module")
def model() -> ConnectiveModel:
    return learn_connectives(stories(), QUICK)


def bare(document: Document) -> Document:
    """Without arguments."""
    found = (dataclasses.replace(c, arg1=None, arg2=None) for c in document.connectives)
    return dataclasses.replace(document, connectives=tuple(found))


@pytest.mark.parametrize("levels", [1, 3])
@pytest.mark.parametrize("rerank", [False, True])
@pytest.mark.parametrize("learner", ["likelihood", "perceptron"])
def test_arguments_are_learned(levels: int, rerank: bool, learner: str) -> None:
    ranker = dataclasses.replace(QUICK.ranker, learner=learner)
    settings = dataclasses.replace(QUICK, levels=levels, rerank=rerank, ranker=ranker)
    model = learn_connectives(stories(), settings)
    new = stories(20)[12:]
    assert model.resolve(map(bare, new)) == new
    assert (model.reranker is not None) == rerank


def test_connectives_are_marked(model: ConnectiveModel) -> None:
    new = stories(20)[12:]
    unmarked = [Document(each.sentences) for each in new]
    assert model.resolve(unmarked, mark=True) == new, "and of a list of things is none"
    assert model.resolve(unmarked) == unmarked


def test_beliefs_are_probabilities(model: ConnectiveModel) -> None:
    questions = model.questions(map(DocumentView, stories()))
    assert len(questions) == 24
    for beliefs, data in zip(model.beliefs(questions), questions.sets, strict=True):
        assert np.allclose(np.add.reduceat(beliefs, data.sets[:-1]), 1)
        assert beliefs[data.shares > 0].min() > 0.5


def test_a_model_comes_back_from_its_file(model: ConnectiveModel, tmp_path: Path) -> None:
    model.save(tmp_path / "c.niwaki")
    again = ConnectiveModel.load(tmp_path / "c.niwaki")
    assert again.settings == model.settings
    new = stories(15)
    assert again.resolve(map(bare, new)) == model.resolve(map(bare, new))
    again.save(tmp_path / "d.niwaki")
    assert (tmp_path / "c.niwaki").read_bytes() == (tmp_path / "d.niwaki").read_bytes()


def test_other_models_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.niwaki"
    write_model_file(path, {"config.json": {"kind": "graph"}})
    with pytest.raises(ModelError, match="no model of connectives"):
        ConnectiveModel.load(path)
    settings = {**dataclasses.asdict(QUICK), "levels": 9}
    write_model_file(path, {"config.json": {"kind": "connectives", "settings": settings}})
    with pytest.raises(ModelError, match=r"x.niwaki: not a model .* \(levels is 9"):
        ConnectiveModel.load(path)
    write_model_file(path, {"config.json": {"kind": "connectives", "settings": {}}})
    with pytest.raises(ModelError, match="not a model of connectives that this niwaki can use"):
        ConnectiveModel.load(path)


def test_what_cannot_be_learned_from_is_refused() -> None:
    with pytest.raises(NiwakiError, match="no connective has both arguments"):
        learn_connectives(list(map(bare, stories())), QUICK)
    with pytest.raises(ConfigError, match="levels is 4"):
        Settings(levels=4)


def test_levels_that_say_nothing_leave_their_share() -> None:
    parts = np.array([[0.5, 0.5], [0.9, 0.1], [-1, -1]])
    assert mixed(parts, (0.25, 0.25, 0.5)).tolist() == pytest.approx([0.7, 0.3])
    # The second level is right each time.
    shares = likeliest_shares(np.array([[0.1, 0.1, 0.1], [0.9, 0.8, 0.9], [-1, -1, -1]]))
    assert shares[1] > 0.99 and shares[2] == 0 and len(shares) == len(LEVELS)


def test_types() -> None:
    found = [type_of(phrase) for phrase in ("and", "because", "on the other hand")]
    assert found == ["coordinating", "subordinating", "adverbial"]
