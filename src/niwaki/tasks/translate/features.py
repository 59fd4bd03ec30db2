"""The features of a translation, in their order, and weights for them.

Logarithms are natural. Penalties and the distance count downwards: -1 for each phrase, word,
copied word, and word that is jumped over; a negative weight of a penalty asks for more of these.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence

import numpy as np

from niwaki.data.files import atomic_write, read_text
from niwaki.errors import ModelError, nearest, written
from niwaki.typing import FloatArray

PHRASES = ("phrase-backward", "phrase-forward", "lexical-backward", "lexical-forward")
PENALTIES = ("phrase-penalty", "word-penalty")
LANGUAGE_MODEL, DISTANCE = "language-model", "distance"
MSD = (
    *("monotone-before", "swap-before", "discontinuous-before"),
    *("monotone-after", "swap-after", "discontinuous-after"),
)
REORDERING = "reordering"
UNKNOWN = "unknown-penalty"
SENSE = "phrase-sense"

# Where nothing was tuned.
_DEFAULTS = {
    **dict.fromkeys(PHRASES, 0.2),
    "phrase-penalty": -0.2,
    "word-penalty": -1.0,
    LANGUAGE_MODEL: 0.5,
    DISTANCE: 0.3,
    **dict.fromkeys(MSD, 0.2),
    REORDERING: 0.3,
    UNKNOWN: 1.0,
    SENSE: 0.2,
}

Weights = Mapping[str, float]


def feature_names(*, msd: bool, jumps: bool, senses: bool = False) -> tuple[str, ...]:
    """The features of a system that has these parts."""
    return (
        *(*PHRASES, *PENALTIES, LANGUAGE_MODEL, DISTANCE),
        *(MSD if msd else ()),
        *((REORDERING,) if jumps else ()),
        UNKNOWN,
        *((SENSE,) if senses else ()),
    )


def default_weights(names: Sequence[str]) -> dict[str, float]:
    return {name: _DEFAULTS[name] for name in names}


def weight_array(weights: Weights, names: Sequence[str]) -> FloatArray:
    """Weights in the order of the features; raises ModelError unless each has a number."""
    for name in weights:
        if name not in names:
            raise ModelError(f"a weight of {name!r}; {nearest(name, names)}")
    for name in names:
        value = weights.get(name)
        if type(value) not in (int, float) or not math.isfinite(value or 0):
            raise ModelError(f"the weight of {name} is {written(value)}; give a number")
    return np.array([weights[name] for name in names], np.float64)


def write_weights(weights: Weights, path: str | os.PathLike[str]) -> None:
    with atomic_write(path) as file:
        file.write(json.dumps(dict(weights), indent=2).encode() + b"\n")


def read_weights(path: str | os.PathLike[str]) -> dict[str, float]:
    """Weights by name; raises ModelError if the file holds none."""
    try:
        found = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{os.fspath(path)}: not JSON ({error}); give weights") from error
    if not isinstance(found, dict):
        raise ModelError(f"{os.fspath(path)}: no weights; give an object of names and numbers")
    return found
