from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.transition.parser import Parser

def weigh(
    parser: Parser, batch: Batch, attributes: list[NDArray[Any]], width: int, temperature: float
) -> tuple[
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.float32],
    NDArray[np.float32],
    NDArray[np.float32],
    NDArray[np.float32],
    NDArray[np.float32],
]: ...
