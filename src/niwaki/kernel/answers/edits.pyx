"""The least cost of turning one ordered tree into another (Zhang and Shasha 1989)."""

import numpy as np

from libc.stdint cimport int32_t


cdef int is_sound(const int32_t[::1] left) noexcept nogil:
    """Leftmost leaves below nodes in postorder: none stands behind its node."""
    cdef Py_ssize_t at
    for at in range(left.shape[0]):
        if left[at] < 0 or left[at] > at:
            return 0
    return 1


cdef int is_key(const int32_t[::1] left, Py_ssize_t node) noexcept nogil:
    """Whether no later node has the same leftmost leaf."""
    cdef Py_ssize_t at
    for at in range(node + 1, left.shape[0]):
        if left[at] == left[node]:
            return 0
    return 1


def edit_distance(const int32_t[::1] left, const int32_t[::1] other_left,
                  const double[::1] removed, const double[::1] added,
                  const double[:, ::1] changed):
    """Nodes in postorder, each with its leftmost leaf; costs of removing nodes of the first tree,
    of adding those of the other, and of changing one into another.
    """
    cdef Py_ssize_t n = left.shape[0], m = other_left.shape[0]
    if (not is_sound(left) or not is_sound(other_left) or removed.shape[0] != n
            or added.shape[0] != m or changed.shape[0] != n or changed.shape[1] != m):
        raise ValueError("trees and costs do not fit together")
    cdef double[:, ::1] trees = np.zeros((n + 1, m + 1))
    cdef double[:, ::1] forest = np.zeros((n + 2, m + 2))
    cdef Py_ssize_t i, j, x, y, first, other_first
    cdef double cost, whole
    if n == 0 or m == 0:
        return float(np.sum(removed) + np.sum(added))
    with nogil:
        for i in range(n):
            if not is_key(left, i):
                continue
            for j in range(m):
                if not is_key(other_left, j):
                    continue
                # forest[x][y] is of the nodes left[i] .. x-1 and other_left[j] .. y-1.
                first, other_first = left[i], other_left[j]
                forest[first, other_first] = 0
                for x in range(first, i + 1):
                    forest[x + 1, other_first] = forest[x, other_first] + removed[x]
                for y in range(other_first, j + 1):
                    forest[first, y + 1] = forest[first, y] + added[y]
                for x in range(first, i + 1):
                    for y in range(other_first, j + 1):
                        cost = min(forest[x, y + 1] + removed[x], forest[x + 1, y] + added[y])
                        if left[x] == first and other_left[y] == other_first:
                            cost = min(cost, forest[x, y] + changed[x, y])
                            trees[x, y] = cost
                        else:
                            whole = forest[left[x], other_left[y]] + trees[x, y]
                            cost = min(cost, whole)
                        forest[x + 1, y + 1] = cost
    return trees[n - 1, m - 1]
