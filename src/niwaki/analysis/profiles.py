"""Where systems err: accuracy by properties of sentences, arcs and words.

The analyses of McDonald & Nivre (2007) for any number of systems. For a property of arcs,
recall is over the gold arcs that have a value and precision over the predicted arcs that have
it; both are one number, the accuracy, where the value does not depend on the tree. Differences
from the first system come with 95% intervals of the paired bootstrap over sentences.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.analysis.arcs import Arcs, Ints, Strings
from niwaki.analysis.oracles import Mask, agreement, arc_oracle, tree_oracle
from niwaki.data.sentence import Sentence
from niwaki.data.tree import ROOT
from niwaki.errors import NiwakiError
from niwaki.metrics.attachment import check_same_words
from niwaki.metrics.base import resample

Floats = NDArray[np.float64]

SAMPLES = 1000
# A share of fewer arcs than this says little.
FEW = 20

# The least value in each bin; the last bin has no end.
SENTENCE_BINS = (1, 11, 21, 31, 41, 51)
LENGTH_BINS = (*range(1, 11), 11, 16, 21, 31)
DEPTH_BINS = tuple(range(1, 12))
SIBLING_BINS = tuple(range(11))
DEGREE_BINS = tuple(range(6))

# What is averaged over the gold arcs of a bin.
MEANS = ("length", "depth", "siblings")

# Section 4.3 of the paper, in terms of Universal Dependencies.
POS_CLASSES = {
    "verb": ("VERB", "AUX"),
    "noun": ("NOUN", "PROPN"),
    "pronoun": ("PRON",),
    "adjective": ("ADJ",),
    "adverb": ("ADV",),
    "adposition": ("ADP",),
    "conjunction": ("CCONJ", "SCONJ"),
}
LABEL_CLASSES = {
    "subject": ("nsubj", "csubj"),
    "object": ("obj", "iobj"),
    "conjunction": ("cc",),
    "conjunct": ("conj",),
}


@dataclass(frozen=True)
class Factor:
    """What arcs are grouped by. `by_tree`: whether an arc's value depends on the tree."""

    key: str
    title: str
    axis: str
    by_tree: bool
    ordered: bool = True  # bins are numbers, not names


@dataclass(frozen=True)
class Profile:
    """Counts for each bin of a factor; axes are systems and bins.

    `found` are the right ones of `gold` arcs, `right` those of `predicted` arcs.
    `means` are length, depth and siblings of the gold arcs, bins x 3; NaN for none.
    `recall_gain` and `precision_gain` are 95% intervals of the difference from the first
    system: systems x bins x (low, high).
    """

    factor: Factor
    bins: tuple[str, ...]
    gold: Ints
    found: Ints
    predicted: Ints
    right: Ints
    means: Floats
    recall_gain: Floats
    precision_gain: Floats

    @property
    def measures(self) -> tuple[str, ...]:
        """What is measured; precision and recall are both the accuracy if they are one."""
        return ("precision", "recall") if self.factor.by_tree else ("accuracy",)

    def share(self, measure: str) -> Floats:
        return self.precision if measure == "precision" else self.recall

    def gain(self, measure: str) -> Floats:
        return self.precision_gain if measure == "precision" else self.recall_gain

    def total(self, measure: str) -> Ints:
        """What the shares are shares of: precision is over predicted arcs, the others gold."""
        if measure == "precision":
            return self.predicted
        return np.broadcast_to(self.gold, self.found.shape)

    @property
    def recall(self) -> Floats:
        """Percent; NaN where there is nothing."""
        return _percent(self.found, self.total("recall"))

    @property
    def precision(self) -> Floats:
        return _percent(self.right, self.predicted)


@dataclass(frozen=True)
class ErrorProfiles:
    """All that is known of the errors of some systems; counts are of scored words."""

    systems: tuple[str, ...]
    sentences: int
    words: int
    heads_right: Ints  # of each system
    overall: Profile  # one bin: all words
    profiles: tuple[Profile, ...]
    tree_oracle: int
    arc_oracle: int
    agreement: Mapping[str, int]
    signature: str

    def __getitem__(self, key: str) -> Profile:
        return next(profile for profile in self.profiles if profile.factor.key == key)


def profile_errors(
    gold: Sequence[Sentence],
    systems: Mapping[str, Sequence[Sentence]],
    *,
    labelled: bool = True,
    punctuation: bool = True,
    samples: int = SAMPLES,
    seed: int = 1,
    report: Callable[[str], None] = lambda _: None,
) -> ErrorProfiles:
    """Compare systems' trees with gold trees of the same words.

    An arc is right if its head and its whole label are; without `labelled`, if its head is.
    Without `punctuation`, words whose gold tag is PUNCT are not scored. `report` is told the
    key of each factor that is done.
    """
    if not systems:
        raise ValueError("no systems to analyse")
    for trees in systems.values():
        for one, other in itertools.zip_longest(gold, trees):
            check_same_words(one, other)
    if not any(map(len, gold)):
        raise NiwakiError("no words to analyse; give gold trees")
    counter = _Counter(gold, list(systems.values()), labelled, punctuation, samples, seed)
    if not counter.scored.any():
        raise NiwakiError("no words to score: all are punctuation; score punctuation, too")
    trees_best, arcs_best = counter.oracles()
    profiles = []
    for profile in counter.profiles():
        profiles.append(profile)
        report(profile.factor.key)
    label = "whole" if labelled else "not compared"
    kept = "scored" if punctuation else "not scored"
    scored = int(counter.scored.sum())
    return ErrorProfiles(
        tuple(systems),
        len(gold),
        scored,
        (counter.heads_right & counter.scored).sum(axis=1),
        counter.profile(Factor("all", "All words", "", by_tree=False), *counter.everything()),
        tuple(profiles),
        trees_best,
        arcs_best,
        agreement(list(systems), counter.right[:, counter.scored]),
        f"profiles|labels={label}|punctuation={kept}|sentences={len(gold)}|words={scored}"
        f"|bootstrap={samples}|seed={seed}",
    )


Binned = tuple[tuple[str, ...], Ints, Sequence[Ints]]


class _Counter:
    """The arcs of all trees, side by side, and how they are counted."""

    def __init__(
        self,
        gold: Sequence[Sentence],
        systems: Sequence[Sequence[Sentence]],
        labelled: bool,
        punctuation: bool,
        samples: int,
        seed: int,
    ) -> None:
        self.sizes = np.array([len(sentence) for sentence in gold], dtype=np.int64)
        self.sentence = np.repeat(np.arange(len(gold)), self.sizes)
        self.tags: Strings = np.array([tag for s in gold for tag in s.upos], dtype=np.str_)
        self.gold = Arcs.of(gold)
        self.systems = [Arcs.of(trees) for trees in systems]
        self.heads_right: Mask = np.stack([s.heads == self.gold.heads for s in self.systems])
        self.right = self.heads_right
        if labelled:
            same = np.stack([s.labels == self.gold.labels for s in self.systems])
            self.right = self.heads_right & same
        self.scored: Mask = np.full(len(self.tags), True) if punctuation else self.tags != "PUNCT"
        self._samples, self._seed = samples, seed

    def profiles(self) -> Iterator[Profile]:
        yield self.profile(
            Factor("sentence", "Sentence length", "words", by_tree=False),
            *self._numbers(SENTENCE_BINS, np.repeat(self.sizes, self.sizes), None),
        )
        for key, name, title, axis, lows in (
            ("length", "lengths", "Dependency length", "length", LENGTH_BINS),
            ("depth", "depths", "Distance to the root", "arcs to the root", DEPTH_BINS),
            ("siblings", "siblings", "Siblings", "siblings", SIBLING_BINS),
            ("degree", "degrees", "Non-projectivity", "degree", DEGREE_BINS),
        ):
            gold, *systems = (getattr(arcs, name) for arcs in (self.gold, *self.systems))
            factor = Factor(key, title, axis, by_tree=True)
            yield self.profile(factor, *self._numbers(lows, gold, systems))
        for factor, binned in (
            (Factor("pos", "Part of speech", "word class", False, False), self._part_of_speech()),
            (Factor("relation", "Relation", "relation", True, False), self._relations()),
            (Factor("upos", "Tag", "UPOS", False, False), self._names(self.tags, None)),
            (
                Factor("deprel", "Label", "label", True, False),
                self._names(self.gold.labels, [s.labels for s in self.systems]),
            ),
        ):
            yield self.profile(factor, *binned)

    # -- bins: their names, the one of each gold arc, the one of each system's arc; -1 is none

    def everything(self) -> Binned:
        place = np.zeros(len(self.tags), dtype=np.int64)
        return ("all",), place, [place] * len(self.systems)

    def _numbers(self, lows: Sequence[int], gold: Ints, systems: Sequence[Ints] | None) -> Binned:
        names = [
            str(low) if after == low + 1 else f"{low}-{after - 1}"
            for low, after in itertools.pairwise(lows)
        ]
        placed = [np.digitize(values, lows) - 1 for values in (gold, *(systems or ()))]
        # Bins at the end that nothing falls into are left out.
        used = 1 + max((int(values.max(initial=0)) for values in placed), default=0)
        others = placed[1:] if systems is not None else [placed[0]] * len(self.systems)
        return (*names, f"{lows[-1]}+")[:used], placed[0], others

    def _names(self, gold: Strings, systems: Sequence[Strings] | None) -> Binned:
        """One bin for each name, the most frequent gold one first."""
        every = np.concatenate([gold, *(systems or ())])
        names, places = np.unique(every, return_inverse=True)
        split = np.split(places.reshape(-1), 1 + len(systems or ()))
        common = np.bincount(split[0][self.scored], minlength=len(names))
        order = np.lexsort((names, -common))
        rank = np.empty(len(names), dtype=np.int64)
        rank[order] = np.arange(len(names))
        others = [rank[place] for place in split[1:]]
        gold_places = rank[split[0]]
        return (
            tuple(names[order].tolist()),
            gold_places,
            others if systems is not None else [gold_places] * len(self.systems),
        )

    def _part_of_speech(self) -> Binned:
        names = (*POS_CLASSES, "other")
        place = np.full(len(self.tags), len(POS_CLASSES), dtype=np.int64)
        for number, tags in enumerate(POS_CLASSES.values()):
            place[np.isin(self.tags, tags)] = number
        return names, place, [place] * len(self.systems)

    def _relations(self) -> Binned:
        def place(arcs: Arcs) -> Ints:
            universal = np.array([label.partition(":")[0] for label in arcs.labels.tolist()])
            found = np.full(len(universal), -1, dtype=np.int64)
            for number, labels in enumerate(LABEL_CLASSES.values(), start=1):
                found[np.isin(universal, labels)] = number
            found[arcs.heads == ROOT] = 0
            return found

        return ("root", *LABEL_CLASSES), place(self.gold), [place(s) for s in self.systems]

    # -- counting

    def profile(
        self, factor: Factor, bins: tuple[str, ...], gold: Ints, systems: Sequence[Ints]
    ) -> Profile:
        count = len(bins)
        golden = self._count(gold, self.scored, count)
        found = np.stack([self._count(gold, self.scored & r, count) for r in self.right])
        predicted = np.stack([self._count(place, self.scored, count) for place in systems])
        right = np.stack(
            [
                self._count(place, self.scored & r, count)
                for place, r in zip(systems, self.right, strict=True)
            ]
        )
        recalled = np.stack([found, np.broadcast_to(golden, found.shape)], axis=-1)
        gains = self._gains(np.stack([recalled, np.stack([right, predicted], axis=-1)]))
        return Profile(
            factor,
            bins,
            golden.sum(axis=0),
            found.sum(axis=1),
            predicted.sum(axis=1),
            right.sum(axis=1),
            self._means(gold, count),
            *gains,
        )

    def _count(self, places: Ints, which: Mask, bins: int) -> Ints:
        """Sentences x bins."""
        chosen = which & (places >= 0)
        flat = self.sentence[chosen] * bins + places[chosen]
        return np.bincount(flat, minlength=len(self.sizes) * bins).reshape(-1, bins)

    def _means(self, gold: Ints, bins: int) -> Floats:
        chosen = self.scored & (gold >= 0)
        counts = np.bincount(gold[chosen], minlength=bins)
        columns = (self.gold.lengths, self.gold.depths, self.gold.siblings)
        sums = [
            np.bincount(gold[chosen], weights=values[chosen], minlength=bins) for values in columns
        ]
        return _ratio(np.stack(sums, axis=1), np.repeat(counts[:, None], len(columns), axis=1))

    def _gains(self, counts: Ints) -> Floats:
        """Intervals of differences in percent: measures x systems x bins x (low, high).

        The axes of the counts: measures, systems, sentences, bins, (right, all).
        """
        drawn = resample(np.moveaxis(counts, 2, 0), self._samples, self._seed)
        shares = _percent(drawn[..., 0], drawn[..., 1])
        # Where a draw has no such arc, it says nothing about a difference.
        differences = np.nan_to_num(shares - shares[:, :, :1])
        low, high = np.percentile(differences, [2.5, 97.5], axis=0)
        return np.stack([low, high], axis=-1)

    def oracles(self) -> tuple[int, int]:
        """Right arcs of the best trees, and of the best trees made of the systems' arcs."""
        heads = np.stack([system.heads for system in self.systems])
        right = self.right & self.scored
        best_trees = best_arcs = 0
        stop = 0
        for size in self.sizes.tolist():
            start, stop = stop, stop + size
            best_trees += tree_oracle(right[:, start:stop])
            best_arcs += arc_oracle(heads[:, start:stop], right[:, start:stop])
        return best_trees, best_arcs


def _ratio(part: NDArray[np.generic], whole: NDArray[np.generic]) -> Floats:
    empty = np.full(part.shape, np.nan)
    np.divide(part, whole, out=empty, where=np.asarray(whole) > 0)
    return empty


def _percent(part: NDArray[np.generic], whole: NDArray[np.generic]) -> Floats:
    return 100 * _ratio(part, whole)
