"""How often words, and words with an ending, had which tags."""

from libc.stdint cimport uint16_t, uint32_t, uint64_t

from niwaki.kernel.batch cimport Bytes

cdef enum:
    LONGEST = 10                # characters of an ending
    KEYS = LONGEST + 2          # of a word: itself, and its endings of 0 to LONGEST characters


cdef struct Share:
    # How often a word, or words with an ending, had a tag.
    uint16_t tag
    uint32_t count


cdef struct Item:
    uint32_t start      # of its shares
    uint16_t shares
    double total


cdef int find_keys(Bytes text, Py_ssize_t length, bint lowercase, uint64_t* keys) noexcept nogil


cdef class Lexicon:
    cdef uint64_t* keys         # open addressing; 0 is free
    cdef uint32_t* places
    cdef uint64_t mask
    cdef Item* items
    cdef Share* shares
    cdef readonly int largest_tag

    cdef const Item* find(self, uint64_t key) noexcept nogil
