"""Cutting CoNLL-U lines, shared by the modules that read them."""

cdef enum:
    COLUMNS = 10
    FORM = 1
    LEMMA = 2
    HEAD = 6

ctypedef const unsigned char* Bytes


cdef struct Row:
    # start[j] .. end[j] is field j; only valid when `columns` is COLUMNS.
    Bytes start[COLUMNS]
    Bytes end[COLUMNS]
    int columns


cdef Bytes behind_bom(Bytes at, Bytes stop) noexcept nogil
cdef Bytes line_content_end(Bytes start, Bytes stop) noexcept nogil
cdef Bytes next_newline(Bytes at, Bytes stop) noexcept nogil
cdef bint is_word_line(Bytes at, Bytes stop) noexcept nogil
cdef void split_row(Bytes at, Bytes stop, Row* row) noexcept nogil
cdef int read_head(Bytes at, Bytes stop) noexcept nogil
