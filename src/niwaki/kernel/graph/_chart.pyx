"""The best projective tree in O(n^3) (Eisner 1996), with scores of arcs or also of siblings.

    half[h, d]   = score[h, d] + max_m whole[a, m] + whole[b, m + 1]      a < b are h and d
    whole[h, x]  = max_m half[h, m] + whole[m, x]          m behind h, up to x, x included

With siblings (McDonald and Pereira 2006), half[h, d] instead follows the dependent m
that h took before d:

    between[a, b] = max_m whole[a, m] + whole[b, m + 1]
    half[h, d]    = score[h, d] + max( sibling[h, d, 0] + whole[d, next to h],
                                       max_m half[h, m] + between[m, d] + sibling[h, d, m] )

A single root takes no part in the chart; it gets one word at the end, the r with the
best score[0, r] + whole[r, 1] + whole[r, n]. That is exact and costs O(n).

Only scores are kept. The few places where the best tree was put together are found
again on the way back, where the first of equals is taken.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free, malloc

cdef extern from "vectors.h" nogil:
    double niwaki_best_sum(const double* a, const double* b, Py_ssize_t count)
    double niwaki_best_sum3(double best, const double* a, const double* b, const double* c,
                            Py_ssize_t count)

cdef enum:
    HALF = 0
    WHOLE = 1
    BETWEEN = 2


cdef Chart* new_chart(int n, bint siblings) noexcept nogil:
    """Room for sentences of up to n words; NULL without memory."""
    cdef Chart* c = <Chart*>calloc(1, sizeof(Chart))
    cdef size_t square = (n + 1) * <size_t>(n + 1)
    if c == NULL:
        return NULL
    c.scores = <double*>malloc((5 if siblings else 4) * square * sizeof(double))
    if c.scores == NULL:
        free(c)
        return NULL
    c.half = c.scores + square
    c.whole = c.half + square
    c.across = c.whole + square
    c.between = c.across + square if siblings else NULL
    return c


cdef void free_chart(Chart* c) noexcept nogil:
    if c != NULL:
        free(c.scores)
        free(c)


cdef double best_half(const Chart* c, int h, int d) noexcept nogil:
    """half[h, d] with siblings."""
    cdef int size = c.size, nearest = h + 1 if h < d else h - 1, m = min(h, d) + 1
    cdef double first = c.whole[d * size + nearest] + sibling_score(c, h, d, 0)
    return c.scores[h * size + d] + niwaki_best_sum3(
        first, c.half + h * size + m, c.between + d * size + m,
        c.siblings + (h * <Py_ssize_t>c.n + d - 1) * size + m, max(h, d) - m)


cdef void fill(Chart* c, const double* arcs, const double* siblings, int n,
               bint single) noexcept nogil:
    """Fill the chart, short spans first."""
    cdef int size = n + 1, h, d, width, a, b
    cdef double best
    cdef double* whole = c.whole
    cdef double* half = c.half
    cdef double* across = c.across
    c.n = n
    c.size = size
    c.first = 1 if single else 0
    c.siblings = siblings
    for h in range(size):
        # Nothing heads the root.
        c.scores[h * size] = -INFINITY
        for d in range(1, size):
            c.scores[h * size + d] = arcs[h * n + d - 1]
        whole[h * size + h] = across[h * size + h] = 0
    for width in range(1, size - c.first):
        for a in range(c.first, size - width):
            b = a + width
            best = niwaki_best_sum(whole + a * size + a, whole + b * size + a + 1, width)
            if siblings:
                c.between[a * size + b] = c.between[b * size + a] = best
                half[a * size + b] = best_half(c, a, b)
                half[b * size + a] = best_half(c, b, a) if a > 0 else -INFINITY
            else:
                half[a * size + b] = best + c.scores[a * size + b]
                half[b * size + a] = best + c.scores[b * size + a]
            whole[a * size + b] = across[b * size + a] = niwaki_best_sum(
                half + a * size + a + 1, across + b * size + a + 1, width)
            whole[b * size + a] = across[a * size + b] = niwaki_best_sum(
                half + b * size + a, across + a * size + a, width)


cdef int split_sum(const Chart* c, int a, int b) noexcept nogil:
    """Where between[a, b], a < b, was put together: the first m of those that are best."""
    cdef const double* left = c.whole + a * c.size
    cdef const double* right = c.whole + b * c.size
    cdef int m = a
    cdef double best = niwaki_best_sum(left + a, right + a + 1, b - a)
    while left[m] + right[m + 1] != best:
        m += 1
    return m


cdef int split_whole(const Chart* c, int h, int x) noexcept nogil:
    """The last dependent of h up to x."""
    cdef const double* half = c.half + h * c.size
    cdef const double* across = c.across + x * c.size
    cdef int m = h + 1 if h < x else x
    while half[m] + across[m] != c.whole[h * c.size + x]:
        m += 1
    return m


cdef int sibling_before(const Chart* c, int h, int d) noexcept nogil:
    """The dependent that h took before d; 0 if none."""
    cdef int size = c.size, nearest = h + 1 if h < d else h - 1, m
    cdef double best = c.half[h * size + d]
    if c.scores[h * size + d] + (c.whole[d * size + nearest]
                                 + sibling_score(c, h, d, 0)) == best:
        return 0
    m = min(h, d) + 1
    while c.scores[h * size + d] + (c.half[h * size + m] + c.between[d * size + m]
                                    + sibling_score(c, h, d, m)) != best:
        m += 1
    return m


cdef inline int32_t* push(int32_t* top, int kind, int a, int b) noexcept nogil:
    top[0] = kind
    top[1] = a
    top[2] = b
    return top + 3


cdef bint read_best(const Chart* c, int32_t* heads, int32_t* todo) noexcept nogil:
    """The heads of the best tree; False if there is none. `todo` has room for 9 n + 18."""
    cdef int size = c.size, n = c.n, kind, a, b, m, best = 0
    cdef int32_t* top = todo
    cdef double score, highest = -INFINITY
    if c.first:
        for m in range(1, size):
            score = root_score(c, m) + c.whole[m * size + 1] + c.whole[m * size + n]
            if score > highest:
                highest = score
                best = m
        if best == 0:
            return False
        heads[best - 1] = 0
        top = push(push(top, WHOLE, best, 1), WHOLE, best, n)
    else:
        if c.whole[n] == -INFINITY:
            return False
        top = push(top, WHOLE, 0, n)
    while top != todo:
        top -= 3
        kind = top[0]
        a = top[1]
        b = top[2]
        if kind == WHOLE:
            if a != b:
                m = split_whole(c, a, b)
                top = push(push(top, WHOLE, m, b), HALF, a, m)
            continue
        if kind == HALF:
            heads[b - 1] = a
            if c.siblings:
                m = sibling_before(c, a, b)
                if m:
                    top = push(push(top, HALF, a, m), BETWEEN, min(m, b), max(m, b))
                else:
                    top = push(top, WHOLE, b, a + 1 if a < b else a - 1)
                continue
            if a > b:
                a, b = b, a
        m = split_sum(c, a, b)
        top = push(push(top, WHOLE, a, m), WHOLE, b, m + 1)
    return True
