"""A heap that grows: what waits for its turn in a k-best search, the best first."""

from libc.stdint cimport int32_t
from libc.stdlib cimport realloc


cdef struct Waiting:
    # Ties go by the three numbers, the smaller first, so that there is always one order.
    double score
    int32_t first
    int32_t second
    int32_t third


cdef struct Heap:
    # All zeros to begin with; who is done frees `items`.
    Waiting* items
    int32_t count
    int32_t room


cdef inline bint goes_before(const Waiting* one, const Waiting* other) noexcept nogil:
    if one.score != other.score:
        return one.score > other.score
    if one.first != other.first:
        return one.first < other.first
    if one.second != other.second:
        return one.second < other.second
    return one.third < other.third


cdef inline bint push(Heap* heap, Waiting new) noexcept nogil:
    """False without memory."""
    cdef int32_t place = heap.count, above
    cdef void* grown
    if place == heap.room:
        grown = realloc(heap.items, (2 * <size_t>heap.room + 4) * sizeof(Waiting))
        if grown == NULL:
            return False
        heap.items = <Waiting*>grown
        heap.room = 2 * heap.room + 4
    heap.count += 1
    while place > 0:
        above = (place - 1) // 2
        if not goes_before(&new, &heap.items[above]):
            break
        heap.items[place] = heap.items[above]
        place = above
    heap.items[place] = new
    return True


cdef inline Waiting pop(Heap* heap) noexcept nogil:
    """Take away the best."""
    cdef Waiting taken = heap.items[0], moved
    cdef int32_t place = 0, below
    heap.count -= 1
    moved = heap.items[heap.count]
    while True:
        below = 2 * place + 1
        if below >= heap.count:
            break
        if below + 1 < heap.count and goes_before(&heap.items[below + 1], &heap.items[below]):
            below += 1
        if not goes_before(&heap.items[below], &moved):
            break
        heap.items[place] = heap.items[below]
        place = below
    heap.items[place] = moved
    return taken
