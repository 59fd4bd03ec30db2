from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.compiled import CompiledWeights

MAX_FEATURES: int

class SparseWeights:
    classes: int
    clock: float
    def __init__(
        self, classes: int, min_updates: int = 1, base: CompiledWeights | None = None
    ) -> None: ...
    def __len__(self) -> int: ...
    def close(self) -> None: ...
    def tick(self) -> None: ...
    def scores(self, keys: NDArray[np.uint64]) -> NDArray[np.float32]: ...
    def add(self, keys: NDArray[np.uint64], action: int, step: float) -> None: ...
    def climb(
        self, keys: NDArray[np.uint64], action: int, gradient: float, rate: float, damping: float
    ) -> None: ...
    def check_memory(self) -> None: ...
    def export(self) -> dict[str, NDArray[Any]]: ...
    def restore(
        self,
        keys: NDArray[Any],
        counts: NDArray[Any],
        classes: NDArray[Any],
        weights: NDArray[Any],
        totals: NDArray[Any],
        squares: NDArray[Any],
        clock: NDArray[Any],
        doorkeeper: NDArray[Any] | None = None,
    ) -> None: ...
    def add_multiple(
        self,
        keys: NDArray[Any],
        counts: NDArray[Any],
        classes: NDArray[Any],
        weights: NDArray[Any],
        totals: NDArray[Any],
        squares: NDArray[Any],
        share: float,
        of_weights: float,
        of_totals: float,
    ) -> None: ...
    def copy(self, other: SparseWeights) -> None: ...
    def twin(self) -> SparseWeights: ...
    def changes(self, start: SparseWeights) -> dict[str, NDArray[Any]]: ...
    def add_changes(
        self,
        keys: NDArray[Any],
        counts: NDArray[Any],
        classes: NDArray[Any],
        weights: NDArray[Any],
        totals: NDArray[Any],
        squares: NDArray[Any],
        clock: NDArray[Any],
        asked_at: NDArray[Any] | None = None,
        asked: NDArray[Any] | None = None,
    ) -> None: ...
