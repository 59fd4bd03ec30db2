"""Parsers learn what can be learned, the same way every time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from niwaki.data.faults import COLUMNS, DEPREL
from niwaki.data.sentence import Sentence
from niwaki.features.vocabulary import Vocabulary
from niwaki.kernel.batch import Batch, Symbols
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.transition.learning import TransitionLearner
from niwaki.kernel.transition.systems import MOVES, load_system, system_names
from niwaki.parsers.transition.model import TransitionModel, make_transition_spec
from niwaki.tagging.tagger import Tags
from tests.reference.systems import projective_trees, reachable_trees

SYSTEMS = system_names()
UPOS = COLUMNS.index("UPOS")


def corpus(system: str) -> list[Sentence]:
    """All trees of up to four words that it can build; each word's form tells its arc."""
    sentences = []
    for n in range(1, 5):
        for number, heads in enumerate(reachable_trees(system, n)):
            forms = [f"{n}.{number}.{word}" for word in range(n)]
            labels = [
                "root" if head == 0 else f"l{(head + word) % 3}" for word, head in enumerate(heads)
            ]
            upos = [["N", "V"][number % 2]] * n
            sentences.append(Sentence.from_words(forms, heads=heads, deprels=labels, upos=upos))
    return sentences


class Training:
    def __init__(
        self,
        system: str,
        sentences: list[Sentence] | None = None,
        features: str = "s0.form\ns1.form\nb0.form\nb1.form",
    ) -> None:
        sentences = corpus(system) if sentences is None else sentences
        self.batch = Batch([sentence.source for sentence in sentences])
        spec = make_transition_spec(sentences, system, features)
        self.learner = SparseWeights(len(spec.classes))
        self.parser = TransitionModel(spec, self.learner)
        upos = Vocabulary(sorted({tag for sentence in sentences for tag in sentence.upos}))
        seen = upos.values[self.batch.numbers(UPOS, upos.symbols)]
        self.values = self.parser.attribute_values(
            self.batch, replace(Tags.none(self.batch), upos=seen)
        )
        self.heads = self.batch.given_heads()
        self.labels = self.batch.numbers(DEPREL, self.parser.labels.symbols)
        self.move_learner = TransitionLearner(self.parser.kernel, self.parser.class_numbers())
        self.order = np.arange(len(sentences), dtype=np.int32)

    def greedy(self, epochs: int, explore: float = 0.5) -> list[int]:
        random = np.array([1], dtype=np.uint64)
        return [
            self.move_learner.learn_greedily(
                self.batch, self.values, self.heads, self.labels, self.order, 1.0, explore, random
            )[1]
            for _ in range(epochs)
        ]

    def beam(self, epochs: int, max_violation: bool, margin: float) -> list[int]:
        return [
            self.move_learner.learn_with_beam(
                self.batch,
                self.values,
                self.heads,
                self.labels,
                self.order,
                4,
                max_violation,
                margin,
            )[1]
            for _ in range(epochs)
        ]

    def mistakes(self, width: int) -> int:
        heads, labels = self.parser.kernel.parse(self.batch, self.values, width)
        return int(((heads != self.heads) | (labels != self.labels)).sum())


@pytest.mark.parametrize("system", SYSTEMS)
def test_greedy_learning_separates_what_is_separable(system: str) -> None:
    training = Training(system)
    assert training.mistakes(1) > 0
    assert training.greedy(40)[-1] == 0
    assert training.mistakes(1) == 0


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("max_violation", [True, False])
@pytest.mark.parametrize("margin", [0.0, 2.0])
def test_beam_learning_separates_what_is_separable(
    system: str, max_violation: bool, margin: float
) -> None:
    training = Training(system)
    assert training.beam(60, max_violation, margin)[-1] == 0
    assert training.mistakes(4) == 0


def rooted(labels: dict[str, str]) -> list[Sentence]:
    """All trees of up to three words; the label of the root is that of its tag."""
    return [
        Sentence.from_words(
            [f"{n}.{number}.{word}" for word in range(n)],
            heads=heads,
            deprels=["dep" if head else labels[tag] for head in heads],
            upos=["X" if head else tag for head in heads],
        )
        for n in range(1, 4)
        for number, heads in enumerate(projective_trees(n))
        for tag in labels
    ]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("width", [1, 4])
def test_labels_of_roots_are_learned(system: str, width: int) -> None:
    """Nothing but the tag of the root tells its label."""
    sentences = rooted({"VERB": "clause", "NOUN": "fragment", "INTJ": "call"})
    features = "s0.form\ns1.form\nb0.form\nb1.form\ns0.upos"
    training = Training(system, sentences, features)
    assert {"clause", "fragment", "call"} <= {
        training.parser.labels.names[label]
        for move, label in training.parser.spec.classes
        if MOVES[move] == "root"
    }
    updates = training.greedy(40) if width == 1 else training.beam(40, True, 1.0)
    assert updates[-1] == 0
    assert training.mistakes(width) == 0


@pytest.mark.parametrize("system", SYSTEMS)
def test_one_label_of_roots_needs_no_choice(system: str) -> None:
    """Where there is a move to the root it has one label, and where not, none is made."""
    training = Training(system, rooted({"VERB": "clause", "NOUN": "clause"}))
    roots = [label for move, label in training.parser.spec.classes if MOVES[move] == "root"]
    assert len(roots) == (0 if load_system(system).root_is_optional else 1)
    training.greedy(20)
    _, _, _, (moves,) = training.parser.kernel.kbest(training.batch, 0, training.values, 1, 4)
    assert len(moves) == 1 + len(roots)
    assert training.mistakes(1) == 0


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_same_training_gives_the_same_weights(system: str) -> None:
    one, other = Training(system), Training(system)
    for training in (one, other):
        training.greedy(3)
        training.beam(2, True, 1.0)
    assert len(one.learner) == len(other.learner) > 0
    for name, array in one.learner.export().items():
        assert np.array_equal(array, other.learner.export()[name])


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_update_takes_two_histories_whoever_chose_them(system: str) -> None:
    training = Training(system)
    training.greedy(1)
    last = training.batch.sentences - 1
    kernel = training.parser.kernel
    _, _, scores, moves = kernel.kbest(training.batch, last, training.values, 8, 8)
    better, worse = moves[3], moves[0]
    training.move_learner.update(training.batch, last, training.values, better, worse)
    after = [
        kernel.follow(training.batch, last, training.values, history)[0]
        for history in (better, worse)
    ]
    # The better one gained and the worse one lost; a common beginning moves neither.
    assert after[0] - after[1] > scores[3] - scores[0]
    before = training.learner.export()
    training.move_learner.update(training.batch, last, training.values, better, better)
    assert np.array_equal(before["weights"], training.learner.export()["weights"])


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_distance_of_two_histories_is_what_an_update_adds_to_the_lead(system: str) -> None:
    training = Training(system)
    training.greedy(1)
    learner, compared = training.move_learner, 0
    kernel = training.parser.kernel

    def scores(s: int, *histories: np.ndarray) -> list[float]:
        return [kernel.follow(training.batch, s, training.values, each)[0] for each in histories]

    for s in range(training.batch.sentences):
        moves = kernel.kbest(training.batch, s, training.values, 8, 8)[3]
        for better in moves[1:]:
            arguments = (training.batch, s, training.values, better, moves[0])
            distance = learner.distance(*arguments)
            one, other = scores(s, better, moves[0])
            learner.update(*arguments, 0.25)
            ones, others = scores(s, better, moves[0])
            assert (ones - others) - (one - other) == pytest.approx(distance / 4, abs=1e-3)
            compared += 1
        assert learner.distance(training.batch, s, training.values, moves[0], moves[0]) == 0
    assert compared > 100


def test_words_without_a_known_head_or_label_do_no_harm() -> None:
    training = Training("arc-hybrid")
    training.labels[::3] = -1
    training.greedy(2)
    arguments = [training.batch, training.values, training.heads, training.labels, training.order]
    _, _, unreachable = training.move_learner.learn_with_beam(*arguments, 4, True, 1.0)
    assert unreachable > 0


def test_refusals() -> None:
    training = Training("arc-hybrid")
    arguments = [training.batch, training.values, training.heads, training.labels, training.order]

    def learn(place: int, value: np.ndarray) -> None:
        changed = [*arguments]
        changed[place] = value
        training.move_learner.learn_with_beam(*changed, 4, True, 1.0)

    with pytest.raises(ValueError, match="do not fit"):
        learn(2, training.heads[:-1])
    with pytest.raises(ValueError, match="head 99"):
        learn(2, np.full_like(training.heads, 99))
    with pytest.raises(ValueError, match="no label 999"):
        learn(3, np.full_like(training.labels, 999))
    with pytest.raises(ValueError, match="no sentence 999"):
        learn(4, np.array([999], dtype=np.int32))
    assert len(Symbols([b"a"])) == 1
