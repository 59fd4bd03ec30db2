"""What a transition system is: states that share their past, and a record of functions."""


MOVE_NAMES = ("shift", "left", "right", "reduce", "swap", "root")


cdef class System:
    """A named transition system. Each module of this folder makes one and calls it SYSTEM."""
