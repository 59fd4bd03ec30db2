"""Sentences with roles, made up: who gives, sees and rakes can be told by the tree."""

from __future__ import annotations

from niwaki.data.roles import Filler, Predicate, with_predicates
from niwaki.data.sentence import Sentence

_NAMES = "Mori Sato Kimura Ono Abe".split()
_THINGS = "gravel moss pines lanterns bridges".split()
_VERBS = (("rakes", "rake"), ("waters", "water"), ("paints", "paint"), ("sweeps", "sweep"))


def active(number: int) -> Sentence:
    """ "Mori rakes gravel today ." and the like."""
    form, lemma = _VERBS[number % 4]
    made = Sentence.from_words(
        [_NAMES[number % 5], form, _THINGS[number % 5], "today", "."],
        lemmas=[_NAMES[number % 5], lemma, _THINGS[number % 5], "today", "."],
        upos=["PROPN", "VERB", "NOUN", "ADV", "PUNCT"],
        heads=[2, 0, 2, 2, 2],
        deprels=["nsubj", "root", "obj", "advmod", "punct"],
        comments=[f"sent_id = active-{number}"],
    )
    fillers = Filler("ARG0", 1), Filler("ARG1", 3), Filler("ARGM-TMP", 4)
    return with_predicates(made, [Predicate(2, f"{lemma}.01", fillers)])


def passive(number: int) -> Sentence:
    """ "Moss was raked by Abe ." and the like."""
    _, lemma = _VERBS[number % 4]
    thing, name = _THINGS[number % 5], _NAMES[number % 5]
    made = Sentence.from_words(
        [thing.title(), "was", f"{lemma}ed", "by", name, "."],
        lemmas=[thing, "be", lemma, "by", name, "."],
        upos=["NOUN", "AUX", "VERB", "ADP", "PROPN", "PUNCT"],
        heads=[3, 3, 0, 5, 3, 3],
        deprels=["nsubj:pass", "aux:pass", "root", "case", "obl:agent", "punct"],
        comments=[f"sent_id = passive-{number}"],
    )
    fillers = Filler("ARG1", 1), Filler("ARG0", 5)
    return with_predicates(made, [Predicate(3, f"{lemma}.01", fillers)])


def given(number: int) -> Sentence:
    """ "Mori gives Sato the moss that Ono waters ." and the like."""
    first, second, third = (_NAMES[(number + n) % 5] for n in range(3))
    form, lemma = _VERBS[number % 4]
    thing = _THINGS[number % 5]
    made = Sentence.from_words(
        [first, "gives", second, "the", thing, "that", third, form, "."],
        lemmas=[first, "give", second, "the", thing, "that", third, lemma, "."],
        upos=["PROPN", "VERB", "PROPN", "DET", "NOUN", "PRON", "PROPN", "VERB", "PUNCT"],
        heads=[2, 0, 2, 5, 2, 8, 8, 5, 2],
        deprels=["nsubj", "root", "iobj", "det", "obj", "obj", "nsubj", "acl:relcl", "punct"],
        comments=[f"sent_id = given-{number}"],
    )
    gives = Predicate(2, "give.01", (Filler("ARG0", 1), Filler("ARG2", 3), Filler("ARG1", 5)))
    below = Predicate(8, f"{lemma}.01", (Filler("ARG1", 5), Filler("R-ARG1", 6), Filler("ARG0", 7)))
    return with_predicates(made, [gives, below])


def reports(count: int = 12) -> list[Sentence]:
    makers = (active, passive, given)
    return [makers[number % 3](number) for number in range(count)]


def bare(sentence: Sentence) -> Sentence:
    """Without predicates."""
    return with_predicates(sentence, [])


def as_text(sentences: list[Sentence]) -> str:
    return "".join(map(str, sentences))
