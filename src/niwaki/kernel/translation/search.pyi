import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.translation._sentence import Sentence
from niwaki.kernel.translation.language_model import LanguageModel
from niwaki.typing import FloatArray, IntArray

LARGEST_LIMIT: int

class Search(Sentence):
    stack: int
    score: float
    def __init__(
        self,
        lm: LanguageModel,
        n: int,
        spans: IntArray,
        scores: FloatArray,
        word_starts: IntArray,
        words: IntArray,
        lm_words: IntArray,
        lm_weight: float,
        distance_weight: float,
        limit: int,
        stack: int,
        msd: tuple[NDArray[np.float32], FloatArray] | None = None,
        jumps: tuple[NDArray[np.float32], NDArray[np.float32], float] | None = None,
    ) -> None: ...
