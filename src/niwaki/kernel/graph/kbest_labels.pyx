"""The k best labelled trees, from the k best trees with their best labels.

A labelled tree among the k best has its heads among the k best, because there are at
least as many trees that are no worse as there are better choices of heads. The ways to
label one tree are walked from the best on: raise the rank of the word that was raised
last, or start with a later word. That reaches each way once, and never before a better one.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free, realloc

from niwaki.kernel.graph._heap cimport Heap, Waiting, pop, push


cdef struct Way:
    # One word's label differs from those of the way before it.
    int32_t before
    int32_t word
    int32_t rank

cdef struct Queue:
    Way* ways
    int32_t count
    int32_t room
    Heap heap               # scores, trees and numbers of ways


cdef bint wait(Queue* q, double score, int32_t tree, Way way) noexcept nogil:
    """Queue a way, by score, then by tree, then as found: more trees at the end change nothing
    before. False without memory."""
    cdef void* ways
    if q.count == q.room:
        q.room = 2 * q.room + 64
        ways = realloc(q.ways, q.room * sizeof(Way))
        if ways == NULL:
            return False
        q.ways = <Way*>ways
    q.ways[q.count] = way
    q.count += 1
    return push(&q.heap, Waiting(score, tree, q.count - 1, 0))


cdef bint follow(Queue* q, const Waiting* taken, const double* choices, int labels,
                 const int32_t* rows, int n) noexcept nogil:
    """Queue what comes after a way; False without memory."""
    cdef int32_t number = taken.second
    cdef Way way = q.ways[number]
    cdef const double* row
    cdef int word, rank
    for word in range(way.word, n):
        rank = way.rank if word == way.word else 0
        row = choices + rows[word] * <Py_ssize_t>labels
        if rank + 1 < labels and row[rank + 1] > -INFINITY:
            if not wait(q, taken.score - row[rank] + row[rank + 1], taken.first,
                        Way(number, word, rank + 1)):
                return False
    return True


cdef Py_ssize_t search(Queue* q, const double* choices, int labels, const int32_t* rows,
                       Py_ssize_t trees, int n, Py_ssize_t k, const double* best,
                       int32_t* chosen, int32_t* ranks, double* scores) noexcept nogil:
    cdef Py_ssize_t found = 0, i
    cdef Waiting taken
    cdef int32_t number
    cdef double total
    for i in range(trees):
        if not wait(q, best[i], <int32_t>i, Way(-1, 0, 0)):
            return -1
    while found < k and q.heap.count > 0:
        taken = pop(&q.heap)
        i = chosen[found] = taken.first
        if not follow(q, &taken, choices, labels, rows + i * n, n):
            return -1
        number = taken.second
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
    q = Queue(NULL, 0, 0, Heap(NULL, 0, 0))
    with nogil:
        found = search(&q, &choices[0, 0], <int>choices.shape[1], &rows[0, 0], rows.shape[0],
                       <int>rows.shape[1], chosen.shape[0], &best[0], &chosen[0], &ranks[0, 0],
                       &scores[0])
    free(q.ways)
    free(q.heap.items)
    if found < 0:
        raise MemoryError()
    return found
