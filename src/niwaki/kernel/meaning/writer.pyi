class Writer:
    def __init__(
        self, connectives: list[bytes], uncovered: int, collection: bytes, deepest: int
    ) -> None: ...
    def learn(
        self,
        label: bytes,
        up: int,
        place: int,
        rank: int,
        brackets: list[tuple[bytes, bytes, list[tuple[int, bytes]]]],
    ) -> None: ...
    def learn_silent(self, label: bytes) -> None: ...
    def write(self, source: bytes) -> bytes | None: ...
