"""What kind of thing a question asks for: the question word, what it asks of, and types of it.

Types are those of BBN's Identifinder. They follow from the question word, the word behind "how", or
the noun that is asked for, as "city" in "What city ...?" and "What is the largest city ...?".
"""

from __future__ import annotations

from niwaki.tasks.trees import TreeView

Types = frozenset[str]

ASKING = frozenset("who whom whose what which when where why how".split())
ANY: Types = frozenset()
NUMBERS: Types = frozenset("DATE TIME CARDINAL ORDINAL MONEY PERCENT QUANTITY".split())

_PERSON, _WHO = frozenset(("PERSON",)), frozenset(("PERSON", "ORGANIZATION"))
_PLACE = frozenset("GPE LOCATION FAC".split())
_GROUP = frozenset(("ORGANIZATION",))
_DATE = frozenset(("DATE", "TIME"))
_COUNT = frozenset(("CARDINAL", "PERCENT"))
_MEASURE = frozenset("QUANTITY CARDINAL PERCENT".split())
_WORDS: dict[str, Types] = {
    "who": _WHO,
    "whom": _WHO,
    "whose": _WHO,
    "when": _DATE,
    "where": _PLACE,
}
_HOW: dict[str, Types] = {
    "many": _COUNT,
    "much": frozenset(("MONEY", *_MEASURE)),
    "old": frozenset(("DATE", "CARDINAL", "QUANTITY")),
    "long": frozenset(("DATE", "TIME", "QUANTITY", "CARDINAL")),
    **dict.fromkeys("far tall high big large deep heavy fast wide hot cold".split(), _MEASURE),
}
_NOUNS: dict[Types, str] = {
    _PERSON: "person man woman actor actress president leader author writer inventor founder king "
    "queen director designer member pilot astronaut minister governor mayor wife husband singer "
    "player citizen composer head chairman officer",
    _PLACE: "city town country state nation continent capital place location headquarters county "
    "province island river ocean lake mountain planet site airport hotel building",
    _GROUP: "company team band group organization university school college party agency label "
    "brand newspaper corporation firm airline tribe manufacturer",
    _DATE: "year date day month birthday time decade century",
    _MEASURE: "population number percentage rate limit size height length distance age speed",
    frozenset(("MONEY",)): "cost price value salary debt sale revenue worth fare income budget",
    frozenset(("NATIONALITY", "GPE")): "nationality race religion ethnicity",
    frozenset(("WORK_OF_ART",)): "film movie book song album play novel title show",
    frozenset(("LANGUAGE", "NATIONALITY")): "language",
    frozenset(("DISEASE",)): "disease cancer illness virus",
    frozenset(("ANIMAL",)): "animal bird insect fish",
    frozenset(("EVENT",)): "event war battle disaster",
}
_OF_NOUN = {noun: types for types, nouns in _NOUNS.items() for noun in nouns.split()}
_EMPTY = frozenset("name kind type sort".split())
_INSIDE = frozenset("det amod nummod advmod nmod compound".split())
_VERBAL = frozenset(("VERB", "AUX"))


def question_word(tree: TreeView) -> int | None:
    """The first word that asks (from 1)."""
    words = enumerate(tree.forms, start=1)
    return next((number for number, form in words if form.lower() in ASKING), None)


def asked_phrase(tree: TreeView) -> int | None:
    """The head of the phrase that stands for the answer: "city" in "In what city ...?"."""
    word = question_word(tree)
    while word is not None:
        head = tree.heads[word - 1]
        inside = tree.relations[word - 1] in _INSIDE and head > word
        if not inside or tree.upos[head - 1] in _VERBAL:
            break
        word = head
    return word


def types_asked(tree: TreeView) -> Types:
    """The types of entities that may answer; ANY if the question does not say."""
    word = question_word(tree)
    if word is None:
        return _of_noun(tree, tree.heads.index(0) + 1)
    form = tree.forms[word - 1].lower()
    if form == "how":
        following = tree.forms[word].lower() if word < len(tree.forms) else ""
        return _HOW.get(following, ANY)
    if form in _WORDS:
        return _WORDS[form]
    phrase = asked_phrase(tree)
    if phrase is not None and phrase != word:
        return _of_noun(tree, phrase)
    # "What is the capital?": the subject says what it is.
    subjects = [c for c in tree.children[word] if tree.relations[c - 1] == "nsubj"]
    return _of_noun(tree, subjects[0]) if subjects else ANY


def _of_noun(tree: TreeView, noun: int) -> Types:
    """Of a noun; "name", "kind" and their like are those of what they are of."""
    while tree.lemmas[noun - 1] in _EMPTY:
        below = [c for c in tree.children[noun] if tree.relations[c - 1] == "nmod" and c > noun]
        if not below:
            break
        noun = below[0]
    return _OF_NOUN.get(tree.lemmas[noun - 1], ANY)
