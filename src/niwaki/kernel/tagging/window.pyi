from niwaki.kernel.features.words import Clusters

KINDS: dict[str, int]

class Memory:
    def __init__(self, width: int) -> None: ...

class Window:
    template_count: int
    lowercase: bool
    def __init__(
        self,
        templates: list[list[tuple[int, int, int]]],
        lowercase: bool = False,
        clusters: Clusters | None = None,
    ) -> None: ...
