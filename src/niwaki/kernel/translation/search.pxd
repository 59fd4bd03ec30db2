"""The graph of translations that a search leaves behind."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from niwaki.kernel.graph._heap cimport Heap
from niwaki.kernel.translation.language_model cimport LanguageModel, LMState

cdef enum:
    CLASSES = 4             # of jumps
    ORIENTATIONS = 3
    MOST_JUMP = 64          # covered words beyond the first gap are bits of one number


cdef struct Node:
    # Partial translations that can go on in the same ways; `score` is the best one's.
    double score
    uint64_t mask           # bit k: word gap + 1 + k is covered
    int32_t gap             # the first word that is not covered
    int32_t begin           # of the last phrase
    int32_t end
    int32_t option
    int32_t arcs            # the last arc that came
    int32_t words[2]        # of the target: the last one, and the one before; -1 if unknown
    LMState state


cdef struct Arc:
    # A way to a node: an option behind an earlier node; -1 ends the sentence.
    int32_t before
    int32_t option
    int32_t next            # arc of the same node, -1 after the last
    double score            # of the best translation that ends so
    double lm


cdef struct Option:
    int32_t begin
    int32_t end
    int32_t number          # as it was given
    double static_score
    double estimate         # with the language model's, out of context


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


cdef class Search:
    cdef LanguageModel lm
    cdef readonly int32_t n, limit, stack
    cdef int32_t count, longest
    cdef const int32_t[::1] word_starts, lm_words, words
    cdef const float[:, ::1] msd
    cdef const double[::1] msd_weights
    cdef const float[:, ::1] jump_source
    cdef const float[:, :, ::1] jump_target
    cdef bint has_msd, has_jumps
    cdef double lm_weight, distance_weight, jump_weight
    cdef Option* options
    cdef int32_t* places        # of options in `options`, by number
    cdef int32_t* spans         # where those of each begin and length begin
    cdef double* best           # future scores: by begin and length
    cdef double* rest           # from a word to the end
    cdef int32_t window
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

    cdef bint prepare(self) noexcept nogil
    cdef void future_scores(self) noexcept nogil
    cdef double future(self, int32_t gap, uint64_t mask) noexcept nogil
    cdef bint run(self) noexcept nogil
    cdef bint fill(self, int32_t covered) noexcept nogil
    cdef bint add_edges(self, int32_t covered, int32_t length) noexcept nogil
    cdef bint add_edge(self, int32_t first, int32_t last, int32_t begin, int32_t end) noexcept nogil
    cdef bint wait(self, int32_t edge, int32_t row, int32_t column) noexcept nogil
    cdef bint extend(self, int32_t edge, int32_t row, int32_t column) noexcept nogil
    cdef void sort_stack(self, int32_t covered) noexcept nogil
    cdef bint finish(self) noexcept nogil
    cdef double reordering(self, const Node* before, int32_t option, double* parts) noexcept nogil
    cdef double jump(self, const Node* before, int32_t begin) noexcept nogil
    cdef bint keep(self, const Node* node, Arc arc, int32_t first) noexcept nogil
    cdef bint same(self, const Node* one, const Node* other) noexcept nogil
    cdef uint64_t hash_of(self, const Node* node) noexcept nogil
    cdef bint widen(self, int32_t first) noexcept nogil
