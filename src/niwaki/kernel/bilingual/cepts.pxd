# What cepts.pyx offers to other modules of the kernel.

from libc.stdint cimport int32_t, int64_t

cdef enum:
    # Of one direction; those of direction 1 come after those of direction 0.
    FEATURES = 15
    ALL_FEATURES = 30
    # Displacements beyond this are all alike, and so are target cepts beyond that.
    FARTHEST = 50
    SPAN = 101
    LARGEST = 8
    DELETED = 0
    HEAD = 1
    NON_HEAD = 2
    # Heads that an operation may touch on one side.
    MOST_HEADS = 4


cdef struct Tables:
    # Logarithms of one direction's probabilities. Its source words are called x here, its
    # target words y; an entry is two words that occur together.
    const float* kind        # x words x (deleted, head, non-head)
    const float* choice      # classes of x x SPAN
    const float* head        # entries
    const float* size        # x words x (one word in the source cept, more) x LARGEST
    const float* spurious    # y words
    const float* first       # (the edge, classes of x) x classes of y x SPAN
    const float* second      # classes of y x SPAN
    const float* later       # classes of y x SPAN
    const float* word        # entries, and y words of the null word
    const float* word_null
    const float* chain
    const float* chain_null
    const float* size_alone  # (one word, more) x LARGEST
    const float* size_word   # x words x LARGEST
    # Non-heads given word and class of their head: what was seen stands in lists by entry,
    # the rest is `word` with what is left to it.
    const int64_t* seen
    const int32_t* seen_class
    const float* seen_value
    const float* unseen      # x words x classes of y
    double none, one         # logarithms of p_0 and p_1
    const double* factorials # their logarithms, up to the longest sentence
    int classes              # of y


cdef struct State:
    # An alignment of one pair. Side 0 is the source. A word's head is itself, another word
    # of its side, or -1; the mate of a head is the head it is linked to. The words of a cept
    # are a list from left to right, which begins at `first` of its head.
    int size[2]
    const int32_t* words[2]
    const int32_t* classes[2]
    int64_t* entries
    int* head[2]
    int* mate[2]
    int* first[2]
    int* next[2]
    int* count[2]
    int linked[2]


cdef struct Part:
    # What an operation may change: heads on both sides, and words that have or lose a cept.
    int heads[2][MOST_HEADS]
    int many[2]
    int* touched[2]
    int touches[2]


cdef int make_state(State* state, Part* part, int sources, int targets) noexcept nogil
cdef void free_state(State* state) noexcept nogil
cdef void detach(State* state, int side, int word) noexcept nogil
cdef void attach(State* state, int side, int word, int head) noexcept nogil
cdef void join(State* state, int source, int target) noexcept nogil
cdef void separate(State* state, int source, int target) noexcept nogil
cdef void take_over(State* state, int side, int old, int new) noexcept nogil
cdef void add_part(State* state, const Tables* tables, Part* part, double* h) noexcept nogil
cdef void add_all(State* state, const Tables* tables, double* h) noexcept nogil
