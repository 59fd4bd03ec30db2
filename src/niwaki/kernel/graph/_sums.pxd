"""What all sums over trees share: sentence after sentence, fast, and in logarithms if need be."""

from libc.math cimport INFINITY, exp
from libc.stdint cimport int32_t

from niwaki.kernel.graph._arithmetic cimport Dual, Log, LogDual

ctypedef fused Plain:
    double
    Log


cdef struct Problem:
    # A sentence: its arcs, their costs (NULL if slopes are not asked for), and whether the root
    # has one word. `shifts` has room for 3 n + 3 numbers, `places` for 9 n + 18.
    const double* arcs
    const double* costs
    int n
    bint single
    double* shifts
    int32_t* places


cdef struct Answer:
    double* marginals
    double* slopes
    double log_sum
    double expected
    double entropy


cdef struct Methods:
    # How it is done for one sentence, for each form of number: room (how many numbers a
    # sentence of size - 1 words needs), sums, and trees, each drawn from `step` numbers
    # between 0 and 1. False means that the form of number does not reach, or that there is
    # no tree.
    size_t (*room)(size_t size) noexcept nogil
    bint (*sum)(double* space, const Problem* problem, Answer* out) noexcept nogil
    bint (*sum_logs)(Log* space, const Problem* problem, Answer* out) noexcept nogil
    bint (*sum_duals)(Dual* space, const Problem* problem, Answer* out) noexcept nogil
    bint (*sum_log_duals)(LogDual* space, const Problem* problem, Answer* out) noexcept nogil
    bint (*draw)(double* space, const Problem* problem, const double* uniforms, Py_ssize_t step,
                 Py_ssize_t count, int32_t* heads) noexcept nogil
    bint (*draw_by_logs)(Log* space, const Problem* problem, const double* uniforms,
                         Py_ssize_t step, Py_ssize_t count, int32_t* heads) noexcept nogil


cdef class TreeSums:
    """Sums over a kind of trees, which makes its methods known."""

    cdef Methods methods

    cdef bint solve(self, const Problem* problem, void* space, bint in_logs,
                    Answer* out) noexcept nogil


cdef inline double share_of(const Plain* weights, Py_ssize_t i, double top) noexcept nogil:
    if Plain is double:
        return weights[i]
    else:
        return exp(weights[i].log - top)


cdef inline Py_ssize_t pick(const Plain* weights, Py_ssize_t count,
                            double uniform) noexcept nogil:
    """A place drawn in proportion to its weight; -1 if there is none."""
    cdef double top = -INFINITY, left = 0, share
    cdef Py_ssize_t i, last = -1
    if Plain is Log:
        for i in range(count):
            top = max(top, weights[i].log)
        if top == -INFINITY:
            return -1
    for i in range(count):
        left += share_of(weights, i, top)
    left *= uniform
    for i in range(count):
        share = share_of(weights, i, top)
        if share > 0:
            last = i
            left -= share
            if left < 0:
                break
    return last
