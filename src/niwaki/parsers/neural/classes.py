"""Classes of words that a network predicts beside trees: tags, whole FEATS, rules of lemmas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from niwaki.learning.corpus import Corpus
from niwaki.tagging.lemmas import find_rule
from niwaki.typing import IntArray

# Rarer ones are left out; a treebank of a rich language has thousands of lemma rules.
_MOST = 2000


# What `trains` of a treebank calls them.
_LAYERS = {"lemmas": "morphology", "upos": "tags", "xpos": "tags", "feats": "morphology"}


def class_names(kind: str, corpus: Corpus) -> list[str]:
    """The classes of a corpus, the most frequent ones, sorted by name."""
    counts = Counter(_values(kind, corpus.that_trains(_LAYERS[kind])))
    del counts[""]
    return sorted(name for name, _ in counts.most_common(_MOST))


def class_numbers(kind: str, corpus: Corpus, names: Sequence[str]) -> IntArray:
    """The number of each word's class, -1 where it is not known, or not to be learned."""
    numbers = {name: number for number, name in enumerate(names)}
    found = np.array([numbers.get(value, -1) for value in _values(kind, corpus)], dtype=np.int32)
    layer = _LAYERS[kind]
    if layer in corpus.weights:
        found[corpus.words_of(corpus.weights[layer] == 0)] = -1
    return found


def _values(kind: str, corpus: Corpus) -> list[str]:
    """The value of each word; "" where nothing is given."""
    if kind == "feats":
        return [value for s in corpus.sentences for value in s.feats]
    if kind == "lemmas":
        # A lemma `_` is one that is not given, unless it is that of the underscore itself.
        return [
            find_rule(form, lemma) if lemma != "_" or form == "_" else ""
            for s in corpus.sentences
            for form, lemma in zip(s.forms, s.lemmas, strict=True)
        ]
    columns = (s.upos if kind == "upos" else s.xpos for s in corpus.sentences)
    return ["" if value == "_" else value for column in columns for value in column]
