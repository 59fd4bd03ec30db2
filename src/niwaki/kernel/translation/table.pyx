"""Looks up which phrases of a sentence stand in a phrase table, and how they are translated.

Source phrases are n-grams, of each length sorted: an n-gram is the number of all but its last word
(among those that are a word shorter) << 32 | its last word. Options of a phrase stand together.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t


cdef int64_t find(const int64_t[::1] keys, int64_t low, int64_t high, int64_t key) noexcept nogil:
    """The place of a key in a sorted part of the keys, -1 if it has none."""
    cdef int64_t end = high, middle
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < end and keys[low] == key else -1


def find_options(const int64_t[::1] keys, const int64_t[::1] levels, const int64_t[::1] options,
                 const int32_t[::1] words):
    """Begin, end and number of each option for each phrase of a sentence.

    The n-grams of k + 1 words are keys[levels[k]:levels[k + 1]]; that at place p has the options
    from options[p] to options[p + 1]. Words without a number are -1.
    """
    cdef Py_ssize_t n = words.shape[0], longest = levels.shape[0] - 1, k
    cdef int64_t place, parent, at = 0
    cdef int32_t begin, option
    cdef bint write
    cdef int32_t[:, ::1] spans = np.empty((0, 2), np.int32)
    cdef int64_t[::1] rows = np.empty(0, np.int64)
    for write in range(2):
        if write:
            spans, rows = np.empty((at, 2), np.int32), np.empty(at, np.int64)
        at = 0
        with nogil:
            for begin in range(<int32_t>n):
                parent = 0
                for k in range(min(longest, n - begin)):
                    if words[begin + k] < 0:
                        break
                    place = find(keys, levels[k], levels[k + 1], parent << 32 | words[begin + k])
                    if place < 0:
                        break
                    parent = place - levels[k]
                    if write:
                        for option in range(<int32_t>(options[place + 1] - options[place])):
                            spans[at + option, 0] = begin
                            spans[at + option, 1] = begin + <int32_t>k + 1
                            rows[at + option] = options[place] + option
                    at += options[place + 1] - options[place]
    return np.asarray(spans), np.asarray(rows)


def gather(const int64_t[::1] starts, const int32_t[::1] words, const int32_t[::1] rows):
    """Rows of a table of sequences, one after the other, and where each begins."""
    cdef Py_ssize_t row
    cdef int64_t at, place = 0
    begins_array = np.zeros(rows.shape[0] + 1, np.int32)
    cdef int32_t[::1] begins = begins_array, found
    for row in range(rows.shape[0]):
        place += starts[rows[row] + 1] - starts[rows[row]]
        begins[row + 1] = <int32_t>place
    found_array = np.empty(place, np.int32)
    found = found_array
    place = 0
    for row in range(rows.shape[0]):
        for at in range(starts[rows[row]], starts[rows[row] + 1]):
            found[place] = words[at]
            place += 1
    return found_array, begins_array
