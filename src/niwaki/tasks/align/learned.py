"""What an aligner has learned, as a file: to align text that it has not learned from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.modelfile import ModelFile, write_model_file
from niwaki.kernel.bilingual.alignment import LEAST_PROBABILITY, Table
from niwaki.tasks.align.settings import Settings
from niwaki.tasks.modelfiles import load_as

KIND = "alignment"
_CARD, _WORDS, _TABLE = "config.json", "words.json", "table.safetensors"
# Of two equal words that were never seen: a number, a name.
_EQUAL = 0.5


@dataclass(frozen=True)
class LearnedAlignment:
    """Probabilities of two words in both directions, of no word, and of jumps.

    `arrays` has the pairs of words as `sources` x number of target words + `targets`, sorted
    (`keys`), with `forward` and `backward`; `null_forward`, `null_backward`, `jumps`, and the
    classes of words for jumps (`source_classes`, `target_classes`).
    """

    settings: Settings
    source: Mapping[str, int]
    target: Mapping[str, int]
    arrays: Mapping[str, NDArray[Any]]

    @classmethod
    def of(
        cls,
        settings: Settings,
        types: tuple[Mapping[str, int], Mapping[str, int]],
        table: Table,
        jumps: NDArray[np.float64],
        classes: tuple[NDArray[np.int32], NDArray[np.int32]],
    ) -> LearnedAlignment:
        source, target = types
        keys = _sources(table) * len(target) + table.columns
        order = np.argsort(keys, kind="stable")
        arrays = {
            "keys": keys[order],
            "forward": table.forward[order],
            "backward": table.backward[order],
            "null_forward": table.null_forward.copy(),
            "null_backward": table.null_backward.copy(),
            "jumps": jumps,
            "source_classes": classes[0],
            "target_classes": classes[1],
        }
        return cls(settings, dict(source), dict(target), arrays)

    def fill(
        self, table: Table, source: Mapping[str, int], target: Mapping[str, int]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Give a table of other text the probabilities that are known; the classes of its words.

        Words that are not known are as likely with any word as with none.
        """
        ours, theirs = _numbers(self.source, source), _numbers(self.target, target)
        one, other = _sources(table), table.columns
        keys = np.where(
            (ours[one] >= 0) & (theirs[other] >= 0),
            ours[one] * len(self.target) + theirs[other],
            -1,
        )
        known = self.arrays["keys"]
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        found = known[at] == keys
        equal = _numbers(target, source)[one] == other
        otherwise = np.where(equal, _EQUAL, LEAST_PROBABILITY)
        table.forward[:] = np.where(found, self.arrays["forward"][at], otherwise)
        table.backward[:] = np.where(found, self.arrays["backward"][at], otherwise)
        table.null_forward[:] = _known(self.arrays["null_forward"], theirs, LEAST_PROBABILITY)
        table.null_backward[:] = _known(self.arrays["null_backward"], ours, LEAST_PROBABILITY)
        return (
            _known(self.arrays["source_classes"], ours, 0),
            _known(self.arrays["target_classes"], theirs, 0),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        words = {"source": list(self.source), "target": list(self.target)}
        card = {"kind": KIND, "settings": asdict(self.settings)}
        write_model_file(path, {_CARD: card, _WORDS: words, _TABLE: self.arrays})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LearnedAlignment:
        """Read what was saved; raises ModelError if it is none."""
        return load_as(path, KIND, cls._of, what="model of word alignment", command="align --save")

    @classmethod
    def _of(cls, file: ModelFile) -> LearnedAlignment:
        words = file.json(_WORDS)
        source, target = (
            {word: number for number, word in enumerate(words[side])}
            for side in ("source", "target")
        )
        arrays = file.tensors(_TABLE)
        if len(arrays["null_backward"]) != len(source) or not len(arrays["keys"]):
            raise ValueError("its words are not those of its table")
        return cls(Settings(**file.config["settings"]), source, target, arrays)


def _sources(table: Table) -> NDArray[np.int64]:
    """The source word of each entry of a table."""
    counts = np.diff(table.rows)
    return np.repeat(np.arange(len(counts), dtype=np.int64), counts)


def _numbers(known: Mapping[str, int], words: Mapping[str, int]) -> NDArray[np.int64]:
    """The numbers that words have elsewhere, -1 for those that are not there."""
    return np.array([known.get(word, -1) for word in words], dtype=np.int64)


def _known(values: NDArray[Any], numbers: NDArray[np.int64], otherwise: float) -> NDArray[Any]:
    found = np.where(numbers >= 0, values[np.maximum(numbers, 0)], otherwise)
    return np.ascontiguousarray(found, dtype=values.dtype)
