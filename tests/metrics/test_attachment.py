"""Scores: against counts made by hand, and against the scorer of CoNLL 2018."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from niwaki.metrics.attachment import (
    CONTENT_METRICS,
    METRICS,
    TAG_METRICS,
    count_sentence,
    evaluate,
    f1,
)
from tests.official import OFFICIAL, official_counts
from tests.toy import write

GOLD = Sentence.from_words(
    ["She", "has", "pruned", "her", "pines", "."],
    lemmas=["she", "have", "prune", "_", "pine", "."],
    upos=["PRON", "AUX", "VERB", "PRON", "NOUN", "PUNCT"],
    xpos=["PRP", "VBZ", "VBN", "PRP$", "NNS", "."],
    feats=["Case=Nom", "_", "Tense=Past|VerbForm=Part", "_", "Number=Plur", "_"],
    heads=[3, 3, 0, 5, 3, 3],
    deprels=["nsubj", "aux", "root", "nmod:poss", "obj", "punct"],
)


def counts(system: Sentence) -> dict[str, tuple[int, int, int]]:
    return dict(zip(METRICS, count_sentence(GOLD, system), strict=True))


def test_what_is_the_same_is_right() -> None:
    found = counts(GOLD)
    for name in CONTENT_METRICS:
        assert found.pop(name) == (4, 4, 4), "not the auxiliary and the point"
    assert set(found.values()) == {(6, 6, 6)}
    assert set(evaluate([GOLD], [GOLD]).scores.values()) == {100.0}


def test_heads_and_labels() -> None:
    system = GOLD.replace(
        heads=[3, 3, 0, 3, 3, 5], deprels=["obj", "aux", "root", "det", "obj", "punct"]
    )
    found = counts(system)
    assert found["UAS"] == (4, 6, 6)
    assert found["LAS"] == found["LAS_universal"] == (3, 6, 6)
    # Right are root and object; the system has a determiner instead of one content word.
    assert found["CLAS"] == (2, 4, 3)
    assert evaluate([GOLD], [system]).scores["CLAS"] == pytest.approx(100 * 2 * 2 / (4 + 3))


def test_subtypes_count_for_las_alone() -> None:
    found = counts(GOLD.replace(deprels=["nsubj:outer", "aux", "root", "nmod", "obj", "punct"]))
    assert found["LAS"] == (4, 6, 6)
    assert found["LAS_universal"] == (6, 6, 6)
    assert found["CLAS"] == (4, 4, 4)


def test_a_right_label_on_a_wrong_head_is_wrong() -> None:
    found = counts(GOLD.replace(heads=[5, 3, 0, 5, 3, 3]))
    assert found["UAS"] == found["LAS"] == found["LAS_universal"] == (5, 6, 6)
    assert found["CLAS"] == (3, 4, 4)


def test_tags_features_and_lemmas() -> None:
    found = counts(
        GOLD.replace(
            upos=["PRON", "VERB", "VERB", "DET", "NOUN", "PUNCT"],
            xpos=["PRP", "VBZ", "VBD", "PRP$", "NNS", "."],
            lemmas=["She", "have", "prune", "anything", "pine", "."],
            feats=["Case=Nom|Typo=Yes", "Mood=Ind", "VerbForm=Part|Tense=Past", "_", "_", "_"],
        )
    )
    assert found["UPOS"] == (4, 6, 6)
    assert found["XPOS"] == (5, 6, 6)
    # `_` in gold: any lemma will do.
    assert found["LEMMA"] == (5, 6, 6)
    # Typo is no universal feature, and order does not matter.
    assert found["FEATS"] == (4, 6, 6)
    assert found["LAS"] == (6, 6, 6)


def test_a_word_with_its_tags_and_function_words() -> None:
    """MLAS: the auxiliary below `pruned`, and what is said of each word."""
    assert counts(GOLD)["MLAS"] == (4, 4, 4)
    for wrong in (
        GOLD.replace(heads=[3, 6, 0, 5, 3, 3]),
        GOLD.replace(deprels=["nsubj", "cop", "root", "nmod:poss", "obj", "punct"]),
        GOLD.replace(upos=["PRON", "VERB", "VERB", "PRON", "NOUN", "PUNCT"]),
        GOLD.replace(feats=["Case=Nom", "Mood=Ind", "Tense=Past|VerbForm=Part", *GOLD.feats[3:]]),
        GOLD.replace(upos=["PRON", "AUX", "ADJ", "PRON", "NOUN", "PUNCT"]),
    ):
        found = counts(wrong)
        assert (found["CLAS"], found["MLAS"]) == ((4, 4, 4), (3, 4, 4))
    # A function word too many; XPOS and features that are no universal ones do not count.
    found = counts(GOLD.replace(deprels=["nsubj", "aux", "root", "nmod:poss", "mark", "punct"]))
    assert (found["CLAS"], found["MLAS"]) == ((3, 4, 3), (2, 4, 3))
    assert counts(GOLD.replace(xpos=["_"] * 6))["MLAS"] == (4, 4, 4)


def test_lemmas_of_content_words_and_all_tags() -> None:
    lemmas = ["She", "has", "prune", "anything", "pine", "dot"]
    assert counts(GOLD.replace(lemmas=lemmas))["BLEX"] == (3, 4, 4)
    found = counts(GOLD.replace(xpos=["PRP", "VBZ", "VBN", "_", "NNS", "."], feats=["_"] * 6))
    assert found["AllTags"] == (2, 6, 6)


def test_scores_are_over_words_and_not_over_sentences() -> None:
    short = Sentence.from_words(["Welcome"], heads=[0], deprels=["root"])
    wrong = short.replace(deprels=["dep"])
    result = evaluate([GOLD, short], [GOLD, wrong])
    assert result.words == 7
    assert result.scores["LAS"] == pytest.approx(100 * 6 / 7)
    assert result.counts.shape == (2, len(METRICS), 3)
    assert "sentences=2|words=7" in result.signature


def test_f1_of_nothing_is_nothing() -> None:
    assert f1(np.array([[0, 0, 0], [1, 1, 3]])).tolist() == [0.0, 50.0]
    assert evaluate([], []).scores["LAS"] == 0.0


def test_characters_may_be_written_in_two_ways() -> None:
    made = [
        Sentence.from_words([form], lemmas=[form], heads=[0], deprels=["root"])
        for form in ("caf\u00e9", "cafe\u0301")
    ]
    for gold in made:
        assert {evaluate([gold], [system]).scores["LEMMA"] for system in made} == {100}


def test_other_words_are_refused() -> None:
    changed = GOLD.replace(forms=["She", "has", "cut", "her", "pines", "."])
    with pytest.raises(CorpusError, match="word 3 is 'cut', but 'pruned' in"):
        evaluate([GOLD], [changed])
    with pytest.raises(CorpusError, match="without a partner"):
        evaluate([GOLD, GOLD], [GOLD])
    with pytest.raises(CorpusError, match="without a partner"):
        evaluate([GOLD], [GOLD, GOLD])
    shorter = Sentence.from_words(["She", "has"])
    with pytest.raises(CorpusError, match="word 3 is None, but 'pruned'"):
        evaluate([GOLD], [shorter])


# -- the scorer of CoNLL 2018 ------------------------------------------------------

# What it calls the metrics that we share with it; its LAS ignores subtypes.
UD_LABELS = """acl acl:relcl advcl advmod amod appos aux aux:pass case cc ccomp clf compound conj
cop csubj dep det discourse dislocated expl fixed flat goeswith iobj list mark nmod nmod:poss
nsubj nsubj:pass nummod obj obl obl:agent orphan parataxis punct reparandum vocative
xcomp""".split()
FEATS = [
    "_",
    "Number=Sing",
    "Number=Plur",
    "Number=Plur|Typo=Yes",
    "Case=Nom|Number=Sing",
    "Typo=Yes",
]


def changed(sentence: Sentence, chance: random.Random, share: float, labels: list[str]) -> Sentence:
    """A sentence with some of everything replaced, and still with a tree."""

    def some(values: tuple[str, ...], others: list[str]) -> list[str]:
        return [chance.choice(others) if chance.random() < share else value for value in values]

    heads = list(sentence.heads)
    for word in range(1, len(sentence) + 1):
        below = set(sentence.replace(heads=heads).tree.subtree(word))
        others = [head for head in range(1, len(sentence) + 1) if head not in below]
        if heads[word - 1] != 0 and others and chance.random() < share:
            heads[word - 1] = chance.choice(others)
    deprels = some(sentence.deprels, labels)
    return sentence.replace(
        heads=heads,
        deprels=["root" if not head else label for head, label in zip(heads, deprels, strict=True)],
        upos=some(sentence.upos, ["NOUN", "VERB", "X"]),
        xpos=some(sentence.xpos, ["NN", "_"]),
        feats=some(sentence.feats, FEATS),
        lemmas=some(sentence.lemmas, ["_", "Pine", "pine"]),
    )


@pytest.mark.parametrize("share", [0.0, 0.2, 0.7])
@pytest.mark.parametrize("labels", [UD_LABELS, ["subj", "atr", "_", "Dep"]], ids=["UD", "foreign"])
def test_counts_are_those_of_the_official_scorer(
    toy: list[Sentence], tmp_path: Path, share: float, labels: list[str]
) -> None:
    chance = random.Random(1)
    gold = [changed(sentence, chance, share / 2, labels) for sentence in toy]
    system = [changed(sentence, chance, share, labels) for sentence in gold]
    ours = evaluate(gold, system).counts.sum(axis=0).tolist()
    theirs = official_counts(
        write(tmp_path / "gold.conllu", gold), write(tmp_path / "system.conllu", system)
    )
    found = {OFFICIAL[m]: tuple(c) for m, c in zip(METRICS, ours, strict=True) if m in OFFICIAL}
    assert found == {name: theirs[name] for name in OFFICIAL.values()}


def test_scores_of_what_was_given_can_be_left_out() -> None:
    whole = evaluate([GOLD, GOLD], [GOLD, GOLD.replace(heads=[0, 3, 1, 5, 3, 3])])
    found = whole.without(TAG_METRICS)
    assert found.names == ("UAS", "LAS", "LAS_universal", "CLAS")
    assert set(whole.names) - set(whole.without(["XPOS", "LEMMA"]).names) == {
        *("XPOS", "LEMMA", "BLEX"),
    }, "AllTags and MLAS are still of UPOS and features"
    assert found.scores == {name: whole.scores[name] for name in found.names}
    assert found.words == whole.words == 12
    assert "LEMMA" not in found.signature
