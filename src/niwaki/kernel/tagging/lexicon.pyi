from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch

class Lexicon:
    largest_tag: int
    def __init__(
        self,
        keys: NDArray[Any],
        sizes: NDArray[Any],
        tags: NDArray[Any],
        counts: NDArray[Any],
    ) -> None: ...

def lexical_keys(batch: Batch, lowercase: bool) -> NDArray[np.uint64]: ...
