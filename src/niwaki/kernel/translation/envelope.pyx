"""Which hypothesis is best as one weight grows: upper envelopes of lines, a list at a time."""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int64_t


def envelopes(const double[::1] intercepts, const double[::1] slopes, const int64_t[::1] order,
              const int64_t[::1] starts):
    """The winners of each list on the way from minus to plus infinity, and where each begins.

    Line `h` is `intercepts[h] + x slopes[h]`; list s has the lines `order[starts[s]:starts[s + 1]]`
    by rising slopes. Returned are the lines that win, list by list, and where each begins to win:
    minus infinity for the first of a list only.
    """
    cdef Py_ssize_t lists = starts.shape[0] - 1, lines = intercepts.shape[0], s, at
    if (lists < 0 or slopes.shape[0] != lines or order.shape[0] != lines or starts[0] != 0
            or starts[lists] != lines or (np.diff(starts) < 0).any()):
        raise ValueError("lists do not fit their lines")
    if lines and (np.min(order) < 0 or np.max(order) >= lines):
        raise ValueError("an order of other lines")
    winners_array, begins_array = np.empty(lines, np.int64), np.empty(lines)
    cdef int64_t[::1] winners = winners_array
    cdef double[::1] begins = begins_array
    cdef int64_t top = 0, first, line, last
    cdef double crossing
    with nogil:
        for s in range(lists):
            first = top
            for at in range(starts[s], starts[s + 1]):
                line = order[at]
                crossing = -INFINITY
                while top > first:
                    last = winners[top - 1]
                    if slopes[line] > slopes[last]:
                        crossing = ((intercepts[last] - intercepts[line])
                                    / (slopes[line] - slopes[last]))
                        if crossing > begins[top - 1]:
                            break
                    elif intercepts[line] <= intercepts[last]:
                        # Parallel, and nowhere above.
                        line = -1
                        break
                    # The last winner never wins alone: it is below before its time begins.
                    top -= 1
                    crossing = -INFINITY
                if line >= 0:
                    winners[top], begins[top] = line, crossing
                    top += 1
    return winners_array[:top], begins_array[:top]
