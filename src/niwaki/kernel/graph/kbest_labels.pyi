import numpy as np
from numpy.typing import NDArray

def kbest(
    choices: NDArray[np.float64],
    rows: NDArray[np.int32],
    best: NDArray[np.float64],
    chosen: NDArray[np.int32],
    ranks: NDArray[np.int32],
    scores: NDArray[np.float64],
) -> int: ...
