"""What holds a document together: ranks of entities, centres, chains, what must stay."""

from __future__ import annotations

from collections import Counter

import pytest

from niwaki.data.sentence import Sentence
from niwaki.data.wordnet import WordNet
from niwaki.tasks.compress.discourse import centres, chains, entities, needed_words
from niwaki.tasks.compress.ilp import ProgrammeSettings, sentence_demands, shorten, significances
from niwaki.tasks.compress.ngrams import count_ngrams
from niwaki.tasks.trees import TreeView
from tests.conftest import DATA

WORDNET = DATA / "wordnet"


def view(words: str, tags: str, heads: list[int], labels: str) -> TreeView:
    return TreeView(
        Sentence.from_words(words.split(), upos=tags.split(), heads=heads, deprels=labels.split())
    )


RAKES = view(
    "In spring Mori rakes gravel",
    "ADP NOUN PROPN VERB NOUN",
    [2, 4, 4, 0, 4],
    "case obl nsubj root obj",
)
LIES = view("Gravel lies by ponds", "NOUN VERB ADP NOUN", [2, 0, 4, 2], "nsubj root case obl")
SEES = view("She often sees them", "PRON ADV VERB PRON", [3, 3, 0, 3], "nsubj advmod root obj")


def test_subjects_come_first() -> None:
    assert entities(RAKES) == ["mori", "gravel", "spring"]


def test_a_centre_is_what_was_there_before() -> None:
    assert centres([RAKES, LIES, SEES]) == [None, "gravel", None]
    assert centres([]) == []


def test_what_must_stay() -> None:
    # Gravel is the next one's centre, and the centre; then there are only pronouns.
    assert needed_words([RAKES, LIES, SEES], None) == [[5], [1], [1, 4]]
    # A chain reaches over a sentence that has nothing to do with it.
    assert needed_words([RAKES, SEES, LIES], None) == [[5], [1, 4], [1]]
    assert needed_words([RAKES], None) == [[]]


def test_chains_of_one_noun_and_of_related_ones() -> None:
    assert chains([RAKES, SEES, LIES], None) == [{"gravel"}]
    if not WORDNET.exists():
        pytest.skip(f"no WordNet in {WORDNET}")
    dog = view("Dogs bark", "NOUN VERB", [2, 0], "nsubj root")
    dog.lemmas = ("dog", "bark")
    canine = view("Canines bark", "NOUN VERB", [2, 0], "nsubj root")
    canine.lemmas = ("canine", "bark")
    assert chains([dog, canine], None) == []
    assert chains([dog, canine], WordNet(WORDNET)) == [{"dog", "canine"}]


def test_demands_of_a_sentence() -> None:
    found = {(each.words, each.most == 0) for each in sentence_demands(SEES)}
    # The subject and the object stand or fall with the verb; the adverb needs it.
    assert found == {((3, 1), True), ((3, 2), False), ((3, 4), True), ((3,), False)}


def test_what_is_deep_and_often_there_matters_more() -> None:
    counts = count_ngrams([RAKES.forms, LIES.forms])
    often = Counter([*RAKES.lemmas, *LIES.lemmas])
    found = significances(RAKES, often, counts, ("NOUN", "PROPN", "VERB"))
    assert found[0] == 0 and found[4] > found[2] > 0
    assert significances(RAKES, often, counts, ("VERB",))[4] == 0


@pytest.mark.parametrize("lm", ["log", "probability"])
def test_documents_are_shortened(lm: str) -> None:
    pytest.importorskip("highspy", reason="HiGHS is not installed: pip install 'niwaki[ilp]'")
    trees = [RAKES, SEES, LIES]
    counts = count_ngrams([tree.forms for tree in trees])
    settings = ProgrammeSettings(lm=lm)  # type: ignore[arg-type]
    kept = list(shorten(trees, counts, [3, 3, 2], settings=settings))
    # Mori rakes gravel; she sees them; gravel lies.
    assert [list(each) for each in kept] == [
        [False, False, True, True, True],
        [True, False, True, True],
        [True, True, False, False],
    ]
    free = list(shorten(trees, counts, [None, None, None], settings=settings))
    assert all(any(each) for each in free)
