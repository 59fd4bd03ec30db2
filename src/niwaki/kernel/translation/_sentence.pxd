"""A sentence with the options of its phrases: what they are worth, alone and behind each other."""

from libc.stdint cimport int32_t, uint64_t

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


cdef struct Option:
    int32_t begin
    int32_t end
    int32_t number          # as it was given
    double static_score
    double estimate         # with the language model's, out of context


cdef class Sentence:
    cdef LanguageModel lm
    cdef readonly int32_t n, limit
    cdef int32_t count, longest
    cdef const int32_t[::1] word_starts, lm_words, words
    cdef const float[:, ::1] msd
    cdef const double[::1] msd_weights
    cdef const float[:, ::1] jump_source
    cdef const float[:, :, ::1] jump_target
    cdef bint has_msd, has_jumps
    cdef double lm_weight, distance_weight, jump_weight
    cdef Option* options        # by span, the most promising first
    cdef int32_t* places        # of options in `options`, by number
    cdef int32_t* spans         # where those of each begin and length begin
    cdef double* best           # future scores: by begin and length
    cdef double* rest           # from a word to the end
    cdef int32_t window

    cdef void prepare(self) noexcept nogil
    cdef void future_scores(self) noexcept nogil
    cdef double future(self, int32_t gap, uint64_t mask) noexcept nogil
    cdef double reordering(self, const Node* before, int32_t option, double* parts) noexcept nogil
    cdef double jump(self, const Node* before, int32_t begin) noexcept nogil
