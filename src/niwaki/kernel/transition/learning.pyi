import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.transition.parser import Parser

class TransitionLearner:
    parser: Parser
    def __init__(
        self, parser: Parser, class_of: dict[tuple[int, int], int], just_enough: bool = False
    ) -> None: ...
    def learn_greedily(
        self,
        batch: Batch,
        attributes: list[NDArray[np.uint32]],
        heads: NDArray[np.int32],
        labels: NDArray[np.int32],
        order: NDArray[np.int32],
        margin: float,
        explore: float,
        random: NDArray[np.uint64],
    ) -> tuple[int, int]: ...
    def learn_with_beam(
        self,
        batch: Batch,
        attributes: list[NDArray[np.uint32]],
        heads: NDArray[np.int32],
        labels: NDArray[np.int32],
        order: NDArray[np.int32],
        width: int,
        max_violation: bool,
        margin: float,
    ) -> tuple[int, int, int]: ...
    def update(
        self,
        batch: Batch,
        s: int,
        attributes: list[NDArray[np.uint32]],
        better: NDArray[np.uint8],
        worse: NDArray[np.uint8],
        step: float = 1.0,
    ) -> None: ...
    def distance(
        self,
        batch: Batch,
        s: int,
        attributes: list[NDArray[np.uint32]],
        better: NDArray[np.uint8],
        worse: NDArray[np.uint8],
    ) -> float: ...
