from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.compiled import CompiledWeights
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.transition.features import Program
from niwaki.kernel.transition.systems import System

MAX_LABELLED_MOVES: int

class Space: ...

class Parser:
    system: System
    program: Program
    class_count: int
    root_label: int
    def __init__(
        self,
        system: System,
        program: Program,
        model: SparseWeights | CompiledWeights,
        classes: list[tuple[int, int]],
        root_label: int,
        rare: dict[tuple[int, int], int],
        rare_attribute: int,
    ) -> None: ...
    def parse(
        self, batch: Batch, attributes: list[NDArray[np.uint32]], width: int = 1
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
    def kbest(
        self,
        batch: Batch,
        s: int,
        attributes: list[NDArray[np.uint32]],
        k: int,
        width: int,
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float32], list[NDArray[np.uint8]]]: ...
    def follow(
        self,
        batch: Batch,
        s: int,
        attributes: list[NDArray[np.uint32]],
        moves: NDArray[np.uint8],
    ) -> tuple[float, NDArray[np.uint64]]: ...
