import numpy as np
from numpy.typing import NDArray

def decode(
    arcs: NDArray[np.float64],
    siblings: NDArray[np.float64] | None,
    lengths: NDArray[np.int32],
    single_root: bool,
    heads: NDArray[np.int32],
) -> int: ...
