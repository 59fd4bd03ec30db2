import numpy as np
from numpy.typing import NDArray

ONE_COUNT: int
LEAST_COUNT: float
LEAST_PROBABILITY: float
LONGEST: int

class Table:
    pairs: int
    longest_source: int
    longest_target: int
    source_words: NDArray[np.int32]
    source_starts: NDArray[np.int64]
    target_words: NDArray[np.int32]
    target_starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: NDArray[np.int32]
    forward: NDArray[np.float32]
    backward: NDArray[np.float32]
    null_forward: NDArray[np.float32]
    null_backward: NDArray[np.float32]
    forward_counts: NDArray[np.int64]
    backward_counts: NDArray[np.int64]
    null_forward_counts: NDArray[np.int64]
    null_backward_counts: NDArray[np.int64]
    def __init__(
        self,
        source_words: NDArray[np.int32],
        source_starts: NDArray[np.int64],
        target_words: NDArray[np.int32],
        target_starts: NDArray[np.int64],
        source_types: int,
        target_types: int,
    ) -> None: ...
    def find(self, sources: NDArray[np.int32], targets: NDArray[np.int32]) -> NDArray[np.int64]: ...
    def clear_counts(self) -> None: ...
    def sum_columns(self, prior: float) -> None: ...
    def maximize(self, first: int, last: int, prior: float) -> None: ...
    def maximize_null(self, prior: float) -> None: ...
    def expect(
        self,
        first: int,
        last: int,
        chain: bool,
        agree: bool,
        empty: NDArray[np.float64],
        jumps: NDArray[np.float64],
        source_classes: NDArray[np.int32],
        target_classes: NDArray[np.int32],
        jump_counts: NDArray[np.int64],
        scores: NDArray[np.float64],
        forward: NDArray[np.float32] | None = None,
        backward: NDArray[np.float32] | None = None,
    ) -> None: ...
