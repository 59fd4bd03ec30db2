import numpy as np
from numpy.typing import NDArray

MONOTONE: int
SWAP: int
DISCONTINUOUS: int
SOURCE_LENGTH: int
TARGET_LENGTH: int
BEFORE: int
AFTER: int

def extract(
    source_starts: NDArray[np.int64],
    target_starts: NDArray[np.int64],
    links: NDArray[np.int32],
    link_starts: NDArray[np.int64],
    longest_source: int,
    longest_target: int,
) -> tuple[NDArray[np.int32], NDArray[np.uint8]] | None: ...
