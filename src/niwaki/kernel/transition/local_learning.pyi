import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.transition.learning import TransitionLearner

class LocalLearner(TransitionLearner):
    def learn_locally(
        self,
        batch: Batch,
        attributes: list[NDArray[np.uint32]],
        heads: NDArray[np.int32],
        labels: NDArray[np.int32],
        order: NDArray[np.int32],
        hinge: bool,
        rate: float,
        damping: float,
        decay: float,
        least: float,
    ) -> tuple[int, int, float, int]: ...
