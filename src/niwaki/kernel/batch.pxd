"""Many sentences at once, as arrays that the kernel's other modules work on without the lock."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

ctypedef const unsigned char* Bytes


cdef struct Span:
    Bytes at
    int32_t length


cdef class Symbols:
    cdef readonly list names
    cdef uint64_t* keys
    cdef int32_t* numbers
    cdef uint64_t mask

    cdef int32_t find(self, Bytes at, Py_ssize_t length) noexcept nogil


cdef class Batch:
    cdef readonly list sources
    cdef readonly Py_ssize_t sentences
    cdef readonly Py_ssize_t words
    cdef Span* texts            # the bytes of each sentence
    cdef int32_t* starts        # sentence s has the words starts[s] .. starts[s + 1] - 1
    cdef Span* columns[10]      # fields of the words, by column; not for ID and HEAD
    cdef int32_t* heads         # as given; -1 is unknown
    cdef list composed          # what fields lie in that were not given in NFC

    cdef bytes _composed(self, int column)
    cdef Py_ssize_t _cut(self, Span text, Py_ssize_t word) noexcept nogil
    cdef Span* _spans(self, int column) except NULL
