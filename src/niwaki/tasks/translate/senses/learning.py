"""Learns phrase senses from linked text: every occurrence of a phrase is an example of what it
became there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.bitext import Links
from niwaki.errors import NiwakiError
from niwaki.kernel.translation.extraction import SOURCE_LENGTH, TARGET_LENGTH, extract
from niwaki.keys import key
from niwaki.tasks.translate.phrases import LONGEST_SOURCE, LONGEST_TARGET, linked_arrays
from niwaki.tasks.translate.senses.classifiers import Ensemble
from niwaki.tasks.translate.senses.features import Keys, Occurrences
from niwaki.tasks.translate.senses.model import Sense, SenseModel, Words
from niwaki.tasks.trees import TreeView
from niwaki.typing import FloatArray

# Where a phrase stands, and what became of it: sentence, begin, end, translation.
Place = tuple[int, int, int, Words]


@dataclass(frozen=True)
class SenseSettings:
    """What is learned from."""

    least: int = key(20, "Occurrences that a phrase must have.", least=2)
    most: int = key(200, "Occurrences of a phrase that are learned from.", least=2)
    classes: int = key(8, "Translations of a phrase that are told apart.", least=2)
    features: int = key(128, "Features of a phrase that are looked at.", least=1)
    source_length: int = key(LONGEST_SOURCE, "Words of the longest phrase.", least=1, most=50)
    target_length: int = key(LONGEST_TARGET, "Words of its longest translation.", least=1, most=50)
    seed: int = key(1, "Which occurrences are learned from.", least=0)


def learn_senses(
    source: Sequence[Words],
    target: Sequence[Words],
    links: Iterable[Links],
    trees: Callable[[Sequence[int]], Iterable[TreeView]],
    settings: SenseSettings | None = None,
    watch: Callable[[int], None] = lambda total: None,
) -> SenseModel:
    """A model of all phrases that become two things or more, often enough.

    `trees` are those of source sentences by number. `watch` is told the number of phrases, at each.
    """
    settings = settings or SenseSettings()
    chosen = _chosen(_places(source, target, links, settings), settings)
    if not chosen:
        raise NiwakiError(
            f"no phrase becomes two things among {settings.least} occurrences; give more text"
        )
    numbers = sorted({place[0] for places in chosen.values() for place in places})
    views = zip(numbers, trees(numbers), strict=True)
    occurrences = {number: Occurrences(tree) for number, tree in views}
    found = {}
    for phrase, places in chosen.items():
        sense = _sense(places, occurrences, settings)
        if sense is not None:
            found[phrase] = sense
        watch(len(chosen))
    return SenseModel(found)


def _places(
    source: Sequence[Words],
    target: Sequence[Words],
    links: Iterable[Links],
    settings: SenseSettings,
) -> dict[Words, list[Place]]:
    """All occurrences of phrase pairs, by source phrase."""
    starts = _starts(source), _starts(target)
    longest = settings.source_length, settings.target_length
    extracted = extract(*starts, *linked_arrays(links), *longest)
    if extracted is None:
        raise NiwakiError("links of words that are not there; give the links of this text")
    begins, shapes = extracted
    sentences = np.searchsorted(starts[0], begins[:, 0], side="right") - 1
    inside = begins - np.stack([each[sentences] for each in starts], axis=1)
    found: dict[Words, list[Place]] = {}
    lengths = shapes[:, [SOURCE_LENGTH, TARGET_LENGTH]].tolist()
    for s, (i, j), (width, other) in zip(sentences.tolist(), inside.tolist(), lengths, strict=True):
        place = s, i, i + width, target[s][j : j + other]
        found.setdefault(source[s][i : i + width], []).append(place)
    return found


def _chosen(found: dict[Words, list[Place]], settings: SenseSettings) -> dict[Words, list[Place]]:
    """Occurrences of what is learned: of the most frequent translations, not too many."""
    random = np.random.default_rng(settings.seed)
    chosen = {}
    for phrase in sorted(phrase for phrase, each in found.items() if len(each) >= settings.least):
        counts: dict[Words, int] = {}
        for *_, translation in found[phrase]:
            counts[translation] = counts.get(translation, 0) + 1
        often = sorted((t for t in counts if counts[t] > 1), key=lambda t: (-counts[t], t))
        kept = set(often[: settings.classes])
        places = [place for place in found[phrase] if place[3] in kept]
        if len(kept) > 1:
            if len(places) > settings.most:
                numbers = random.choice(len(places), settings.most, replace=False)
                places = [places[number] for number in sorted(numbers.tolist())]
            chosen[phrase] = places
    return chosen


def _sense(
    places: Sequence[Place], occurrences: dict[int, Occurrences], settings: SenseSettings
) -> Sense | None:
    """None if nothing tells occurrences apart."""
    targets = tuple(sorted({place[3] for place in places}))
    labels = np.array([targets.index(place[3]) for place in places], np.int64)
    examples = [occurrences[s].keys(begin, end) for s, begin, end, _ in places]
    keys, rows = _table(examples, labels, len(targets), settings.features)
    if not len(keys) or len(targets) < 2:
        return None
    return Sense(targets, keys, Ensemble.learn(rows, labels, len(targets)))


def _table(
    examples: Sequence[Keys], labels: NDArray[np.int64], classes: int, most: int
) -> tuple[Keys, FloatArray]:
    """The features that go most unevenly with classes, and which examples have them."""
    flat = np.concatenate(examples)
    keys, columns, counts = np.unique(flat, return_inverse=True, return_counts=True)
    numbers = np.repeat(np.arange(len(examples)), [len(each) for each in examples])
    rows = np.zeros((len(examples), len(keys)))
    rows[numbers, columns] = 1
    right = np.eye(classes)[labels]
    expected = np.outer(counts / len(examples), right.sum(axis=0))
    uneven = np.abs(rows.T @ right - expected).sum(axis=1)
    # What was seen once, or always, tells nothing that would be seen again.
    uneven[(counts < 2) | (counts == len(examples))] = -1
    best = np.argsort(-uneven, kind="stable")[:most]
    best = np.sort(best[uneven[best] >= 0])
    return keys[best], np.ascontiguousarray(rows[:, best])


def _starts(side: Sequence[Words]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(words) for words in side])]).astype(np.int64)
