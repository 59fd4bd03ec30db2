"""Better trees by moving one word at a time, for scores of siblings without projectivity.

The best tree that may cross is NP-hard to find with scores of siblings. MSTParser
(McDonald and Pereira 2006) starts from the best projective tree and, as long as the score
rises, makes the change of one word's head that raises it most. With a single root the
root's word cannot just be moved; it can swap with another word, which takes its place
and becomes its head.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc


cdef struct Climb:
    int n
    int size
    const double* arcs
    const double* siblings
    int32_t* heads
    # nearer[h, d] and farther[h, d]: the dependents of h between which d stands, or 0.
    int32_t* nearer
    int32_t* farther
    int32_t* seen


cdef inline double sibling(const Climb* c, int h, int d, int m) noexcept nogil:
    return c.siblings[(h * <Py_ssize_t>c.n + d - 1) * c.size + m]


cdef void note_side(Climb* c, int h, int step) noexcept nogil:
    """Neighbours of each place on one side of a head, from the head outwards and back."""
    cdef int stop = c.size if step > 0 else 0, d, last = 0
    d = h + step
    while d * step < stop * step:
        c.nearer[h * c.size + d] = last
        if c.heads[d - 1] == h:
            last = d
        d += step
    last = 0
    d = stop - step
    while d * step > h * step:
        c.farther[h * c.size + d] = last
        if c.heads[d - 1] == h:
            last = d
        d -= step


cdef double share(const Climb* c, int h, int d) noexcept nogil:
    """What d adds to the score as a dependent of h, among the others that h has now."""
    cdef int before = c.nearer[h * c.size + d], after = c.farther[h * c.size + d]
    cdef double total = c.arcs[h * c.n + d - 1] + sibling(c, h, d, before)
    if after:
        total += sibling(c, h, after, d) - sibling(c, h, after, before)
    return total


cdef double whole_score(Climb* c) noexcept nogil:
    """Also notes the neighbours of every place, for `share`."""
    cdef int h, d
    cdef double total = 0
    for h in range(c.size):
        note_side(c, h, 1)
        if h > 0:
            note_side(c, h, -1)
    for d in range(1, c.size):
        h = c.heads[d - 1]
        total += c.arcs[h * c.n + d - 1] + sibling(c, h, d, c.nearer[h * c.size + d])
    return total


cdef void mark_below(Climb* c, int word) noexcept nogil:
    """seen[w] = word for the words below a word, itself included; -word for the others."""
    cdef int w, v, verdict
    for w in range(c.size):
        c.seen[w] = 0
    c.seen[0] = -word
    c.seen[word] = word
    for w in range(1, c.size):
        v = w
        while c.seen[v] == 0:
            v = c.heads[v - 1]
        verdict = c.seen[v]
        v = w
        while c.seen[v] == 0:
            c.seen[v] = verdict
            v = c.heads[v - 1]


cdef double best_move(Climb* c, bint single, int* word, int* head) noexcept nogil:
    """The change of one head that gains most; with a single root also the swaps of the root."""
    cdef int d, h, root = 0
    cdef double best = 0, gain
    for d in range(1, c.size):
        if c.heads[d - 1] == 0:
            root = d
    for d in range(1, c.size):
        if single and d == root:
            continue
        mark_below(c, d)
        for h in range(1 if single else 0, c.size):
            if h != c.heads[d - 1] and c.seen[h] != d:
                gain = share(c, h, d) - share(c, c.heads[d - 1], d)
                if gain > best:
                    best = gain
                    word[0] = d
                    head[0] = h
        if single:
            gain = (c.arcs[d - 1] + sibling(c, 0, d, 0) - share(c, c.heads[d - 1], d)
                    - c.arcs[root - 1] - sibling(c, 0, root, 0) + share(c, d, root))
            if gain > best:
                best = gain
                word[0] = d
                head[0] = 0
    return best


cdef void climb(Climb* c, bint single) noexcept nogil:
    cdef int word = 0, head = 0, old, root, d
    cdef double score = whole_score(c), changed
    while best_move(c, single, &word, &head) > 0:
        old = c.heads[word - 1]
        root = 0
        if single and head == 0:
            for d in range(1, c.size):
                if c.heads[d - 1] == 0:
                    root = d
            c.heads[root - 1] = word
        c.heads[word - 1] = head
        changed = whole_score(c)
        # A gain that is only rounding could be made and unmade for ever.
        if not changed > score:
            c.heads[word - 1] = old
            if root:
                c.heads[root - 1] = 0
            break
        score = changed


def improve(const double[::1] arcs, const double[::1] siblings, const int32_t[::1] lengths,
            bint single_root, int32_t[::1] heads):
    """Change the heads of given trees until no change of one word's head helps."""
    cdef Py_ssize_t s, at = 0, word = 0
    cdef size_t size = 1
    cdef const double* second
    cdef Climb c
    for s in range(lengths.shape[0]):
        size = max(size, <size_t>lengths[s] + 1)
    c.nearer = <int32_t*>malloc((2 * size + 1) * size * sizeof(int32_t))
    if c.nearer == NULL:
        raise MemoryError()
    if lengths.shape[0] > 0:
        second = &siblings[0]
        with nogil:
            for s in range(lengths.shape[0]):
                c.n = lengths[s]
                c.size = c.n + 1
                c.arcs = &arcs[at]
                c.siblings = second
                c.heads = &heads[word]
                c.farther = c.nearer + c.size * c.size
                c.seen = c.farther + c.size * c.size
                climb(&c, single_root)
                at += <Py_ssize_t>c.size * c.n
                second += <Py_ssize_t>c.size * c.n * c.size
                word += c.n
    free(c.nearer)


def scores(const double[::1] arcs, const double[::1] siblings, const int32_t[::1] lengths,
           const int32_t[::1] heads, double[::1] totals):
    """The scores of given trees, with those of siblings."""
    cdef Py_ssize_t s, at = 0, word = 0
    cdef const double* second
    cdef int n, h, d, before
    cdef double total
    if lengths.shape[0] == 0:
        return
    second = &siblings[0]
    with nogil:
        for s in range(lengths.shape[0]):
            n = lengths[s]
            total = 0
            for d in range(1, n + 1):
                h = heads[word + d - 1]
                before = d - 1 if h < d else d + 1
                while before != h and heads[word + before - 1] != h:
                    before += -1 if h < d else 1
                if before == h:
                    before = 0
                total += (arcs[at + h * n + d - 1]
                          + second[(h * <Py_ssize_t>n + d - 1) * (n + 1) + before])
            totals[s] = total
            at += <Py_ssize_t>(n + 1) * n
            second += <Py_ssize_t>(n + 1) * n * (n + 1)
            word += n
