"""Whether spans of a sentence stay together in its translation, in constant time.

The reverse image of Huang, Jiang and Liu (2009, Table 3): a span of words is mapped to the
hull of the words that it is linked to, and that hull back to all words that are linked into
it. The hull's ends are a least and a most over a range, by tables of ranges; words outside
are found by counting links (`is_contiguous`), or by one more least over a range
(`is_right_contiguous`). The tables of a sentence take n log n time, each question O(1).
"""

import numpy as np

from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport free, malloc


cdef size_t tables_room(int words, int targets) noexcept nogil:
    """Numbers that the tables of a sentence take."""
    if targets == 0:
        return 0
    return (
        <size_t>(2 * (log2_of(words) + 1) + 1) * (words + 1)
        + <size_t>(log2_of(targets) + 1) * targets + targets + 1)


cdef int count_targets(const uint32_t* ends, const uint32_t* ranks, int words) noexcept nogil:
    """One more than the highest number of a target."""
    cdef uint32_t link, most = 0
    for link in range(ends[0], ends[words]):
        if ranks[link] + 1 > most:
            most = ranks[link] + 1
    return <int>most


cdef void fill_ranges(int32_t* table, int side, int first, bint most) noexcept nogil:
    """The rows of a table of ranges after the first, which holds the places first..side - 1."""
    cdef int k, i, half
    cdef int32_t* row = table
    for k in range(1, log2_of(side - first) + 1):
        half = 1 << (k - 1)
        for i in range(first, side - 2 * half + 1):
            row[side + i] = max(row[i], row[i + half]) if most else min(row[i], row[i + half])
        row += side


cdef void fill_tables(const uint32_t* ends, const uint32_t* ranks, int words, int32_t* room,
                      LinkTables* tables) noexcept nogil:
    """The tables of a sentence, in `room`; the links of word i are ends[i - 1] .. ends[i] - 1."""
    cdef int targets = count_targets(ends, ranks, words), side = words + 1, i, t
    cdef int word_rows = log2_of(words) + 1
    cdef uint32_t link
    cdef int32_t* lowest = room
    cdef int32_t* highest = lowest + word_rows * side
    cdef int32_t* linked = highest + word_rows * side
    cdef int32_t* reached = linked + side
    cdef int32_t* earliest = reached + targets + 1
    tables.targets = targets
    tables.words = words
    if targets == 0:
        return
    for t in range(targets + 1):
        reached[t] = 0
    for t in range(targets):
        earliest[t] = side
    linked[0] = 0
    for i in range(1, side):
        lowest[i] = targets
        highest[i] = -1
        for link in range(ends[i - 1], ends[i]):
            t = <int>ranks[link]
            lowest[i] = min(lowest[i], t)
            highest[i] = max(highest[i], t)
            earliest[t] = min(earliest[t], i)
            reached[t + 1] += 1
        linked[i] = <int32_t>(ends[i] - ends[0])
    for t in range(targets):
        reached[t + 1] += reached[t]
    fill_ranges(lowest, side, 1, False)
    fill_ranges(highest, side, 1, True)
    fill_ranges(earliest, targets, 0, False)
    tables.lowest = lowest
    tables.highest = highest
    tables.linked = linked
    tables.reached = reached
    tables.earliest = earliest


cdef class Contiguity:
    """The questions about one sentence of `words` words, for those who ask from outside.

    `links` are pairs of a word and a word of the translation, counted from 1.
    """

    cdef LinkTables tables
    cdef int32_t* room
    cdef readonly int words

    def __cinit__(self, int words, links not None):
        cdef uint32_t[::1] ends, ranks
        pairs = sorted(set(links))
        if words < 1 or not all(1 <= word <= words and target >= 1 for word, target in pairs):
            raise ValueError("links do not fit the sentence")
        order = {t: rank for rank, t in enumerate(sorted({target for _, target in pairs}))}
        counts = np.bincount([word for word, _ in pairs], minlength=words + 1)
        ends = np.cumsum(counts).astype(np.uint32)
        ranks = np.array([*(order[target] for _, target in pairs), 0], dtype=np.uint32)
        self.words = words
        self.room = <int32_t*>malloc((tables_room(words, len(order)) + 1) * sizeof(int32_t))
        if self.room == NULL:
            raise MemoryError()
        fill_tables(&ends[0], &ranks[0], words, self.room, &self.tables)

    def __dealloc__(self):
        free(self.room)

    def contiguous(self, int first, int last):
        """c of Huang, Jiang and Liu (2009) for the words first..last."""
        self._check(first, last)
        return self.tables.targets == 0 or bool(is_contiguous(&self.tables, first, last))

    def right_contiguous(self, int first, int last):
        """c_R for the words first..last."""
        self._check(first, last)
        return self.tables.targets == 0 or bool(is_right_contiguous(&self.tables, first, last))

    def _check(self, int first, int last):
        if not 1 <= first <= last <= self.words:
            raise ValueError(f"no words {first}..{last}")
