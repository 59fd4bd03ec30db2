import numpy as np
from numpy.typing import NDArray

def compare_orders(
    starts: NDArray[np.int32],
    system: NDArray[np.int32],
    reference: NDArray[np.int32],
    groups: NDArray[np.int32],
    scored: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> None: ...
