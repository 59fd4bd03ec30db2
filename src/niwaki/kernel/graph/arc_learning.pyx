"""Changes the weights of arcs: steps on given parts, gradients, and sums into plain vectors."""

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.graph.arcs cimport ArcFeatures, ArcModel, Sentence, check_parts, part_keys
from niwaki.kernel.linear cimport SparseWeights, LearnTable, learn_add, learn_gradients, place_of
from niwaki.kernel.scoring cimport MAX_KEYS
from niwaki.kernel.features.columns cimport Columns

cdef extern from "portable.h" nogil:
    void niwaki_prefetch(const void* address)

cdef enum:
    MOST_CLASSES = 256


cdef struct Walk:
    # Where one is among the rows that are kept; `counts` is NULL if they are looked up.
    const uint32_t* rows
    const uint16_t* counts
    uint32_t found[MAX_KEYS]


cdef class ArcLearner:
    """Teaches an ArcModel whose weights are a SparseWeights, on the sentences of one batch."""

    cdef readonly ArcModel model
    cdef SparseWeights learner
    cdef Batch batch
    cdef Columns columns
    cdef Sentence sentence
    # The rows of the features of all arcs, how many an arc has, and where sentences begin.
    cdef uint32_t* kept
    cdef uint16_t* counts
    cdef size_t* row_starts
    cdef size_t* arc_starts

    def __cinit__(self, ArcModel model not None, SparseWeights learner not None, Batch batch not None,
                  list attributes not None):
        if model.model is not learner:
            raise ValueError("the model must hold the learner's weights")
        self.model = model
        self.learner = learner
        self.batch = batch
        self.columns = Columns(attributes, model.features.attribute_count, batch.words)
        memset(&self.sentence, 0, sizeof(Sentence))

    def __dealloc__(self):
        free(self.sentence.memory)
        self._forget()

    cdef int _open(self, Py_ssize_t s) except -1:
        if not 0 <= s < self.batch.sentences:
            raise ValueError(f"no sentence {s}")
        cdef int n = self.batch.starts[s + 1] - self.batch.starts[s]
        if not self.model.features.prepare(
                &self.sentence, self.columns.pointers, self.batch.starts[s], n):
            raise MemoryError()
        return n

    def add(self, Py_ssize_t s, const int32_t[:, ::1] parts not None,
            const int32_t[::1] classes not None, const float[::1] steps not None):
        """Add a step to the weights of a class, for each part (head, dependent, sibling)."""
        cdef uint64_t keys[MAX_KEYS]
        cdef Py_ssize_t k
        cdef int count
        check_parts(self.batch, s, parts)
        if classes.shape[0] != parts.shape[0] or steps.shape[0] != parts.shape[0]:
            raise ValueError("each part needs a class and a step")
        for k in range(classes.shape[0]):
            if not 0 <= classes[k] < self.learner.classes:
                raise ValueError(f"class {classes[k]} of {self.learner.classes}")
        self._open(s)
        with nogil:
            for k in range(parts.shape[0]):
                count = part_keys(self.model.features, &self.sentence, &parts[k, 0], keys)
                learn_add(&self.learner.table, keys, count, classes[k], steps[k])
        self.learner.check_memory()

    def climb(self, Py_ssize_t s, const int32_t[:, ::1] parts not None,
              const double[:, ::1] gradients not None, double least, double fresh, float rate,
              float damping):
        """AdaGrad steps uphill on parts, by class; gradients up to `least` are left out, and
        those up to `fresh` change only features that have weights already.
        """
        cdef uint64_t keys[MAX_KEYS]
        cdef int chosen[MOST_CLASSES]
        cdef float slopes[MOST_CLASSES]
        cdef Py_ssize_t k
        cdef int c, count, found
        cdef double largest
        cdef bint closed = self.learner.table.closed
        check_parts(self.batch, s, parts)
        if gradients.shape[0] != parts.shape[0] or gradients.shape[1] != self.learner.classes:
            raise ValueError("each part needs a gradient for each class")
        self._open(s)
        with nogil:
            for k in range(parts.shape[0]):
                found = 0
                largest = 0
                for c in range(self.learner.classes):
                    largest = max(largest, fabs(gradients[k, c]))
                    if fabs(gradients[k, c]) > least:
                        chosen[found] = c
                        slopes[found] = <float>gradients[k, c]
                        found += 1
                if found:
                    count = part_keys(self.model.features, &self.sentence, &parts[k, 0], keys)
                    self.learner.table.closed = closed or largest <= fresh
                    learn_gradients(&self.learner.table, keys, count, chosen, slopes, found, rate,
                                    damping)
            self.learner.table.closed = closed
        self.learner.check_memory()

    # -- weights as a plain vector, by the number of their row -----------------------

    def keep_rows(self, size_t most_bytes):
        """Look up the features of all arcs for good, when the learner gets no more rows; False
        if that would take too much memory.
        """
        cdef Py_ssize_t s, count = self.batch.sentences
        cdef size_t capacity = 1 << 10, at = 0, arc = 0
        cdef uint32_t found[MAX_KEYS]
        cdef uint32_t* larger
        cdef int n, head, word, rows
        if not self.learner.table.closed:
            raise ValueError("rows can be kept when there will be no more")
        self._forget()
        self.row_starts = <size_t*>malloc((count + 1) * sizeof(size_t))
        self.arc_starts = <size_t*>malloc((count + 1) * sizeof(size_t))
        if self.row_starts == NULL or self.arc_starts == NULL:
            self._forget()
            raise MemoryError()
        for s in range(count):
            n = self.batch.starts[s + 1] - self.batch.starts[s]
            self.arc_starts[s] = arc
            arc += <size_t>n * n
        self.kept = <uint32_t*>malloc(capacity * sizeof(uint32_t))
        self.counts = <uint16_t*>malloc((arc + 1) * sizeof(uint16_t))
        if self.kept == NULL or self.counts == NULL:
            self._forget()
            raise MemoryError()
        arc = 0
        for s in range(count):
            n = self._open(s)
            self.row_starts[s] = at
            for head in range(n + 1):
                for word in range(1, n + 1):
                    if word == head:
                        continue
                    rows = self.find(head, word, found)
                    if at + rows > capacity:
                        capacity *= 2
                        larger = NULL
                        if capacity * sizeof(uint32_t) <= most_bytes:
                            larger = <uint32_t*>realloc(self.kept, capacity * sizeof(uint32_t))
                        if larger == NULL:
                            self._forget()
                            return False
                        self.kept = larger
                    memcpy(self.kept + at, found, rows * sizeof(uint32_t))
                    self.counts[arc] = rows
                    at += rows
                    arc += 1
        return True

    cdef void _forget(self) noexcept:
        free(self.kept)
        free(self.counts)
        free(self.row_starts)
        free(self.arc_starts)
        self.kept = NULL
        self.counts = NULL
        self.row_starts = self.arc_starts = NULL

    cdef int _begin(self, Py_ssize_t s, Walk* walk) except -1:
        """Before the arcs of a sentence are gone through, head by head; its length."""
        walk.counts = NULL
        if self.kept == NULL:
            return self._open(s)
        if not 0 <= s < self.batch.sentences:
            raise ValueError(f"no sentence {s}")
        walk.rows = self.kept + self.row_starts[s]
        walk.counts = self.counts + self.arc_starts[s]
        return self.batch.starts[s + 1] - self.batch.starts[s]

    cdef inline int next_rows(self, Walk* walk, int head, int word, bint wanted,
                              const uint32_t** rows) noexcept nogil:
        """The rows of the next arc, and their number; 0 if they are not wanted."""
        cdef int found = 0
        if walk.counts != NULL:
            rows[0] = walk.rows
            found = walk.counts[0]
            walk.rows += found
            walk.counts += 1
            return found if wanted else 0
        rows[0] = walk.found
        if wanted:
            found = self.find(head, word, walk.found)
        return found

    def dense_scores(self, Py_ssize_t s, const double[::1] weights not None):
        """Scores of all arcs of a sentence under given weights, one for each row."""
        cdef Walk walk
        cdef const uint32_t* rows
        cdef int n = self._begin(s, &walk), head, word, i, found
        cdef double total
        self._check(weights.shape[0])
        out = np.zeros(<Py_ssize_t>(n + 1) * n)
        cdef double[::1] view = out
        with nogil:
            for head in range(n + 1):
                for word in range(1, n + 1):
                    if word != head:
                        found = self.next_rows(&walk, head, word, True, &rows)
                        total = 0
                        for i in range(found):
                            total += weights[rows[i]]
                        view[<Py_ssize_t>head * n + word - 1] = total
        return out

    def dense_add(self, Py_ssize_t s, const double[::1] coefficients not None,
                  double[::1] out not None):
        """Add the features of all arcs of a sentence, times their coefficients, to a vector."""
        cdef Walk walk
        cdef const uint32_t* rows
        cdef int n = self._begin(s, &walk), head, word, i, found
        cdef double coefficient
        self._check(out.shape[0])
        if coefficients.shape[0] != <Py_ssize_t>(n + 1) * n:
            raise ValueError("each arc needs a coefficient")
        with nogil:
            for head in range(n + 1):
                for word in range(1, n + 1):
                    if word != head:
                        coefficient = coefficients[<Py_ssize_t>head * n + word - 1]
                        found = self.next_rows(&walk, head, word, coefficient != 0, &rows)
                        for i in range(found):
                            out[rows[i]] += coefficient

    cdef _check(self, Py_ssize_t size):
        if size != len(self.learner):
            raise ValueError(f"a vector of {size} for {len(self.learner)} features")

    cdef int find(self, int head, int word, uint32_t* rows) noexcept nogil:
        """The rows of the features of an arc that have one."""
        cdef uint64_t keys[MAX_KEYS]
        cdef int32_t part[3]
        cdef const LearnTable* table = &self.learner.table
        cdef int count, i, found = 0
        cdef uint64_t place
        part[0], part[1], part[2] = head, word, -1
        count = part_keys(self.model.features, &self.sentence, part, keys)
        for i in range(count):
            niwaki_prefetch(&table.rows[keys[i] & table.mask])
            niwaki_prefetch(&table.numbers[keys[i] & table.mask])
        for i in range(count):
            place = place_of(table, keys[i])
            if table.rows[place].key != 0:
                rows[found] = table.numbers[place]
                found += 1
        return found
