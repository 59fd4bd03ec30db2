"""Brown clusters: words sorted into a binary tree by what stands beside them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.features.clusters import WordClusters, folded
from niwaki.features.tag_classes import TagClasses
from niwaki.kernel.features.brown import Window

MAX_CLUSTERS = 5000
MIN_COUNT = 3

# Words between two looks at the keyboard.
_STRIDE = 32

Neighbours = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]

# Told how far a stage has come: its name, what was done since, and what there is to do.
Watch = Callable[[str, int, int], None]


def cluster(
    sentences: Iterable[Sentence],
    clusters: int = 1000,
    *,
    min_count: int = MIN_COUNT,
    lowercase: bool = False,
    by_tags: bool = False,
    watch: Watch | None = None,
) -> WordClusters:
    """Cluster the words that occur at least `min_count` times (Brown et al. 1992).

    The `clusters` most frequent words begin as classes of their own. Then the other words come
    one by one, by falling count (equal counts: by their letters), as one class more, and the
    two classes are merged whose merging loses least of the mutual information between
    neighbours; of equal losses, the one with the more frequent words. In the end the classes
    are merged to one, and how that went gives their bits: 0 for the side of the more frequent
    word. Words that have not come yet are contexts of their own; edges of sentences and words
    that are too rare are two more. The result depends on the sentences only, not their order.

    With `by_tags`, ten bits that tell the tags of a word (`TagClasses`) come before the others.
    """
    if not 2 <= clusters <= MAX_CLUSTERS:
        raise NiwakiError(f"{clusters} clusters; give 2 to {MAX_CLUSTERS}")
    if min_count < 1:
        raise NiwakiError(f"a least count of {min_count}; give at least 1")
    watch = watch or (lambda stage, done, total: None)
    tags = TagClasses() if by_tags else None
    if tags:
        sentences = tags.counting(sentences)
    words, counts, text = _count(sentences, min_count, lowercase, watch)
    if len(words) < clusters:
        raise NiwakiError(
            f"{len(words):,} different words occur at least {min_count} times, which does not "
            f"make {clusters:,} clusters; give fewer clusters, a smaller least count or more text"
        )
    window = Window(counts, _neighbours(text, len(words)), _before(text, len(words)), clusters)
    left = len(words)
    while left:
        now = window.insert(_STRIDE)
        watch("clustering", left - now, len(words))
        left = now
    classes = window.classes()
    paths = _paths(window, set(classes.tolist()), watch)
    prefixes = tags.bits(words, lowercase) if tags else {}
    found = zip(words, classes.tolist(), strict=True)
    return WordClusters.of(
        {word: prefixes.get(word, "") + paths[first] for word, first in found},
        dict(zip(words, counts.tolist(), strict=True)),
    )


def _count(
    sentences: Iterable[Sentence], min_count: int, lowercase: bool, watch: Watch
) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
    """The frequent words by rank, their counts, and the text as ranks.

    After the last rank come the number of an edge and that of a rare word.
    """
    numbers: dict[str, int] = {}
    known: dict[str, int] = {}  # words as written, so that each is folded once
    written = array("i", [0])
    for sentence in sentences:
        for form in sentence.forms:
            number = known.get(form)
            if number is None:
                seen = normalize("NFC", form)  # as parsers see it
                word = folded(seen) if lowercase else seen
                number = known[form] = numbers.setdefault(word, len(numbers) + 1)
            written.append(number)
        written.append(0)
        watch("reading", len(sentence), 0)
    if not numbers:
        raise NiwakiError("no words to cluster; give text")
    text = np.frombuffer(written, np.int32)
    counts = np.bincount(text)
    forms = ["", *numbers]
    frequent = (np.flatnonzero(counts[1:] >= min_count) + 1).tolist()
    frequent.sort(key=lambda number: (-counts[number], forms[number]))
    ranks = np.full(len(counts), len(frequent) + 1, np.int64)
    ranks[frequent] = np.arange(len(frequent))
    ranks[0] = len(frequent)
    return [forms[number] for number in frequent], counts[frequent], ranks[text]


def _neighbours(text: NDArray[np.int64], words: int) -> Neighbours:
    """What stands after each word, how often."""
    first, second = text[:-1], text[1:]
    of_words = first < words
    pairs, times = np.unique(first[of_words] * (words + 2) + second[of_words], return_counts=True)
    starts = np.searchsorted(pairs // (words + 2), np.arange(words + 1))
    return (
        _of_type(starts, np.int64),
        _of_type(pairs % (words + 2), np.int32),
        _of_type(times, np.int32),
    )


def _before(text: NDArray[np.int64], words: int) -> Neighbours:
    return _neighbours(text[::-1], words)


def _of_type(numbers: NDArray[Any], kind: type) -> NDArray[Any]:
    return np.ascontiguousarray(numbers, dtype=kind)


def _paths(window: Window, firsts: set[int], watch: Watch) -> dict[int, str]:
    """The bits of each class, by its first word."""
    merges = []
    for _ in range(len(firsts) - 1):
        merges.append(window.merge())
        watch("merging", 1, len(firsts) - 1)
    paths = {merges[-1][0]: ""}
    for low, high in reversed(merges):
        path = paths[low]
        paths[low], paths[high] = f"{path}0", f"{path}1"
    return paths
