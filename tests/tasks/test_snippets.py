"""U-SVM: what is seen of snippets, and which candidate the question is most like."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from niwaki.data.answers import Answer, Question
from niwaki.data.sentence import Sentence
from niwaki.tasks.answers.words import WordView
from niwaki.tasks.extraction.model import AnswerExtractor, Settings
from niwaki.tasks.extraction.phrases import Asked, Candidate
from niwaki.tasks.extraction.snippets import Features, Snippet, snippets_of, word_weights
from niwaki.tasks.extraction.unsupervised import Nearest, UnsupervisedSvm


def chain(text: str, tags: str, entities: str = "") -> Sentence:
    """Each word hangs from the one before it."""
    words = text.split()
    notes = entities.split() or ["-"] * len(words)
    return Sentence.from_words(
        words,
        upos=tags.split(),
        heads=list(range(len(words))),
        deprels=["root", *["dep"] * (len(words) - 1)],
        misc=["_" if note == "-" else f"NE={note}" for note in notes],
    )


def question(*answers: Sentence) -> Question:
    asked = chain("Who founded Kyoto gardens ?", "PRON VERB PROPN NOUN PUNCT", "- - GPE - -")
    return Question("q", asked, tuple(Answer(str(n), each) for n, each in enumerate(answers)))


NEAR = chain("Mori founded Kyoto gardens", "PROPN VERB PROPN NOUN", "PERSON - GPE -")
FAR = chain("Abe saw pines near Kyoto", "PROPN VERB NOUN ADP PROPN", "PERSON - - - GPE")


def test_features_of_a_snippet() -> None:
    asked = Asked(question(NEAR, FAR))
    features = Features(asked)
    mori, abe = asked.candidates
    (near,), (far,) = (snippets_of(asked, each) for each in (mori, abe))
    # Matched, missed, pairs, related, distance; person to number; verb, neighbour, type.
    assert features.numbers(near, "PERSON") == pytest.approx(
        [1, 0, 1, 1, 2 / 4, 0, 1, 0, 0, 0, 1, 1, 1]
    )
    # "Kyoto" is four words away, the two missing words count five each.
    assert features.numbers(far, "GPE") == pytest.approx(
        [1 / 3, 2 / 3, 0, 1 / 3, (5 + 4 + 5) / 3 / 5, 0, 1, 0, 0, 0, 0, 0, 0]
    )
    # The question is like itself in everything.
    assert features.numbers(features.question, "")[:4] == [1, 0, 1, 1]
    assert features.keeps(far)
    assert not features.keeps(Snippet(WordView(chain("Abe slept", "PROPN VERB")), 0, 1))


def test_words_near_candidates_weigh_by_their_cluster() -> None:
    one, other = (Snippet(WordView(each), 0, 1) for each in (NEAR, FAR))
    assert one.near == {"founded", "kyoto", "gardens"} and other.near == {
        "saw",
        "pines",
        "near",
        "kyoto",
    }
    first, second = word_weights([[one, one], [other]])
    assert first == pytest.approx({"founded": 0.8, "gardens": 0.8, "kyoto": 2 / 3.5})
    assert second["kyoto"] == pytest.approx(1 / 3.5) and second["saw"] == pytest.approx(1 / 1.5)


@pytest.mark.parametrize("kinds", ["numbers", "words", "all"])
def test_the_question_is_most_like_what_answers_it(kinds: str) -> None:
    asked = Asked(question(FAR, NEAR))
    abe, mori = UnsupervisedSvm(kinds=kinds).scores(asked, asked.candidates)  # type: ignore[arg-type]
    assert mori > 0.5 > abe
    abe, mori = Nearest().scores(asked, asked.candidates)
    assert (abe, mori) == pytest.approx((-14 / 3, -2))


def test_snippets_that_were_searched_for_count() -> None:
    asked = Asked(question(FAR, NEAR))
    seen: list[str] = []

    def search(given: Asked, candidate: Candidate) -> Sequence[Snippet]:
        seen.append(candidate.text)
        return [Snippet(WordView(NEAR), 0, 1)] * 3 if candidate.text == "Abe" else []

    alone = UnsupervisedSvm(kinds="numbers").scores(asked, asked.candidates)
    more = UnsupervisedSvm(kinds="numbers", search=search).scores(asked, asked.candidates)
    assert sorted(seen) == ["Abe", "Mori"] and more[0] > alone[0]


def test_candidates_without_a_word_of_the_question_come_last() -> None:
    silent = chain("Ono slept", "PROPN VERB", "PERSON -")
    found = AnswerExtractor(Settings(by=("svm", "distance"))).extract(question(silent, NEAR))
    assert [each.text for each in found.answers] == ["Mori", "Ono"]
    assert found.answers[1].ways["svm"] == -1
