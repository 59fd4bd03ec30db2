"""Maximum spanning trees of dense graphs in O(n^2) (Chu and Liu, Edmonds; Tarjan 1977).

Every word takes its best head. Where that closes a cycle, the cycle becomes one slot:
an arc into it is worth its score minus that of the cycle's arc which it would replace.
A path of slots, each the best head of the one before, is followed until it meets
itself (contract) or something that hangs on the root already. A contraction of k slots
costs O(k n) and leaves k - 1 slots fewer, so that all of them cost O(n^2).

A single root is had in the same run: among trees, first the fewest root arcs, then the
score. That is as if each root arc cost an amount beyond all others, but without adding
that amount: a slot takes a root arc only if no other arc leads into it, because arcs of
cycles are never root arcs and so the large amount never enters a difference.

Scores of minus infinity forbid an arc. Ties go to the head that comes first.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, malloc


cdef Contraction* new_contraction(int n, bint seconds) noexcept nogil:
    """Room for sentences of up to n words; NULL without memory."""
    cdef Contraction* c = <Contraction*>calloc(1, sizeof(Contraction))
    cdef size_t size = n + 1, square = (n + 1) * <size_t>(n + 1)
    if c == NULL:
        return NULL
    c.in_scores = <double*>malloc((2 if seconds else 1) * square * sizeof(double))
    c.in_arcs = <int32_t*>malloc((2 if seconds else 1) * square * sizeof(int32_t))
    c.offset = <double*>malloc(2 * size * sizeof(double))
    c.active = <int32_t*>malloc(8 * size * sizeof(int32_t))
    if c.in_scores == NULL or c.in_arcs == NULL or c.offset == NULL or c.active == NULL:
        free_contraction(c)
        return NULL
    if seconds:
        c.second_scores = c.in_scores + square
        c.second_arcs = c.in_arcs + square
    c.path = c.active + size
    c.state = c.path + size
    c.node = c.state + size
    c.parent = c.node + size
    c.entering = c.parent + 2 * size
    return c


cdef void free_contraction(Contraction* c) noexcept nogil:
    if c != NULL:
        free(c.in_scores)
        free(c.in_arcs)
        free(c.offset)
        free(c.active)
        free(c)


cdef void load(Contraction* c, const double* arcs, int n, bint single) noexcept nogil:
    """Take the scores of one sentence, by dependent."""
    cdef int size = n + 1, h, d
    c.n = n
    c.size = size
    c.single = single
    for d in range(1, size):
        for h in range(size):
            c.in_scores[d * size + h] = arcs[h * n + d - 1]
        c.in_scores[d * size + d] = -INFINITY


cdef void begin(Contraction* c) noexcept nogil:
    """Each word is a slot of its own."""
    cdef int size = c.size, h, d
    c.count = c.n
    c.nodes = size
    c.state[0] = HANGS
    for d in range(1, size):
        c.active[d - 1] = c.node[d] = d
        c.state[d] = UNSEEN
        c.parent[d] = 0
        for h in range(size):
            c.in_arcs[d * size + h] = h * size + d
    if c.second_scores:
        for d in range(size, size * size):
            c.second_scores[d] = -INFINITY
            c.second_arcs[d] = 0


cdef int best_source(const Contraction* c, int slot) noexcept nogil:
    """The slot from which the best arc leads into a slot; -1 if none does."""
    cdef const double* scores = c.in_scores + slot * c.size
    cdef double best = -INFINITY
    cdef int i, other, found = -1
    if not c.single and scores[0] > best:
        best = scores[0]
        found = 0
    for i in range(c.count):
        other = c.active[i]
        if scores[other] > best and other != slot:
            best = scores[other]
            found = other
    if found < 0 and scores[0] > -INFINITY:
        found = 0
    return found


cdef inline void offer(double* best, int32_t* arc, double* second, int32_t* second_arc,
                       double score, int32_t offered) noexcept nogil:
    """Keep the better two of three arcs."""
    if score > best[0]:
        second[0] = best[0]
        second_arc[0] = arc[0]
        best[0] = score
        arc[0] = offered
    elif score > second[0]:
        second[0] = score
        second_arc[0] = offered


cdef void merge_into(Contraction* c, int target, double target_offset, int slot,
                     double slot_offset) noexcept nogil:
    """Add the arcs of a slot to those of another one; `slot` is no longer active.

    Arcs into the target already had its offset taken off.
    """
    cdef int size = c.size, i, other
    cdef size_t mine, theirs
    for i in range(-1, c.count):
        other = c.active[i] if i >= 0 else 0
        if other == target:
            continue
        mine = target * size + other
        theirs = slot * size + other
        if c.second_scores:
            offer(&c.in_scores[mine], &c.in_arcs[mine], &c.second_scores[mine],
                  &c.second_arcs[mine], c.in_scores[theirs] - slot_offset, c.in_arcs[theirs])
            offer(&c.in_scores[mine], &c.in_arcs[mine], &c.second_scores[mine],
                  &c.second_arcs[mine], c.second_scores[theirs] - slot_offset,
                  c.second_arcs[theirs])
        elif c.in_scores[theirs] - slot_offset > c.in_scores[mine]:
            c.in_scores[mine] = c.in_scores[theirs] - slot_offset
            c.in_arcs[mine] = c.in_arcs[theirs]
        if other == 0:
            continue
        mine = other * size + target
        theirs = other * size + slot
        if c.second_scores:
            offer(&c.in_scores[mine], &c.in_arcs[mine], &c.second_scores[mine],
                  &c.second_arcs[mine], c.in_scores[theirs], c.in_arcs[theirs])
            offer(&c.in_scores[mine], &c.in_arcs[mine], &c.second_scores[mine],
                  &c.second_arcs[mine], c.second_scores[theirs], c.second_arcs[theirs])
        elif c.in_scores[theirs] > c.in_scores[mine]:
            c.in_scores[mine] = c.in_scores[theirs]
            c.in_arcs[mine] = c.in_arcs[theirs]


cdef void contract(Contraction* c, int start, int stop) noexcept nogil:
    """Make path[start:stop], a cycle, one slot: that of path[start]. It stays on the path."""
    cdef int size = c.size, target = c.path[start], i, j, kept, slot
    cdef double offset = c.offset[c.node[target]]
    for i in range(start, stop):
        c.parent[c.node[c.path[i]]] = c.nodes
        if i > start:
            c.state[c.path[i]] = -1
    kept = 0
    for i in range(c.count):
        c.active[kept] = c.active[i]
        kept += c.state[c.active[i]] >= 0
    c.count = kept
    c.in_scores[target * size] -= offset
    for i in range(c.count):
        c.in_scores[target * size + c.active[i]] -= offset
    if c.second_scores:
        c.second_scores[target * size] -= offset
        for i in range(c.count):
            c.second_scores[target * size + c.active[i]] -= offset
    for j in range(start + 1, stop):
        slot = c.path[j]
        merge_into(c, target, offset, slot, c.offset[c.node[slot]])
    c.node[target] = c.nodes
    c.parent[c.nodes] = 0
    c.nodes += 1


cdef bint solve(Contraction* c, int32_t* heads) noexcept nogil:
    """The best tree; False if there is none."""
    cdef int size = c.size, start, length, slot, source, i, node, roots = 0
    cdef int32_t arc
    begin(c)
    for start in range(1, size):
        if c.state[start] != UNSEEN:
            continue
        length = start_path(c, start)
        while length:
            slot = c.path[length - 1]
            source = best_source(c, slot)
            if source < 0:
                return False
            node = c.node[slot]
            c.entering[node] = c.in_arcs[slot * size + source]
            c.offset[node] = c.in_scores[slot * size + source]
            i = extend_path(c, &length, source)
            if i >= 0:
                contract(c, i, length)
                length = i + 1
    # Undo the contractions, the last one first: the arc into a cycle replaces one of its own.
    for node in range(c.nodes - 1, size - 1, -1):
        arc = c.entering[node]
        i = arc % size
        while c.parent[i] != node:
            i = c.parent[i]
        c.entering[i] = arc
    for i in range(1, size):
        heads[i - 1] = c.entering[i] // size
        roots += heads[i - 1] == 0
    return roots == 1 or not c.single


cdef double tree_score(const double* arcs, const int32_t* heads, int n) noexcept nogil:
    cdef double total = 0
    cdef int d
    for d in range(n):
        total += arcs[heads[d] * n + d]
    return total


def decode(const double[::1] arcs, const int32_t[::1] lengths, bint single_root,
           int32_t[::1] heads):
    """Fill in the heads of the best trees; the number of a sentence that has none, or -1."""
    cdef Py_ssize_t s, at = 0, word = 0, sentences = lengths.shape[0]
    cdef int longest = 0, failed = -1
    cdef Contraction* c
    for s in range(sentences):
        longest = max(longest, lengths[s])
    c = new_contraction(longest, False)
    if c == NULL:
        raise MemoryError()
    with nogil:
        for s in range(sentences):
            load(c, &arcs[at], lengths[s], single_root)
            if not solve(c, &heads[word]):
                failed = <int>s
                break
            at += <Py_ssize_t>(lengths[s] + 1) * lengths[s]
            word += lengths[s]
    free_contraction(c)
    return failed


def scores(const double[::1] arcs, const int32_t[::1] lengths, const int32_t[::1] heads,
           double[::1] totals):
    """The scores of given trees: the scores of their arcs, added from the first word on."""
    cdef Py_ssize_t s, at = 0, word = 0
    with nogil:
        for s in range(lengths.shape[0]):
            totals[s] = tree_score(&arcs[at], &heads[word], lengths[s])
            at += <Py_ssize_t>(lengths[s] + 1) * lengths[s]
            word += lengths[s]
