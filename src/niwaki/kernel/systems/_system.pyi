MOVE_NAMES: tuple[str, ...]

class System:
    name: str
    moves: tuple[str, ...]
