"""Linear models over hashed features: a growing table to learn in, a frozen one to run.

Both answer the same question through a `Scorer`: the scores of all classes for a
list of feature keys. A key is 64 bits that are well mixed; 0 is not a key.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    MAX_KEYS = 256      # features of one decision; more could overflow 16-bit sums
    LANES = 4           # decisions that are taken together


# Adds the scores of all classes for some keys.
ctypedef void (*ScoreFunction)(
    const void* table, const uint64_t* keys, int count, float* scores) noexcept nogil


cdef struct Decision:
    # What one of several decisions looks at, and the scores to be added to.
    uint64_t keys[MAX_KEYS]
    int count
    float* scores


# The same for up to LANES decisions, each of which waits for memory while others are computed.
ctypedef void (*ScoreTogetherFunction)(
    const void* table, const Decision* decisions, int count) noexcept nogil


cdef struct Scorer:
    const void* table
    ScoreFunction score
    ScoreTogetherFunction score_together    # NULL: one after the other
    int classes


cdef inline void score_decisions(const Scorer* scorer, const Decision* decisions,
                                 int count) noexcept nogil:
    cdef int d
    if scorer.score_together != NULL:
        scorer.score_together(scorer.table, decisions, count)
        return
    for d in range(count):
        scorer.score(
            scorer.table, decisions[d].keys, decisions[d].count, decisions[d].scores)


cdef struct Entry:
    # Weight of one class in one row.
    float weight
    uint16_t action


cdef struct History:
    # What learning needs to know of an entry, and scoring does not. `total` serves
    # averaging: the average over all ticks of the clock is weight - total / clock.
    # `squares` is AdaGrad's.
    double total
    float squares


cdef struct Row:
    # A place of the index; the row of a key is found by one read, its entries by another.
    uint64_t key        # 0 is free
    uint32_t start      # of its entries in the pool
    uint16_t count
    uint16_t capacity


cdef struct LearnTable:
    Row* rows           # open addressing
    uint32_t* numbers   # of the row at this place, in the order in which they were made
    uint64_t mask
    uint32_t row_count
    Entry* pool
    History* past       # of the entry at the same place of the pool
    uint32_t pool_count
    uint32_t pool_capacity
    double clock
    bint failed         # out of memory: nothing was lost, but nothing more fits
    bint closed         # no new rows
    uint8_t* doorkeeper # how often keys without a row were asked for; NULL: all are let in
    int min_updates        # how often a key must be asked for before it gets a row
    Scorer base         # what was learned before and does not change; `classes` 0: nothing


cdef inline uint64_t place_of(const LearnTable* table, uint64_t key) noexcept nogil:
    """Where a key stands in the index, or the free place where it would stand."""
    cdef uint64_t place = key & table.mask
    while table.rows[place].key != 0 and table.rows[place].key != key:
        place = (place + 1) & table.mask
    return place


cdef void learn_add(LearnTable* table, const uint64_t* keys, int count,
                    int action, float step) noexcept nogil
cdef void learn_gradients(LearnTable* table, const uint64_t* keys, int count,
                          const int* classes, const float* gradients, int class_count,
                          float rate, float damping, float decay=*) noexcept nogil
cdef Scorer scorer_of(object model) except *


cdef class SparseWeights:
    cdef LearnTable table
    cdef Scorer scorer
    cdef readonly int classes
    cdef object base

    cdef _check(self, const uint64_t[::1] keys, int action)
    cdef _take(self, uint64_t places, uint32_t entries)
    cdef void _expect(self, const uint64_t[::1] keys) noexcept nogil


cdef class CompiledWeights:
    cdef Scorer scorer
    cdef readonly int classes
    cdef readonly float scale
    cdef void* table
    cdef void* prints
    cdef void* rows
    cdef uint32_t* starts
    cdef uint16_t* entry_classes
    cdef int8_t* entry_weights
    cdef object held        # arrays that the pointers lead into; None: memory of its own

    cdef _check(self, const uint8_t[::1] fill, const uint16_t[::1] prints,
                const uint16_t[::1] counts, const uint16_t[::1] entry_classes,
                const int8_t[::1] entry_weights)
    cdef _make_dense(self, int width, size_t slots)
    cdef _make_sparse(self, size_t slots, Py_ssize_t entries)
    cdef _point_dense(self, int width, size_t slots)
    cdef _point_sparse(self, size_t slots)
    cdef _lay_over(self, dict image, int width)
    cdef _fill(self, const uint8_t[::1] fill, const uint16_t[::1] prints,
               const uint16_t[::1] counts, const uint16_t[::1] entry_classes,
               const int8_t[::1] entry_weights, int width)
