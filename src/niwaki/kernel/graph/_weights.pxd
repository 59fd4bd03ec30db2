"""From scores of arcs to weights of arcs that sums over trees can work with."""

from libc.math cimport INFINITY, exp, log

from niwaki.kernel.graph._arithmetic cimport Number, put, times

cdef extern from "vectors.h" nogil:
    void niwaki_exp_differences(const double* a, const double* b, double* out, Py_ssize_t count)


cdef inline bint weigh(const double* arcs, const double* costs, int n, bint single,
                       double* shifts, Number* scales, Number* weights) noexcept nogil:
    """weights[h, d] = exp(score[h, d] - shifts[d]), for a slope of costs[h, d].

    Each word has one head, so its scores may be shifted together: its weights sum to
    one. With a single root, the root arcs are left out of that sum and share a shift
    of their own, shifts[0], because a tree has exactly one of them. The weights of any
    part of a tree then add up to at most 1: nothing overflows.

    `arcs` has n columns, `weights` n + 1 (the first is not used), `shifts` room for
    3 n + 3 and `scales` for n + 1 numbers. False if some word has no head.
    """
    cdef int size = n + 1, first = 1 if single else 0, h, d
    cdef double* totals = shifts + size
    cdef double* row = totals + size
    cdef double top = -INFINITY, score
    for d in range(1, size):
        shifts[d] = -INFINITY
        totals[d] = 0
    for h in range(first, size):
        for d in range(1, size):
            if h != d:
                shifts[d] = max(shifts[d], arcs[h * n + d - 1])
    for d in range(1, size):
        if shifts[d] == -INFINITY:
            shifts[d] = arcs[d - 1]
            if shifts[d] == -INFINITY:
                return False
    for h in range(first, size):
        niwaki_exp_differences(arcs + h * n, shifts + 1, row + 1, n)
        row[h] = 0
        for d in range(1, size):
            totals[d] += row[d]
            put(&weights[h * size + d], row[d], arcs[h * n + d - 1] - shifts[d],
                costs[h * n + d - 1] if costs else 0)
        put(&weights[h * size + h], 0, -INFINITY, 0)
    for d in range(1, size):
        # A word that only the root can head: nothing to sum.
        if totals[d] == 0:
            totals[d] = 1
        shifts[d] += log(totals[d])
        put(&scales[d], 1 / totals[d], -log(totals[d]), 0)
    for h in range(first, size):
        for d in range(1, size):
            weights[h * size + d] = times(weights[h * size + d], scales[d])
    shifts[0] = 0
    if single:
        for d in range(1, size):
            top = max(top, arcs[d - 1] - shifts[d])
        if top == -INFINITY:
            return False
        shifts[0] = top
        for d in range(1, size):
            score = arcs[d - 1] - shifts[d] - top
            put(&weights[d], exp(score), score, costs[d - 1] if costs else 0)
    return True


cdef inline double total_shift(const double* shifts, int n) noexcept nogil:
    cdef double total = 0
    cdef int d
    for d in range(n + 1):
        total += shifts[d]
    return total


cdef inline double surprise(const double* arcs, const double* marginals, const double* shifts,
                            int n, bint single) noexcept nogil:
    """Minus the expected logarithm of a tree's shifted weight."""
    cdef double total = 0
    cdef int h, d
    for h in range(n + 1):
        for d in range(n):
            if marginals[h * n + d] > 0:
                total -= marginals[h * n + d] * (
                    arcs[h * n + d] - shifts[d + 1] - (shifts[0] if single and h == 0 else 0)
                )
    return total
