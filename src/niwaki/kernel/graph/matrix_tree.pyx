"""Sums over all spanning trees, and trees drawn at random, by eliminating one word at a time.

The matrix-tree theorem says that the weights of all trees sum to a determinant (Tutte;
Koo et al. 2007, Smith and Smith 2007). Gaussian elimination of that matrix can be
written on the arcs alone. Take away word k: each of its dependents m hangs on a head
h of k instead,

    D_k = sum_h A[h, k],        A'[h, m] = A[h, m] + A[h, k] A[k, m] / D_k,

and Z = D_n ... D_1. The diagonal of the matrix is never stored, so nothing is ever
subtracted (Grassmann, Taksar and Heyman 1985) and two words that cling to each other
do no harm, where an inverse of the matrix loses all its digits. With a single root,
root arcs are left out of each D but the last: of Z as a polynomial in the root's
weight, that keeps the linear term, which counts the trees with one root arc.

Going backwards over the same steps gives g = d log Z / dA, and marginals A g:

    u_h = sum_m g[h, m] A[k, m],                 g[k, m] = sum_h g[h, m] A[h, k] / D_k,
    g[h, k] = (1 + u_h - sum_h' u_h' A[h', k] / D_k) / D_k.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t

from niwaki.kernel.graph._arithmetic cimport (
    Dual, Log, LogDual, Number, add_scaled, dot, is_safe, log_of, log_slope, one_and_more, over,
    plus, put, slope_of, times, value_of,
)
from niwaki.kernel.graph._sums cimport Answer, Methods, Plain, Problem, TreeSums, pick
from niwaki.kernel.graph._weights cimport surprise, total_shift, weigh

# Within these, what is lost below 1e-308 cannot be felt in any marginal.
cdef double LEAST = 1e-150
cdef double MOST = 1e150
cdef double STEEPEST = 1e280


cdef int eliminate(Number* a, Number* pivots, int n, int size, bint single) noexcept nogil:
    """Take away the words at places n to 1; A[h, k] becomes A[h, k] / D_k.

    0, or the place of a word that nothing is left to head.
    """
    cdef int k, h
    for k in range(n, 0, -1):
        put(&pivots[k], 0, -INFINITY, 0)
        for h in range(1 if single and k > 1 else 0, k):
            pivots[k] = plus(pivots[k], a[h * size + k])
        if not is_safe(pivots[k], LEAST, MOST):
            return k
        for h in range(k):
            a[h * size + k] = over(a[h * size + k], pivots[k])
            add_scaled(&a[h * size + 1], a[h * size + k], &a[k * size + 1], k - 1)
    return 0


cdef bint restore(const Number* a, const Number* pivots, Number* g, Number* more, int n,
                  int size, bint single) noexcept nogil:
    """Put the words back in the order 1 to n; g[h, k] = d log Z / dA[h, k]."""
    cdef Number mean, one
    cdef int k, h, m
    put(&one, 1, 0, 0)
    for k in range(1, n + 1):
        for m in range(1, k + 1):
            put(&g[k * size + m], 0, -INFINITY, 0)
        put(&mean, 0, -INFINITY, 0)
        for h in range(k):
            more[h] = dot(&g[h * size + 1], &a[k * size + 1], k - 1)
            mean = plus(mean, times(a[h * size + k], more[h]))
            add_scaled(&g[k * size + 1], a[h * size + k], &g[h * size + 1], k - 1)
        for h in range(k):
            if not single or h > 0:
                more[h] = one_and_more(more[h], mean)
            elif k == 1:
                more[h] = one
            g[h * size + k] = over(more[h], pivots[k])
            if not is_safe(g[h * size + k], 0, STEEPEST):
                return False
    return True


cdef void set_last(int32_t* order, int n, int word) noexcept nogil:
    """Eliminate a given word last, at place 1, and the others in their order."""
    cdef int k, place = 2
    order[0] = 0
    order[1] = word
    for k in range(1, n + 1):
        if k != word:
            order[place] = k
            place += 1


cdef bint summarize(Number* space, const Problem* problem, Answer* out) noexcept nogil:
    """All sums of one sentence."""
    cdef int n = problem.n, size = n + 1, square = size * size, tries, stuck = 1, h, d
    cdef bint single = problem.single
    cdef int32_t* order = problem.places
    cdef Number* weights = space
    cdef Number* a = space + square
    cdef Number* g = a + square
    cdef Number* pivots = g + square
    cdef Number product
    if not weigh(problem.arcs, problem.costs, n, single, problem.shifts, pivots, weights):
        return False
    # A word that ends up with root arcs only can be the last one; a second such word
    # means that two words need the root.
    for tries in range(2):
        set_last(order, n, order[stuck] if tries else 1)
        for h in range(size):
            for d in range(1, size):
                a[h * size + d] = weights[order[h] * size + order[d]]
        stuck = eliminate(a, pivots, n, size, single)
        if stuck == 0:
            break
    if stuck or not restore(a, pivots, g, pivots + size, n, size, single):
        return False
    out.log_sum = out.expected = 0
    for d in range(1, size):
        out.log_sum += log_of(pivots[d])
        out.expected += log_slope(pivots[d])
    for h in range(size):
        for d in range(1, size):
            product = times(weights[order[h] * size + order[d]], g[h * size + d])
            if h == d:
                put(&product, 0, -INFINITY, 0)
            out.marginals[order[h] * n + order[d] - 1] = value_of(product)
            if out.slopes:
                out.slopes[order[h] * n + order[d] - 1] = slope_of(product)
    out.entropy = out.log_sum + surprise(problem.arcs, out.marginals, problem.shifts, n, single)
    out.log_sum += total_shift(problem.shifts, n)
    return True


# -- drawing trees ------------------------------------------------------------

cdef int reach_last(const Plain* merged, const int32_t* order, int left, int size, bint single,
                    Plain* a, Plain* pivots, Plain* g) noexcept nogil:
    """g[h] = d log Z / dA[h, 1] of the graph among the `left` words of `order`.

    These need no subtraction: g[0] = 1 / D_1 and g[k] = sum_h g[h] A[h, k] / D_k.
    """
    cdef int h, d, stuck
    cdef int here = left + 1
    for h in range(here):
        for d in range(1, here):
            a[h * here + d] = merged[order[h] * size + order[d]]
    stuck = eliminate(a, pivots, left, here, single)
    if stuck:
        return stuck
    put(&g[0], 1, 0, 0)
    g[0] = over(g[0], pivots[1])
    for d in range(2, here):
        put(&g[d], 0, -INFINITY, 0)
        for h in range(d):
            if h != 1:
                g[d] = plus(g[d], times(a[h * here + d], g[h]))
    return 0


cdef bint draw(Plain* space, const Plain* weights, int n, bint single, const double* uniforms,
               int32_t* places, int32_t* heads) noexcept nogil:
    """One tree: choose the head of a word, merge the word into it, go on with the rest."""
    cdef int size = n + 1, square = size * size, left, tries, stuck, word, head, h, d
    cdef Plain* merged = space
    cdef Plain* a = merged + square
    cdef Plain* pivots = a + square
    cdef Plain* g = pivots + size
    cdef Plain* shares = g + size
    cdef int32_t* order = places
    cdef int32_t* group = places + size
    cdef int32_t* place = group + size
    cdef bint root_is_free = True
    for h in range(square):
        merged[h] = weights[h]
    for h in range(size):
        order[h] = group[h] = h
    for left in range(n, 0, -1):
        stuck = 0
        for tries in range(2):
            if stuck:
                order[1], order[stuck] = order[stuck], order[1]
            stuck = reach_last(merged, order, left, size, single, a, pivots, g)
            if stuck == 0:
                break
        if stuck:
            return False
        word = order[1]
        for h in range(left + 1):
            place[order[h]] = h
        for h in range(size):
            put(&shares[h], 0, -INFINITY, 0)
            if group[h] != word and (h > 0 or root_is_free):
                shares[h] = times(weights[h * size + word], g[place[group[h]]])
        head = <int>pick(shares, size, uniforms[word - 1])
        if head < 0:
            return False
        heads[word - 1] = head
        if single and head == 0:
            # The rest hangs on this word, on as many arcs as it likes.
            single = root_is_free = False
            for d in range(1, size):
                merged[d] = merged[word * size + d]
        else:
            for d in range(1, size):
                merged[group[head] * size + d] = plus(merged[group[head] * size + d],
                                                      merged[word * size + d])
        head = group[head]
        for h in range(size):
            if group[h] == word:
                group[h] = head
        for h in range(1, left):
            order[h] = order[h + 1]
    return True


cdef bint draw_each(Plain* space, const Problem* problem, const double* uniforms,
                    Py_ssize_t step, Py_ssize_t count, int32_t* heads) noexcept nogil:
    cdef int n = problem.n, square = (n + 1) * (n + 1)
    cdef Py_ssize_t i
    if not weigh(problem.arcs, NULL, n, problem.single, problem.shifts, space + square, space):
        return False
    for i in range(count):
        if not draw(space + square, space, n, problem.single, uniforms + i * step, problem.places,
                    heads + i * n):
            return False
    return True


cdef size_t room(size_t size) noexcept nogil:
    return 3 * size * size + 3 * size


cdef class SpanningSums(TreeSums):
    """Over all trees; one is drawn from n numbers."""

    def __cinit__(self):
        self.methods = Methods(
            room=room, sum=summarize[double], sum_logs=summarize[Log],
            sum_duals=summarize[Dual], sum_log_duals=summarize[LogDual],
            draw=draw_each[double], draw_by_logs=draw_each[Log],
        )
