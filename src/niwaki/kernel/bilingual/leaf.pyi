from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.bilingual.alignment import Table

WEIGHTS: int
LONGEST_MOVE: int
LARGEST_CEPT: int

class Climber:
    pairs: int
    def __init__(
        self,
        table: Table,
        source_classes: NDArray[np.int32],
        target_classes: NDArray[np.int32],
        forward: Mapping[str, NDArray[Any]],
        backward: Mapping[str, NDArray[Any]],
    ) -> None: ...
    def climb(
        self,
        first: int,
        last: int,
        weights: NDArray[np.float64],
        source_heads: NDArray[np.int32],
        target_heads: NDArray[np.int32],
        mates: NDArray[np.int32],
        scores: NDArray[np.float64],
    ) -> None: ...
    def features(
        self,
        first: int,
        last: int,
        source_heads: NDArray[np.int32],
        target_heads: NDArray[np.int32],
        mates: NDArray[np.int32],
    ) -> NDArray[np.float64]: ...
    def neighbours(
        self,
        pair: int,
        most: int,
        weights: NDArray[np.float64],
        source_heads: NDArray[np.int32],
        target_heads: NDArray[np.int32],
        mates: NDArray[np.int32],
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]: ...
