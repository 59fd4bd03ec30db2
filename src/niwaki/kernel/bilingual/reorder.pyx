"""Applies precedence rules: trees and tables of bits in, permutations out.

Every pattern of a rule set has a number. What a word is (its label, tags, form ...) gives
for each attribute a set of patterns that do not object, as a row of bits; the patterns that
fit are the intersection. The first rule and the first tuple are then the lowest bits.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

cdef extern from "portable.h" nogil:
    int niwaki_lowest_bit(uint64_t bits)

cdef enum:
    NOTHING = -1        # no rule, or no tuple: weight 0
    BARRIER = -2        # a child that keeps its place
    MOST_CHILDREN = 15  # more are counted as this many


cdef class RuleTables:
    """Rules as bits and numbers. Patterns are numbered in the order in which they are tried."""

    cdef readonly int width                 # 64-bit words of a set of patterns
    cdef const uint64_t[::1] heads          # patterns that are the head of a rule
    cdef const uint64_t[::1] before         # patterns for children before their head
    cdef const uint64_t[::1] after          # patterns for children after their head
    cdef const uint64_t[:, ::1] counts      # patterns that do not object to so many children
    cdef const uint64_t[::1] needed         # by pattern: one of these marks among the children
    cdef const uint64_t[::1] refused        # by pattern: none of these
    cdef const int32_t[::1] numbers         # by pattern: the rule of a head, the rank of a child
    cdef const uint64_t[:, ::1] tuples      # by rule: its tuples
    cdef const uint64_t[:, ::1] barriers    # by rule: its barriers
    cdef const int32_t[::1] self_ranks      # by rule: rank of the head among its children
    cdef const int32_t[::1] other_ranks     # by rule: rank of children without a tuple
    cdef const uint8_t[:, ::1] turned       # by rule and rank: REVERSE

    def __init__(self, heads, before, after, counts, needed, refused, numbers, tuples, barriers,
                 self_ranks, other_ranks, turned):
        self.heads, self.before, self.after, self.counts = heads, before, after, counts
        self.needed, self.refused, self.numbers = needed, refused, numbers
        self.tuples, self.barriers = tuples, barriers
        self.self_ranks, self.other_ranks, self.turned = self_ranks, other_ranks, turned
        self.width = <int>self.heads.shape[0]


cdef struct Work:
    # Words of the sentence are 1 .. n; 0 is the place above the roots.
    int32_t* heads
    int32_t* first      # children of v: kids[first[v]] .. kids[first[v + 1] - 1], left to right
    int32_t* kids
    int32_t* queue      # each word after its head
    int32_t* size       # words below, itself included
    int32_t* left       # ends of what stands together with it
    int32_t* right
    int32_t* before     # words that come before it when the tree is walked from the top
    int32_t* lifted
    uint64_t* marks     # labels among the children, as far as patterns ask for them
    uint64_t* fitting   # patterns that fit the word
    int32_t* arranged   # v's children and itself in their new order, from first[v] + v
    int32_t* ranks
    int32_t* ends


cdef int make_work(Work* work, Py_ssize_t longest, int width, Py_ssize_t ranks) except -1:
    """One block for all arrays; `work.fitting` is its beginning."""
    cdef Py_ssize_t words = longest + 2
    cdef Py_ssize_t wide = words * (width + 1) * sizeof(uint64_t)
    cdef Py_ssize_t narrow = (12 * words + ranks + 2) * sizeof(int32_t)
    cdef char* block = <char*>malloc(wide + narrow)
    if block == NULL:
        raise MemoryError()
    work.fitting = <uint64_t*>block
    work.marks = work.fitting + words * width
    cdef int32_t* at = <int32_t*>(block + wide)
    work.heads, work.first, work.kids, work.queue = at, at + words, at + 2 * words, at + 3 * words
    at += 4 * words
    work.size, work.left, work.right, work.before = at, at + words, at + 2 * words, at + 3 * words
    at += 4 * words
    work.lifted, work.ranks = at, at + words
    work.arranged = at + 2 * words
    work.ends = at + 4 * words
    return 0


cdef void find_children(Work* work, const int32_t* heads, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t v, at = 0, count
    memset(work.first, 0, (n + 2) * sizeof(int32_t))
    for v in range(1, n + 1):
        work.first[heads[v]] += 1
    for v in range(n + 2):
        count = work.first[v] if v <= n else 0
        work.first[v] = <int32_t>at
        at += count
    # Where the next child of each head goes; `before` is free here.
    for v in range(n + 1):
        work.before[v] = work.first[v]
    for v in range(1, n + 1):
        work.kids[work.before[heads[v]]] = <int32_t>v
        work.before[heads[v]] += 1


cdef bint walk(Work* work, Py_ssize_t n) noexcept nogil:
    """Fill `queue`; False if some words hang in a cycle."""
    cdef Py_ssize_t at = 0, end = 1, k
    work.queue[0] = 0
    while at < end:
        for k in range(work.first[work.queue[at]], work.first[work.queue[at] + 1]):
            work.queue[end] = work.kids[k]
            end += 1
        at += 1
    return end == n + 1


cdef bint measure(Work* work, Py_ssize_t n) noexcept nogil:
    """Size and ends of the subtrees; True if each stands together."""
    cdef Py_ssize_t at
    cdef int32_t v, head
    cdef bint together = True
    for at in range(n + 1):
        work.size[at] = 1
        work.left[at] = work.right[at] = <int32_t>at
    for at in range(n, 0, -1):
        v = work.queue[at]
        head = work.heads[v]
        together &= work.right[v] - work.left[v] + 1 == work.size[v]
        work.size[head] += work.size[v]
        work.left[head] = min(work.left[head], work.left[v])
        work.right[head] = max(work.right[head], work.right[v])
    return together


cdef inline bint is_below(Work* work, Py_ssize_t word, Py_ssize_t head) noexcept nogil:
    return work.before[head] <= work.before[word] < work.before[head] + work.size[head]


cdef void lift_heads(Work* work, Py_ssize_t n) noexcept nogil:
    """Let `lifted` be a tree without crossing arcs.

    The block of a word is the longest run of neighbours around it that all hang below it.
    A word is lifted to the lowest word above it whose block it stands in. Blocks are nested
    or apart, so the result is projective, and it is the tree itself if that was.
    """
    cdef Py_ssize_t at, k, v, end, head
    cdef int32_t count
    work.before[0] = 0
    for at in range(n + 1):
        v = work.queue[at]
        count = work.before[v] + 1
        for k in range(work.first[v], work.first[v + 1]):
            work.before[work.kids[k]] = count
            count += work.size[work.kids[k]]
    for v in range(1, n + 1):
        if work.right[v] - work.left[v] + 1 == work.size[v]:
            continue
        end = v
        while end > work.left[v] and is_below(work, end - 1, v):
            end -= 1
        work.left[v] = <int32_t>end
        end = v
        while end < work.right[v] and is_below(work, end + 1, v):
            end += 1
        work.right[v] = <int32_t>end
    for v in range(1, n + 1):
        head = work.heads[v]
        while head != 0 and not work.left[head] <= v <= work.right[head]:
            head = work.heads[head]
        work.lifted[v] = <int32_t>head


cdef int32_t first_fit(RuleTables tables, Work* work, Py_ssize_t word, const uint64_t* wanted,
                       const uint64_t* side) noexcept nogil:
    """The first of the wanted patterns that fits a word, or NOTHING."""
    cdef int at
    cdef uint64_t bits
    cdef Py_ssize_t pattern
    for at in range(tables.width):
        bits = work.fitting[word * tables.width + at] & wanted[at]
        if side != NULL:
            bits &= side[at]
        while bits:
            pattern = 64 * at + niwaki_lowest_bit(bits)
            if ((tables.needed[pattern] == 0 or tables.needed[pattern] & work.marks[word])
                    and not tables.refused[pattern] & work.marks[word]):
                return <int32_t>pattern
            bits &= bits - 1
    return NOTHING


cdef void arrange(RuleTables tables, Work* work, Py_ssize_t v, int32_t rule, int32_t* tuples,
                  ) noexcept nogil:
    """Sort a head and its children by the rule: a counting sort between each two barriers."""
    cdef int32_t* items = work.arranged + work.first[v] + v
    cdef Py_ssize_t count = work.first[v + 1] - work.first[v] + 1
    cdef Py_ssize_t k = work.first[v], place, start, stop, at, total, size
    cdef int32_t word, pattern
    cdef Py_ssize_t ranks = tables.turned.shape[1]
    # `queue` is no longer needed: it holds the items in their old order.
    cdef int32_t* old = work.queue
    for place in range(count):
        if k < work.first[v + 1] and (work.kids[k] < v or place > k - work.first[v]):
            old[place] = work.kids[k]
            k += 1
        else:
            old[place] = <int32_t>v
    for place in range(count):
        word = old[place]
        if word == v:
            work.ranks[place] = tables.self_ranks[rule]
            continue
        if first_fit(tables, work, word, &tables.barriers[rule, 0], NULL) != NOTHING:
            work.ranks[place] = BARRIER
            tuples[word] = BARRIER
            continue
        pattern = first_fit(tables, work, word, &tables.tuples[rule, 0],
                            &tables.before[0] if word < v else &tables.after[0])
        tuples[word] = pattern
        work.ranks[place] = (
            tables.other_ranks[rule] if pattern == NOTHING else tables.numbers[pattern])
    start = 0
    while start < count:
        if work.ranks[start] == BARRIER:
            items[start] = old[start]
            start += 1
            continue
        stop = start
        memset(work.ends, 0, ranks * sizeof(int32_t))
        while stop < count and work.ranks[stop] != BARRIER:
            work.ends[work.ranks[stop]] += 1
            stop += 1
        # Where the next of each rank goes: its first place, or its last if turned.
        total = start
        for at in range(ranks):
            size = work.ends[at]
            work.ends[at] = <int32_t>(total + size - 1 if tables.turned[rule, at] else total)
            total += size
        for place in range(start, stop):
            at = work.ranks[place]
            items[work.ends[at]] = old[place]
            work.ends[at] += -1 if tables.turned[rule, at] else 1
        start = stop


cdef void keep(Work* work, Py_ssize_t v) noexcept nogil:
    """A head without a rule and its children, as they stand."""
    cdef int32_t* items = work.arranged + work.first[v] + v
    cdef Py_ssize_t k, place = 0
    cdef bint placed = False
    for k in range(work.first[v], work.first[v + 1]):
        if not placed and work.kids[k] > v:
            items[place] = <int32_t>v
            place += 1
            placed = True
        items[place] = work.kids[k]
        place += 1
    if not placed:
        items[place] = <int32_t>v


cdef void read_out(Work* work, Py_ssize_t n, int32_t* order) noexcept nogil:
    """Walk the arranged tree. `size` holds the way back up, `left` how far each word has come."""
    cdef Py_ssize_t v = 0, at, out = 0
    cdef int32_t item
    for at in range(n + 1):
        work.left[at] = 0
    while True:
        if work.left[v] > work.first[v + 1] - work.first[v]:
            if v == 0:
                return
            v = work.size[v]
            continue
        item = work.arranged[work.first[v] + v + work.left[v]]
        work.left[v] += 1
        if item != v:
            work.size[item] = <int32_t>v
            v = item
        elif v != 0:
            order[out] = <int32_t>(v - 1)
            out += 1


cdef bint prepare(Work* work, const int32_t* heads, Py_ssize_t n) noexcept nogil:
    """Read the heads of a sentence (unknown ones count as roots); False if there is a cycle."""
    cdef Py_ssize_t v
    for v in range(1, n + 1):
        work.heads[v] = heads[v - 1] if 0 <= heads[v - 1] <= n else 0
    find_children(work, work.heads, n)
    return walk(work, n)


cdef void fit_patterns(RuleTables tables, Work* work, Py_ssize_t n, Py_ssize_t start,
                       const int32_t[:, ::1] rows, const uint64_t[:, ::1] fitting,
                       const uint64_t[::1] marks) noexcept nogil:
    """Fill `fitting` and `marks`. Patterns look at the tree as it is, before any lifting."""
    cdef Py_ssize_t v, k, a, at, width = tables.width
    cdef uint64_t* bits
    for v in range(1, n + 1):
        work.marks[v] = 0
        for k in range(work.first[v], work.first[v + 1]):
            work.marks[v] |= marks[rows[0, start + work.kids[k] - 1]]
        bits = work.fitting + v * width
        k = min(work.first[v + 1] - work.first[v], MOST_CHILDREN)
        for at in range(width):
            bits[at] = tables.counts[k, at]
        for a in range(rows.shape[0]):
            for at in range(width):
                bits[at] &= fitting[rows[a, start + v - 1], at]


def reorder(RuleTables tables not None, const int32_t[::1] starts not None,
            const int32_t[::1] heads not None, const int32_t[:, ::1] rows not None,
            const uint64_t[:, ::1] fitting not None, const uint64_t[::1] marks not None,
            int32_t[::1] order not None, int32_t[::1] rules not None,
            int32_t[::1] tuples not None):
    """Fill `order` with the permutation of each sentence, sentence s at starts[s].

    `rows[a, w]` says which row of `fitting` belongs to attribute a of word w; attribute 0 is
    the label, whose row also chooses from `marks`. `rules` and `tuples` receive what was
    applied to each word as a head and as a child. Returns the first sentence with a cycle,
    or -1.
    """
    cdef Py_ssize_t sentences = starts.shape[0] - 1, s, n, v, longest = 0, start
    cdef Py_ssize_t words = heads.shape[0]
    cdef int32_t pattern
    cdef int32_t* child_tuples
    cdef Py_ssize_t cycle = -1
    cdef Work work
    if not (rows.shape[1] == order.shape[0] == rules.shape[0] == tuples.shape[0] == words):
        raise ValueError("one entry for each word is needed")
    if starts[0] != 0 or starts[sentences] != words:
        raise ValueError("the sentences are not the words")
    for s in range(sentences):
        if starts[s + 1] < starts[s]:
            raise ValueError("sentences overlap")
        longest = max(longest, starts[s + 1] - starts[s])
    if words and (np.asarray(rows).min() < 0 or np.asarray(rows).max() >= fitting.shape[0]
                  or np.asarray(rows[0]).max() >= marks.shape[0]):
        raise ValueError("a row that does not exist")
    if fitting.shape[1] != tables.width:
        raise ValueError("sets of another size")
    make_work(&work, longest, tables.width, tables.turned.shape[1])
    try:
        with nogil:
            for s in range(sentences):
                start = starts[s]
                n = starts[s + 1] - start
                if n == 0:
                    continue
                if not prepare(&work, &heads[start], n):
                    cycle = s
                    break
                fit_patterns(tables, &work, n, start, rows, fitting, marks)
                if not measure(&work, n):
                    lift_heads(&work, n)
                    find_children(&work, work.lifted, n)
                keep(&work, 0)
                child_tuples = &tuples[start] - 1
                for v in range(1, n + 1):
                    child_tuples[v] = NOTHING
                for v in range(1, n + 1):
                    pattern = first_fit(tables, &work, v, &tables.heads[0], NULL)
                    rules[start + v - 1] = NOTHING
                    if pattern == NOTHING:
                        keep(&work, v)
                    else:
                        rules[start + v - 1] = tables.numbers[pattern]
                        arrange(tables, &work, v, tables.numbers[pattern], child_tuples)
                read_out(&work, n, &order[start])
    finally:
        free(work.fitting)
    return cycle


def lift(const int32_t[::1] heads not None):
    """The heads of the tree without crossing arcs that `reorder` works on; None for a cycle."""
    cdef Py_ssize_t n = heads.shape[0], v
    cdef Work work
    cdef int32_t[::1] out = np.empty(n, dtype=np.int32)
    if n == 0:
        return np.asarray(out)
    make_work(&work, n, 1, 1)
    try:
        if not prepare(&work, &heads[0], n):
            return None
        measure(&work, n)
        lift_heads(&work, n)
        for v in range(n):
            out[v] = work.lifted[v + 1]
    finally:
        free(work.fitting)
    return np.asarray(out)
