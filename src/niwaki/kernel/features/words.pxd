"""What can be read off the letters of one word: affixes, shape, character n-grams, cluster."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    # In the order of the names in words.pyx.
    FORM
    LOWER
    PREFIX1
    PREFIX2
    PREFIX3
    PREFIX4
    SUFFIX1
    SUFFIX2
    SUFFIX3
    SUFFIX4
    SUFFIX5
    SUFFIX6
    SHAPE
    FLAGS
    CAPITAL
    TAIL
    LENGTH
    CLUSTER
    CLUSTER4
    CLUSTER6
    CLUSTER10
    CLUSTER12
    ATTRIBUTES

cdef enum:
    MAX_GRAMS = 40      # character n-grams looked at in one word
    WINDOW = 64         # characters looked at from either end


cdef struct Word:
    uint32_t values[ATTRIBUTES]
    uint32_t grams[MAX_GRAMS]
    int gram_count


cdef class Clusters:
    cdef uint64_t* keys
    cdef uint32_t* numbers      # of clusters, from 1 on
    cdef uint16_t* prefixes     # the first bits of a path below a leading 1
    cdef uint64_t mask
    cdef readonly int count

    cdef int64_t find(self, uint64_t form) noexcept nogil


cdef void analyse_word(const unsigned char* text, Py_ssize_t length, bint lowercase,
                       Clusters clusters, Word* word) noexcept nogil
cdef Py_ssize_t next_character(const unsigned char* text, Py_ssize_t length, Py_ssize_t at,
                               uint32_t* character) noexcept nogil
