# What chain.pyx offers to other modules of the kernel.

from libc.stdint cimport int32_t, int64_t

cdef extern from *:
    """
    #define NIWAKI_COUNT_SCALE 4294967296.0
    """
    # Expected counts are kept as multiples of 1 / SCALE.
    const double SCALE "NIWAKI_COUNT_SCALE"

cdef struct Room:
    # Work space of one pair with I source and J target words. Tables of a direction
    # have a line per step: emission[0] is J x I, emission[1] is I x J.
    int64_t* entries        # I x J: where a source and a target word stand in the table
    double* emission[2]
    double* null[2]         # emission of the null word, by step
    double* posterior[2]
    double* empty[2]        # posterior of the null word, by step
    double* before          # (steps + 1) x (states + 1): probability of the past, by last state
    double* after           # states + 1: probability of the future given the last state
    double* next_after
    double* pull            # states: what a step's jump leads to
    double* move            # (states + 1) x states: transition probabilities
    double* moved           # the same, expected counts
    double* end             # states + 1: factor of the last state


cdef struct Jumps:
    # Weights of a direction's jumps: a row a class, 2 * limit + 1 distances each.
    # Row 0 is for the first jump (from place -1), the last row for the distance from
    # the last state to the end, the others belong to the classes of the state's word.
    const double* weights
    int64_t* counts
    int limit
    int rows


cdef inline int64_t fixed(double count) noexcept nogil:
    return <int64_t>(count * SCALE + 0.5)


cdef int make_room(Room* room, int sources, int targets) noexcept nogil
cdef void free_room(Room* room) noexcept nogil
cdef double run_bag(Room* room, int d, int states, int steps, double empty) noexcept nogil
cdef double run_chain(Room* room, int d, int states, int steps, double empty, Jumps* jump,
                      const int32_t* classes, const int32_t* words) noexcept nogil
