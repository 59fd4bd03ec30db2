"""Words that are known, and where they stand in a text."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from niwaki.kernel.segmenting.characters cimport Text

cdef enum:
    LONGEST_KNOWN = 31      # characters, so that lengths are bits of a number
    SPACES_KNOWN = 3        # a known word holds no more of them


cdef class Lexicon:
    cdef uint64_t* words    # an open table; 0 is free
    cdef int32_t* pieces    # in which alone each of them occurs, or 0
    cdef uint64_t mask
    cdef readonly Py_ssize_t count

    cdef bint knows(self, uint64_t word, int32_t piece) noexcept nogil
    cdef void find(self, Text text, const uint8_t* open_pairs, bint anywhere, bint across,
                   int32_t piece, uint32_t* found) noexcept nogil
