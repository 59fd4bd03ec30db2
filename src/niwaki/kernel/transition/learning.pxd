"""Teaches a transition parser; what its other teachers build on."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.features.columns cimport Columns
from niwaki.kernel.transition.features cimport Context
from niwaki.kernel.linear cimport SparseWeights
from niwaki.kernel.transition.parser cimport Parser, Space
from niwaki.kernel.transition.systems._system cimport MOVES, Gold, State


cdef struct Counts:
    # How often each feature was met; an open table that is never more than half full.
    uint64_t* keys
    int32_t* values
    uint64_t mask


cdef class TransitionLearner:
    cdef readonly Parser parser
    cdef SparseWeights learner
    cdef Space space            # of the parser's own search
    cdef bint just_enough
    cdef int32_t class_of[MOVES][256]
    # The gold tree of a sentence, and the states on the way to it.
    cdef int32_t* numbers
    cdef size_t number_capacity
    cdef State* path
    cdef size_t path_capacity

    cdef bint open_gold(self, const int32_t* heads, const int32_t* labels, int n,
                        Gold* gold) noexcept nogil
    cdef int walk(self, Batch batch, Py_ssize_t s, const uint32_t** columns,
                  const int32_t* heads, const int32_t* labels, float margin, float explore,
                  uint64_t* random, long* moves) noexcept nogil
    cdef void judge(self, const State* state, const Gold* gold, const float* scores,
                    int* right, int* wrong) noexcept nogil
    cdef int gold_class(self, const State* state, const Gold* gold) noexcept nogil
    cdef int violate(self, Batch batch, Py_ssize_t s, const uint32_t** columns,
                     const int32_t* heads, const int32_t* labels, int width, bint max_violation,
                     float margin) noexcept nogil
    cdef void update_paths(self, const Context* context, const State* better,
                           const State* worse, float step) noexcept nogil
    cdef float length(self, const Context* context, const State* better,
                      const State* rival) noexcept nogil
    cdef double path_distance(self, const Context* context, const State* one,
                              const State* other) noexcept nogil
    cdef void learn_move(self, const Context* context, const State* made, float step) noexcept nogil
    cdef void count_features(self, const Context* context, const State* made, int moves, int sign,
                             Counts* counts) noexcept nogil
    cdef State* _replay_both(self, Batch batch, Py_ssize_t s, Columns columns,
                             const uint8_t[::1] one, const uint8_t[::1] other,
                             Context* context) except NULL
    cdef _replay(self, const Context* context, const uint8_t[::1] moves, State* states)
    cdef _check(self, Batch batch, const int32_t[::1] heads, const int32_t[::1] labels,
                const int32_t[::1] order)
