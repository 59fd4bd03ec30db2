import numpy as np
from numpy.typing import NDArray

def kbest(
    arcs: NDArray[np.float64],
    siblings: NDArray[np.float64] | None,
    n: int,
    single_root: bool,
    trees: NDArray[np.int32],
    scores: NDArray[np.float64],
) -> int: ...
