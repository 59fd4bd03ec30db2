"""A parser of arcs: a score for each possible arc, and the best of all trees.

The score of a labelled arc is the arc's own score plus log p(label | arc). Labels are so
a second step that stays exact: summed over labels, an arc weighs what it weighs without,
and probabilities and k best trees are those of one model of labelled trees.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Generic, Self, TypeVar

import numpy as np

from niwaki.errors import ModelError, nearest
from niwaki.features.parts import Parts
from niwaki.features.vocabulary import Vocabulary
from niwaki.kernel.batch import Batch
from niwaki.parsers.arcs.candidates import ArcCandidates
from niwaki.parsers.arcs.probabilities import tree_probabilities
from niwaki.parsers.arcs.spec import DECODERS, ArcSpec
from niwaki.parsers.base import ArcScorer, Parsed, Search, check_options
from niwaki.parsers.decoding import Scores, Trees, decode, sum_trees
from niwaki.tagging.tagger import Tags
from niwaki.typing import FloatArray, IntArray

S = TypeVar("S", bound=ArcSpec)

# Scores of siblings take memory in the cube of the length: 64 MB here. Longer sentences
# are parsed by their arcs alone.
MAX_SIBLINGS = 200
# Scores of arcs take memory in the square of the length: 32 MB here.
MAX_WORDS = 2000


class ArcParser(ABC, Generic[S]):
    """Scores of arcs and of their labels, with exact search; S is the class of its spec."""

    options = frozenset({"decode"})
    max_words = MAX_WORDS
    gives_probabilities = True
    uses_links = False

    def __init__(self, spec: S, scorer: ArcScorer) -> None:
        spec.check()
        self.spec, self.scorer = spec, scorer
        self.labels = Vocabulary(spec.labels)

    @property
    def label_names(self) -> list[str]:
        return sorted(self.spec.labels)

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"order": self.spec.order, "decode": self.spec.decode}

    @property
    def ways(self) -> Mapping[str, Search]:
        return {self.spec.decode: Search(decode=self.spec.decode)}

    def with_spec(self, **changes: Any) -> Self:
        """The same parser with other values of its spec, but none that its scorer looks at."""
        return type(self)(replace(self.spec, **changes), self.scorer)

    # -- scores ----------------------------------------------------------------

    def arc_table(self, batch: Batch, values: Any, sentences: IntArray) -> FloatArray:
        """Scores of all arcs (see `Scores`), by latent class, at the model's temperature."""
        found = self.scorer.arcs(batch, values, sentences)
        found /= self.spec.temperature
        return found

    def scores(
        self, batch: Batch, values: Any, s: int | None = None, *, best: bool = False
    ) -> Scores:
        """Scores of the arcs of a sentence, or of all; siblings too if the model has them.

        Latent classes are summed over, or with `best` each arc takes its best one.
        """
        lengths = np.array(batch.lengths, dtype=np.int32)
        chosen = np.arange(len(lengths), dtype=np.int32) if s is None else np.array([s], np.int32)
        table = self.arc_table(batch, values, chosen)
        arcs = Scores(table if self.spec.latent > 1 else table[:, 0], lengths[chosen])
        if self.spec.latent > 1:
            arcs = Scores(arcs.best_arcs if best else arcs.summed_arcs, arcs.lengths)
        if self.spec.order == 2 and arcs.lengths.max(initial=0) <= MAX_SIBLINGS:
            seconds = self.scorer.siblings(batch, values, chosen)
            assert seconds is not None
            seconds /= self.spec.temperature
            return Scores(arcs.table, arcs.lengths, seconds)
        return arcs

    def label_logs(
        self, batch: Batch, values: Any, s: int, heads: IntArray, words: IntArray
    ) -> FloatArray:
        """log p(label | arc) of arcs of a sentence, one a row."""
        none = np.full(len(heads), -1, dtype=np.int32)
        parts = np.ascontiguousarray(np.stack([heads, words, none], axis=1), dtype=np.int32)
        found = self.scorer.labels_of_parts(batch, values, s, parts)
        return log_softmax(found / self.spec.label_temperature)

    def tree_label_logs(self, batch: Batch, values: Any, heads: IntArray) -> FloatArray:
        """The same of the arcs of whole trees, a row a word."""
        found = self.scorer.labels_of_trees(batch, values, heads)
        return log_softmax(found / self.spec.label_temperature)

    def labelled_scores(self, batch: Batch, s: int, values: Any) -> Scores:
        """Scores of labelled arcs of one sentence: arc + log p(label | arc)."""
        arcs = self.scores(batch, values, s)
        found = self.scorer.labels(batch, values, s)
        logs = log_softmax(found / self.spec.label_temperature)
        return Scores(arcs.table[:, None] + logs, arcs.lengths, arcs.siblings)

    def marginals(
        self, batch: Batch, values: Any, s: int | None = None
    ) -> tuple[Scores, FloatArray, FloatArray]:
        """Scores of arcs of a sentence, or of all, their probabilities, and the logarithms of
        the sums over trees. A model of siblings gives those of its arcs alone.
        """
        lengths = np.array(batch.lengths, dtype=np.int32)
        chosen = np.arange(len(lengths), dtype=np.int32) if s is None else np.array([s], np.int32)
        table = self.arc_table(batch, values, chosen)
        scores = Scores(Scores(table, lengths[chosen]).summed_arcs, lengths[chosen])
        sums = sum_trees(scores, projective=self.spec.projective, too_long="spanning")
        return scores, sums.marginals, sums.log_sums

    # -- trees -----------------------------------------------------------------

    def check(self, search: Search) -> None:
        check_options(self, search)
        self.decoder(search.decode)

    def decoder(self, how: str | None) -> str:
        """What to decode by: as asked for, or as the model was made for."""
        if how is None:
            return self.spec.decode
        if how not in DECODERS:
            raise ModelError(f"no way {how!r} to choose a tree; {nearest(how, DECODERS)}")
        if how == "mbr" and self.spec.order == 2:
            raise ModelError(
                "a model of siblings does not know probabilities of arcs; decode by mst or eisner"
            )
        return how

    def parse(
        self, batch: Batch, tags: Tags, search: Search, *, probabilities: bool = False
    ) -> Parsed:
        values = self.scorer.values(batch, tags)
        heads = self.heads(batch, values, search.decode)
        if not batch.words:
            none = dict.fromkeys(("tag", "arc", "label", "tree"), np.zeros(0))
            return Parsed(heads, heads, none if probabilities else {})
        found = self.scorer.labels_of_trees(batch, values, heads)
        labels = found.argmax(axis=1).astype(np.int32)
        if not probabilities:
            return Parsed(heads, labels)
        beliefs = tree_probabilities(self, batch, values, heads, labels)
        return Parsed(heads, labels, {"tag": tags.probabilities.astype(np.float64), **beliefs})

    def heads(self, batch: Batch, values: Any, how: str | None = None) -> IntArray:
        """The heads of the best trees, whatever their labels."""
        how = self.decoder(how)
        if not batch.words:
            return np.zeros(0, dtype=np.int32)
        if self.spec.order == 1:
            return self.best_trees(self.scores(batch, values, best=how == "max-z"), how).heads
        # Tables of siblings are large; one at a time.
        found = [
            self.best_trees(self.scores(batch, values, s), how).heads
            for s in range(len(batch.lengths))
        ]
        return np.concatenate(found)

    def best_trees(self, scores: Scores, how: str) -> Trees:
        """The chosen trees under given scores."""
        if how == "mbr":
            beliefs = sum_trees(scores, projective=self.spec.projective, too_long="spanning")
            # A probability of 0 may be a forbidden arc.
            table = np.where(scores.table > -np.inf, beliefs.marginals, -np.inf)
            return decode(
                Scores(table, scores.lengths),
                projective=self.spec.projective,
                too_long="spanning",
            )
        return decode(scores, projective=how == "eisner", too_long="spanning")

    def is_projective(self, search: Search) -> bool:
        """As asked for, or because no exact k-best search among all trees with siblings exists."""
        return self.decoder(search.decode) == "eisner" or self.spec.order == 2

    def candidates(self, batch: Batch, tags: Tags, search: Search) -> ArcCandidates:
        return ArcCandidates(self, batch, tags, search)

    # -- files -----------------------------------------------------------------

    @abstractmethod
    def parts(self) -> Parts: ...


def log_softmax(scores: FloatArray) -> FloatArray:
    """Logarithms of probabilities, row by row."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
