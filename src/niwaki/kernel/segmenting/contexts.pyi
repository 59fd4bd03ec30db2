BOUNDARY_VALUES: tuple[str, ...]
JOIN_VALUES: tuple[str, ...]
CUT_VALUES: tuple[str, ...]
SENTENCE_VALUES: tuple[str, ...]
SPLIT_VALUES: tuple[str, ...]

class Templates:
    count: int
    def __init__(self, templates: list[list[int]], kind: int, value_count: int) -> None: ...
