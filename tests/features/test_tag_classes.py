"""Classes of words by their tags, as the first bits of clusters."""

from __future__ import annotations

import random

import pytest

import niwaki
from niwaki import Sentence
from niwaki.data.universal import UPOS
from niwaki.errors import CorpusError
from niwaki.features.tag_classes import TagClasses


def tagged(*words: str) -> Sentence:
    """Of words written form/UPOS/XPOS."""
    rows = [word.split("/") for word in words]
    made = Sentence.from_words([form for form, _, _ in rows])
    return made.replace(upos=[u for _, u, _ in rows], xpos=[x for _, _, x in rows])


def bits(*sentences: Sentence, lowercase: bool = False) -> dict[str, str]:
    classes = TagClasses()
    words = {form for each in classes.counting(sentences) for form in each.forms}
    return classes.bits({word.lower() for word in words} if lowercase else words, lowercase)


def test_a_class_is_the_usual_tag_whether_it_is_sure_and_which_others_there_are() -> None:
    often = [tagged("prune/VERB/VB", "pines/NOUN/NNS")] * 8
    found = bits(*often, *[tagged("prune/NOUN/NN", "moss/NOUN/NN")] * 2)
    verb, noun = (f"{UPOS.index(tag):05b}" for tag in ("VERB", "NOUN"))
    assert found == {
        "prune": f"{verb}1" + "0000",
        # Of sure nouns, NNS was counted more often than NN.
        "pines": f"{noun}0" + "0000",
        "moss": f"{noun}0" + "0001",
    }


def test_rare_tags_of_a_word_do_not_count() -> None:
    sure = bits(*[tagged("rain/NOUN/NN")] * 19, tagged("rain/VERB/VB"))
    doubtful = bits(*[tagged("rain/NOUN/NN")] * 9, tagged("rain/VERB/VB"))
    assert (sure["rain"][5], doubtful["rain"][5]) == ("0", "1")


def test_a_tag_that_is_not_universal_is_another() -> None:
    assert bits(tagged("``/``/``"))["``"].startswith(f"{UPOS.index('X'):05b}")


def test_the_sixteenth_kind_and_all_after_are_one() -> None:
    words = [f"w{n}/NOUN/N{n}" for n in range(20)]
    # The first word occurs most often, and so on.
    found = bits(*(tagged(*words[: n + 1]) for n in range(20)))
    assert [int(found[f"w{n}"][6:], 2) for n in range(20)] == [*range(15), *[15] * 5]


def test_case_can_be_folded() -> None:
    pair = (tagged("Rose/PROPN/NNP"), tagged("rose/NOUN/NN"))
    assert len(set(bits(*pair).values())) == 2
    assert bits(*pair, lowercase=True)["rose"][5] == "1"


@pytest.mark.parametrize("lowercase", [False, True])
def test_the_bits_of_tags_come_before_those_of_neighbours(lowercase: bool) -> None:
    """And neither depends on the order of the text."""
    rng = random.Random(1)
    words = ("The/DET/DT", "the/DET/DT", "monk/NOUN/NN", "moss/NOUN/NN", "saw/VERB/VBD")
    text = [tagged(*rng.choices(words, k=6)) for _ in range(30)]
    settings = {"min_count": 1, "lowercase": lowercase}
    alone = niwaki.cluster(text, 3, **settings)
    found = niwaki.cluster(text, 3, by_tags=True, **settings)
    assert found.counts == alone.counts
    assert {word: path[10:] for word, path in found.paths.items()} == alone.paths
    assert found.paths["monk"][:10] == found.paths["moss"][:10] != found.paths["saw"][:10]
    rng.shuffle(text)
    assert niwaki.cluster(text, 3, by_tags=True, **settings).paths == found.paths


def test_words_without_tags_are_told_with_their_place() -> None:
    with pytest.raises(CorpusError, match="<memory>:1:UPOS: word 2, 'moss', has no tag"):
        bits(tagged("the/DET/DT", "moss/_/_"))
