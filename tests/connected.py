"""Documents with connectives, made up: what joins what can be told by the tree."""

from __future__ import annotations

from niwaki.data.connectives import Connective, Document, Place
from niwaki.data.sentence import Sentence

_NAMES = "Mori Sato Kimura Ono Abe".split()
_VERBS = "rakes waters prunes paints sweeps plants".split()
_THINGS = "gravel moss pines lanterns bridges".split()


def joined(number: int) -> tuple[Sentence, Connective]:
    """ "Mori rakes gravel and waters moss ." and the like: the verbs are joined."""
    name = _NAMES[number % 5]
    verbs = _VERBS[number % 6], _VERBS[(number + 2) % 6]
    things = _THINGS[number % 5], _THINGS[(number + 1) % 5]
    sentence = Sentence.from_words(
        [name, verbs[0], things[0], "and", verbs[1], things[1], "."],
        upos=["PROPN", "VERB", "NOUN", "CCONJ", "VERB", "NOUN", "PUNCT"],
        heads=[2, 0, 2, 5, 2, 5, 2],
        deprels=["nsubj", "root", "obj", "cc", "conj", "obj", "punct"],
    )
    return sentence, Connective(0, (4,), Place(0, 2), Place(0, 5))


def listed(number: int) -> Sentence:
    """ "Mori rakes gravel and moss ." and the like: "and" is no connective."""
    return Sentence.from_words(
        [_NAMES[number % 5], _VERBS[number % 6], "gravel", "and", "moss", "."],
        upos=["PROPN", "VERB", "NOUN", "CCONJ", "NOUN", "PUNCT"],
        heads=[2, 0, 2, 5, 3, 2],
        deprels=["nsubj", "root", "obj", "cc", "conj", "punct"],
    )


def after(number: int) -> tuple[Sentence, Connective]:
    """ "However , Ono paints ." and the like: what is before is joined with this."""
    sentence = Sentence.from_words(
        ["However", ",", _NAMES[number % 5], _VERBS[number % 6], "."],
        upos=["ADV", "PUNCT", "PROPN", "VERB", "PUNCT"],
        heads=[4, 4, 4, 0, 4],
        deprels=["advmod", "punct", "nsubj", "root", "punct"],
    )
    return sentence, Connective(0, (1,), Place(-1, 2), Place(0, 4))


def story(number: int) -> Document:
    """A list, two verbs that are joined, and a sentence that looks back."""
    made = [(listed(number), None), joined(number), after(number + 1)]
    found = []
    for at, (_, connective) in enumerate(made):
        if connective is not None:
            assert connective.arg1 is not None and connective.arg2 is not None
            one, other = connective.arg1, connective.arg2
            first, second = (
                Place(one.sentence + at, one.word),
                Place(other.sentence + at, other.word),
            )
            found.append(Connective(at, connective.words, first, second))
    sentences = [sentence for sentence, _ in made]
    sentences[0] = sentences[0].with_comments([f"newdoc id = story-{number}"])
    return Document(tuple(sentences), tuple(found))


def stories(count: int = 12) -> list[Document]:
    return [story(number) for number in range(count)]


def as_text(documents: list[Document]) -> str:
    return "".join(str(s) for document in documents for s in document.marked())
