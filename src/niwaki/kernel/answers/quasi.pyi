import numpy as np
from numpy.typing import NDArray

from niwaki.typing import FloatArray, IntArray

HEAD: int
TAG: int
ENTITY: int
LABEL: int
FIXED_CONFIGURATIONS: int
RELATION_SETS: int

class Grammar:
    def __init__(
        self,
        tags: FloatArray,
        entities: FloatArray,
        labels: FloatArray,
        words: FloatArray,
        alpha: float,
    ) -> None: ...
    def scores(
        self,
        asked: IntArray,
        asked_starts: IntArray,
        given: IntArray,
        given_starts: IntArray,
        pairs: IntArray,
        related: NDArray[np.uint16],
        related_starts: NDArray[np.int64],
        best: bool,
        counts: tuple[FloatArray, ...] | None = None,
    ) -> FloatArray: ...
