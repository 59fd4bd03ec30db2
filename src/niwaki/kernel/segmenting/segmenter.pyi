import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.compiled import CompiledWeights
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.segmenting.contexts import Templates
from niwaki.kernel.segmenting.lexicon import Lexicon

UNDECIDED_CHUNKS: int
UNDECIDED_CHUNKS_KNOWN: int
UNDECIDED_TOKENS: int
PAIR_KINDS: int
ENDING_COUNT: int

Arrays = tuple[
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.uint8],
    NDArray[np.uint8],
    NDArray[np.int32],
    NDArray[np.uint8],
]

class Segmenter:
    def __init__(
        self,
        model: SparseWeights | CompiledWeights,
        split_model: SparseWeights | CompiledWeights | None,
        boundaries: Templates,
        sentences: Templates,
        splits: Templates,
        open_pairs: NDArray[np.uint8],
        split_endings: NDArray[np.uint8],
        shortest: NDArray[np.int32],
        joins: Templates | None = None,
        cuts: Templates | None = None,
        lexicon: Lexicon | None = None,
    ) -> None: ...
    def segment(
        self, codes: NDArray[np.uint32], final: bool = True, by_lines: bool = False
    ) -> Arrays: ...
    def learn(
        self,
        codes: NDArray[np.uint32],
        gold: NDArray[np.uint8],
        rules: NDArray[np.int32],
        cuts: NDArray[np.uint8],
        rate: float,
        damping: float,
        piece: int = 0,
    ) -> tuple[int, int]: ...

def ending_of(form: NDArray[np.uint32]) -> int: ...
