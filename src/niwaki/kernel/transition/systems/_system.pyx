"""What a transition system is: states that share their past, and a record of functions."""


MOVE_NAMES = ("shift", "left", "right", "reduce", "swap", "root")


cdef class System:
    """A named transition system. Each module of this folder makes one and calls it SYSTEM."""

    def __init__(self, str name not None, tuple moves not None, *, bint knows_heads=False,
                 bint sees_front_children=False, bint nonprojective=False,
                 bint root_is_optional=False):
        self.name, self.moves = name, moves
        self.knows_heads, self.sees_front_children = knows_heads, sees_front_children
        self.nonprojective, self.root_is_optional = nonprojective, root_is_optional
