"""Contracting cycles (see spanning.pyx), for the decoders that need it."""

from libc.stdint cimport int32_t

cdef enum:
    # What is known of a slot.
    UNSEEN
    ON_PATH
    HANGS


# An arc as one number: head * size + dependent.
cdef struct Contraction:
    int n
    int size
    bint single
    # in_scores[d, h] is the best score of an arc from the words of slot h to those of
    # slot d, in_arcs[d, h] that arc; the seconds are kept only for k-best search.
    double* in_scores
    int32_t* in_arcs
    double* second_scores
    int32_t* second_arcs
    # The slots that stand for something, and the path of slots that is being followed.
    int32_t* active
    int count
    int32_t* path
    int32_t* state
    # The forest of contractions: words are nodes 1 to n, contracted cycles the nodes after.
    int32_t* node
    int32_t* parent
    int32_t* entering
    double* offset
    int nodes


cdef Contraction* new_contraction(int n, bint seconds) noexcept nogil
cdef void free_contraction(Contraction* c) noexcept nogil
cdef void load(Contraction* c, const double* arcs, int n, bint single) noexcept nogil
cdef void begin(Contraction* c) noexcept nogil
cdef void contract(Contraction* c, int start, int stop) noexcept nogil
cdef int best_source(const Contraction* c, int slot) noexcept nogil
cdef bint solve(Contraction* c, int32_t* heads) noexcept nogil
cdef double tree_score(const double* arcs, const int32_t* heads, int n) noexcept nogil


cdef inline int start_path(Contraction* c, int slot) noexcept nogil:
    """Begin a path of slots; its length."""
    c.path[0] = slot
    c.state[slot] = ON_PATH
    return 1


cdef inline int extend_path(Contraction* c, int* length, int source) noexcept nogil:
    """Follow a path to the source of its last slot; where on it a cycle begins, -1 if none does.

    What comes to something that hangs on the root hangs there too, and the path is done.
    """
    cdef int i
    if c.state[source] == HANGS:
        for i in range(length[0]):
            c.state[c.path[i]] = HANGS
        length[0] = 0
        return -1
    if c.state[source] == ON_PATH:
        i = length[0] - 1
        while c.path[i] != source:
            i -= 1
        return i
    c.state[source] = ON_PATH
    c.path[length[0]] = source
    length[0] += 1
    return -1
