"""Breaks sentences on purpose, as Wagner, Foster and van Genabith (2007) do, and as haste does.

A sentence with tags is broken in one place: a word is missing, extra, misspelt as another word or
as none, or does not agree. Or all of it is in lower case, in capitals, or without punctuation. How
a sentence breaks depends on its words and the seed alone, not on its place among others.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError, nearest, shown
from niwaki.tasks.grammar.broken import Word, sentence_of, words_of
from niwaki.tasks.grammar.lexicon import NO_WORDS, Lexicon
from niwaki.tasks.grammar.number import changed_determiners, changed_verbs

# How often words of a part of speech are missing, among all that are (section 3.3.1).
_MISSING = {"determiner": 28, "verb": 23, "preposition": 21, "pronoun": 10, "noun": 7, "to": 7}
_MISSING |= {"conjunction": 2}
_CLASSES = {"DET": "determiner", "VERB": "verb", "AUX": "verb", "ADP": "preposition"}
_CLASSES |= {"PRON": "pronoun", "NOUN": "noun", "PROPN": "noun", "PART": "to"}
_CLASSES |= {"CCONJ": "conjunction", "SCONJ": "conjunction"}
# Words of so many letters are misspelt, after so many tries that gave another word.
_MISSPELT, _TRIES = 4, 8
# Letters that are written for each other: those of like sounds.
_ALIKE = ("aeiouy", "sczx", "ckq", "mn", "lr", "bp", "dt", "fv", "gj")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def missing(clean: Sentence, lexicon: Lexicon, chance: random.Random) -> list[Word] | None:
    """Without a word, by parts of speech as they are missing in real errors."""
    places: dict[str, list[int]] = {}
    for at, (form, tag) in enumerate(zip(clean.forms, clean.upos, strict=True)):
        name = _CLASSES.get(tag)
        if name is not None and (name != "to" or form.lower() == "to"):
            places.setdefault(name, []).append(at)
    if len(clean) == 1 or not places:
        return None
    names = list(places)
    (name,) = chance.choices(names, [_MISSING[name] for name in names])
    at, words = chance.choice(places[name]), words_of(clean)
    lost = words.pop(at)
    if at == 0:
        words[0] = replace(words[0], form=_like(words[0].form, lost.form))
    elif clean.upos[at - 1] != "PUNCT" and not (lost.glued and _is_part(clean, at + 1)):
        words[at - 1] = replace(words[at - 1], glued=lost.glued)
    return words


def extra(clean: Sentence, lexicon: Lexicon, chance: random.Random) -> list[Word] | None:
    """With a word too many: one twice, one more of its kind beside it, or any, each as often."""
    words = words_of(clean)
    places = [
        at
        for at, tag in enumerate(clean.upos)
        if tag not in NO_WORDS and not (words[at].glued and _is_part(clean, at + 1))
    ]
    if not places:
        return None
    at, way = chance.choice(places), chance.randrange(3)
    form = words[at].form if way == 0 else None
    if way == 1:
        form = lexicon.like(clean.upos[at], chance)
    form = form or lexicon.any_word(chance)
    if at == 0:
        # One that stands twice begins with a capital once.
        first = clean.upos[0] == "PROPN" or form == "I"
        form = form if first else form[0].lower() + form[1:]
    before = words[at]
    words[at : at + 1] = [replace(before, glued=False), Word(form, 0, before.glued, True)]
    return words


def spelling(clean: Sentence, lexicon: Lexicon, chance: random.Random) -> list[Word] | None:
    """With a word misspelt as another one that is a letter apart."""
    words = words_of(clean)
    tags = zip(words, clean.upos, strict=True)
    possible = [
        (at, found)
        for at, (word, tag) in enumerate(tags)
        if tag not in NO_WORDS and word.form.isalpha() and (found := lexicon.neighbours(word.form))
    ]
    if not possible:
        return None
    at, found = chance.choice(possible)
    return _changed(words, at, chance.choice(found))


def misspelling(clean: Sentence, lexicon: Lexicon, chance: random.Random) -> list[Word] | None:
    """With a word misspelt as one that is none: a letter is lost, doubled, changed, or two swapped.

    Longer words more often: each letter but the first is as likely to be wrong.
    """
    words = words_of(clean)
    places = [
        at
        for at, (word, tag) in enumerate(zip(words, clean.upos, strict=True))
        for _ in word.form[1:]
        if tag not in NO_WORDS and len(word.form) >= _MISSPELT and word.form.isalpha()
    ]
    for _ in range(_TRIES if places else 0):
        at = chance.choice(places)
        form = misspelt(words[at].form.lower(), chance)
        if form != words[at].form.lower() and not lexicon.knows(form):
            return _changed(words, at, form)
    return None


def misspelt(word: str, chance: random.Random) -> str:
    """The word with one slip; the first letter stays."""
    at, way = chance.randrange(1, len(word)), chance.randrange(4)
    if way == 0:  # lost
        return word[:at] + word[at + 1 :]
    if way == 1:  # doubled, or one of two
        same = word[at] == word[at - 1]
        return word[:at] + word[at + 1 :] if same else word[:at] + word[at] + word[at:]
    if way == 2 and at > 1:  # swapped
        return word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
    alike = next((group for group in _ALIKE if word[at] in group), _LETTERS)
    return word[:at] + chance.choice([x for x in alike if x != word[at]]) + word[at + 1 :]


def agreement(clean: Sentence, lexicon: Lexicon, chance: random.Random) -> list[Word] | None:
    """With a determiner, a noun or a verb of the present in the wrong number."""
    kinds = [found for found in (changed_verbs(clean), changed_determiners(clean)) if found]
    if not kinds:
        return None
    found = chance.choice(kinds)
    at = chance.choice(sorted(found))
    return _changed(words_of(clean), at, found[at])


def lower_case(clean: Sentence, lexicon: Lexicon, chance: random.Random) -> list[Word] | None:
    """Without capitals."""
    return [replace(word, form=word.form.lower()) for word in words_of(clean)]


def all_capitals(clean: Sentence, lexicon: Lexicon, chance: random.Random) -> list[Word] | None:
    """In capitals."""
    return [replace(word, form=word.form.upper()) for word in words_of(clean)]


def no_punctuation(clean: Sentence, lexicon: Lexicon, chance: random.Random) -> list[Word] | None:
    """Without punctuation."""
    kept: list[Word] = []
    for word, tag in zip(words_of(clean), clean.upos, strict=True):
        if tag != "PUNCT":
            kept.append(word)
        elif kept:
            kept[-1] = replace(kept[-1], glued=False)
    return kept or None


Breakage = Callable[[Sentence, Lexicon, random.Random], list[Word] | None]

# The errors of the paper; one that it leaves to spelling checkers; what haste does to a sentence.
ERRORS: dict[str, Breakage] = {
    "missing": missing,
    "extra": extra,
    "spelling": spelling,
    "agreement": agreement,
}
SLIPS: dict[str, Breakage] = {"misspelling": misspelling}
HASTE: dict[str, Breakage] = {
    "lower-case": lower_case,
    "no-punctuation": no_punctuation,
    "all-capitals": all_capitals,
}
KINDS = ERRORS | SLIPS | HASTE
# What a judge learns to see.
JUDGED = tuple(ERRORS | SLIPS)


def broken(clean: Sentence, kind: str, lexicon: Lexicon, seed: int = 1) -> Sentence | None:
    """The sentence broken in one way; None if it cannot be."""
    chance = random.Random(f"{seed} {kind} {' '.join(clean.forms)}")
    words = KINDS[kind](clean, lexicon, chance)
    if words is None or [word.form for word in words] == list(clean.forms):
        return None
    return sentence_of(clean, words, kind)


def broken_variants(
    sentences: Iterable[Sentence], kinds: Sequence[str], lexicon: Lexicon, seed: int = 1
) -> Iterator[Sentence]:
    """Each sentence once for each kind in which it can be broken."""
    check_kinds(kinds)
    for sentence in sentences:
        for kind in kinds:
            found = broken(sentence, kind, lexicon, seed)
            if found is not None:
                yield found


def broken_once(
    clean: Sentence, kinds: Sequence[str], lexicon: Lexicon, seed: int = 1
) -> Sentence | None:
    """The sentence broken in one of the ways that are possible, each as likely."""
    order = random.Random(f"{seed} {' '.join(clean.forms)}").sample(kinds, len(kinds))
    found = (broken(clean, kind, lexicon, seed) for kind in order)
    return next((each for each in found if each is not None), None)


def check_kinds(kinds: Sequence[str]) -> None:
    """Raises NiwakiError for a kind of breakage that there is not."""
    for kind in kinds:
        if kind not in KINDS:
            raise NiwakiError(f"no kind of breakage {shown(kind)}; {nearest(kind, list(KINDS))}")


def _changed(words: list[Word], at: int, form: str) -> list[Word]:
    words[at] = replace(words[at], form=_like(form, words[at].form), changed=True)
    return words


def _like(form: str, model: str) -> str:
    """The form with capitals where another has them."""
    if model.isupper() and len(model) > 1:
        return form.upper()
    return form[0].upper() + form[1:] if model[0].isupper() and model != "I" else form


def _is_part(sentence: Sentence, at: int) -> bool:
    """Whether the word there is glued to the one before as in don't, and no punctuation."""
    return at < len(sentence) and sentence.upos[at] != "PUNCT"
