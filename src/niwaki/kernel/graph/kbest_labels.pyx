"""The k best labelled trees, from the k best trees with their best labels.

A labelled tree among the k best has its heads among the k best, because there are at
least as many trees that are no worse as there are better choices of heads. The ways to
label one tree are walked from the best on: raise the rank of the word that was raised
last, or start with a later word. That reaches each way once, and never before a better one.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free, realloc


cdef struct Way:
    # One word's label differs from those of the way before it.
    double score
    int32_t before
    int32_t tree
    int32_t word
    int32_t rank

cdef struct Queue:
    Way* ways
    int32_t* heap
    int32_t count
    int32_t waiting
    int32_t room


cdef inline bint goes_before(const Queue* q, int32_t one, int32_t other) noexcept nogil:
    """By score, then by tree, then as found; more trees at the end change nothing before."""
    cdef const Way* a = &q.ways[one]
    cdef const Way* b = &q.ways[other]
    if a.score != b.score:
        return a.score > b.score
    if a.tree != b.tree:
        return a.tree < b.tree
    return one < other


cdef bint wait(Queue* q, Way way) noexcept nogil:
    """Queue a way; False without memory."""
    cdef int32_t place, above, new = q.count
    cdef void* ways
    cdef void* heap
    if new == q.room:
        q.room = 2 * q.room + 64
        ways = realloc(q.ways, q.room * sizeof(Way))
        if ways == NULL:
            return False
        q.ways = <Way*>ways
        heap = realloc(q.heap, q.room * sizeof(int32_t))
        if heap == NULL:
            return False
        q.heap = <int32_t*>heap
    q.ways[new] = way
    q.count += 1
    place = q.waiting
    q.waiting += 1
    while place > 0:
        above = (place - 1) // 2
        if not goes_before(q, new, q.heap[above]):
            break
        q.heap[place] = q.heap[above]
        place = above
    q.heap[place] = new
    return True


cdef int32_t take(Queue* q) noexcept nogil:
    cdef int32_t taken = q.heap[0], moved, place = 0, below
    q.waiting -= 1
    moved = q.heap[q.waiting]
    while True:
        below = 2 * place + 1
        if below >= q.waiting:
            break
        if below + 1 < q.waiting and goes_before(q, q.heap[below + 1], q.heap[below]):
            below += 1
        if not goes_before(q, q.heap[below], moved):
            break
        q.heap[place] = q.heap[below]
        place = below
    q.heap[place] = moved
    return taken


cdef bint follow(Queue* q, int32_t number, const double* choices, int labels,
                 const int32_t* rows, int n) noexcept nogil:
    """Queue what comes after a way; False without memory."""
    cdef Way way = q.ways[number], new
    cdef const double* row
    cdef int word, rank
    for word in range(way.word, n):
        rank = way.rank if word == way.word else 0
        row = choices + rows[word] * <Py_ssize_t>labels
        if rank + 1 < labels and row[rank + 1] > -INFINITY:
            new = Way(way.score - row[rank] + row[rank + 1], number, way.tree, word, rank + 1)
            if not wait(q, new):
                return False
    return True


cdef Py_ssize_t search(Queue* q, const double* choices, int labels, const int32_t* rows,
                       Py_ssize_t trees, int n, Py_ssize_t k, const double* best,
                       int32_t* chosen, int32_t* ranks, double* scores) noexcept nogil:
    cdef Py_ssize_t found = 0, i
    cdef int32_t number
    cdef double total
    for i in range(trees):
        if not wait(q, Way(best[i], -1, <int32_t>i, 0, 0)):
            return -1
    while found < k and q.waiting > 0:
        number = take(q)
        i = q.ways[number].tree
        chosen[found] = <int32_t>i
        if not follow(q, number, choices, labels, rows + i * n, n):
            return -1
        while number >= 0:
            # The latest rank of a word is met first; ranks only grow.
            if ranks[found * n + q.ways[number].word] == 0:
                ranks[found * n + q.ways[number].word] = q.ways[number].rank
            number = q.ways[number].before
        total = 0
        for number in range(n):
            total += choices[rows[i * n + number] * <Py_ssize_t>labels + ranks[found * n + number]]
        scores[found] = min(total, scores[found - 1]) if found else total
        found += 1
    return found


def kbest(const double[:, ::1] choices, const int32_t[:, ::1] rows, const double[::1] best,
          int32_t[::1] chosen, int32_t[:, ::1] ranks, double[::1] scores):
    """Fill in the best labelled trees, as many as there is room for; how many there are.

    `choices` are scores of labels, each row falling; rows[t, w] is the row of word w in
    tree t, and best[t] the score of that tree with first choices. `ranks` must be 0; it
    gets the choices of each word in tree `chosen`.
    """
    cdef Py_ssize_t found
    cdef Queue q
    if chosen.shape[0] == 0 or rows.shape[0] == 0:
        return 0
    q = Queue(NULL, NULL, 0, 0, 0)
    with nogil:
        found = search(&q, &choices[0, 0], <int>choices.shape[1], &rows[0, 0], rows.shape[0],
                       <int>rows.shape[1], chosen.shape[0], &best[0], &chosen[0], &ranks[0, 0],
                       &scores[0])
    free(q.ways)
    free(q.heap)
    if found < 0:
        raise MemoryError()
    return found
