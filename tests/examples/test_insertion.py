"""Insertion of sentences: what features say of hand-made documents, and what rankers learn."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from examples.insertion import (
    PARAGRAPH,
    RANKERS,
    SECTION,
    Document,
    Insertion,
    Instance,
    Learner,
    Placer,
    Statistics,
    View,
    hierarchy,
    instance,
    overlap,
    read_insertions,
    scaled,
    tense,
    years_overlap,
)

import niwaki
from tests.conftest import ROOT

FILE = ROOT / "examples" / "insertions.jsonl"


def parsed(words: str, lemmas: str, tags: str, heads: list[int], labels: str) -> niwaki.Sentence:
    return niwaki.Sentence.from_words(
        words.split(), lemmas=lemmas.split(), upos=tags.split(), heads=heads, deprels=labels.split()
    )


KOI = parsed("Koi ate rice", "koi eat rice", "NOUN VERB NOUN", [2, 0, 2], "nsubj root obj")
RICE = parsed("Rice grew", "rice grow", "NOUN VERB", [2, 0], "nsubj root")
MOSS = parsed("Moss in 1962", "moss in 1962", "NOUN ADP NUM", [0, 3, 1], "root case nmod")


def document() -> Document:
    """Two sections: one of two paragraphs, and one of one."""
    koi, rice, moss = (View.of([each]) for each in (KOI, RICE, MOSS))
    return Document((koi, moss), (((koi,), (rice,)), ((moss, rice),)))


def test_what_is_seen_of_sentences() -> None:
    view = View.of([KOI, MOSS])
    assert view.arguments == {"koi", "rice"}
    assert view.content == {"koi", "eat", "rice", "moss"}
    assert view.words["koi"] == 1 and view.years == {1962}
    assert View.together([View.of([KOI]), View.of([MOSS])]) == view
    will = parsed("Koi will eat", "koi will eat", "NOUN AUX VERB", [3, 3, 0], "nsubj aux root")
    finite = {"feats": ["_", "Mood=Ind|Tense=Past|VerbForm=Fin", "_"]}
    assert [tense(each) for each in (will, KOI.replace(**finite), MOSS)] == ["Fut", "Past", "none"]
    command = RICE.replace(feats=["_", "Mood=Imp|VerbForm=Fin"])
    assert tense(command) == "Imp"


def test_overlaps() -> None:
    assert overlap(frozenset("ab"), frozenset("bc")) == 0.5
    assert overlap(frozenset(), frozenset("b")) == 0
    # 1990 to 2000 and 1995 to 2010: 6 of 21 years.
    spans = frozenset({1990, 2000}), frozenset({1995, 2010})
    assert years_overlap(*spans) == pytest.approx(6 / 21)
    assert years_overlap(frozenset({1990}), frozenset({1991})) == 0
    assert years_overlap(frozenset(), spans[0]) == 0


def test_statistics_are_those_of_the_documents() -> None:
    one, empty = document(), Statistics()
    found = Statistics([one, one])
    # In each document koi and rice are neighbours once, rice and moss once.
    assert found.pairs["koi", "rice"] == found.pairs["rice", "koi"] == 2
    assert found.pairs["moss", "rice"] == 2 and found.pairs["koi", "moss"] == 0
    # Each of the words of a sentence is counted with each of the next.
    assert found.singles["koi"] == 2 * 2
    assert found.documents["koi"] == found.size == 2
    left = found.without(Statistics([one]))
    assert left.pairs["koi", "rice"] == 1 and left.size == 1
    assert +left.singles == Statistics([one]).singles
    assert empty.adjacency(View.of([KOI]), [View.of([])]) == [-math.log(1)]
    size = len(found.singles) + 1
    (usual,) = found.adjacency(View.of([MOSS]), [View.of([RICE])])
    logs = [
        math.log((found.pairs["moss", b] + 0.1) / (found.singles[b] + 0.1 * size))
        for b in ("rice", "grow")
    ]
    assert usual == pytest.approx(sum(logs) / 2)


def test_features_of_sections_and_paragraphs() -> None:
    given = instance(Insertion(View.of([RICE]), document(), 0, 1), Statistics([document()]))
    assert given.sections.shape == (2, len(SECTION))
    assert given.paragraphs.shape == (3, len(PARAGRAPH))
    assert given.section_of.tolist() == [0, 0, 1]
    assert (given.place, given.section) == (1, 0)
    rows = dict(zip(PARAGRAPH, given.paragraphs.T.tolist(), strict=True))
    # The second paragraph is the sentence itself.
    assert rows["cosine"][1] == pytest.approx(1) and rows["cosine"][0] < 1
    assert rows["subjects and objects"] == [1, 1, 1]
    assert rows["first in section"] == [1, 0, 1] and rows["last in section"] == [0, 1, 1]
    assert rows["first in document"] == [1, 0, 0] and rows["last in document"] == [0, 0, 1]
    above = dict(zip(SECTION, given.sections.T.tolist(), strict=True))
    assert above["first in document"] == [1, 0] and above["last in document"] == [0, 1]
    assert above["adjacency"][0] == max(rows["adjacency"][:2])


def toy(seed: int, size: int) -> list[Instance]:
    """The section is told by its first feature, the paragraph by its first; the rest is noise."""
    random, found = np.random.default_rng(seed), []
    for _ in range(size):
        section_of = np.repeat(np.arange(3, dtype=np.int32), 3)
        sections, paragraphs = random.random((3, len(SECTION))), random.random((9, len(PARAGRAPH)))
        place = int(random.integers(9))
        sections[section_of[place], 0] += 1
        inside = np.flatnonzero(section_of == section_of[place])
        paragraphs[inside, 0] /= 2
        paragraphs[place, 0] += 0.6
        found.append(Instance(sections, paragraphs, section_of, place))
    return found


@pytest.mark.parametrize("learner", ["perceptron", "likelihood"])
@pytest.mark.parametrize("name", RANKERS)
def test_rankers_learn(name: str, learner: Learner) -> None:
    known, new = toy(1, 200), toy(2, 100)
    placer = RANKERS[name](scaled(known, known), learner, 1)
    right = sum(placer(given) == given.place for given in scaled(new, known))
    assert right > 85


def test_a_wrong_section_changes_no_weight_of_paragraphs() -> None:
    """The worked example of the paper: sections differ, so paragraphs teach nothing."""
    apart = [Instance(np.eye(2, len(SECTION)), np.eye(2, len(PARAGRAPH)), np.arange(2), 1)] * 3
    found = hierarchy(apart, "perceptron")
    assert found.sections[1] > 0 > found.sections[0]
    assert not found.paragraphs.any()
    together = [Instance(np.eye(1, len(SECTION)), x.paragraphs, np.zeros(2, int), 1) for x in apart]
    found = hierarchy(together, "perceptron")
    assert not found.sections.any()
    assert found.paragraphs[1] > 0 > found.paragraphs[0]


def test_ways_to_choose() -> None:
    """The best sum lies in the second section, the best section is the first."""
    sections = np.zeros((2, len(SECTION)))
    sections[0, 0] = 1
    paragraphs = np.zeros((3, len(PARAGRAPH)))
    paragraphs[:, 0] = 0, 1, 3
    given = Instance(sections, paragraphs, np.array([0, 0, 1]), 0)
    weights = np.ones(len(SECTION)), np.ones(len(PARAGRAPH))
    assert Placer(*weights, "sum")(given) == 2
    assert Placer(*weights, "steps")(given) == 1
    # P(2nd section) = 0.27 all falls to its one paragraph; 0.73 * 0.73 to one of the first.
    assert Placer(*weights, "product")(given) == 1


def test_the_file_is_read_and_learned_from() -> None:
    records = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    insertions = read_insertions(records, niwaki.load())
    assert [each.document.section_of[each.place] for each in insertions] == [
        record["section"] for record in records
    ]
    statistics = Statistics([each.document for each in insertions[:-1]])
    *known, new = (instance(each, statistics) for each in insertions)
    (last,) = scaled([new], known)
    for learn in RANKERS.values():
        place = learn(scaled(known, known), "likelihood", 1)(last)
        assert last.section_of[place] == last.section
