import numpy as np
from numpy.typing import NDArray

class RuleTables:
    """Rules as bits and numbers; see reorder.pyx for what each array holds."""

    width: int
    def __init__(
        self,
        heads: NDArray[np.uint64],
        before: NDArray[np.uint64],
        after: NDArray[np.uint64],
        counts: NDArray[np.uint64],
        needed: NDArray[np.uint64],
        refused: NDArray[np.uint64],
        numbers: NDArray[np.int32],
        tuples: NDArray[np.uint64],
        barriers: NDArray[np.uint64],
        self_ranks: NDArray[np.int32],
        other_ranks: NDArray[np.int32],
        turned: NDArray[np.uint8],
    ) -> None: ...

def reorder(
    tables: RuleTables,
    starts: NDArray[np.int32],
    heads: NDArray[np.int32],
    rows: NDArray[np.int32],
    fitting: NDArray[np.uint64],
    marks: NDArray[np.uint64],
    order: NDArray[np.int32],
    rules: NDArray[np.int32],
    tuples: NDArray[np.int32],
) -> int: ...
def lift(heads: NDArray[np.int32]) -> NDArray[np.int32] | None: ...
