"""Judges sentences: the probability that one is well formed, by what is rare and unsure in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from niwaki.data.judged import clean_text_of
from niwaki.data.modelfile import ModelFile, write_model_file
from niwaki.errors import NiwakiError
from niwaki.keys import check_values, key
from niwaki.learning.boosting import Boosted, BoostingSettings, learn_boosted
from niwaki.tasks.grammar.features import GROUPS, Expected, Look, numbers_of, table_of
from niwaki.tasks.grammar.patterns import PatternCounts
from niwaki.tasks.modelfiles import load_as
from niwaki.typing import FloatArray

KIND = "judge"
# What a judge may look at, with the numbers of Wagner et al.'s methods.
METHODS: dict[str, tuple[str, ...]] = {
    "parser": ("parser",),  # 3
    "ngrams": ("ngrams",),  # 4
    "all": tuple(GROUPS),  # 5
}
_CARD, _COUNTS, _TREES = "config.json", "counts.safetensors", "trees.safetensors"


@dataclass(frozen=True)
class Settings:
    """What a judge looks at, and how it learns."""

    method: Literal["parser", "ngrams", "all"] = key("all", "What a judge looks at.")
    boosting: BoostingSettings = field(default_factory=BoostingSettings)

    def __post_init__(self) -> None:
        check_values(self)
        check_values(self.boosting)


@dataclass(frozen=True)
class Judge:
    """See the module. `card` says how it was made, and with which parser."""

    settings: Settings
    counts: PatternCounts
    expected: Expected
    trees: Boosted
    card: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def learn(
        cls,
        looks: Sequence[Look],
        clean: NDArray[np.bool_],
        counts: PatternCounts,
        settings: Settings | None = None,
        card: Mapping[str, Any] | None = None,
    ) -> Judge:
        """A judge from parsed sentences, clean and broken, and counts of patterns elsewhere.

        Clean and broken ones weigh alike. A broken sentence that names the clean one it was made
        of, as `niwaki corrupt` does, is also to be judged worse than that.
        """
        settings = settings or Settings()
        if not clean.any() or clean.all():
            raise NiwakiError("a judge learns from clean and from broken sentences; give both")
        chosen = zip(looks, clean.tolist(), strict=True)
        expected = Expected.of([look for look, is_clean in chosen if is_clean])
        rows = table_of(numbers_of(looks, counts, expected), METHODS[settings.method])
        trees = learn_trees(rows, looks, clean, settings)
        return cls(settings, counts, expected, trees, card or {})

    def log_odds(self, looks: Sequence[Look]) -> FloatArray:
        """log p / (1 - p) of each sentence."""
        numbers = numbers_of(looks, self.counts, self.expected)
        return self.trees.log_odds(table_of(numbers, METHODS[self.settings.method]))

    def probabilities(self, looks: Sequence[Look]) -> FloatArray:
        """Of being well formed, where every other sentence is."""
        return np.asarray(1 / (1 + np.exp(-self.log_odds(looks))))

    # -- files ------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        card = {
            **self.card,
            "kind": KIND,
            "settings": asdict(self.settings),
            "expected": asdict(self.expected),
        }
        parts: dict[str, Any] = {
            _CARD: card,
            _COUNTS: self.counts.arrays,
            _TREES: self.trees.arrays,
        }
        write_model_file(path, parts)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Judge:
        """Read a judge; raises ModelError if the file holds none."""
        return load_as(path, KIND, cls._of, what="judge", command="train-judge")

    @classmethod
    def _of(cls, file: ModelFile) -> Judge:
        said = file.config["settings"]
        settings = Settings(said["method"], BoostingSettings(**said["boosting"]))
        weights = {str(tag): float(x) for tag, x in file.config["expected"]["weights"].items()}
        expected = Expected(weights, float(file.config["expected"]["spread"]))
        width = sum(len(GROUPS[group]) for group in METHODS[settings.method])
        return cls(
            settings,
            PatternCounts.from_arrays(file.tensors(_COUNTS)),
            expected,
            Boosted.of(file.tensors(_TREES), width),
            file.config,
        )


def learn_trees(
    rows: FloatArray, looks: Sequence[Look], clean: NDArray[np.bool_], settings: Settings
) -> Boosted:
    """Trees that tell clean sentences from broken ones by these numbers; see `Judge.learn`."""
    weights = np.where(clean, np.sum(~clean) / np.sum(clean), 1.0)
    texts = [clean_text_of(look.sentence) for look in looks]
    places = {texts[at]: at for at in np.flatnonzero(clean).tolist()}
    broken = np.flatnonzero(~clean).tolist()
    pairs = [(places[texts[at]], at) for at in broken if texts[at] in places]
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return learn_boosted(rows, clean, settings.boosting, found, weights)
