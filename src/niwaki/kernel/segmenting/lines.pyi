import numpy as np
from numpy.typing import NDArray

def render(
    codes: NDArray[np.uint32],
    offset: int,
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    gaps: NDArray[np.uint8],
    rules: NDArray[np.int32],
    first: int,
    stop: int,
    words: dict[int, list[tuple[bytes, int, int]]],
    comments: bytes,
) -> bytes: ...
