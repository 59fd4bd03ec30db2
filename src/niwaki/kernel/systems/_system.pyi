MOVE_NAMES: tuple[str, ...]

class System:
    name: str
    moves: tuple[str, ...]
    knows_heads: bool
    knows_front: bool
    crosses: bool
