from niwaki.kernel.translation.search import Search
from niwaki.typing import FloatArray

VALUES: int

class Paths:
    def __init__(self, search: Search) -> None: ...
    def next(self) -> tuple[list[int], FloatArray, float] | None: ...
