"""Sums over all projective trees, and trees drawn at random, in O(n^3) (Baker 1979 on Eisner's chart).

With weights of arcs w, the chart of _chart.pyx with sums instead of maxima:

    between[a, b] = sum_m whole[a, m] whole[b, m + 1]
    half[h, d]    = w[h, d] between[h, d]
    whole[h, x]   = sum_m half[h, m] whole[m, x]

Outside, with a bar for the derivative of Z by an item, from wide to narrow:

    -half[h, d]   = sum_x -whole[h, x] whole[d, x]                x at d or behind it
    -between[a,b] = w[a, b] -half[a, b] + w[b, a] -half[b, a]
    -whole[h, x]  = sum_b -between[h, b] whole[b, x + 1]          for h <= x; b > x
                  + sum_g -whole[g, x] half[g, h]                 g on the far side of h

and the marginal of an arc is half[h, d] -half[h, d] / Z. Weights are shares (see
_weights.pxd), so an item is the probability that its words choose such heads each on
its own: nothing exceeds 1, and what falls below 1e-308 is nothing beside a Z that is
well above. If Z is not, everything is done again in logarithms.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from niwaki.kernel.graph._arithmetic cimport (
    Dual, Log, LogDual, Number, dot, is_safe, log_of, log_slope, over, plus, put, slope_of, times,
    value_of,
)
from niwaki.kernel.graph._sums cimport Answer, Methods, Plain, Problem, TreeSums, pick
from niwaki.kernel.graph._weights cimport surprise, total_shift, weigh

# A Z from here on is exact although parts of it may have been too small to be kept.
cdef double LEAST = 1e-270

cdef enum:
    MATRICES = 9


cdef Number sum_inside(Number* space, int n, bint single) noexcept nogil:
    """Fill the charts, short spans first; the sum over all trees."""
    cdef int size = n + 1, square = size * size, first = 1 if single else 0, width, a, b
    cdef Number* weights = space
    cdef Number* half = space + square
    cdef Number* half_across = half + square
    cdef Number* whole = half_across + square
    cdef Number* across = whole + square
    cdef Number total
    for a in range(size):
        put(&weights[a * size], 0, -INFINITY, 0)
        put(&whole[a * size + a], 1, 0, 0)
        put(&across[a * size + a], 1, 0, 0)
    for width in range(1, size - first):
        for a in range(first, size - width):
            b = a + width
            total = dot(whole + a * size + a, whole + b * size + a + 1, width)
            half[a * size + b] = times(weights[a * size + b], total)
            half[b * size + a] = times(weights[b * size + a], total)
            half_across[b * size + a] = half[a * size + b]
            half_across[a * size + b] = half[b * size + a]
            total = dot(half + a * size + a + 1, across + b * size + a + 1, width)
            whole[a * size + b] = across[b * size + a] = total
            total = dot(half + b * size + a, across + a * size + a, width)
            whole[b * size + a] = across[a * size + b] = total
    if not single:
        return whole[n]
    put(&total, 0, -INFINITY, 0)
    for a in range(1, size):
        total = plus(total, times(weights[a], times(whole[a * size + 1], whole[a * size + n])))
    return total


cdef void sum_outside(Number* space, int n, bint single) noexcept nogil:
    """Derivatives of the sum by every item, wide spans first."""
    cdef int size = n + 1, square = size * size, first = 1 if single else 0, width, a, b
    cdef Number* weights = space
    cdef Number* half_across = space + 2 * square
    cdef Number* whole = space + 3 * square
    cdef Number* across = space + 4 * square
    cdef Number* out_half = space + 5 * square
    cdef Number* out_whole = space + 6 * square
    cdef Number* out_across = space + 7 * square
    cdef Number* out_between = space + 8 * square
    cdef Number right, left
    for width in range(n - first, 0, -1):
        for a in range(first, size - width):
            b = a + width
            right = plus(
                dot(out_between + a * size + b + 1, across + (b + 1) * size + b + 1, n - b),
                dot(out_across + b * size + first, half_across + a * size + first, a - first),
            )
            left = plus(
                dot(out_between + b * size + first, across + (a - 1) * size + first, a - first),
                dot(out_across + a * size + b + 1, half_across + b * size + b + 1, n - b),
            )
            if single and b == n:
                right = plus(right, times(weights[a], whole[a * size + 1]))
            if single and a == 1:
                left = plus(left, times(weights[b], whole[b * size + n]))
            if a == 0 and b == n:
                put(&right, 1, 0, 0)
            out_whole[a * size + b] = out_across[b * size + a] = right
            out_whole[b * size + a] = out_across[a * size + b] = left
            out_half[a * size + b] = dot(out_whole + a * size + b, whole + b * size + b, size - b)
            out_half[b * size + a] = dot(out_whole + b * size + first, whole + a * size + first,
                                         a - first + 1)
            out_between[a * size + b] = plus(
                times(weights[a * size + b], out_half[a * size + b]),
                times(weights[b * size + a], out_half[b * size + a]),
            )
            out_between[b * size + a] = out_between[a * size + b]


cdef void write_marginals(Number* space, Number total, int n, bint single,
                          Answer* out) noexcept nogil:
    cdef int size = n + 1, square = size * size, h, d
    cdef Number* weights = space
    cdef Number* half = space + square
    cdef Number* whole = space + 3 * square
    cdef Number* out_half = space + 5 * square
    cdef Number product
    for h in range(size):
        for d in range(1, size):
            if h == d:
                put(&product, 0, -INFINITY, 0)
            elif h == 0 and single:
                product = times(weights[d], times(whole[d * size + 1], whole[d * size + n]))
                product = over(product, total)
            else:
                product = over(times(half[h * size + d], out_half[h * size + d]), total)
            out.marginals[h * n + d - 1] = value_of(product)
            if out.slopes:
                out.slopes[h * n + d - 1] = slope_of(product)


cdef bint summarize(Number* space, const Problem* problem, Answer* out) noexcept nogil:
    """All sums of one sentence."""
    cdef int n = problem.n
    cdef Number total
    if not weigh(problem.arcs, problem.costs, n, problem.single, problem.shifts,
                 space + (n + 1) * (n + 1), space):
        return False
    total = sum_inside(space, n, problem.single)
    if not is_safe(total, LEAST, 2):
        return False
    sum_outside(space, n, problem.single)
    write_marginals(space, total, n, problem.single, out)
    out.log_sum = log_of(total)
    out.expected = log_slope(total)
    out.entropy = out.log_sum + surprise(problem.arcs, out.marginals, problem.shifts, n,
                                         problem.single)
    out.log_sum += total_shift(problem.shifts, n)
    return True


# -- drawing trees ------------------------------------------------------------

cdef Py_ssize_t pick_pair(const Plain* a, const Plain* b, Py_ssize_t count, double uniform,
                          Plain* shares) noexcept nogil:
    """A place drawn in proportion to a[i] b[i]."""
    cdef Py_ssize_t i
    for i in range(count):
        shares[i] = times(a[i], b[i])
    # What was summed up is positive, so a place is found; the first one if rounding took it all.
    return max(pick(shares, count, uniform), 0)


cdef inline int32_t* push(int32_t* top, bint is_half, int a, int b) noexcept nogil:
    top[0] = is_half
    top[1] = a
    top[2] = b
    return top + 3


cdef void draw(Plain* space, int n, bint single, const double* uniforms, int32_t* todo,
               int32_t* heads) noexcept nogil:
    """One tree, from the top of the chart down."""
    cdef int size = n + 1, square = size * size, a, b, m
    cdef Plain* half = space + square
    cdef Plain* whole = space + 3 * square
    cdef Plain* across = space + 4 * square
    cdef Plain* shares = space + 5 * square
    cdef Plain* roots = shares + size
    cdef int32_t* top = todo
    if single:
        for a in range(1, size):
            roots[a] = times(space[a], whole[a * size + 1])
            roots[size + a] = whole[a * size + n]
        a = 1 + <int>pick_pair(roots + 1, roots + size + 1, n, uniforms[0], shares)
        heads[a - 1] = 0
        top = push(push(top, False, a, 1), False, a, n)
    else:
        top = push(top, False, 0, n)
    while top != todo:
        top -= 3
        a = top[1]
        b = top[2]
        if top[0]:
            heads[b - 1] = a
            if a > b:
                a, b = b, a
            uniforms += 1
            m = a + <int>pick_pair(whole + a * size + a, whole + b * size + a + 1, b - a,
                                   uniforms[0], shares)
            top = push(push(top, False, a, m), False, b, m + 1)
        elif a != b:
            uniforms += 1
            m = a + 1 if a < b else b
            m += <int>pick_pair(half + a * size + m, across + b * size + m,
                                max(a, b) - min(a, b), uniforms[0], shares)
            top = push(push(top, False, m, b), True, a, m)


cdef bint draw_each(Plain* space, const Problem* problem, const double* uniforms,
                    Py_ssize_t step, Py_ssize_t count, int32_t* heads) noexcept nogil:
    cdef int n = problem.n
    cdef Py_ssize_t i
    if not weigh(problem.arcs, NULL, n, problem.single, problem.shifts,
                 space + (n + 1) * (n + 1), space):
        return False
    if not is_safe(sum_inside(space, n, problem.single), LEAST, 2):
        return False
    for i in range(count):
        draw(space, n, problem.single, uniforms + i * step, problem.places, heads + i * n)
    return True


cdef size_t room(size_t size) noexcept nogil:
    return MATRICES * size * size


cdef class ProjectiveSums(TreeSums):
    """Over trees without crossing arcs; one is drawn from 2 n + 1 numbers."""

    def __cinit__(self):
        self.methods = Methods(
            room=room, sum=summarize[double], sum_logs=summarize[Log],
            sum_duals=summarize[Dual], sum_log_duals=summarize[LogDual],
            draw=draw_each[double], draw_by_logs=draw_each[Log],
        )
