"""How an aligner is trained, with the recipes of papers as presets."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from niwaki.errors import ConfigError, nearest


@dataclass(frozen=True)
class Settings:
    """The defaults were chosen on the first halves of sets with people's links.

    `empty` is the probability of the null word, `smoothing` is added to the count of
    every two words that occur together, `same_word` to that of two equal words. The
    `jump_classes` most frequent words of a side have jumps of their own, which lean on
    those of all words as if these had been seen `jump_support` times.
    """

    model1_iterations: int = 5
    hmm_iterations: int = 5
    agreement: bool = True
    empty: float = 0.2
    smoothing: float = 1e-5
    same_word: float = 1.0
    jump_classes: int = 50
    jump_support: float = 50.0
    lower: bool = True
    source_prefix: int | None = None
    target_prefix: int | None = None

    def __post_init__(self) -> None:
        self._check("model1_iterations", self.model1_iterations >= 1, "at least 1")
        self._check("hmm_iterations", self.hmm_iterations >= 0, "at least 0")
        self._check("empty", 0 < self.empty < 1, "between 0 and 1")
        self._check("smoothing", 0 <= self.smoothing <= 1, "from 0 to 1")
        self._check("same_word", 0 <= self.same_word <= 1e6, "from 0 to a million")
        self._check("jump_classes", 0 <= self.jump_classes <= 1000, "from 0 to 1000")
        self._check("jump_support", 0 < self.jump_support <= 1e9, "more than 0")
        for name in ("source_prefix", "target_prefix"):
            value = getattr(self, name)
            self._check(name, value is None or value >= 1, "at least 1")

    def _check(self, name: str, good: bool, need: str) -> None:
        if not good:
            raise ConfigError(f"{name} is {getattr(self, name)}; it must be {need}")

    @property
    def signature(self) -> str:
        """Everything that the links depend on beside the text, in one line."""
        return "|".join(f"{key}={value}" for key, value in dataclasses.asdict(self).items())


# The papers train each direction for itself.
PRESETS = {
    "default": Settings(),
    "xu2009": Settings(model1_iterations=3, hmm_iterations=2, agreement=False),
    "kumar2007": Settings(model1_iterations=6, hmm_iterations=6, agreement=False),
}


def preset(name: str) -> Settings:
    if name not in PRESETS:
        raise ConfigError(f"no preset {name!r}; {nearest(name, PRESETS)}")
    return PRESETS[name]
