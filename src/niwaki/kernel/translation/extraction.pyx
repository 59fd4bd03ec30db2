"""Phrase pairs that are consistent with word links (Koehn, Och and Marcu 2003).

A pair of a source and a target span is consistent if at least one link joins them and no link
leaves them. Words without links at the edges of a span may belong to it or not: each way is a pair.

The orientation before a pair is monotone if the corner before it is linked, (i1 - 1, j1 - 1), swap
if (i2 + 1, j1 - 1) is, and else discontinuous; the one after it looks at (i2 + 1, j2 + 1) and
(i1 - 1, j2 + 1). Both ends of the sentences count as linked to each other.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

cdef enum:
    MOST_WORDS = 2147483647

MONOTONE, SWAP, DISCONTINUOUS = range(3)

# What the rows of `shapes` hold.
SOURCE_LENGTH, TARGET_LENGTH, BEFORE, AFTER = range(4)


cdef struct Pair:
    # A sentence pair; the grid has a border of one cell around the words.
    int32_t n
    int32_t m
    uint8_t* grid
    # First and last partner of each word; first > last without links.
    int32_t* source_first
    int32_t* source_last
    int32_t* target_first
    int32_t* target_last


cdef inline bint linked(const Pair* pair, int32_t i, int32_t j) noexcept nogil:
    return pair.grid[<int64_t>(i + 1) * (pair.m + 2) + j + 1]


cdef inline uint8_t orientation(const Pair* pair, int32_t monotone, int32_t swap,
                                int32_t j) noexcept nogil:
    if linked(pair, monotone, j):
        return 0
    return 1 if linked(pair, swap, j) else 2


cdef void take(Pair* pair, const int32_t[:, ::1] links, int64_t first, int64_t last) noexcept nogil:
    """Fill the tables of a pair from its links."""
    cdef int64_t at, cells = <int64_t>(pair.n + 2) * (pair.m + 2)
    cdef int32_t i, j
    memset(pair.grid, 0, cells)
    pair.grid[0] = pair.grid[cells - 1] = 1
    for i in range(pair.n):
        pair.source_first[i], pair.source_last[i] = pair.m, -1
    for j in range(pair.m):
        pair.target_first[j], pair.target_last[j] = pair.n, -1
    for at in range(first, last):
        i, j = links[at, 0], links[at, 1]
        pair.grid[<int64_t>(i + 1) * (pair.m + 2) + j + 1] = 1
        pair.source_first[i] = min(pair.source_first[i], j)
        pair.source_last[i] = max(pair.source_last[i], j)
        pair.target_first[j] = min(pair.target_first[j], i)
        pair.target_last[j] = max(pair.target_last[j], i)


cdef int64_t emit(const Pair* pair, int32_t longest_source, int32_t longest_target,
                  int64_t place, bint write, int32_t source_start, int32_t target_start,
                  int32_t[:, ::1] begins, uint8_t[:, ::1] shapes) noexcept nogil:
    """Count the pairs of phrases from `place` on, and write them down; returns the next place."""
    cdef int32_t i1, i2, j, j1, j2, low, high
    cdef bint consistent
    for i1 in range(pair.n):
        low, high = pair.m, -1
        for i2 in range(i1, min(pair.n, i1 + longest_source)):
            low = min(low, pair.source_first[i2])
            high = max(high, pair.source_last[i2])
            if high < 0 or high - low >= longest_target:
                continue
            consistent = True
            for j in range(low, high + 1):
                if pair.target_last[j] >= 0 and (
                        pair.target_first[j] < i1 or pair.target_last[j] > i2):
                    consistent = False
                    break
            if not consistent:
                continue
            j1 = low
            while j1 >= 0 and high - j1 < longest_target and (j1 == low
                                                              or pair.target_last[j1] < 0):
                j2 = high
                while j2 < pair.m and j2 - j1 < longest_target and (j2 == high
                                                                    or pair.target_last[j2] < 0):
                    if write:
                        begins[place, 0] = source_start + i1
                        begins[place, 1] = target_start + j1
                        shapes[place, 0] = <uint8_t>(i2 - i1 + 1)
                        shapes[place, 1] = <uint8_t>(j2 - j1 + 1)
                        shapes[place, 2] = orientation(pair, i1 - 1, i2 + 1, j1 - 1)
                        shapes[place, 3] = orientation(pair, i2 + 1, i1 - 1, j2 + 1)
                    place += 1
                    j2 += 1
                j1 -= 1
    return place


def extract(const int64_t[::1] source_starts, const int64_t[::1] target_starts,
            const int32_t[:, ::1] links, const int64_t[::1] link_starts,
            int longest_source, int longest_target):
    """All phrase pairs of a text: begins in the running text (pairs, 2), and shapes (pairs, 4).

    Links are positions in their sentences. The columns of shapes are lengths on both sides and
    orientations before and after. None if links lie outside of their sentences.
    """
    cdef Py_ssize_t pairs = source_starts.shape[0] - 1, number
    if target_starts.shape[0] != pairs + 1 or link_starts.shape[0] != pairs + 1:
        raise ValueError("the sides and the links have different lengths")
    if pairs < 0 or source_starts[0] != 0 or target_starts[0] != 0 or link_starts[0] != 0:
        raise ValueError("texts that do not begin at 0")
    if (link_starts[pairs] != links.shape[0] or links.shape[1] != 2
            or max(source_starts[pairs], target_starts[pairs]) > MOST_WORDS):
        raise ValueError("links that do not fit, or too many words")
    if not 1 <= longest_source <= 255 or not 1 <= longest_target <= 255:
        raise ValueError("a longest phrase that is not from 1 to 255 words")
    cdef int64_t at, cells = 1
    cdef int32_t widest = 1, n, m
    for number in range(pairs):
        if (source_starts[number] > source_starts[number + 1]
                or target_starts[number] > target_starts[number + 1]
                or link_starts[number] > link_starts[number + 1]):
            raise ValueError("sentences that end before they begin")
        n = <int32_t>(source_starts[number + 1] - source_starts[number])
        m = <int32_t>(target_starts[number + 1] - target_starts[number])
        widest = max(widest, n, m)
        cells = max(cells, <int64_t>(n + 2) * (m + 2))
        for at in range(link_starts[number], link_starts[number + 1]):
            if not (0 <= links[at, 0] < n and 0 <= links[at, 1] < m):
                return None
    cdef Pair pair
    pair.grid = <uint8_t*>malloc(cells)
    cdef int32_t* edges = <int32_t*>calloc(4 * <size_t>widest, sizeof(int32_t))
    if pair.grid == NULL or edges == NULL:
        free(pair.grid)
        free(edges)
        raise MemoryError
    pair.source_first, pair.source_last = edges, edges + widest
    pair.target_first, pair.target_last = edges + 2 * widest, edges + 3 * widest
    cdef int32_t[:, ::1] begins = np.empty((0, 2), np.int32)
    cdef uint8_t[:, ::1] shapes = np.empty((0, 4), np.uint8)
    cdef int64_t place = 0
    cdef bint write
    try:
        for write in range(2):
            if write:
                begins = np.empty((place, 2), np.int32)
                shapes = np.empty((place, 4), np.uint8)
                place = 0
            with nogil:
                for number in range(pairs):
                    pair.n = <int32_t>(source_starts[number + 1] - source_starts[number])
                    pair.m = <int32_t>(target_starts[number + 1] - target_starts[number])
                    take(&pair, links, link_starts[number], link_starts[number + 1])
                    place = emit(&pair, longest_source, longest_target, place, write,
                                 <int32_t>source_starts[number], <int32_t>target_starts[number],
                                 begins, shapes)
    finally:
        free(pair.grid)
        free(edges)
    return np.asarray(begins), np.asarray(shapes)
