"""Names of the arrays that go from room to room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]
# Arrays by name: what checkpoints and model files keep.
Arrays = Mapping[str, NDArray[Any]]
