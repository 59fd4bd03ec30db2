SLOT_NAMES: tuple[str, ...]
KINDS: dict[str, int]
NODES: tuple[str, ...]
NEIGHBOURS: tuple[tuple[str, str], ...]

class Program:
    template_count: int
    attribute_count: int
    uses_links: bool
    def __init__(
        self, templates: list[list[tuple[int, int, int, int]]], attribute_count: int
    ) -> None: ...
