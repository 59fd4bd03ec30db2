"""What goes with the tags of a word: FEATS, its lemma, and XPOS where the tagger leaves it out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from niwaki.data.faults import FEATS, FORM, LEMMA, XPOS
from niwaki.features.parts import Parts, SavedParts
from niwaki.features.templates import tagging_features
from niwaki.kernel.batch import Batch, short_hashes
from niwaki.tagging.lemmas import NO_BEGINNING, SAME, apply_rule, check_beginning, check_ending
from niwaki.tagging.lexicon_classifier import Choice, LexiconClassifier
from niwaki.tagging.tagger import Deferred, Tags, case_of, lemma_values


@dataclass(frozen=True)
class Kind:
    """How one of the classifiers chooses."""

    features: str  # a file of assets/tagging
    levels: tuple[str, ...]
    # What a value consists of; all of it, if nothing is said.
    factors: Callable[[str], Sequence[Any]] | None = None

    def choice(self, values: Sequence[str], lowercase: bool) -> Choice:
        numbers: dict[Any, int] = {}
        factors = [
            [numbers.setdefault(each, len(numbers)) for each in self._factors(value)]
            for value in values
        ]
        return Choice(values, tagging_features(self.features), self.levels, factors, lowercase)

    def _factors(self, value: str) -> Sequence[Any]:
        return [value] if self.factors is None else self.factors(value)


def features_of(feats: str) -> list[str]:
    """`Case=Gen|Number=Plur` consists of two; `_` of nothing."""
    return [] if feats == "_" else feats.split("|")


def places_of(xpos: str) -> list[tuple[int, str]]:
    """A fine tag has a meaning for each place, in languages that have many: `ncmsn1`."""
    return list(enumerate(xpos))


_BY_ENDING = ("w0.lower + t0", "w0.suffix1 + t0", "t0")
KINDS = {
    "xpos": Kind("morphology", _BY_ENDING, places_of),
    "feats": Kind("morphology", _BY_ENDING, features_of),
    "lemmas": Kind("endings", ("w0.lower + t0", "t0")),
    "beginnings": Kind("beginnings", ("w0.lower + t0", "w0.prefix1 + t0", "t0")),
}
# The same in models of earlier versions, which do not say so themselves.
_FORMER_LEVELS = (
    *("w0.lower + t0", "w0.suffix4 + t0", "w0.suffix3 + t0", "w0.suffix2 + t0", "w0.suffix1 + t0"),
    "t0",
)
_FORMER = {
    "xpos": Kind("features", _FORMER_LEVELS),
    "feats": Kind("features", _FORMER_LEVELS),
    "lemmas": Kind("lemmas", _FORMER_LEVELS),
}


@dataclass(frozen=True)
class Morphology:
    """Classifiers, each of which may be missing.

    `lemmas` chooses the endings of lemma rules, `beginnings` what is before them.
    """

    xpos: LexiconClassifier | None = None
    feats: LexiconClassifier | None = None
    lemmas: LexiconClassifier | None = None
    beginnings: LexiconClassifier | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """FEATS and lemmas, as far as they are there."""
        parts = {"feats": self.feats, "lemmas": self.lemmas}
        return tuple(kind for kind, part in parts.items() if part is not None)

    def only(self, kinds: Collection[str]) -> Morphology:
        """FEATS and lemmas, or one of them, or neither."""
        has_lemmas = "lemmas" in kinds
        return Morphology(
            feats=self.feats if "feats" in kinds else None,
            lemmas=self.lemmas if has_lemmas else None,
            beginnings=self.beginnings if has_lemmas else None,
        )

    @property
    def predicts(self) -> frozenset[int]:
        """The columns that it fills."""
        parts = {XPOS: self.xpos, FEATS: self.feats, LEMMA: self.lemmas}
        return frozenset(column for column, part in parts.items() if part is not None)

    def seen(self, batch: Batch, tags: Tags, keep: bool = True) -> Tags:
        """The tags with FEATS and lemmas, as a parser sees them.

        With `keep`, what is given stays.
        """
        if self.feats is not None:
            tags = self._with_feats(self.feats, batch, tags, keep)
        if self.lemmas is None:
            return tags
        seen = self._seen_lemmas if keep else self._lemmas
        lemmas = partial(seen, self.lemmas, batch, tags)
        return replace(tags, lemmas=Deferred(lambda: lemma_values(lemmas())))

    def _with_feats(
        self, classifier: LexiconClassifier, batch: Batch, tags: Tags, keep: bool
    ) -> Tags:
        chosen = classifier.choose(batch, tags)
        # The last value is that of -1, where there is nothing to choose.
        names = [*(name.encode() for name in classifier.values.names), b"_"]
        feats = short_hashes(names)[chosen]
        case = short_hashes(list(map(case_of, names)))[chosen]
        if keep:
            blanks = batch.blanks(FEATS)
            feats, case = np.where(blanks, feats, tags.feats), np.where(blanks, case, tags.case)
        return replace(tags, feats=feats, case=case, feats_chosen=chosen)

    def parts(self) -> Parts:
        parts = Parts()
        for name in KINDS:
            classifier: LexiconClassifier | None = getattr(self, name)
            if classifier is not None:
                parts.add_all(classifier.parts(name))
        return parts

    @classmethod
    def load(cls, parts: SavedParts) -> Morphology:
        found = {
            name: LexiconClassifier.load(parts, name, _choice_of(name, parts.record(name)))
            if name in parts
            else None
            for name in KINDS
        }
        for name, check in (("lemmas", check_ending), ("beginnings", check_beginning)):
            classifier = found[name]
            for rule in classifier.values.names if classifier is not None else ():
                check(rule)
        return cls(**found)

    def columns(self, batch: Batch, tags: Tags, keep: bool = True) -> dict[int, Any]:
        """Columns for `Batch.render`; with `keep`, what is given stays."""
        columns: dict[int, Any] = {}
        for column, classifier in ((XPOS, self.xpos), (FEATS, self.feats)):
            if classifier is not None:
                seen = column == FEATS and bool((tags.feats_chosen >= 0).any())
                chosen = tags.feats_chosen if seen else classifier.choose(batch, tags)
                if keep:
                    chosen = np.where(batch.blanks(column), chosen, np.int32(-1))
                columns[column] = (chosen, classifier.values.symbols)
        if self.lemmas is not None:
            lemmas = self._lemmas(self.lemmas, batch, tags)
            # None is what was given, as it was written.
            kept = ~batch.blanks(LEMMA) if keep else np.zeros(batch.words, dtype=np.bool_)
            columns[LEMMA] = [
                None if old else new for new, old in zip(lemmas, kept.tolist(), strict=True)
            ]
        return columns

    def _seen_lemmas(self, classifier: LexiconClassifier, batch: Batch, tags: Tags) -> list[bytes]:
        """Those that are given, and those that are chosen where none is."""
        pairs = zip(self._lemmas(classifier, batch, tags), batch.texts_of(LEMMA), strict=True)
        return [new if given == b"_" else given for new, given in pairs]

    def _lemmas(self, classifier: LexiconClassifier, batch: Batch, tags: Tags) -> list[bytes]:
        rules = [_chosen(classifier, SAME, batch, tags)]
        if self.beginnings is not None:
            rules.append(_chosen(self.beginnings, NO_BEGINNING, batch, tags))
        return list(map(apply_rule, batch.texts_of(FORM), *rules))


def _choice_of(name: str, record: Mapping[str, Any]) -> Choice:
    """The choice that the record of a classifier tells of."""
    if "features" in record:
        return Choice.of_json(record)
    return _FORMER[name].choice(record["values"], record["lowercase"])


def _chosen(classifier: LexiconClassifier, usual: str, batch: Batch, tags: Tags) -> Iterator[str]:
    """The value of each word; the usual one where there is nothing to choose."""
    names = [*classifier.values.names, usual]  # the last one is that of -1
    return map(names.__getitem__, classifier.choose(batch, tags).tolist())
