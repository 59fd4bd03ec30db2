"""Compares word orders: chunks that two permutations share, and pairs that they order alike."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset


cdef void count(const int32_t* system, const int32_t* reference, const int32_t* groups,
                const uint8_t* scored, Py_ssize_t n, int32_t* places, int32_t* waiting,
                int32_t* later, int32_t* tree, int64_t* out) noexcept nogil:
    """Fill out with chunks, scored words, pairs, and pairs in the wrong order.

    Words that are not scored are taken out of both orders first. The members of a group
    get the places that it holds in the order in which the system has them, so that their
    inner order never costs anything; pairs within a group are not counted.
    """
    cdef Py_ssize_t at, place, words = 0, seen = 0
    cdef int32_t word, group, last = -2
    cdef int64_t chunks = 0, wrong = 0, pairs
    # waiting[g] is the first place of group g that is still free, later[p] the one after p;
    # tree[g], until it is needed for something else, is the last one found so far.
    for at in range(n):
        waiting[at] = -1
    for at in range(n):
        word = reference[at]
        if not scored[word]:
            continue
        group = groups[word]
        if group < 0:
            places[word] = <int32_t>words
        else:
            if waiting[group] < 0:
                waiting[group] = <int32_t>words
            else:
                later[tree[group]] = <int32_t>words
            tree[group] = <int32_t>words
        words += 1
    pairs = words * (words - 1) // 2
    # From here on tree[1 .. words] counts the places seen, as a Fenwick tree.
    memset(tree, 0, (n + 1) * sizeof(int32_t))
    for at in range(n):
        word = system[at]
        if not scored[word]:
            continue
        group = groups[word]
        if group >= 0:
            places[word] = waiting[group]
            waiting[group] = later[waiting[group]]
        if places[word] != last + 1 or seen == 0:
            chunks += 1
        last = places[word]
        # Words that came earlier but belong later.
        wrong += seen
        place = last + 1
        while place > 0:
            wrong -= tree[place]
            place -= place & -place
        place = last + 1
        while place <= words:
            tree[place] += 1
            place += place & -place
        seen += 1
    # Pairs within groups: the k-th member of a group makes k pairs.
    memset(tree, 0, (n + 1) * sizeof(int32_t))
    for at in range(n):
        if scored[at] and groups[at] >= 0:
            pairs -= tree[groups[at]]
            tree[groups[at]] += 1
    out[0], out[1], out[2], out[3] = chunks, words, pairs, wrong


def compare_orders(const int32_t[::1] starts not None, const int32_t[::1] system not None,
                   const int32_t[::1] reference not None, const int32_t[::1] groups not None,
                   const uint8_t[::1] scored not None, int64_t[:, ::1] counts not None):
    """Fill a row of `counts` for each sentence s, whose words are starts[s] .. starts[s + 1] - 1.

    `system` and `reference` are permutations of source positions; `groups` and `scored` go by
    source position, a group being a number below the sentence's length, or -1.
    """
    cdef Py_ssize_t sentences = starts.shape[0] - 1, s, longest = 0, words = system.shape[0], n
    cdef Py_ssize_t i
    cdef int32_t* work
    cdef bint sound = True
    if not (reference.shape[0] == groups.shape[0] == scored.shape[0] == words):
        raise ValueError("one entry for each word is needed")
    if counts.shape[0] != sentences or counts.shape[1] != 4:
        raise ValueError("a row of four counts for each sentence is needed")
    if starts[0] != 0 or starts[sentences] != words:
        raise ValueError("the sentences are not the words")
    for s in range(sentences):
        n = starts[s + 1] - starts[s]
        if n < 0:
            raise ValueError("sentences overlap")
        longest = max(longest, n)
    work = <int32_t*>malloc(4 * (longest + 2) * sizeof(int32_t))
    if work == NULL:
        raise MemoryError()
    try:
        with nogil:
            for s in range(sentences):
                n = starts[s + 1] - starts[s]
                if n == 0:
                    counts[s, 0] = counts[s, 1] = counts[s, 2] = counts[s, 3] = 0
                    continue
                if not (is_permutation(&system[0] + starts[s], n, work)
                        and is_permutation(&reference[0] + starts[s], n, work)):
                    sound = False
                    break
                for i in range(starts[s], starts[s + 1]):
                    if not -1 <= groups[i] < n:
                        sound = False
                if not sound:
                    break
                count(&system[0] + starts[s], &reference[0] + starts[s], &groups[0] + starts[s],
                      &scored[0] + starts[s], n, work, work + longest + 2,
                      work + 2 * (longest + 2), work + 3 * (longest + 2), &counts[s, 0])
    finally:
        free(work)
    if not sound:
        raise ValueError(f"sentence {s} has no permutation, or a group out of range")


cdef bint is_permutation(const int32_t* order, Py_ssize_t n, int32_t* seen) noexcept nogil:
    cdef Py_ssize_t at
    memset(seen, 0, n * sizeof(int32_t))
    for at in range(n):
        if not 0 <= order[at] < n or seen[order[at]]:
            return False
        seen[order[at]] = 1
    return True
