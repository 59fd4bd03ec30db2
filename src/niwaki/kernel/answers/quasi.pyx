"""Sums over all alignments of a question's words with an answer's, by both trees.

S(i, l) = sum_k p(i, l, k) prod_{j child of i} S(j, k) is what the words below and at word i of the
question are worth if its parent is aligned with word l of the answer; 0 is no word, and the wall above
the root. p(i, l, k) = alpha t(i, k) e(i, k) L(label of i, c(l, k)) + (1 - alpha) w(i, k), of tags,
entities, the configuration c of two answer words, and relations of words. O(n m^2) time.
"""

import numpy as np

from libc.math cimport INFINITY, log
from libc.stdint cimport int32_t, int64_t, uint16_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

# Rows of words.
HEAD, TAG, ENTITY, LABEL = range(4)
# Configurations; behind them siblings so far apart, then three blocks by the answer's label.
cdef enum:
    NOTHING = 0
    WALL = 1
    ROOTS = 2
    SAME = 3
    COMMANDS = 4
    OTHER = 5
    SIBLINGS = 6
    FARTHEST = 4
    BLOCKS = 10
FIXED_CONFIGURATIONS = BLOCKS
# Relations of two words are bits of a number below this.
RELATION_SETS = 1 << 13
# Shares of an alignment that are not counted any more.
cdef double LEAST = 1e-12
# Products below this are kept divided by their largest value.
cdef double SMALL = 1e-60


cdef struct Room:
    # Tables of (n + 1) x (m + 1), and one of m + 1 squared.
    double* inside
    double* below
    double* base
    double* lexical
    double* share
    double* scale
    int32_t* configuration
    int32_t* rank
    int32_t* order
    char* above


cdef int is_tree(const int32_t* heads, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t word, steps
    cdef int32_t at
    for word in range(n):
        at = <int32_t>word + 1
        steps = 0
        while at != 0:
            at = heads[at - 1]
            steps += 1
            if steps > n:
                return 0
    return 1


cdef int are_words(const int32_t[:, ::1] words, const int32_t[::1] starts, Py_ssize_t tags,
                   Py_ssize_t entities, Py_ssize_t labels) noexcept nogil:
    """Whether sentences follow each other, are trees, and have what the tables know."""
    cdef Py_ssize_t at, s, size
    if words.shape[0] != 4 or starts.shape[0] < 1 or starts[0] != 0:
        return 0
    if starts[starts.shape[0] - 1] != words.shape[1]:
        return 0
    for s in range(starts.shape[0] - 1):
        size = <Py_ssize_t>starts[s + 1] - starts[s]
        if size < 1 or starts[s + 1] > words.shape[1]:
            return 0
        for at in range(starts[s], starts[s + 1]):
            if words[0, at] < 0 or words[0, at] > size:
                return 0
            if not (0 <= words[1, at] < tags and 0 <= words[2, at] < entities):
                return 0
            if not 0 <= words[3, at] < labels:
                return 0
        if not is_tree(&words[0, starts[s]], size):
            return 0
    return 1


cdef void configure(const int32_t* heads, const int32_t* labels, Py_ssize_t m, Py_ssize_t names,
                    Room* room) noexcept nogil:
    """The configuration of each two words of an answer, as of a parent's and a child's."""
    cdef Py_ssize_t l, k, width = m + 1
    cdef int32_t at, apart, found
    cdef int32_t* out = room.configuration
    memset(room.above, 0, width * width)
    for k in range(1, width):
        at = heads[k - 1]
        while at != 0:
            room.above[at * width + k] = 1
            at = heads[at - 1]
    # Which child of its head a word is.
    for k in range(width):
        room.order[k] = 0
    for k in range(1, width):
        room.rank[k] = room.order[heads[k - 1]]
        room.order[heads[k - 1]] += 1
    for l in range(width):
        out[l * width] = NOTHING
    for k in range(1, width):
        out[k] = ROOTS if heads[k - 1] == 0 else WALL
    for l in range(1, width):
        for k in range(1, width):
            if heads[k - 1] == l:
                found = BLOCKS + labels[k - 1]
            elif heads[l - 1] == k:
                found = <int32_t>(BLOCKS + names + labels[l - 1])
            elif heads[k - 1] != 0 and heads[heads[k - 1] - 1] == l:
                found = <int32_t>(BLOCKS + 2 * names + labels[k - 1])
            elif l == k:
                found = SAME
            elif heads[l - 1] == heads[k - 1]:
                apart = room.rank[l] - room.rank[k]
                apart = -apart if apart < 0 else apart
                found = SIBLINGS + (FARTHEST if apart > FARTHEST else apart) - 1
            elif ((heads[l - 1] != 0 and room.above[heads[l - 1] * width + k])
                    or (heads[k - 1] != 0 and room.above[heads[k - 1] * width + l])):
                found = COMMANDS
            else:
                found = OTHER
            out[l * width + k] = found


cdef void bottom_up(const int32_t* heads, Py_ssize_t n, int32_t* depth, int32_t* order) noexcept nogil:
    """The words (from 0), each behind those below it."""
    cdef Py_ssize_t word, d, found = 0
    cdef int32_t at, deepest = 0
    for word in range(n):
        depth[word] = 0
        at = heads[word]
        while at != 0:
            depth[word] += 1
            at = heads[at - 1]
        if depth[word] > deepest:
            deepest = depth[word]
    for d in range(deepest, -1, -1):
        for word in range(n):
            if depth[word] == d:
                order[found] = <int32_t>word
                found += 1


cdef class Grammar:
    """Tables of probabilities; the last row and column of tags and entities are of unknown ones, and
    behind them, for answers only, of no word.
    """

    cdef const double[:, ::1] tags
    cdef const double[:, ::1] entities
    cdef const double[:, ::1] labels
    cdef const double[::1] words
    cdef double alpha
    cdef Py_ssize_t names

    def __init__(self, const double[:, ::1] tags, const double[:, ::1] entities,
                 const double[:, ::1] labels, const double[::1] words, double alpha):
        if tags.shape[1] != tags.shape[0] + 1 or entities.shape[1] != entities.shape[0] + 1:
            raise ValueError("tables of tags and entities have a column more than rows")
        if labels.shape[1] != BLOCKS + 3 * labels.shape[0] or words.shape[0] != RELATION_SETS:
            raise ValueError("labels and configurations, or relations, do not fit together")
        if not 0 < alpha <= 1:
            raise ValueError(f"alpha is {alpha}; it is above 0 and at most 1")
        self.tags, self.entities, self.labels = tags, entities, labels
        self.words, self.alpha, self.names = words, alpha, labels.shape[0]

    def check(self, const int32_t[:, ::1] asked, const int32_t[::1] asked_starts,
              const int32_t[:, ::1] given, const int32_t[::1] given_starts,
              const int32_t[:, ::1] pairs, const uint16_t[::1] related,
              const int64_t[::1] related_starts):
        """Raise ValueError if words, pairs and relations do not fit together, or are no trees."""
        cdef int sound
        cdef Py_ssize_t p, n, m
        with nogil:
            sound = are_words(asked, asked_starts, self.tags.shape[0], self.entities.shape[0],
                              self.names)
            sound = sound and are_words(given, given_starts, self.tags.shape[0],
                                        self.entities.shape[0], self.names)
        if not sound:
            raise ValueError("sentences that are no trees, or have what the tables do not know")
        if pairs.shape[1] != 2 or related_starts.shape[0] != pairs.shape[0]:
            raise ValueError("pairs without a place of their relations")
        for p in range(pairs.shape[0]):
            if not (0 <= pairs[p, 0] < asked_starts.shape[0] - 1
                    and 0 <= pairs[p, 1] < given_starts.shape[0] - 1):
                raise ValueError(f"pair {p} is of sentences that are not there")
            n = asked_starts[pairs[p, 0] + 1] - asked_starts[pairs[p, 0]]
            m = given_starts[pairs[p, 1] + 1] - given_starts[pairs[p, 1]]
            if related_starts[p] < 0 or related_starts[p] > related.shape[0] - n * m:
                raise ValueError(f"pair {p} has no relations")
        for p in range(related.shape[0]):
            if related[p] >= RELATION_SETS:
                raise ValueError("a set of relations that there is not")

    def scores(self, const int32_t[:, ::1] asked, const int32_t[::1] asked_starts,
               const int32_t[:, ::1] given, const int32_t[::1] given_starts,
               const int32_t[:, ::1] pairs, const uint16_t[::1] related,
               const int64_t[::1] related_starts, bint best, counts=None):
        """log S(root, 0) of each pair of a question and an answer.

        Relations of word i of the question and k of the answer, both from 0, stand at
        `related_starts[pair] + i m + k`. With `best`, the likeliest alignment in place of the sum.
        `counts` is (tags, entities, labels, words, components): arrays to which expected
        numbers of uses are added; components are those of both sides of the mixture.
        """
        self.check(asked, asked_starts, given, given_starts, pairs, related, related_starts)
        cdef Py_ssize_t p, n, m, most_n = 1, most_m = 1
        for p in range(asked_starts.shape[0] - 1):
            most_n = max(most_n, asked_starts[p + 1] - asked_starts[p])
        for p in range(given_starts.shape[0] - 1):
            most_m = max(most_m, given_starts[p + 1] - given_starts[p])
        found = np.empty(pairs.shape[0])
        cdef double[::1] out = found
        cdef double[:, ::1] tags = None, entities = None, labels = None
        cdef double[::1] words = None, components = None
        cdef int counting = counts is not None
        if counting:
            tags, entities, labels, words, components = counts
            if (tags.shape[0] != self.tags.shape[0] or tags.shape[1] != self.tags.shape[1]
                    or entities.shape[0] != self.entities.shape[0]
                    or entities.shape[1] != self.entities.shape[1]
                    or labels.shape[0] != self.labels.shape[0]
                    or labels.shape[1] != self.labels.shape[1]
                    or words.shape[0] != RELATION_SETS or components.shape[0] != 2):
                raise ValueError("counts are not of the shape of the tables")
        cdef Room room
        cdef Py_ssize_t cells = (most_n + 1) * (most_m + 1), square = (most_m + 1) * (most_m + 1)
        cdef Py_ssize_t longest = max(most_n, most_m) + 1
        cdef double* numbers = <double*>malloc((5 * cells + most_n) * sizeof(double))
        cdef int32_t* integers = <int32_t*>malloc((square + 2 * longest) * sizeof(int32_t))
        room.above = <char*>malloc(square)
        try:
            if numbers == NULL or integers == NULL or room.above == NULL:
                raise MemoryError
            room.inside, room.below, room.base = numbers, numbers + cells, numbers + 2 * cells
            room.lexical, room.share = numbers + 3 * cells, numbers + 4 * cells
            room.scale = numbers + 5 * cells
            room.configuration = integers
            room.rank, room.order = integers + square, integers + square + longest
            with nogil:
                for p in range(out.shape[0]):
                    n = asked_starts[pairs[p, 0] + 1] - asked_starts[pairs[p, 0]]
                    m = given_starts[pairs[p, 1] + 1] - given_starts[pairs[p, 1]]
                    out[p] = self.sum(asked, asked_starts[pairs[p, 0]], n, given,
                                      given_starts[pairs[p, 1]], m, &related[related_starts[p]],
                                      &room, best)
                    if counting and out[p] > -INFINITY:
                        self.expect(asked, asked_starts[pairs[p, 0]], n, given,
                                    given_starts[pairs[p, 1]], m, &related[related_starts[p]],
                                    &room, best, tags, entities, labels, words, components)
        finally:
            free(numbers)
            free(integers)
            free(room.above)
        return found

    cdef double sum(self, const int32_t[:, ::1] asked, Py_ssize_t q, Py_ssize_t n,
                    const int32_t[:, ::1] given, Py_ssize_t a, Py_ssize_t m,
                    const uint16_t* related, Room* room, bint best) noexcept nogil:
        """The logarithm of S(root, 0); S of each word is kept divided by its largest value."""
        cdef Py_ssize_t width = m + 1, i, l, k, number, parent
        cdef double total, cell, largest, result = 0, lexical, rest = 1 - self.alpha
        cdef const double* likely
        cdef const int32_t* row
        cdef double* below
        cdef double* base
        cdef double* words
        configure(&given[0, a], &given[3, a], m, self.names, room)
        bottom_up(&asked[0, q], n, room.rank, room.order)
        # Products over children; the row behind those of words is the wall's.
        for i in range((n + 1) * width):
            room.below[i] = 1
        for number in range(n):
            i = room.order[number]
            below, base, words = (room.below + i * width, room.base + i * width,
                                  room.lexical + i * width)
            likely = &self.labels[asked[3, q + i], 0]
            base[0] = (self.alpha * self.tags[asked[1, q + i], self.tags.shape[1] - 1]
                       * self.entities[asked[2, q + i], self.entities.shape[1] - 1])
            words[0] = 0
            lexical = 0
            for k in range(1, width):
                base[k] = (self.alpha * self.tags[asked[1, q + i], given[1, a + k - 1]]
                           * self.entities[asked[2, q + i], given[2, a + k - 1]])
                words[k] = rest * self.words[related[i * m + k - 1]]
                lexical += words[k] * below[k]
            largest = 0
            for l in range(width):
                row = room.configuration + l * width
                if best:
                    total = 0
                    for k in range(width):
                        cell = (base[k] * likely[row[k]] + words[k]) * below[k]
                        if cell > total:
                            total = cell
                else:
                    total = lexical
                    for k in range(width):
                        total += base[k] * below[k] * likely[row[k]]
                room.inside[i * width + l] = total
                if total > largest:
                    largest = total
            if not largest > 0:
                return -INFINITY
            room.scale[i] = largest
            result += log(largest)
            parent = asked[0, q + i] - 1 if asked[0, q + i] else n
            below = room.below + parent * width
            largest = 0
            for l in range(width):
                room.inside[i * width + l] /= room.scale[i]
                below[l] *= room.inside[i * width + l]
                if below[l] > largest:
                    largest = below[l]
            # A word with many children would vanish.
            if 0 < largest < SMALL:
                result += log(largest)
                for l in range(width):
                    below[l] /= largest
        # All that hangs from the wall.
        return result + log(room.below[n * width])

    cdef void expect(self, const int32_t[:, ::1] asked, Py_ssize_t q, Py_ssize_t n,
                     const int32_t[:, ::1] given, Py_ssize_t a, Py_ssize_t m,
                     const uint16_t* related, Room* room, bint best, double[:, ::1] tags,
                     double[:, ::1] entities, double[:, ::1] labels, double[::1] words,
                     double[::1] components) noexcept nogil:
        """From the root down: p(x_i = k | x_parent = l) = p(i, l, k) prod_j S(j, k) / S(i, l)."""
        cdef Py_ssize_t width = m + 1, i, l, k, number, tag, entity, label, chosen
        cdef double whole, base, cell, largest, share, from_base, from_words
        cdef const double* likely
        cdef const int32_t* row
        for number in range(n - 1, -1, -1):
            i = room.order[number]
            label = asked[3, q + i]
            likely = &self.labels[label, 0]
            for k in range(width):
                room.share[i * width + k] = 0
            for l in range(width):
                if asked[0, q + i] == 0:
                    whole = 1 if l == 0 else 0
                else:
                    whole = room.share[(asked[0, q + i] - 1) * width + l]
                if whole < LEAST:
                    continue
                row = room.configuration + l * width
                chosen = -1
                if best:
                    largest = -1
                    for k in range(width):
                        cell = ((room.base[i * width + k] * likely[row[k]]
                                 + room.lexical[i * width + k]) * room.below[i * width + k])
                        if cell > largest:
                            largest, chosen = cell, k
                for k in range(width):
                    if best and k != chosen:
                        continue
                    base = room.base[i * width + k] * likely[row[k]]
                    cell = base + room.lexical[i * width + k]
                    if cell <= 0:
                        continue
                    share = whole
                    if not best:
                        share *= (cell * room.below[i * width + k]
                                  / (room.inside[i * width + l] * room.scale[i]))
                    room.share[i * width + k] += share
                    from_base = share * base / cell
                    from_words = share - from_base
                    tag = given[1, a + k - 1] if k else self.tags.shape[1] - 1
                    entity = given[2, a + k - 1] if k else self.entities.shape[1] - 1
                    tags[asked[1, q + i], tag] += from_base
                    entities[asked[2, q + i], entity] += from_base
                    labels[label, row[k]] += from_base
                    components[0] += from_base
                    if k and from_words > 0:
                        words[related[i * m + k - 1]] += from_words
                        components[1] += from_words
