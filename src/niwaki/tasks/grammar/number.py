"""English words with their number changed: nouns, demonstratives, verbs of the present tense."""

from __future__ import annotations

from collections.abc import Mapping

from niwaki.data.sentence import Sentence

_DEMONSTRATIVES = {"this": "these", "these": "this", "that": "those", "those": "that"}
# Determiners that say which number their noun has.
_SINGULAR = frozenset(("a", "an", "this", "that", "each", "every", "another"))
_PLURAL = frozenset(("these", "those", "many", "several", "few", "both"))
# Between a determiner and its noun.
_BETWEEN = frozenset(("ADJ", "ADV", "NUM"))

_VERBS = {"is": "are", "are": "is", "am": "are", "'m": "'re", "'re": "'s", "was": "were"}
_VERBS |= {"were": "was", "has": "have", "have": "has", "'ve": "'s", "does": "do", "do": "does"}
_PLURALS = {"man": "men", "woman": "women", "child": "children", "person": "people"}
_PLURALS |= {"foot": "feet", "tooth": "teeth", "mouse": "mice", "life": "lives", "wife": "wives"}
_PLURALS |= {"knife": "knives", "leaf": "leaves", "half": "halves", "shelf": "shelves"}
_PLURALS |= {"hero": "heroes", "potato": "potatoes", "analysis": "analyses", "crisis": "crises"}
_SINGULARS = {plural: singular for singular, plural in _PLURALS.items()}
_HISSING = ("s", "x", "z", "ch", "sh")
_VOWELS = "aeiou"


def changed_verb(sentence: Sentence, at: int) -> str | None:
    """A verb of the present tense, or a form of be, with the other number."""
    form, lemma = sentence.forms[at].lower(), sentence.lemmas[at].lower()
    feats = sentence.features[at]
    if sentence.upos[at] not in ("VERB", "AUX") or feats.get("VerbForm") != "Fin":
        return None
    if form in _VERBS:
        return _VERBS[form]
    if sentence.upos[at] == "AUX" or feats.get("Tense") != "Pres" or not form.isalpha():
        return None
    if feats.get("Number") == "Sing" and feats.get("Person") == "3":
        return lemma if lemma != "_" and lemma != form else _bare(form)
    return _with_s(form)


def changed_noun(sentence: Sentence, at: int) -> str | None:
    form, lemma = sentence.forms[at].lower(), sentence.lemmas[at].lower()
    if sentence.upos[at] != "NOUN" or not form.isalpha():
        return None
    number = sentence.features[at].get("Number")
    if number == "Sing":
        return _PLURALS.get(form) or _with_s(form)
    if number == "Plur":
        other = lemma if lemma != "_" else _SINGULARS.get(form) or _bare(form)
        return other if other != form else None
    return None


def changed_determiners(sentence: Sentence) -> Mapping[int, str]:
    """Determiners and nouns that do not fit together if one of them is changed."""
    found: dict[int, str] = {}
    for at, (form, tag) in enumerate(zip(sentence.forms, sentence.upos, strict=True)):
        word = form.lower()
        if tag != "DET" or word not in _SINGULAR | _PLURAL:
            continue
        noun = _noun_after(sentence, at)
        if noun is None:
            continue
        if word in _DEMONSTRATIVES:
            found[at] = _DEMONSTRATIVES[word]
        other = changed_noun(sentence, noun)
        if other is not None:
            found[noun] = other
    return found


def changed_verbs(sentence: Sentence) -> Mapping[int, str]:
    """Verbs of the present tense, and nouns that stand right before one, with another number."""
    found: dict[int, str] = {}
    for at in range(len(sentence)):
        other = changed_verb(sentence, at)
        if other is None:
            continue
        found[at] = other
        noun = changed_noun(sentence, at - 1) if at else None
        if noun is not None:
            found[at - 1] = noun
    return found


def _noun_after(sentence: Sentence, at: int) -> int | None:
    for place in range(at + 1, len(sentence)):
        if sentence.upos[place] == "NOUN":
            # Of "a stone wall" the last one.
            following = sentence.upos[place + 1 : place + 2]
            if following != ("NOUN",):
                return place
        elif sentence.upos[place] not in _BETWEEN:
            return None
    return None


def _with_s(word: str) -> str:
    if word.endswith(_HISSING):
        return f"{word}es"
    if word.endswith("o") and word[-2:-1] not in _VOWELS:
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return f"{word[:-1]}ies"
    return f"{word}s"


def _bare(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(tuple(f"{end}es" for end in _HISSING)):
        return word[:-2]
    return word.removesuffix("s")
