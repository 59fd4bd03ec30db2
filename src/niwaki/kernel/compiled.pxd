"""A frozen table of linear models, to run."""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from niwaki.kernel.scoring cimport LANES, MAX_CLASSES, MAX_KEYS, Decision, Scorer


cdef class CompiledWeights:
    cdef Scorer scorer
    cdef readonly int classes
    cdef readonly float scale
    cdef void* table
    cdef void* prints
    cdef void* rows
    cdef uint32_t* starts
    cdef uint16_t* entry_classes
    cdef int8_t* entry_weights
    cdef object held        # arrays that the pointers lead into; None: memory of its own

    cdef _check(self, const uint8_t[::1] fill, const uint16_t[::1] prints,
                const uint16_t[::1] counts, const uint16_t[::1] entry_classes,
                const int8_t[::1] entry_weights)
    cdef _make_dense(self, int width, size_t slots)
    cdef _make_sparse(self, size_t slots, Py_ssize_t entries)
    cdef _point_dense(self, int width, size_t slots)
    cdef _point_sparse(self, size_t slots)
    cdef _lay_over(self, dict image, int width)
    cdef _fill(self, const uint8_t[::1] fill, const uint16_t[::1] prints,
               const uint16_t[::1] counts, const uint16_t[::1] entry_classes,
               const int8_t[::1] entry_weights, int width)
