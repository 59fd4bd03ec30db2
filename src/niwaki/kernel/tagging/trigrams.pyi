import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.tagging.lexicon import Lexicon

MAX_TAGS: int
RARE: int

class TrigramTagger:
    count: int
    def __init__(
        self,
        lexicon: Lexicon,
        transitions: NDArray[np.float32],
        prior: NDArray[np.float64],
        pairs: list[tuple[int, int]],
        theta: float,
        smoothing: float,
        beam: float,
        lowercase: bool,
    ) -> None: ...
    def tag(
        self, batch: Batch, given_upos: NDArray[np.int32], given_xpos: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32], NDArray[np.float32]]: ...
    def distribution(self, batch: Batch) -> NDArray[np.float32]: ...
