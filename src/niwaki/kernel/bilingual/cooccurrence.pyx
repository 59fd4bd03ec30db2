"""Which words of two languages stand in a sentence pair together, as one sparse table."""

import numpy as np

from libc.stdint cimport int32_t, int64_t


def cooccurrences(const int32_t[::1] source_words, const int64_t[::1] source_starts,
                  const int32_t[::1] target_words, const int64_t[::1] target_starts,
                  int source_types, int target_types):
    """Rows, columns and column sizes of the table of all pairs of words that occur together.

    Source word s has the entries rows[s] <= e < rows[s + 1], and columns[e] are its
    target words in rising order. The memory needed is that of the words and of the
    table, however often two words meet: the sentences of each target word are walked
    through, once to count and once to fill. Rows fill by rising target word, so they
    need no sorting.
    """
    cdef Py_ssize_t pairs = source_starts.shape[0] - 1
    order = np.argsort(target_words, kind="stable")
    pair_of = np.repeat(np.arange(pairs, dtype=np.int32), np.diff(target_starts))
    homes_array = pair_of[order]
    del order, pair_of
    first_array = np.zeros(target_types + 1, np.int64)
    np.cumsum(np.bincount(target_words, minlength=target_types), out=first_array[1:])
    seen_array = np.full(source_types, -1, np.int32)
    row_sizes_array = np.zeros(source_types, np.int64)
    column_sizes_array = np.zeros(target_types, np.int64)
    cdef const int32_t[::1] homes = homes_array
    cdef const int64_t[::1] first = first_array
    cdef int32_t[::1] seen = seen_array, columns
    cdef int64_t[::1] row_sizes = row_sizes_array, column_sizes = column_sizes_array, place
    cdef int64_t home, at
    cdef int32_t source, target
    with nogil:
        for target in range(target_types):
            for home in range(first[target], first[target + 1]):
                for at in range(source_starts[homes[home]], source_starts[homes[home] + 1]):
                    source = source_words[at]
                    if seen[source] != target:
                        seen[source] = target
                        row_sizes[source] += 1
                        column_sizes[target] += 1
    rows = np.zeros(source_types + 1, np.int64)
    np.cumsum(row_sizes_array, out=rows[1:])
    columns_array = np.empty(row_sizes_array.sum(), np.int32)
    place_array = rows.copy()
    seen_array.fill(-1)
    columns, place = columns_array, place_array
    with nogil:
        for target in range(target_types):
            for home in range(first[target], first[target + 1]):
                for at in range(source_starts[homes[home]], source_starts[homes[home] + 1]):
                    source = source_words[at]
                    if seen[source] != target:
                        seen[source] = target
                        columns[place[source]] = target
                        place[source] += 1
    return rows, columns_array, column_sizes_array
