from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch

MAX_TAGS: int
RARE: int

class Lexicon:
    largest_tag: int
    def __init__(
        self,
        keys: NDArray[Any],
        sizes: NDArray[Any],
        tags: NDArray[Any],
        counts: NDArray[Any],
    ) -> None: ...

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
    def emissions(self, batch: Batch) -> NDArray[np.float32]: ...

def lexical_keys(batch: Batch, lowercase: bool) -> NDArray[np.uint64]: ...
