"""Sentences as a spaCy document, without a spaCy pipeline.

The component `nlp.add_pipe("niwaki")` (see `niwaki.integrations.spacy`) parses spaCy's tokens;
this makes spaCy's tokens of what is parsed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from niwaki.data.given import sentences_given
from niwaki.data.sentence import Sentence
from niwaki.errors import ExtraMissingError

# spaCy's name of what UD calls root.
_ROOT = "ROOT"


def to_spacy(sentences: Sentence | Iterable[Sentence], vocab: Any = None) -> Any:
    """A `spacy.tokens.Doc` of the sentences: words, tags, features, lemmas and trees; needs spaCy.

    Words are spaCy's tokens; a multiword token becomes its words. A space follows a word if one
    follows it in the text, or if that is not known. Trees are set where all heads are known.

        >>> doc = to_spacy(niwaki.load()("Trees grow. They are green."))
        >>> [(token.text, token.dep_) for token in doc]
    """
    try:
        from spacy.tokens import Doc
        from spacy.vocab import Vocab
    except ImportError as error:
        raise ExtraMissingError("spaCy is not installed; run: pip install niwaki[spacy]") from error
    return Doc(Vocab() if vocab is None else vocab, **_columns(sentences_given(sentences)))


def _columns(sentences: Iterable[Sentence]) -> dict[str, list[Any]]:
    """What spaCy's `Doc` is made of; heads are places in the document."""
    found: dict[str, list[Any]] = {
        name: [] for name in ("words", "spaces", "tags", "pos", "morphs", "lemmas", "sent_starts")
    }
    heads: list[int] = []
    deps: list[str] = []
    whole = True
    for sentence in sentences:
        start = len(found["words"])
        found["words"] += sentence.forms
        found["spaces"] += _spaces(sentence)
        for name, column in (
            ("tags", sentence.xpos),
            ("pos", sentence.upos),
            ("morphs", sentence.feats),
            ("lemmas", sentence.lemmas),
        ):
            found[name] += ["" if value == "_" else value for value in column]
        found["sent_starts"] += [word == 0 for word in range(len(sentence))]
        whole = whole and min(sentence.heads) >= 0
        for word, (head, deprel) in enumerate(zip(sentence.heads, sentence.deprels, strict=True)):
            heads.append(start + (head - 1 if head > 0 else word))
            deps.append(deprel if head > 0 else _ROOT)
    if whole and heads:
        # A tree says where sentences begin, and spaCy refuses to be told both.
        del found["sent_starts"]
        found |= {"heads": heads, "deps": deps}
    return found


def _spaces(sentence: Sentence) -> list[bool]:
    """Whether a space follows each word."""
    text, places = sentence.text, sentence.places
    spaces = []
    for number, place in enumerate(places):
        after = places[number + 1] if number + 1 < len(places) else None
        if place is None or number + 1 == len(places):
            spaces.append(True)
        elif after == place:  # words of one token
            spaces.append(False)
        else:
            spaces.append(text[place[1] : place[1] + 1].isspace())
    return spaces
