"""Chooses a value for each tagged word among those that it can have: FEATS, XPOS, lemma rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from niwaki.tagging.tagger import Tags

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Choice:
    """Which values there are, who can have which, and what the choice looks at.

    Candidates are looked up by the first of the `levels` at which anything is known: the word with
    its tag, else less and less of it. The score of a value is the sum of those of its `factors`
    (numbers, such as those of `Case=Gen` and `Number=Plur`), so that a rare one is known by what
    it consists of.
    """

    values: Sequence[str]
    features: str
    levels: Sequence[str]
    factors: Sequence[Sequence[int]]
    lowercase: bool = False

    @property
    def columns(self) -> int:
        return 1 + max((number for factors in self.factors for number in factors), default=0)

    @classmethod
    def of_json(cls, record: Mapping[str, Any]) -> Choice:
        return cls(**{name: record[name] for name in cls.__dataclass_fields__})

    def to_json(self) -> dict[str, Any]:
        return {
            "values": list(self.values),
            "features": self.features,
            "levels": list(self.levels),
            "factors": [list(numbers) for numbers in self.factors],
            "lowercase": self.lowercase,
        }


class LexiconClassifier:
    """A choice with its candidates, and a model to choose."""

    def __init__(
        self, choice: Choice, candidates: Arrays, model: SparseWeights | PackedWeights
    ) -> None:
        self.choice, self.candidates, self.model = choice, candidates, model
        self.values = Vocabulary(choice.values)
        known = kernel.Candidates(**candidates)
        if known.largest_class() >= len(self.values):
            raise ValueError("a word may have a value that there is not")
        if len(choice.factors) != len(self.values):
            raise ValueError("values and their factors do not fit together")
        factors = kernel.Factors(
            np.array([len(numbers) for numbers in choice.factors], dtype=np.uint16),
            np.array([number for numbers in choice.factors for number in numbers], dtype=np.uint16),
        )
        self.kernel = kernel.LexiconClassifier(
            model.compile() if isinstance(model, PackedWeights) else model,
            compile_window(choice.features, choice.lowercase),
            compile_window("\n".join(choice.levels), choice.lowercase),
            known,
            factors,
        )

    def choose(self, batch: Batch, tags: Tags) -> NDArray[np.int32]:
        """Numbers of the chosen values; -1 where the tag was never seen."""
        tag, feats = (values.astype(np.uint64) for values in (tags.tag, tags.feats))
        chosen: NDArray[np.int32] = self.kernel.choose(batch, tag, feats)
        return chosen

    def knows(self, batch: Batch, tags: Tags) -> NDArray[np.bool_]:
        """Which words were seen, with the tag that they have here."""
        words = self.kernel.level_keys(batch, tags.tag.astype(np.uint64))[0]
        return np.isin(words, self.candidates["keys"])

    # -- files ------------------------------------------------------------------

    def parts(self, name: str) -> Parts:
        parts = Parts()
        parts.add(name, self.choice.to_json(), self.model)
        parts.add_file(f"candidates-{name}.safetensors", self.candidates)
        return parts

    @classmethod
    def load(cls, parts: SavedParts, name: str, choice: Choice) -> LexiconClassifier:
        candidates = parts.tensors(f"candidates-{name}.safetensors")
        return cls(choice, candidates, parts.weights(name))


def find_candidates(batch: Batch, tags: Values, gold: NDArray[np.int32], choice: Choice) -> Arrays:
    """Who can have which value: what was seen in a corpus, for each level of looking up."""
    nobody: Arrays = {
        "keys": np.empty(0, np.uint64),
        "counts": np.empty(0, np.uint16),
        "classes": np.empty(0, np.uint16),
    }
    probe = LexiconClassifier(choice, nobody, SparseWeights(choice.columns))
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
