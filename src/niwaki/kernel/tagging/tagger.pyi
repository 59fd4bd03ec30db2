import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.compiled import CompiledWeights
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.tagging.window import Window

MAX_TAGS: int

class Tagger:
    upos_count: int
    columns: int
    def __init__(
        self,
        model: SparseWeights | CompiledWeights,
        window: Window,
        pairs: list[tuple[int, int]],
        upos_count: int,
        pair_values: list[int],
    ) -> None: ...
    def tag(
        self, batch: Batch, given_upos: NDArray[np.int32], given_xpos: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32], NDArray[np.float32]]: ...
    def distribution(self, batch: Batch) -> NDArray[np.float32]: ...
    def learn(
        self,
        batch: Batch,
        gold: NDArray[np.int32],
        order: NDArray[np.int32],
        rate: float,
        damping: float,
        margin: float,
    ) -> tuple[int, int]: ...
