import numpy as np
from numpy.typing import NDArray

from niwaki.typing import FloatArray, IntArray

ENTRY_WORDS: int
MAX_ORDER: int

def insert(table: NDArray[np.uint64], grams: IntArray, values: NDArray[np.float32]) -> None: ...
def lookup(table: NDArray[np.uint64], grams: IntArray) -> NDArray[np.float32]: ...

class LanguageModel:
    order: int
    words: int
    def __init__(
        self, order: int, unigrams: NDArray[np.float32], table: NDArray[np.uint64]
    ) -> None: ...
    def score(self, words: IntArray, starts: NDArray[np.int64]) -> FloatArray: ...
    def after(self, context: IntArray) -> list[int]: ...
    def following(self, context: IntArray) -> FloatArray: ...
