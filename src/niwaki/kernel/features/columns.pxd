# Attributes of the words of a batch.

from libc.stdint cimport uint32_t

cdef enum:
    MAX_ATTRIBUTES = 24


cdef class Columns:
    # Attributes; behind the last, where links of each word end among all of the batch, and the
    # links (NULL: there are none).
    cdef const uint32_t* pointers[MAX_ATTRIBUTES + 2]
    cdef list arrays
