"""Expectation and maximisation of IBM Model 1 and the HMM over a table of co-occurring words.

A direction aligns each word of one side (a step) to a word of the other (a state)
or to the null word. Direction 0 has source words as states and target words as
steps, direction 1 the reverse. Both share one table: an entry for every source
word and target word that stand in some pair together.

Expected counts are integers (2^-32 of a count): a sum of integers does not depend
on its order, so any number of threads gives the same bytes.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t

from niwaki.kernel.bilingual.chain cimport SCALE, Jumps, Room, fixed, free_room, make_room, run_bag, run_chain
from niwaki.kernel.bilingual.cooccurrence import cooccurrences

cdef extern from "portable.h" nogil:
    void niwaki_add_count(int64_t* at, int64_t count)

# A count of one, as the integers count.
ONE_COUNT = <int64_t>SCALE
# Expected counts below this are dropped: they are many, and no estimate changes by them.
LEAST_COUNT = 2.0 ** -20
# Probabilities stay above this, so that no sentence pair becomes impossible.
LEAST_PROBABILITY = 1e-30

# Places in a pair's tables are plain ints: the square of this fits.
LONGEST = 30_000

cdef double SMALL = LEAST_COUNT
cdef double FLOOR = LEAST_PROBABILITY


cdef inline float share(int64_t count, double prior, double total) noexcept nogil:
    """The estimate with `prior` added to each count; `total` has it for all."""
    return <float>max(FLOOR, (count / SCALE + prior) / total)


cdef class Table:
    """Sentence pairs as numbers of words, and what is known of words that occur together."""

    cdef readonly object source_words, source_starts, target_words, target_starts
    cdef readonly object rows, columns, forward, backward, null_forward, null_backward
    cdef readonly object forward_counts, backward_counts, null_forward_counts, null_backward_counts
    cdef readonly int pairs, longest_source, longest_target
    cdef object column_sizes, column_totals
    cdef const int32_t[::1] s_words, t_words, cols
    cdef const int64_t[::1] s_starts, t_starts, row
    cdef float[::1] p0, p1, n0, n1
    cdef int64_t[::1] c0, c1, m0, m1

    def __init__(self, const int32_t[::1] source_words, const int64_t[::1] source_starts,
                 const int32_t[::1] target_words, const int64_t[::1] target_starts,
                 int source_types, int target_types):
        self.source_words, self.target_words = np.asarray(source_words), np.asarray(target_words)
        self.source_starts = np.asarray(source_starts)
        self.target_starts = np.asarray(target_starts)
        for words, starts, types in (
            (self.source_words, self.source_starts, source_types),
            (self.target_words, self.target_starts, target_types),
        ):
            if len(starts) < 1 or starts[0] != 0 or starts[len(starts) - 1] != len(words):
                raise ValueError("the starts do not fit the words")
            if (np.diff(starts) < 1).any():
                raise ValueError("an empty sentence")
            if len(words) and (words.min() < 0 or words.max() >= types):
                raise ValueError("a word out of range")
        if len(self.source_starts) != len(self.target_starts):
            raise ValueError("the sides have different numbers of sentences")
        self.pairs = len(self.source_starts) - 1
        self.longest_source = int(np.diff(self.source_starts).max(initial=0))
        self.longest_target = int(np.diff(self.target_starts).max(initial=0))
        if max(self.longest_source, self.longest_target) > LONGEST:
            raise ValueError("a sentence is too long")
        self.s_words, self.t_words = source_words, target_words
        self.s_starts, self.t_starts = source_starts, target_starts
        self.rows, self.columns, self.column_sizes = cooccurrences(
            source_words, source_starts, target_words, target_starts, source_types, target_types)
        self.row, self.cols = self.rows, self.columns
        size = len(self.columns)
        sizes = np.diff(self.rows).astype(np.int64)
        # The uniform start of the EM algorithm: all that a word ever met is equally likely.
        self.forward = np.repeat(1 / np.maximum(sizes, 1), sizes).astype(np.float32)
        self.backward = (1 / np.maximum(self.column_sizes, 1))[self.columns].astype(np.float32)
        self.null_forward = np.full(target_types, 1 / max(target_types, 1), np.float32)
        self.null_backward = np.full(source_types, 1 / max(source_types, 1), np.float32)
        self.forward_counts, self.backward_counts = np.zeros((2, size), np.int64)
        self.null_forward_counts = np.zeros(target_types, np.int64)
        self.null_backward_counts = np.zeros(source_types, np.int64)
        self.p0, self.p1 = self.forward, self.backward
        self.n0, self.n1 = self.null_forward, self.null_backward
        self.c0, self.c1 = self.forward_counts, self.backward_counts
        self.m0, self.m1 = self.null_forward_counts, self.null_backward_counts

    cdef int64_t _find(self, int32_t source, int32_t target) noexcept nogil:
        """The entry of two words that occur together; -1 if they do not."""
        cdef int64_t size = self.row[source + 1] - self.row[source], half
        cdef const int32_t* start = &self.cols[0]
        cdef const int32_t* at = start + self.row[source]
        while size > 1:
            half = size >> 1
            # Both outcomes are as likely: an addition is quicker than a branch.
            at += half * (at[half] <= target)
            size -= half
        return at - start if size == 1 and at[0] == target else -1

    def find(self, const int32_t[::1] sources, const int32_t[::1] targets):
        """The entries of pairs of words, -1 where two never occur together."""
        cdef Py_ssize_t k, size = sources.shape[0]
        if targets.shape[0] != size:
            raise ValueError("as many sources as targets, please")
        if size and (np.min(sources) < 0 or np.max(sources) >= self.row.shape[0] - 1):
            raise ValueError("a word out of range")
        found = np.empty(size, np.int64)
        cdef int64_t[::1] entries = found
        for k in range(size):
            entries[k] = self._find(sources[k], targets[k])
        return found

    # ---- M step ----

    def clear_counts(self):
        for counts in (self.forward_counts, self.backward_counts,
                       self.null_forward_counts, self.null_backward_counts):
            counts.fill(0)

    def sum_columns(self, double prior):
        """Totals of the second direction; to be called once before `maximize`."""
        totals_array = np.zeros(len(self.column_sizes), np.int64)
        cdef int64_t[::1] totals = totals_array
        cdef int64_t entry, size = self.cols.shape[0]
        with nogil:
            for entry in range(size):
                totals[self.cols[entry]] += self.c1[entry]
        self.column_totals = np.maximum(FLOOR, totals_array / SCALE + prior * self.column_sizes)

    def maximize(self, int first, int last, double prior):
        """New probabilities of the source words first <= w < last, from the counts."""
        if self.column_totals is None:
            raise ValueError("sum_columns comes before maximize")
        cdef const double[::1] column_totals = self.column_totals
        cdef int64_t entry, counted
        cdef int source
        cdef double total
        if first < 0 or last > self.row.shape[0] - 1:
            raise ValueError("words out of range")
        with nogil:
            for source in range(first, last):
                counted = 0
                for entry in range(self.row[source], self.row[source + 1]):
                    counted += self.c0[entry]
                total = max(
                    FLOOR, counted / SCALE + prior * (self.row[source + 1] - self.row[source]))
                for entry in range(self.row[source], self.row[source + 1]):
                    self.p0[entry] = share(self.c0[entry], prior, total)
                    self.p1[entry] = share(self.c1[entry], prior, column_totals[self.cols[entry]])

    def maximize_null(self, double prior):
        """New probabilities of the words that the null words bring forth."""
        for counts, probabilities in ((self.null_forward_counts, self.null_forward),
                                      (self.null_backward_counts, self.null_backward)):
            total = max(FLOOR, counts.sum() / SCALE + prior * len(counts))
            probabilities[:] = np.maximum(FLOOR, (counts / SCALE + prior) / total)

    # ---- E step ----

    def expect(self, int first, int last, bint chain, bint agree, const double[::1] empty,
               const double[:, :, ::1] jumps, const int32_t[::1] source_classes,
               const int32_t[::1] target_classes, int64_t[:, :, ::1] jump_counts,
               double[:, ::1] scores, float[::1] forward=None, float[::1] backward=None):
        """Align the pairs first <= p < last: posteriors into the counts, or into tables.

        `chain` tells the HMM from Model 1, `agree` counts the product of both
        directions' posteriors (Liang et al. 2006), `empty` holds the probability of
        the null word in each direction, `jumps` the weights of both directions and
        `jump_counts` (of this call) their expected counts. `scores` gets each pair's
        log-likelihoods. With `forward` and `backward`, nothing is counted, and
        they get the posteriors of all pairs, I x J each, one after the other.
        """
        cdef Room room
        cdef Jumps jump[2]
        cdef int p, d, sources, targets
        cdef int64_t at = 0
        cdef bint out = forward is not None
        if first < 0 or last > self.pairs or first > last:
            raise ValueError("pairs out of range")
        if scores.shape[0] != self.pairs or scores.shape[1] != 2 or empty.shape[0] != 2:
            raise ValueError("a score and a probability for each direction, please")
        self._check_jumps(jumps, jump_counts, source_classes, target_classes)
        self._check_output(first, last, forward, backward)
        for d in range(2):
            jump[d].weights = &jumps[d, 0, 0]
            jump[d].counts = NULL if out else &jump_counts[d, 0, 0]
            jump[d].limit = <int>(jumps.shape[2] // 2)
            jump[d].rows = <int>jumps.shape[1]
        if first == last:
            return
        if make_room(&room, self.longest_source, self.longest_target) < 0:
            free_room(&room)
            raise MemoryError()
        with nogil:
            for p in range(first, last):
                sources = <int>(self.s_starts[p + 1] - self.s_starts[p])
                targets = <int>(self.t_starts[p + 1] - self.t_starts[p])
                self._fetch(p, sources, targets, &room)
                if chain:
                    scores[p, 0] = run_chain(
                        &room, 0, sources, targets, empty[0], &jump[0],
                        &source_classes[0], &self.s_words[self.s_starts[p]])
                    scores[p, 1] = run_chain(
                        &room, 1, targets, sources, empty[1], &jump[1],
                        &target_classes[0], &self.t_words[self.t_starts[p]])
                else:
                    scores[p, 0] = run_bag(&room, 0, sources, targets, empty[0])
                    scores[p, 1] = run_bag(&room, 1, targets, sources, empty[1])
                if out:
                    self._give(sources, targets, &room, &forward[at], &backward[at])
                    at += sources * targets
                else:
                    self._count(p, sources, targets, &room, agree)
        free_room(&room)

    def _check_jumps(self, jumps, jump_counts, source_classes, target_classes):
        shape, counts_shape = np.shape(jumps), np.shape(jump_counts)
        if shape[0] != 2 or shape[1] < 3 or shape[2] % 2 == 0 or counts_shape != shape:
            raise ValueError("tables of jumps do not fit")
        for classes, types in ((source_classes, len(self.null_backward)),
                               (target_classes, len(self.null_forward))):
            if len(classes) != types:
                raise ValueError("a class for each word, please")
            if np.min(classes, initial=0) < 0 or np.max(classes, initial=0) >= shape[1] - 2:
                raise ValueError("a class without jumps")

    def _check_output(self, int first, int last, forward, backward):
        if forward is None and backward is None:
            return
        cells = (np.diff(self.source_starts[first:last + 1])
                 * np.diff(self.target_starts[first:last + 1])).sum()
        if forward is None or backward is None or not len(forward) == len(backward) == cells:
            raise ValueError("tables for posteriors do not fit")

    cdef void _fetch(self, int p, int sources, int targets, Room* room) noexcept nogil:
        cdef int i, j
        cdef int64_t entry
        cdef const int32_t* source = &self.s_words[self.s_starts[p]]
        cdef const int32_t* target = &self.t_words[self.t_starts[p]]
        for i in range(sources):
            for j in range(targets):
                entry = self._find(source[i], target[j])
                room.entries[i * targets + j] = entry
                room.emission[0][j * sources + i] = self.p0[entry]
                room.emission[1][i * targets + j] = self.p1[entry]
        for j in range(targets):
            room.null[0][j] = self.n0[target[j]]
        for i in range(sources):
            room.null[1][i] = self.n1[source[i]]

    cdef void _count(self, int p, int sources, int targets, Room* room, bint agree
                     ) noexcept nogil:
        cdef int i, j
        cdef double a, b
        for i in range(sources):
            for j in range(targets):
                a = room.posterior[0][j * sources + i]
                b = room.posterior[1][i * targets + j]
                if agree:
                    a = b = a * b
                if a > SMALL:
                    niwaki_add_count(&self.c0[room.entries[i * targets + j]], fixed(a))
                if b > SMALL:
                    niwaki_add_count(&self.c1[room.entries[i * targets + j]], fixed(b))
        for j in range(targets):
            niwaki_add_count(&self.m0[self.t_words[self.t_starts[p] + j]], fixed(room.empty[0][j]))
        for i in range(sources):
            niwaki_add_count(&self.m1[self.s_words[self.s_starts[p] + i]], fixed(room.empty[1][i]))

    cdef void _give(self, int sources, int targets, Room* room, float* forward, float* backward
                    ) noexcept nogil:
        cdef int i, j
        for i in range(sources):
            for j in range(targets):
                forward[i * targets + j] = <float>room.posterior[0][j * sources + i]
                backward[i * targets + j] = <float>room.posterior[1][i * targets + j]
