import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

class TreeSums:
    def sums(
        self,
        arcs: Floats,
        costs: Floats | None,
        lengths: NDArray[np.int32],
        single_root: bool,
        marginals: Floats,
        slopes: Floats | None,
        log_sums: Floats,
        expected: Floats,
        entropies: Floats,
    ) -> int: ...
    def samples(
        self,
        arcs: Floats,
        n: int,
        single_root: bool,
        uniforms: Floats,
        heads: NDArray[np.int32],
    ) -> bool: ...
