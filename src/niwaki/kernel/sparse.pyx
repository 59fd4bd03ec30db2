"""Products of a sparse matrix, kept row by row, with vectors."""

import numpy as np

from libc.stdint cimport int32_t, int64_t


cdef int is_sound(const int64_t[::1] rows, const int32_t[::1] columns, Py_ssize_t values,
                  int64_t width) noexcept nogil:
    """Whether rows follow each other through all entries, and columns are columns."""
    cdef Py_ssize_t at
    if rows.shape[0] < 1 or rows[0] != 0 or values != columns.shape[0]:
        return 0
    for at in range(1, rows.shape[0]):
        if rows[at] < rows[at - 1]:
            return 0
    if rows[rows.shape[0] - 1] != columns.shape[0]:
        return 0
    for at in range(columns.shape[0]):
        if columns[at] < 0 or columns[at] >= width:
            return 0
    return 1


cdef class SparseRows:
    """Entries of row r are `columns[rows[r] : rows[r + 1]]` with their values."""

    cdef const int64_t[::1] rows
    cdef const int32_t[::1] columns
    cdef const double[::1] values
    cdef Py_ssize_t width

    def __init__(self, const int64_t[::1] rows, const int32_t[::1] columns,
                 const double[::1] values, Py_ssize_t width):
        cdef int sound
        with nogil:
            sound = is_sound(rows, columns, values.shape[0], width)
        if not sound:
            raise ValueError("rows, columns and values do not make a matrix")
        self.rows, self.columns, self.values, self.width = rows, columns, values, width

    def times(self, const double[::1] vector):
        """A number for each row: the sum of its values times those of the vector."""
        if vector.shape[0] != self.width:
            raise ValueError(f"a vector of {vector.shape[0]} for {self.width} columns")
        found = np.empty(self.rows.shape[0] - 1)
        cdef double[::1] out = found
        cdef Py_ssize_t row
        cdef int64_t at
        cdef double total
        with nogil:
            for row in range(out.shape[0]):
                total = 0
                for at in range(self.rows[row], self.rows[row + 1]):
                    total += self.values[at] * vector[self.columns[at]]
                out[row] = total
        return found

    def transposed_times(self, const double[::1] vector):
        """A number for each column: the sum of its values times those of the vector."""
        if vector.shape[0] != self.rows.shape[0] - 1:
            raise ValueError(f"a vector of {vector.shape[0]} for {self.rows.shape[0] - 1} rows")
        found = np.zeros(self.width)
        cdef double[::1] out = found
        cdef Py_ssize_t row
        cdef int64_t at
        with nogil:
            for row in range(vector.shape[0]):
                if vector[row] != 0:
                    for at in range(self.rows[row], self.rows[row + 1]):
                        out[self.columns[at]] += self.values[at] * vector[row]
        return found
