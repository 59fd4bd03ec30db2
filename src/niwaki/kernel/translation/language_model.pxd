"""Language models with backoff: what a decoder asks, a word at a time."""

from libc.stdint cimport uint64_t

cdef enum:
    UNKNOWN = 0
    BEGIN = 1
    END = 2
    MOST_CONTEXT = 4


cdef struct LMState:
    # The words that the model can still use, the most recent one last.
    int length
    int words[MOST_CONTEXT]


cdef struct Values:
    # Of an n-gram, natural logarithms. A backoff of -0.0 says that the n-gram is no context.
    float log_probability
    float backoff


cdef struct Entry:
    # Four to a cache line.
    uint64_t key
    Values values


cdef class LanguageModel:
    cdef readonly int order
    cdef readonly int words
    cdef object _held
    cdef const Values* _unigrams
    cdef const Entry* _entries
    cdef uint64_t _mask

    cdef const Entry* find(self, uint64_t key) noexcept nogil
    cdef void begin(self, LMState* state) noexcept nogil
    cdef double advance(self, const LMState* before, int word, LMState* after) noexcept nogil
    cdef double backed_off(self, const LMState* before, int longest, int shortest) noexcept nogil
