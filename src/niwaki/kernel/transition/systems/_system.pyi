MOVE_NAMES: tuple[str, ...]

class System:
    name: str
    moves: tuple[str, ...]
    knows_heads: bool
    sees_front_children: bool
    nonprojective: bool
    root_is_optional: bool
