import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.graph.arcs import ArcModel
from niwaki.kernel.linear import SparseWeights

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

class ArcLearner:
    model: ArcModel
    def __init__(
        self,
        model: ArcModel,
        learner: SparseWeights,
        batch: Batch,
        attributes: list[NDArray[np.uint32]],
    ) -> None: ...
    def add(self, s: int, parts: Ints, classes: Ints, steps: NDArray[np.float32]) -> None: ...
    def climb(
        self,
        s: int,
        parts: Ints,
        gradients: Floats,
        least: float,
        fresh: float,
        rate: float,
        damping: float,
    ) -> None: ...
    def keep_rows(self, most_bytes: int) -> bool: ...
    def dense_scores(self, s: int, weights: Floats) -> Floats: ...
    def dense_add(self, s: int, coefficients: Floats, out: Floats) -> None: ...
