"""Chooses a value for each tagged word among the few that it can have: FEATS, XPOS, lemma rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.features.parts import Parts, SavedParts
from niwaki.features.templates import compile_window
from niwaki.features.vocabulary import Values, Vocabulary
from niwaki.features.weights import PackedWeights
from niwaki.kernel.batch import Batch
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.tagging import lexicon_classifier as kernel

# Candidates are looked up by the word and its tag if both were seen together, else by
# less and less of the word.
LEVELS = (
    "w0.lower + t0",
    "w0.suffix4 + t0",
    "w0.suffix3 + t0",
    "w0.suffix2 + t0",
    "w0.suffix1 + t0",
    "t0",
)

Arrays = dict[str, NDArray[Any]]


class LexiconClassifier:
    """A vocabulary of values, who can have which, and a model to choose."""

    def __init__(
        self,
        values: Sequence[str],
        candidates: Arrays,
        model: SparseWeights | PackedWeights,
        features: str,
        lowercase: bool = False,
        levels: Sequence[str] = LEVELS,
    ) -> None:
        self.values = Vocabulary(values)
        self.candidates, self.model = candidates, model
        self.features, self.lowercase, self.levels = features, lowercase, tuple(levels)
        known = kernel.Candidates(**candidates)
        if known.largest_class() >= len(self.values):
            raise ValueError("a word may have a value that there is not")
        self.kernel = kernel.LexiconClassifier(
            model.compile() if isinstance(model, PackedWeights) else model,
            compile_window(features, lowercase),
            compile_window("\n".join(levels), lowercase),
            known,
        )

    def choose(self, batch: Batch, tags: Values) -> NDArray[np.int32]:
        """Numbers of the chosen values; -1 where the tag was never seen."""
        chosen: NDArray[np.int32] = self.kernel.choose(batch, tags.astype(np.uint64))
        return chosen

    def knows(self, batch: Batch, tags: Values) -> NDArray[np.bool_]:
        """Which words were seen, with the tag that they have here."""
        words = self.kernel.level_keys(batch, tags.astype(np.uint64))[0]
        return np.isin(words, self.candidates["keys"])

    def with_model(self, model: SparseWeights | PackedWeights) -> LexiconClassifier:
        return LexiconClassifier(
            self.values.names, self.candidates, model, self.features, self.lowercase, self.levels
        )

    # -- files ------------------------------------------------------------------

    def parts(self, name: str) -> Parts:
        parts = Parts()
        record = {"values": self.values.names, "lowercase": self.lowercase}
        parts.add(name, record, self.model)
        parts.add_file(f"candidates-{name}.safetensors", self.candidates)
        return parts

    @classmethod
    def load(cls, parts: SavedParts, name: str, features: str) -> LexiconClassifier | None:
        """The classifier of this name, if the model has it."""
        if name not in parts:
            return None
        record = parts.record(name)
        candidates = parts.tensors(f"candidates-{name}.safetensors")
        return cls(record["values"], candidates, parts.weights(name), features, record["lowercase"])


def find_candidates(
    batch: Batch,
    tags: Values,
    gold: NDArray[np.int32],
    lowercase: bool,
    levels: Sequence[str] = LEVELS,
) -> Arrays:
    """Who can have which value: what was seen in a corpus, for each level of looking up."""
    nobody: Arrays = {
        "keys": np.empty(0, np.uint64),
        "counts": np.empty(0, np.uint16),
        "classes": np.empty(0, np.uint16),
    }
    probe = LexiconClassifier(["_"], nobody, SparseWeights(1), "t0", lowercase, levels)
    keys = probe.kernel.level_keys(batch, tags.astype(np.uint64))
    found: defaultdict[int, set[int]] = defaultdict(set)
    for level in keys:
        for key, value in zip(level.tolist(), gold.tolist(), strict=True):
            if value >= 0:
                found[key].add(value)
    order = sorted(found)
    return {
        "keys": np.array(order, dtype=np.uint64),
        "counts": np.array([len(found[key]) for key in order], dtype=np.uint16),
        "classes": np.array([v for key in order for v in sorted(found[key])], dtype=np.uint16),
    }
