"""Weights of a network as a model file keeps them: whole numbers of 8 bits, a scale for each row.

w ~ scale * q,  scale = max |w| / 127,  row by row
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.parsers.neural.network import shapes
from niwaki.parsers.neural.spec import NeuralSpec
from niwaki.typing import Arrays

_SCALE = ".scale"


def stored(spec: NeuralSpec, weights: Mapping[str, NDArray[np.float32]]) -> Arrays:
    """Weights as they are shipped."""
    if not spec.quantized:
        return {name: np.array(array, dtype=np.float32) for name, array in weights.items()}
    found: dict[str, NDArray[Any]] = {}
    for name, array in weights.items():
        if array.ndim < 2:
            found[name] = np.array(array, dtype=np.float32)
        else:
            found[name], found[name + _SCALE] = quantized(array)
    return found


def restored(spec: NeuralSpec, arrays: Arrays) -> dict[str, NDArray[np.float32]]:
    """The weights that a file stands for; raises ValueError if they are not those of a spec."""
    found = {}
    for name, shape in shapes(spec).items():
        array = arrays[name]
        if spec.quantized and len(shape) > 1:
            scale = arrays[name + _SCALE]
            if scale.shape != shape[:-1] or scale.dtype != np.float32 or array.dtype != np.int8:
                raise ValueError(f"scales of {name} of shape {scale.shape}")
            array = array.astype(np.float32) * scale[..., None]
        if array.shape != shape or array.dtype != np.float32:
            raise ValueError(f"weights {name} of shape {array.shape}, not {shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"weights {name} that are not numbers")
        found[name] = array
    return found


def quantized(array: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole numbers and the scale of each row."""
    scale = np.maximum(np.abs(array).max(axis=-1), 1e-12).astype(np.float32) / np.float32(127)
    return np.rint(array / scale[..., None]).astype(np.int8), scale
