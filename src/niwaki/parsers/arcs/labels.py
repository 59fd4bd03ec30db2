"""The labels that a parser of arcs learns from a treebank."""

from __future__ import annotations

from niwaki.errors import ConfigError
from niwaki.features.vocabulary import Vocabulary
from niwaki.learning.corpus import Corpus

_MOST = 256


def labels_of(corpus: Corpus) -> list[str]:
    """The labels of known arcs, sorted; raises ConfigError if there are none, or too many."""
    labels = {
        label
        for sentence in corpus.with_known_arcs()
        for head, label in zip(sentence.heads, sentence.deprels, strict=True)
        if head >= 0
    }
    if not labels:
        raise ConfigError("the training data has no arcs; give sentences with heads")
    if len(labels) > _MOST:
        raise ConfigError(f"{len(labels)} labels, but at most {_MOST} are possible")
    return Vocabulary(sorted(labels)).names
