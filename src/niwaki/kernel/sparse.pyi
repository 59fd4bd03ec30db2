import numpy as np
from numpy.typing import NDArray

class SparseRows:
    def __init__(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.int32],
        values: NDArray[np.float64],
        width: int,
    ) -> None: ...
    def times(self, vector: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def transposed_times(self, vector: NDArray[np.float64]) -> NDArray[np.float64]: ...
