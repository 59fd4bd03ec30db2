"""The best translations of a search's graph, one after the other (k best, lazily).

A way back from the end stands at an arc of a node: what comes behind it is decided, and what comes
before it will be the best, whose score the arc knows. The best way back that waits is taken; the
node's next best arc then waits instead of it, and before the arc the best arc of the earlier node.
"""

import numpy as np

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, qsort, realloc
from libc.string cimport memset

from niwaki.kernel.graph._heap cimport Heap, Waiting, pop, push
from niwaki.kernel.translation.search cimport Arc, Search

# The values of a path beside its options': language model, distance, six orientations, jumps.
VALUES = 9


cdef struct Way:
    int32_t node
    int32_t rank            # of the arc among the node's
    int32_t behind          # the way that goes on, -1 at the end
    double after            # the score of what comes behind the node


cdef struct Ranked:
    double score
    int32_t arc


cdef int by_score(const void* one, const void* other) noexcept nogil:
    cdef const Ranked* a = <const Ranked*>one
    cdef const Ranked* b = <const Ranked*>other
    if a.score != b.score:
        return -1 if a.score > b.score else 1
    return a.arc - b.arc


cdef class Paths:
    """Gives a path whenever it is asked, the best first."""

    cdef Search search
    cdef Heap heap
    cdef Way* ways
    cdef int32_t count, room
    cdef int32_t** ranks        # arcs of each node, the best first; NULL until asked for
    cdef int32_t* sizes

    def __cinit__(self, Search search not None):
        cdef size_t nodes = search.node_count
        self.search = search
        memset(&self.heap, 0, sizeof(Heap))
        self.ways, self.count, self.room = NULL, 0, 0
        self.ranks, self.sizes = NULL, NULL
        if nodes == 0:
            raise ValueError("a search that was not made")
        self.ranks = <int32_t**>malloc(nodes * sizeof(int32_t*))
        self.sizes = <int32_t*>malloc(nodes * sizeof(int32_t))
        if self.ranks == NULL or self.sizes == NULL:
            raise MemoryError
        memset(self.ranks, 0, nodes * sizeof(int32_t*))
        if not self.wait(search.node_count - 1, 0, -1, 0):
            raise MemoryError

    def __dealloc__(self):
        cdef int32_t node
        if self.ranks != NULL:
            for node in range(self.search.node_count):
                free(self.ranks[node])
        free(self.ranks)
        free(self.sizes)
        free(self.ways)
        free(self.heap.items)

    cdef bint rank(self, int32_t node) noexcept nogil:
        """Sort the arcs of a node."""
        cdef int32_t arc = self.search.nodes[node].arcs, size = 0
        cdef Ranked* items
        while arc >= 0:
            size += 1
            arc = self.search.arcs[arc].next
        items = <Ranked*>malloc((size + 1) * sizeof(Ranked))
        self.ranks[node] = <int32_t*>malloc((size + 1) * sizeof(int32_t))
        if items == NULL or self.ranks[node] == NULL:
            free(items)
            return False
        self.sizes[node] = size
        arc, size = self.search.nodes[node].arcs, 0
        while arc >= 0:
            items[size].score, items[size].arc = self.search.arcs[arc].score, arc
            size += 1
            arc = self.search.arcs[arc].next
        qsort(items, size, sizeof(Ranked), by_score)
        for arc in range(size):
            self.ranks[node][arc] = items[arc].arc
        free(items)
        return True

    cdef bint wait(self, int32_t node, int32_t rank, int32_t behind, double after) noexcept nogil:
        cdef void* grown
        cdef Waiting new
        if self.ranks[node] == NULL and not self.rank(node):
            return False
        if rank >= self.sizes[node]:
            return True
        if self.count == self.room:
            grown = realloc(self.ways, (2 * <size_t>self.room + 64) * sizeof(Way))
            if grown == NULL:
                return False
            self.ways, self.room = <Way*>grown, 2 * self.room + 64
        self.ways[self.count].node, self.ways[self.count].rank = node, rank
        self.ways[self.count].behind, self.ways[self.count].after = behind, after
        new.score = self.search.arcs[self.ranks[node][rank]].score + after
        new.first, new.second, new.third = self.count, 0, 0
        self.count += 1
        return push(&self.heap, new)

    cdef int32_t advance(self, double* score) noexcept nogil:
        """The next way that has come to the beginning; -1 if there is none, -2 without memory."""
        cdef Waiting found
        cdef Way way
        cdef const Arc* arc
        cdef double after
        while self.heap.count:
            found = pop(&self.heap)
            way = self.ways[found.first]
            arc = &self.search.arcs[self.ranks[way.node][way.rank]]
            if not self.wait(way.node, way.rank + 1, way.behind, way.after):
                return -2
            if arc.before == 0:
                score[0] = found.score
                return found.first
            after = way.after + arc.score - self.search.nodes[arc.before].score
            if not self.wait(arc.before, 0, found.first, after):
                return -2
        return -1

    def next(self):
        """Options in the order of the translation, values, and the score; None after the last.

        Values are sums along the path: the language model's logarithms, the distance (not above
        0), logarithms of six orientations and of classes of jumps.
        """
        cdef double score = 0
        cdef int32_t way, at
        with nogil:
            way = self.advance(&score)
        if way == -2:
            raise MemoryError
        if way < 0:
            return None
        values_array = np.zeros(VALUES)
        cdef double[::1] values = values_array
        cdef const Arc* arc
        options = []
        while way >= 0:
            at = self.ways[way].node
            arc = &self.search.arcs[self.ranks[at][self.ways[way].rank]]
            values[0] += arc.lm
            self.search.reordering(&self.search.nodes[arc.before], arc.option, &values[1])
            if arc.option >= 0:
                options.append(arc.option)
            way = self.ways[way].behind
        return options, values_array, score
