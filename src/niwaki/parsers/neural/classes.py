"""Classes of words that a network predicts beside trees: tags, whole FEATS, rules of lemmas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from niwaki.learning.corpus import Corpus
from niwaki.tagging.lemmas import NO_BEGINNING, parts_of_rule, rules_of, whole_rule
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
    values = _values(kind, corpus, names)
    found = np.array([numbers.get(value, -1) for value in values], dtype=np.int32)
    layer = _LAYERS[kind]
    if layer in corpus.weights:
        found[corpus.words_of(corpus.weights[layer] == 0)] = -1
    return found


def _values(kind: str, corpus: Corpus, names: Sequence[str] | None = None) -> list[str]:
    """The value of each word, one of these names if it can be; "" where nothing is given."""
    if kind == "feats":
        return [value for s in corpus.sentences for value in s.feats]
    if kind == "lemmas":
        beginnings = None
        if names is not None:
            known = dict.fromkeys(parts_of_rule(name)[0] for name in names)
            beginnings = tuple(each for each in known if each != NO_BEGINNING)
        rules = rules_of(corpus.sentences, beginnings)
        return ["" if rule is None else whole_rule(*rule) for rule in rules]
    columns = (s.upos if kind == "upos" else s.xpos for s in corpus.sentences)
    return ["" if value == "_" else value for column in columns for value in column]
