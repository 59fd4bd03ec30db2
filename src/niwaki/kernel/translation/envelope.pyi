import numpy as np
from numpy.typing import NDArray

from niwaki.typing import FloatArray

def envelopes(
    intercepts: FloatArray,
    slopes: FloatArray,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], FloatArray]: ...
