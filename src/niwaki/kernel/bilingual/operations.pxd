# What operations.pyx offers to other modules of the kernel.

from niwaki.kernel.bilingual.cepts cimport Part, State

cdef enum:
    MOVE_TARGET     # word a to the cept of head b, or to none if b is -1
    MOVE_SOURCE
    SWAP_TARGETS    # the heads of non-heads a and b
    SWAP_SOURCES
    SWAP_LINKS      # of source heads a and b
    LINK            # source word a and target word b
    UNLINK          # source head a and target head b
    KINDS

cdef bint is_legal(State* state, int kind, int a, int b) noexcept nogil
cdef void find_part(State* state, Part* part, int kind, int a, int b) noexcept nogil
cdef void perform(State* state, Part* part, int kind, int a, int b, int* old) noexcept nogil
cdef void revert(State* state, Part* part, int kind, int a, int b, const int* old) noexcept nogil
