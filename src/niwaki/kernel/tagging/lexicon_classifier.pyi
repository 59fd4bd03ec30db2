from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.compiled import CompiledWeights
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.tagging.window import Window

class Candidates:
    count: int
    def __init__(self, keys: NDArray[Any], counts: NDArray[Any], classes: NDArray[Any]) -> None: ...
    def largest_class(self) -> int: ...

class Factors:
    classes: int
    def __init__(self, counts: NDArray[np.uint16], columns: NDArray[np.uint16]) -> None: ...
    def largest_column(self) -> int: ...

class LexiconClassifier:
    def __init__(
        self,
        model: SparseWeights | CompiledWeights,
        window: Window,
        levels: Window,
        candidates: Candidates,
        factors: Factors | None = None,
    ) -> None: ...
    def choose(
        self, batch: Batch, tags: NDArray[np.uint64], feats: NDArray[np.uint64] | None = None
    ) -> NDArray[np.int32]: ...
    def learn(
        self,
        batch: Batch,
        tags: NDArray[np.uint64],
        gold: NDArray[np.int32],
        order: NDArray[np.int32],
        rate: float,
        damping: float,
        feats: NDArray[np.uint64] | None = None,
    ) -> tuple[int, int]: ...
    def level_keys(self, batch: Batch, tags: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
