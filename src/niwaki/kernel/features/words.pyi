import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch

ATTRIBUTE_NAMES: tuple[str, ...]

class Clusters:
    count: int
    def __init__(self, lines: bytes) -> None: ...

def word_values(
    batch: Batch, names: list[str], lowercase: bool, clusters: Clusters | None
) -> list[NDArray[np.uint32]]: ...
def analyse(
    text: bytes, lowercase: bool = False, clusters: Clusters | None = None
) -> tuple[dict[str, int], list[int]]: ...
