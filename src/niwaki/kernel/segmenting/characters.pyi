import numpy as np
from numpy.typing import NDArray

KIND_NAMES: tuple[str, ...]

def kinds_of(codes: NDArray[np.uint32]) -> NDArray[np.uint8]: ...

class Text:
    length: int
    chunk_count: int
    def __init__(self, codes: NDArray[np.uint32], by_lines: bool = False) -> None: ...
