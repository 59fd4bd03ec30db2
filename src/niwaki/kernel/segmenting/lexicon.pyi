import numpy as np
from numpy.typing import NDArray

LONGEST_WORD: int

def hash_of(form: NDArray[np.uint32]) -> int: ...

class Lexicon:
    count: int
    def __init__(
        self, words: NDArray[np.uint64], pieces: NDArray[np.int32] | None = None
    ) -> None: ...

def words_in(
    codes: NDArray[np.uint32],
    lexicon: Lexicon,
    open_pairs: NDArray[np.uint8],
    anywhere: bool = False,
    across: bool = False,
    piece: int = 0,
) -> NDArray[np.uint32]: ...
