import numpy as np
from numpy.typing import NDArray

class Columns:
    def __init__(self, attributes: list[NDArray[np.uint32]], count: int, words: int) -> None: ...
