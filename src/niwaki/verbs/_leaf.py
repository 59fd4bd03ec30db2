"""What LEAF needs beside the text: classes of its words."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
from numpy.typing import NDArray

from niwaki.data.sentence import Sentence
from niwaki.features.brown import MIN_COUNT, cluster
from niwaki.tasks.align.corpus import Side

_CLASSES = 50


def word_classes(side: Side, most: int = _CLASSES) -> NDArray[np.int32]:
    """Brown clusters of a side's words by their numbers; 0 are words that are too rare."""
    words, starts = side.words.tolist(), side.starts.tolist()
    counts = Counter(words)
    frequent = sum(count >= MIN_COUNT for count in counts.values())
    classes = np.zeros(len(side.types), np.int32)
    if frequent < 2:
        return classes
    # Numbers for words: a form of a sentence may not hold everything that a word may.
    sentences = (Sentence.from_words(map(str, words[a:b])) for a, b in itertools.pairwise(starts))
    paths = cluster(sentences, min(most, frequent)).paths
    numbers = {path: number for number, path in enumerate(sorted(set(paths.values())), start=1)}
    for word, path in paths.items():
        classes[int(word)] = numbers[path]
    return classes
