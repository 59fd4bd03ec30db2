"""Features of arcs, and of dependents with their siblings, compiled to a small program."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.features.columns cimport MAX_ATTRIBUTES, Columns
from niwaki.kernel.scoring cimport Decision, Scorer

cdef enum:
    MAX_TEMPLATES = 192
    MAX_PARTS = 8
    ROLES = 3               # head, dependent, sibling
    SIDES = 2
    BUCKETS = 8             # of distances, with 0 for none
    MAX_BETWEEN = 32        # different values between two words that are looked at


cdef struct WordPart:
    int role
    int offset
    int attribute
    uint64_t salt


cdef struct Template:
    WordPart words[MAX_PARTS]
    int word_count
    int between             # attribute of the words between; -1: none
    uint64_t between_salt
    uint64_t side_salt      # 0: the direction does not matter
    uint64_t distance_salt  # from head to dependent; 0: does not matter
    uint64_t gap_salt       # from sibling to dependent
    uint64_t salt


cdef struct Sentence:
    # One sentence, prepared: for each role, word and template, its share of the key.
    uint64_t* shares[ROLES]
    int n
    # Words between: the number of each word's value, and the values by number.
    int32_t* numbers
    uint32_t values[MAX_BETWEEN]
    int value_count
    uint64_t* memory
    size_t capacity


cdef class ArcFeatures:
    cdef Template templates[MAX_TEMPLATES]
    cdef readonly int template_count
    cdef int plain_count            # templates that say nothing about words between stand first
    cdef int between_attribute      # -1: none
    cdef readonly int attribute_count
    cdef readonly bint has_siblings
    # What direction and distance add to the keys, by side and bucket; by bucket of the gap.
    cdef uint64_t by_distance[SIDES * BUCKETS][MAX_TEMPLATES]
    cdef uint64_t by_gap[BUCKETS][MAX_TEMPLATES]

    cdef bint prepare(self, Sentence* sentence, const uint32_t** columns, int32_t start,
                      int n) noexcept nogil
    cdef int keys(self, const Sentence* sentence, int head, int dependent, int sibling,
                  uint64_t between, uint64_t* keys) noexcept nogil
    cdef _add_part(self, Template* template, tuple part)
    cdef uint64_t between(self, const Sentence* sentence, int one, int other) noexcept nogil


cdef class ArcModel:
    cdef readonly ArcFeatures features
    cdef Scorer scorer
    cdef object model

    cdef _score(self, Batch batch, Columns columns, const int32_t[::1] sentences, bint siblings,
                double[::1] out)
    cdef void flush(self, const Decision* decisions, double** places, int count) noexcept nogil
    cdef void score_arcs(self, const Sentence* sentence, double* out) noexcept nogil
    cdef void score_siblings(self, const Sentence* sentence, double* out) noexcept nogil


cdef int part_keys(ArcFeatures features, const Sentence* sentence, const int32_t* part,
                   uint64_t* keys) noexcept nogil
cdef check_parts(Batch batch, Py_ssize_t s, const int32_t[:, ::1] parts)
