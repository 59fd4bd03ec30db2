import numpy as np
from numpy.typing import NDArray

def cooccurrences(
    source_words: NDArray[np.int32],
    source_starts: NDArray[np.int64],
    target_words: NDArray[np.int32],
    target_starts: NDArray[np.int64],
    source_types: int,
    target_types: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]: ...
