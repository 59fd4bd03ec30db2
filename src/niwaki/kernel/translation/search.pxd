"""The graph of translations that a search leaves behind."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from niwaki.kernel.graph._heap cimport Heap
from niwaki.kernel.translation._sentence cimport Node, Sentence


cdef struct Arc:
    # A way to a node: an option behind an earlier node; -1 ends the sentence.
    int32_t before
    int32_t option
    int32_t next            # arc of the same node, -1 after the last
    double score            # of the best translation that ends so
    double lm


cdef struct Edge:
    # A group of nodes with the same words covered and the same last phrase's end, and a span.
    int32_t first           # of the group, in the order of nodes
    int32_t last
    int32_t options
    int32_t last_option
    int32_t gap             # what is covered then
    uint64_t mask
    double constant         # what all have in common: the jump and the future


cdef struct Ready:
    # A new node that waits for its turn.
    Node node
    Arc arc


cdef class Search(Sentence):
    cdef readonly int32_t stack
    cdef Node* nodes
    cdef int32_t node_count, node_room
    cdef Arc* arcs
    cdef int32_t arc_count, arc_room
    cdef int32_t* order         # nodes, stack by stack, in groups, the best first
    cdef int32_t* stacks        # where the nodes of each stack begin
    cdef int32_t* slots         # nodes of the stack that is being filled, by their hash
    cdef int64_t slot_count
    cdef Edge* edges
    cdef int32_t edge_count, edge_room
    cdef Ready* ready
    cdef int32_t ready_count, ready_room
    cdef Heap heap

    cdef bint run(self) noexcept nogil
    cdef bint fill(self, int32_t covered) noexcept nogil
    cdef bint add_edges(self, int32_t covered, int32_t length) noexcept nogil
    cdef bint add_edge(self, int32_t first, int32_t last, int32_t begin, int32_t end) noexcept nogil
    cdef bint wait(self, int32_t edge, int32_t row, int32_t column) noexcept nogil
    cdef bint extend(self, int32_t edge, int32_t row, int32_t column) noexcept nogil
    cdef void sort_stack(self, int32_t covered) noexcept nogil
    cdef bint finish(self) noexcept nogil
    cdef bint keep(self, const Node* node, Arc arc, int32_t first) noexcept nogil
    cdef bint same(self, const Node* one, const Node* other) noexcept nogil
    cdef uint64_t hash_of(self, const Node* node) noexcept nogil
    cdef bint widen(self, int32_t first) noexcept nogil
