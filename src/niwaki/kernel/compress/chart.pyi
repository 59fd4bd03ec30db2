import numpy as np
from numpy.typing import NDArray

from niwaki.typing import FloatArray, IntArray

KEPT: int
PROMOTING: int
KEPT_BELOW: int
PROMOTING_BELOW: int

class Chart:
    best: FloatArray
    def __init__(self, heads: IntArray, scores: FloatArray, kinds: IntArray) -> None: ...
    def kept(self, first: int, second: int) -> NDArray[np.uint8]: ...
