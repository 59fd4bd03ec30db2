import numpy as np
from numpy.typing import NDArray

KIND_NAMES: tuple[str, ...]

def kind_and_fold(code: int) -> tuple[int, int]: ...

class Text:
    length: int
    chunk_count: int
    def __init__(self, codes: NDArray[np.uint32], by_lines: bool = False) -> None: ...
    def chunk_list(self) -> list[tuple[int, int, int]]: ...
