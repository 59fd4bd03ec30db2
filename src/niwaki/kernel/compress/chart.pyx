"""The best words to keep of a tree, for each number of words of two kinds that may be kept.

A word is kept, dropped with all below it, or promotes: it is dropped, and words below it take its
place. K(h)[a, b] is the best score below word h if it is kept, with a kept words of the first kind and
b of the second; P(h)[a, b] if it promotes. A child c stands below a kept or a promoting head with

    U(c) = max(score(c kept) + K(c), score(c promotes) + P(c)),

and a head takes in one child after the other: K' = max(K, K + U), P' = max(P, P + U, U), where + is
over all ways to share a and b. Summed over a tree this is O(A^2 B^2), A and B the words of the kinds.
"""

import numpy as np

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t

# Columns of scores: kept or promoting, below a kept head and below one that promotes.
KEPT, PROMOTING, KEPT_BELOW, PROMOTING_BELOW = range(4)

cdef enum:
    DROPPED = 0
    KEEPS = 1
    PROMOTES = 2
    # A promoting head whose other children are dropped.
    CLOSED = 3


cdef class Chart:
    """Tables are numbered: that of word h alone is h (the root's place is 0), and the one that its
    head has after taking it in is n + h. K stands before P.
    """

    cdef Py_ssize_t n
    cdef int32_t[::1] heads
    cdef double[:, ::1] scores
    cdef int32_t[::1] order       # children before their heads
    cdef int32_t[::1] before      # the table of its head before a word is taken in
    cdef int32_t[::1] last        # the last table of a word
    cdef int32_t[:, ::1] size     # words of both kinds, by table
    cdef int64_t[::1] start
    cdef double* cells
    cdef readonly object best

    def __cinit__(self):
        self.cells = NULL

    def __dealloc__(self):
        PyMem_Free(self.cells)

    def __init__(self, const int32_t[::1] heads, const double[:, ::1] scores,
                 const int32_t[::1] kinds):
        cdef Py_ssize_t n = heads.shape[0]
        if scores.shape[0] != n or scores.shape[1] != 4 or kinds.shape[0] != n:
            raise ValueError("heads, scores and kinds do not fit together")
        self.n = n
        self.heads = np.array(heads, dtype=np.int32)
        self.scores = np.array(scores, dtype=np.float64)
        self.order = np.zeros(n, dtype=np.int32)
        self.before = np.zeros(n + 1, dtype=np.int32)
        self.last = np.arange(n + 1, dtype=np.int32)
        self.size = np.zeros((2 * n + 1, 2), dtype=np.int32)
        self.start = np.zeros(2 * n + 1, dtype=np.int64)
        if not self.plan(kinds):
            raise ValueError("heads that are no tree, or kinds that are neither 0 nor 1")
        cdef Py_ssize_t step
        with nogil:
            self.begin()
            for step in range(n):
                self.take_in(self.order[step])
        cdef int32_t whole = self.last[0]
        cdef Py_ssize_t a = self.size[whole, 0] + 1, b = self.size[whole, 1] + 1
        found = np.empty((a, b))
        cdef double[:, ::1] out = found
        cdef Py_ssize_t x, y
        for x in range(a):
            for y in range(b):
                out[x, y] = self.cells[self.start[whole] + x * b + y]
        # All dropped is no sentence.
        out[0, 0] = -INFINITY
        self.best = found

    cdef int plan(self, const int32_t[::1] kinds) except -1:
        """The order of words and the sizes of tables; 0 if heads are no tree."""
        cdef Py_ssize_t n = self.n, done = 0, step, word
        cdef int32_t head, child
        cdef int32_t[::1] waiting = np.zeros(n + 1, dtype=np.int32)
        for word in range(n):
            if not 0 <= self.heads[word] <= n or not 0 <= kinds[word] <= 1:
                return 0
            waiting[self.heads[word]] += 1
            self.size[word + 1, kinds[word]] = 1
        for word in range(n):
            if waiting[word + 1] == 0:
                self.order[done] = <int32_t>word + 1
                done += 1
        step = 0
        while step < done:
            child = self.order[step]
            head = self.heads[child - 1]
            self.before[child] = self.last[head]
            self.last[head] = <int32_t>n + child
            self.size[n + child, 0] = self.size[self.before[child], 0] + self.size[self.last[child], 0]
            self.size[n + child, 1] = self.size[self.before[child], 1] + self.size[self.last[child], 1]
            waiting[head] -= 1
            if head and waiting[head] == 0:
                self.order[done] = head
                done += 1
            step += 1
        if done != n:
            return 0
        cdef int64_t total = 0
        for step in range(2 * n + 1):
            self.start[step] = total
            total += 2 * <int64_t>(self.size[step, 0] + 1) * (self.size[step, 1] + 1)
        self.cells = <double*>PyMem_Malloc(total * sizeof(double))
        if self.cells == NULL:
            raise MemoryError
        for step in range(total):
            self.cells[step] = -INFINITY
        return 1

    cdef void begin(self) noexcept nogil:
        cdef Py_ssize_t word
        self.cells[self.start[0]] = 0
        for word in range(self.n):
            # One kept word: the second cell, whether that is a row or a column.
            self.cells[self.start[word + 1] + 1] = 0

    cdef inline double standing(self, int32_t child, int below, Py_ssize_t cell) noexcept nogil:
        """U(child)[cell] below a head that is kept, or that promotes."""
        cdef int32_t table = self.last[child]
        cdef Py_ssize_t size = (self.size[table, 0] + 1) * (self.size[table, 1] + 1)
        cdef double* at = self.cells + self.start[table]
        cdef double kept = self.scores[child - 1, 2 * below] + at[cell]
        cdef double promoting = self.scores[child - 1, 2 * below + 1] + at[size + cell]
        return kept if kept >= promoting else promoting

    cdef void take_in(self, int32_t child) noexcept nogil:
        cdef int32_t old = self.before[child], new = <int32_t>self.n + child
        cdef int32_t own = self.last[child]
        cdef Py_ssize_t a = self.size[old, 0] + 1, b = self.size[old, 1] + 1
        cdef Py_ssize_t c = self.size[own, 0] + 1, d = self.size[own, 1] + 1
        cdef Py_ssize_t width = self.size[new, 1] + 1
        cdef Py_ssize_t size = (self.size[new, 0] + 1) * width
        cdef double* from_ = self.cells + self.start[old]
        cdef double* to = self.cells + self.start[new]
        cdef Py_ssize_t x, y, u, v, at
        cdef double kept, below, base
        for x in range(a):
            for y in range(b):
                to[x * width + y] = from_[x * b + y]
                to[size + x * width + y] = from_[a * b + x * b + y]
        for u in range(c):
            for v in range(d):
                kept = self.standing(child, 0, u * d + v)
                below = self.standing(child, 1, u * d + v)
                if kept == -INFINITY:
                    continue
                at = size + u * width + v
                if below > to[at]:
                    to[at] = below
                for x in range(a):
                    at = (x + u) * width + v
                    for y in range(b):
                        base = from_[x * b + y] + kept
                        if base > to[at + y]:
                            to[at + y] = base
                        base = from_[a * b + x * b + y] + below
                        if base > to[size + at + y]:
                            to[size + at + y] = base

    def kept(self, Py_ssize_t first, Py_ssize_t second):
        """Which words the best choice keeps that has so many of each kind."""
        best = self.best
        if not (0 <= first < best.shape[0] and 0 <= second < best.shape[1]):
            raise ValueError("more words than there are")
        if best[first, second] == -INFINITY:
            raise ValueError("no such choice")
        found = np.zeros(self.n, dtype=np.uint8)
        cdef uint8_t[::1] out = found
        cdef uint8_t[::1] state = np.zeros(self.n + 1, dtype=np.uint8)
        cdef Py_ssize_t[:, ::1] left = np.zeros((self.n + 1, 2), dtype=np.intp)
        cdef Py_ssize_t step
        state[0] = KEEPS
        left[0, 0], left[0, 1] = first, second
        for step in range(self.n - 1, -1, -1):
            self.look(self.order[step], state, left)
        for step in range(self.n):
            out[step] = state[step + 1] == KEEPS
        return found

    cdef int look(self, int32_t child, uint8_t[::1] state, Py_ssize_t[:, ::1] left) except -1:
        """What becomes of a word: which way led to the cell of its head."""
        cdef int32_t head = self.heads[child - 1]
        cdef int32_t old = self.before[child], new = <int32_t>self.n + child
        cdef int32_t own = self.last[child]
        cdef Py_ssize_t a = self.size[old, 0] + 1, b = self.size[old, 1] + 1
        cdef Py_ssize_t c = self.size[own, 0] + 1, d = self.size[own, 1] + 1
        cdef Py_ssize_t width = self.size[new, 1] + 1
        cdef Py_ssize_t size = (self.size[new, 0] + 1) * width
        cdef Py_ssize_t x = left[head, 0], y = left[head, 1], u, v
        cdef int below = state[head] == PROMOTES
        cdef double* from_ = self.cells + self.start[old] + below * a * b
        cdef double* to = self.cells + self.start[new] + below * size
        cdef double value
        if state[head] == DROPPED or state[head] == CLOSED:
            return 0
        value = to[x * width + y]
        if x < a and y < b and from_[x * b + y] == value:
            return 0
        if below and x < c and y < d and self.standing(child, 1, x * d + y) == value:
            state[head] = CLOSED
            self.stand(child, 1, x, y, state, left)
            return 0
        for u in range(max(0, x - a + 1), min(c, x + 1)):
            for v in range(max(0, y - b + 1), min(d, y + 1)):
                if from_[(x - u) * b + y - v] + self.standing(child, below, u * d + v) == value:
                    left[head, 0], left[head, 1] = x - u, y - v
                    self.stand(child, below, u, v, state, left)
                    return 0
        raise AssertionError("a cell without a way to it")

    cdef void stand(self, int32_t child, int below, Py_ssize_t u, Py_ssize_t v,
                    uint8_t[::1] state, Py_ssize_t[:, ::1] left) noexcept:
        cdef int32_t own = self.last[child]
        cdef Py_ssize_t cell = u * (self.size[own, 1] + 1) + v
        cdef double* at = self.cells + self.start[own]
        cdef double kept = self.scores[child - 1, 2 * below] + at[cell]
        state[child] = KEEPS if kept == self.standing(child, below, cell) else PROMOTES
        left[child, 0], left[child, 1] = u, v
