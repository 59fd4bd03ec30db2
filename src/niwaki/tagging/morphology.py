"""What goes with the tags of a word: FEATS, its lemma, and XPOS where the tagger leaves it out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from niwaki.data.faults import FEATS, FORM, LEMMA, XPOS
from niwaki.features.parts import Parts, SavedParts
from niwaki.features.templates import tagging_features
from niwaki.kernel.batch import Batch, short_hashes
from niwaki.tagging.lemmas import SAME, apply_rule, check_rule
from niwaki.tagging.lexicon_classifier import LexiconClassifier
from niwaki.tagging.tagger import Tags, case_of

# What each classifier looks at: a file of assets/tagging.
_FEATURES = {"xpos": "features", "feats": "features", "lemmas": "lemmas"}


@dataclass(frozen=True)
class Morphology:
    """Classifiers, each of which may be missing."""

    xpos: LexiconClassifier | None
    feats: LexiconClassifier | None
    lemmas: LexiconClassifier | None

    @property
    def predicts(self) -> frozenset[int]:
        """The columns that it fills."""
        parts = {XPOS: self.xpos, FEATS: self.feats, LEMMA: self.lemmas}
        return frozenset(column for column, part in parts.items() if part is not None)

    def seen(self, batch: Batch, tags: Tags, keep: bool = True) -> Tags:
        """The tags with FEATS, as a parser sees them; with `keep`, what is given stays."""
        if self.feats is None:
            return tags
        chosen = self.feats.choose(batch, tags.tag)
        # The last value is that of -1, where there is nothing to choose.
        names = [*(name.encode() for name in self.feats.values.names), b"_"]
        feats = short_hashes(names)[chosen]
        case = short_hashes(list(map(case_of, names)))[chosen]
        if keep:
            blanks = batch.blanks(FEATS)
            feats, case = np.where(blanks, feats, tags.feats), np.where(blanks, case, tags.case)
        return replace(tags, feats=feats, case=case, feats_chosen=chosen)

    def parts(self) -> Parts:
        parts = Parts()
        for name in _FEATURES:
            classifier: LexiconClassifier | None = getattr(self, name)
            if classifier is not None:
                parts.add_all(classifier.parts(name))
        return parts

    @classmethod
    def load(cls, parts: SavedParts) -> Morphology:
        found = {
            name: LexiconClassifier.load(parts, name, tagging_features(features))
            for name, features in _FEATURES.items()
        }
        lemmas = found["lemmas"]
        for rule in lemmas.values.names if lemmas is not None else ():
            check_rule(rule)
        return cls(**found)

    def columns(self, batch: Batch, tags: Tags, keep: bool = True) -> dict[int, Any]:
        """Columns for `Batch.render`; with `keep`, what is given stays."""
        columns: dict[int, Any] = {}
        for column, classifier in ((XPOS, self.xpos), (FEATS, self.feats)):
            if classifier is not None:
                seen = column == FEATS and bool((tags.feats_chosen >= 0).any())
                chosen = tags.feats_chosen if seen else classifier.choose(batch, tags.tag)
                if keep:
                    chosen = np.where(batch.blanks(column), chosen, np.int32(-1))
                columns[column] = (chosen, classifier.values.symbols)
        if self.lemmas is not None:
            columns[LEMMA] = self._lemmas(self.lemmas, batch, tags, keep)
        return columns

    def _lemmas(
        self, classifier: LexiconClassifier, batch: Batch, tags: Tags, keep: bool
    ) -> list[bytes]:
        rules = classifier.choose(batch, tags.tag).tolist()
        names = [*classifier.values.names, SAME]  # that of -1, where there is nothing to choose
        lemmas = list(map(apply_rule, batch.texts_of(FORM), map(names.__getitem__, rules)))
        blanks = batch.blanks(LEMMA)
        if keep and not blanks.all():
            given = batch.texts_of(LEMMA)
            lemmas = [
                new if blank else old
                for new, old, blank in zip(lemmas, given, blanks.tolist(), strict=True)
            ]
        return lemmas
