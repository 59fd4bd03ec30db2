import numpy as np
from numpy.typing import NDArray

def improve(
    arcs: NDArray[np.float64],
    siblings: NDArray[np.float64],
    lengths: NDArray[np.int32],
    single_root: bool,
    heads: NDArray[np.int32],
) -> None: ...
def scores(
    arcs: NDArray[np.float64],
    siblings: NDArray[np.float64],
    lengths: NDArray[np.int32],
    heads: NDArray[np.int32],
    totals: NDArray[np.float64],
) -> None: ...
