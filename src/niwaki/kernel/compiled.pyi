from typing import Any

import numpy as np
from numpy.typing import NDArray

SLOTS: int
LEAST_ROWS: int
MAX_DENSE: int

class CompiledWeights:
    classes: int
    scale: float
    def __init__(
        self,
        classes: int,
        scale: float,
        fill: NDArray[Any] | None = None,
        prints: NDArray[Any] | None = None,
        counts: NDArray[Any] | None = None,
        entry_classes: NDArray[Any] | None = None,
        entry_weights: NDArray[Any] | None = None,
        *,
        image: dict[str, NDArray[Any]] | None = None,
    ) -> None: ...
    def image(self) -> dict[str, NDArray[Any]]: ...
    def scores(self, keys: NDArray[np.uint64]) -> NDArray[np.float32]: ...
    def find_rows(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]: ...
    def gather(self, rows: NDArray[np.int64], counts: NDArray[np.int32]) -> NDArray[np.int16]: ...

def buckets_of(
    keys: NDArray[Any], buckets: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]: ...
