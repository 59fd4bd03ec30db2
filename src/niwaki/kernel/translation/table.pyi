import numpy as np
from numpy.typing import NDArray

from niwaki.typing import IntArray

def find_options(
    keys: NDArray[np.int64],
    levels: NDArray[np.int64],
    options: NDArray[np.int64],
    words: IntArray,
) -> tuple[IntArray, NDArray[np.int64]]: ...
def gather(
    starts: NDArray[np.int64], words: IntArray, rows: IntArray
) -> tuple[IntArray, IntArray]: ...
