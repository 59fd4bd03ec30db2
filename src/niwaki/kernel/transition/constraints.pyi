from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.transition.parser import Parser

MAX_WORDS: int

class Chart:
    def __init__(
        self,
        arcs: NDArray[np.uint8],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        weights: NDArray[np.int64],
    ) -> None: ...
    def tree(self) -> NDArray[np.int32] | None: ...

class Limits:
    n: int
    def __init__(
        self,
        arcs: NDArray[np.uint8],
        left: NDArray[np.int32],
        right: NDArray[np.int32],
        classes: NDArray[np.uint8],
        heads: NDArray[np.int32],
        subtrees: NDArray[np.uint8],
        exactly: bool = False,
    ) -> None: ...
    def kbest(
        self,
        parser: Parser,
        batch: Batch,
        s: int,
        attributes: list[NDArray[np.uint32]],
        k: int,
        width: int,
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float32], NDArray[np.uint8]]: ...
