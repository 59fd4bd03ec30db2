"""A growing table of linear models over hashed features, to learn in."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, int64_t, uint64_t

from niwaki.kernel.scoring cimport Scorer


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
