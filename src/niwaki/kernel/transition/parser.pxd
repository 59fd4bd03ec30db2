"""Greedy and beam search over a transition system."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from niwaki.kernel.transition.features cimport Context, Program
from niwaki.kernel.scoring cimport Decision, Scorer
from niwaki.kernel.transition.systems._system cimport MOVES, Functions, State, System

cdef enum:
    MAX_CLASSES = 256
    MASKS = 1 << 6          # sets of legal moves (1 << MOVES)
    WAIT = -1               # instead of a labelled move: what a finished state does in a beam


cdef struct Choice:
    # A labelled move that could be made next.
    float score
    int32_t parent          # index in the beam
    int32_t action


cdef inline bint worse(const Choice* one, const Choice* other) noexcept nogil:
    """A total order, so that ties are always resolved in the same way."""
    if one.score != other.score:
        return one.score < other.score
    if one.parent != other.parent:
        return one.parent > other.parent
    return one.action > other.action


cdef void sink(Choice* heap, int place, int count) noexcept nogil
cdef void rise(Choice* heap, int place) noexcept nogil
cdef void sort_choices(Choice* heap, int count) noexcept nogil


cdef inline void keep_best(Choice* heap, int* count, int width, const Choice* choice) noexcept nogil:
    """Add a choice to a heap of the best `width`, whose worst is at 0."""
    if count[0] < width:
        heap[count[0]] = choice[0]
        count[0] += 1
        rise(heap, count[0] - 1)
    elif worse(&heap[0], choice):
        heap[0] = choice[0]
        sink(heap, 0, count[0])


cdef class Space:
    # What one thread needs while parsing. States are laid out step by step.
    cdef State* states
    cdef size_t capacity
    cdef uint32_t* values
    cdef size_t value_capacity
    cdef Choice* heap
    cdef int heap_capacity
    cdef bint all_wait      # the last step of the beam changed nothing: all states are finished

    cdef bint reserve(self, size_t states, size_t values, int width) noexcept nogil


cdef class Parser:
    cdef readonly System system
    cdef readonly Program program
    cdef Functions functions
    cdef Scorer scorer
    cdef object model
    cdef readonly int class_count
    cdef readonly int root_label
    cdef int known_moves                    # those that have classes, as bits
    cdef int class_move[MAX_CLASSES]
    cdef int class_label[MAX_CLASSES]       # -1: one of the rare labels, found by `rare`
    cdef uint8_t legal_classes[MASKS][MAX_CLASSES]
    cdef int legal_count[MASKS]
    cdef int rare_attribute
    cdef uint64_t* rare_keys                # (class, value of the dependent), sorted
    cdef int32_t* rare_labels
    cdef int rare_count
    cdef list idle

    cdef Space space(self)
    cdef bint open_sentence(self, Space space, const uint32_t** columns, int32_t start, int n,
                            int width, Context* context) noexcept nogil
    cdef int legal(self, const State* state, int n) noexcept nogil
    cdef int steps(self, int n) noexcept nogil
    cdef size_t value_room(self, const uint32_t** columns, int32_t start, int n) noexcept nogil
    cdef void place_values(self, const uint32_t** columns, int32_t start, int n, uint32_t* values,
                           Context* context) noexcept nogil
    cdef void prepare(self, const Context* context, const State* state, Decision* decision,
                      float* scores) noexcept nogil
    cdef void score(self, const Context* context, const State* state, float* scores) noexcept nogil
    cdef int label_of(self, const Context* context, const State* state, int action) noexcept nogil
    cdef void advance(self, const Context* context, const State* state, int action, float score,
                      State* out) noexcept nogil
    cdef const State* search(self, Space space, const Context* context, int width,
                             int* found) noexcept nogil
    cdef bint parse_together(self, Space space, const uint32_t** columns, const int32_t* starts,
                             const int64_t* group, int count, int32_t* heads,
                             int32_t* labels) noexcept nogil
    cdef int go_to_choice(self, const Context* context, State** state) noexcept nogil
    cdef bint parse_with_beam(self, Space space, const uint32_t** columns, const int32_t* starts,
                              int64_t s, int width, int32_t* heads,
                              int32_t* labels) noexcept nogil
    cdef void step_greedily(self, const Context* context, const State* now, int mask,
                            const float* scores, State* after) noexcept nogil
    cdef int step_beam(self, Space space, const Context* context, const State* now, int beam,
                       int width, int gold_place, int gold_class, float head_start,
                       State* after) noexcept nogil
    cdef void advance_all(self, Space space, const Context* context, const State* now, int count,
                          State* after) noexcept nogil
    cdef void read_tree(self, const State* state, int n, int32_t* heads,
                        int32_t* labels) noexcept nogil
    cdef tuple collect(self, const State* states, int found, int n, int k)


cdef int count_moves(const State* state) noexcept nogil
