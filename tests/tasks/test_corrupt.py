"""Breakage: what each kind does to words, the map to clean ones, and what is left of trees."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import niwaki
from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError
from niwaki.tasks.grammar.broken import clean_words, surviving_tree
from niwaki.tasks.grammar.corrupt import ERRORS, HASTE, KINDS, broken, broken_once
from niwaki.tasks.grammar.lexicon import Lexicon
from niwaki.tasks.grammar.number import changed_determiners, changed_noun, changed_verbs
from tests.toy import TOY

BOX = Lexicon.of()

# "These old pines do n't lean ." with do and n't in one token.
PINES = Sentence.from_conllu(
    "# sent_id = pines\n# text = These old pines don't lean.\n"
    "1\tThese\tthis\tDET\tDT\tNumber=Plur\t3\tdet\t_\t_\n"
    "2\told\told\tADJ\tJJ\tDegree=Pos\t3\tamod\t_\t_\n"
    "3\tpines\tpine\tNOUN\tNNS\tNumber=Plur\t6\tnsubj\t_\t_\n"
    "4-5\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "4\tdo\tdo\tAUX\tVBP\tNumber=Plur|Tense=Pres|VerbForm=Fin\t6\taux\t_\t_\n"
    "5\tn't\tnot\tPART\tRB\t_\t6\tadvmod\t_\t_\n"
    "6\tlean\tlean\tVERB\tVB\tVerbForm=Inf\t0\troot\t_\tSpaceAfter=No\n"
    "7\t.\t.\tPUNCT\t.\t_\t6\tpunct\t_\t_\n\n"
)


def of_seeds(kind: str, clean: Sentence = PINES) -> set[str]:
    found = (broken(clean, kind, BOX, seed) for seed in range(60))
    return {each.text for each in found if each is not None}


def test_a_word_is_missing() -> None:
    found = of_seeds("missing")
    assert found == {
        "Old pines don't lean.",
        "These old don't lean.",
        "These old pines n't lean.",
        "These old pines don't.",
    }, "neither adjectives nor other particles than `to`"
    assert broken(Sentence.from_words(["Lean"], upos=["VERB"]), "missing", BOX) is None
    assert broken(Sentence.from_words(["So", "!"], upos=["ADV", "PUNCT"]), "missing", BOX) is None


def test_determiners_are_missing_more_often_than_pronouns() -> None:
    clean = Sentence.from_words(["We", "rake", "the", "moss"], upos=["PRON", "VERB", "DET", "NOUN"])
    lost = Counter()
    for seed in range(1500):
        found = broken(clean, "missing", BOX, seed)
        assert found is not None
        (gone,) = {1, 2, 3, 4} - set(clean_words(found))
        lost[gone] += 1
    # 28 : 23 : 10 : 7 of 68.
    shares = [lost[word] / 1500 for word in (3, 2, 1, 4)]
    assert shares == pytest.approx([28 / 68, 23 / 68, 10 / 68, 7 / 68], abs=0.04)


def test_a_word_is_extra() -> None:
    found = [broken(PINES, "extra", BOX, seed) for seed in range(60)]
    twice = 0
    for each in found:
        assert each is not None and len(each) == len(PINES) + 1
        words = clean_words(each)
        (at,) = (number for number, word in enumerate(words) if word == 0)
        assert each.heads[at] == -1 and each.deprels[at] == "_" and each.upos[at] == "_"
        assert [word for word in words if word] == list(range(1, 8))
        assert "do n't" not in each.text and each.text.endswith("."), "nothing within don't"
        twice += each.forms[at].lower() == each.forms[at - 1].lower()
    assert 10 <= twice <= 35, "one in three is a word that stands twice"


def test_words_are_misspelt_as_words_that_there_are() -> None:
    clean = Sentence.from_words(["From", "land"], upos=["ADP", "NOUN"])
    assert of_seeds("spelling", clean) == {"From hand", "From and"}
    assert set(BOX.neighbours("then")) >= {"than", "they", "the", "them"}
    assert "then" not in BOX.neighbours("then") and "the" in BOX.neighbours("they")


@given(st.text("abc", min_size=1, max_size=4), st.text("abc", min_size=1, max_size=4))
def test_neighbours_are_one_letter_apart(one: str, other: str) -> None:
    lexicon = Lexicon(((other, "NOUN"),))
    assert (lexicon.neighbours(one) == [other]) == (distance(one, other) == 1)


def distance(one: str, other: str) -> int:
    if not one or not other:
        return len(one) + len(other)
    changed = distance(one[1:], other[1:]) + (one[0] != other[0])
    return min(changed, distance(one[1:], other) + 1, distance(one, other[1:]) + 1)


def test_words_are_misspelt_as_words_that_there_are_not() -> None:
    found = of_seeds("misspelling")
    assert len(found) > 20
    for text in found:
        changed = [
            (one, other)
            for one, other in zip(PINES.text.split(), text.split(), strict=True)
            if one != other
        ]
        ((one, other),) = changed
        assert one in ("These", "pines", "lean.") and other[0] == one[0]
        assert not BOX.knows(other.lower().strip("."))
    short = Sentence.from_words(["So", "!"], upos=["ADV", "PUNCT"])
    assert broken(short, "misspelling", BOX) is None


def test_numbers_do_not_agree() -> None:
    found = of_seeds("agreement")
    assert found == {
        "This old pines don't lean.",
        "These old pine don't lean.",
        "These old pines doesn't lean.",
    }
    assert dict(changed_determiners(PINES)) == {0: "this", 2: "pine"}
    assert dict(changed_verbs(PINES)) == {2: "pine", 3: "does"}


@pytest.mark.parametrize(
    ("one", "many"),
    [("box", "boxes"), ("city", "cities"), ("day", "days"), ("man", "men"), ("dog", "dogs")],
)
def test_nouns_change_their_number(one: str, many: str) -> None:
    single = Sentence.from_words([one], upos=["NOUN"], feats=["Number=Sing"])
    several = Sentence.from_words([many], upos=["NOUN"], feats=["Number=Plur"])
    assert changed_noun(single, 0) == many
    assert changed_noun(several, 0) == one
    assert changed_noun(single.replace(upos=["PROPN"]), 0) is None


def test_haste() -> None:
    assert [of_seeds(kind) for kind in HASTE] == [
        {"these old pines don't lean."},
        {"These old pines don't lean"},
        {"THESE OLD PINES DON'T LEAN."},
    ]
    plain = Sentence.from_words(["so"], upos=["ADV"])
    assert broken(plain, "lower-case", BOX) is None, "nothing to break"
    assert broken(plain.replace(upos=["PUNCT"]), "no-punctuation", BOX) is None


def test_what_is_left_of_a_tree() -> None:
    # Without the noun, its words hang from the verb.
    heads, deprels = surviving_tree(PINES, [1, 2, 4, 5, 6, 7])
    assert heads == [5, 5, 5, 5, 0, 5] and deprels[:2] == ["det", "amod"]
    # Without the root, the auxiliary takes its place, and all others hang from it.
    heads, deprels = surviving_tree(PINES, [1, 2, 3, 4, 5, 7])
    assert heads == [3, 3, 4, 0, 4, 4] and deprels[3] == "root"
    heads, _ = surviving_tree(PINES, [2, 7, 0])
    assert heads == [0, 1, -1], "punctuation last"


@pytest.mark.parametrize("kind", KINDS)
def test_broken_sentences_are_sound(kind: str) -> None:
    clean = list(read_conllu(TOY))
    lexicon, made = Lexicon.of(clean), 0
    for sentence in clean:
        found = broken(sentence, kind, lexicon, seed=4)
        if found is None:
            continue
        made += 1
        assert Sentence.from_conllu(found.source) == found
        assert found.metadata["broken"] == kind and found.metadata["clean"] == sentence.text
        words = clean_words(found)
        known = [head for head, word in zip(found.heads, words, strict=True) if word]
        assert known.count(0) == 1 and -1 not in known
        assert broken(sentence, kind, lexicon, seed=4) == found
    assert made > len(clean) / 4


def test_how_a_sentence_breaks_is_its_own_affair() -> None:
    clean = list(read_conllu(TOY))
    lexicon = Lexicon.of(clean)
    order = list(range(len(clean)))
    random.Random(1).shuffle(order)
    there = [broken_once(s, list(KINDS), lexicon, 2) for s in clean]
    assert [broken_once(clean[n], list(KINDS), lexicon, 2) for n in order] == [
        there[n] for n in order
    ]
    assert there != [broken_once(s, list(KINDS), lexicon, 3) for s in clean]
    kinds = {each.metadata["broken"] for each in there if each is not None}
    assert len(kinds) > 4


def test_errors_are_told() -> None:
    with pytest.raises(NiwakiError, match="no kind of breakage 'mising'; did you mean 'missing'"):
        niwaki.corrupt([PINES], ["mising"])
    with pytest.raises(CorpusError, match="no tags; give sentences with tags, or a parser"):
        niwaki.corrupt([Sentence.from_words(["So"])])
    with pytest.raises(CorpusError, match=r"no Clean= at word 1; give the number"):
        clean_words(PINES)
    twice = Sentence.from_words(["so", "so"], misc=["Clean=1", "Clean=1"])
    with pytest.raises(CorpusError, match=r"Clean='1' at word 2"):
        clean_words(twice)
    assert len(list(niwaki.corrupt([PINES]))) == len(ERRORS)
    assert len(list(niwaki.corrupt([PINES], once=True))) == 1
