"""Word classes by mutual information with their neighbours (Brown et al. 1992).

What is kept high is the mutual information of classes that stand side by side,

    N I = sum f(n(a, b)) - sum f(n(a)) - sum f(n(b)) + f(N),   f(x) = x log2 x,

where n(a, b) counts how often a word of class a stands before one of class b. Merging two
classes i and j loses

    g(i, j) summed over the contexts k on both sides, where g = f(x) + f(y) - f(x + y) of
    x = n(i, k) and y = n(j, k),

but for a few terms that depend on i and j alone (`corner`). g is zero if one of the counts
is: only contexts that both have matter. So what a merge of a and b changes are pairs of which
at least one stands beside the rarer of the two, and as that is mostly a rare word, a step
costs far less than the square of the number of classes.

f is rounded to whole 2^-20 bits, so that sums are exact: losses do not depend on the order
of additions, and equal losses are equal.
"""

import numpy as np

from libc.math cimport log2, rint
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free, malloc

cdef enum:
    SCALE = 1 << 20         # of f
    TABLE = 1 << 18         # values of f that are looked up

cdef enum:
    # Contexts that are no words, beyond the last word.
    EDGE                    # of a sentence
    RARE                    # words too rare to be clustered
    OTHERS


cdef inline int64_t f_of(int64_t x) noexcept nogil:
    return <int64_t>rint(<double>x * log2(<double>x) * SCALE) if x > 1 else 0


cdef class Window:
    """A window of `size` classes, into which words come one by one, the frequent first.

    `counts` are those of the words. Neighbours are lists: words[starts[w]] and so on stand
    after (or before) w so many times; number V is the edge of a sentence, V + 1 a rare word.
    Words that have not come yet are contexts of their own. Of equal losses, that of the class
    with the most frequent words is taken: classes are known by their first word.
    """

    cdef int64_t* f
    # items[side][i * contexts + k]: how often class i has context k after (0) or before (1) it.
    # Both hold the same counts, the second transposed, except in the middle of a merge.
    cdef uint32_t* items[2]
    cdef int64_t* losses            # of (i, j) with i > j at i * slots + j
    cdef int64_t* row               # losses of one class while it changes
    cdef uint32_t* columns[2][2]    # contexts a and b of both sides, before a merge
    cdef uint32_t* spread           # counts of one context by class
    cdef int* touched               # classes that a list is about
    cdef int64_t* class_counts
    cdef int32_t* firsts            # the first word of a class; -1: the slot is free
    cdef int32_t* slot_of           # of each word; -1: it has not come yet
    cdef int32_t* next_member       # of the same class
    cdef int32_t* last_member
    cdef int32_t* stamps
    cdef int32_t stamp
    cdef int slots, contexts, words, come
    cdef object arrays
    cdef const int64_t[::1] counts
    cdef const int64_t* starts[2]
    cdef const int32_t* neighbours[2]
    cdef const int32_t* times[2]

    def __cinit__(self, const int64_t[::1] counts not None, tuple after not None,
                  tuple before not None, int size):
        cdef const int64_t[::1] starts
        cdef const int32_t[::1] neighbours, times
        cdef int side, i
        if not 2 <= size <= counts.shape[0]:
            raise ValueError("2 to as many classes as words")
        self.counts, self.words, self.slots = counts, counts.shape[0], size + 1
        self.contexts = self.slots + OTHERS
        self.arrays = (after, before)
        for side in range(2):
            starts, neighbours, times = self.arrays[side]
            if (starts.shape[0] != self.words + 1 or starts[0] != 0
                    or starts[self.words] != neighbours.shape[0]
                    or neighbours.shape[0] != times.shape[0] or neighbours.shape[0] == 0):
                raise ValueError("lists of neighbours that do not fit")
            if (np.min(neighbours) < 0 or np.max(neighbours) >= self.words + OTHERS
                    or np.min(np.diff(starts)) < 0):
                raise ValueError("no such neighbour")
            self.starts[side] = &starts[0]
            self.neighbours[side] = &neighbours[0]
            self.times[side] = &times[0]
        self._allocate()
        for i in range(TABLE):
            self.f[i] = f_of(i)
        for i in range(self.slots):
            self.firsts[i] = -1
        for i in range(self.slots * self.slots):
            self.losses[i] = INT64_MAX
        for i in range(self.words):
            self.slot_of[i] = self.next_member[i] = -1
        self.slot_of[self.words + EDGE] = self.slots + EDGE
        self.slot_of[self.words + RARE] = self.slots + RARE

    cdef _allocate(self):
        cdef size_t square = <size_t>self.contexts * self.contexts
        cdef int side, which
        cdef bint complete = True
        self.f = <int64_t*>malloc(TABLE * sizeof(int64_t))
        self.losses = <int64_t*>malloc(<size_t>self.slots * self.slots * sizeof(int64_t))
        self.row = <int64_t*>calloc(self.contexts, sizeof(int64_t))
        self.spread = <uint32_t*>calloc(self.contexts, sizeof(uint32_t))
        self.touched = <int*>calloc(self.contexts, sizeof(int))
        self.class_counts = <int64_t*>calloc(self.slots, sizeof(int64_t))
        self.firsts = <int32_t*>calloc(self.slots, sizeof(int32_t))
        self.slot_of = <int32_t*>calloc(self.words + OTHERS, sizeof(int32_t))
        self.next_member = <int32_t*>calloc(self.words, sizeof(int32_t))
        self.last_member = <int32_t*>calloc(self.words, sizeof(int32_t))
        self.stamps = <int32_t*>calloc(self.words, sizeof(int32_t))
        for side in range(2):
            self.items[side] = <uint32_t*>calloc(square, sizeof(uint32_t))
            complete &= self.items[side] != NULL
            for which in range(2):
                self.columns[side][which] = <uint32_t*>calloc(self.contexts, sizeof(uint32_t))
                complete &= self.columns[side][which] != NULL
        if (not complete or self.f == NULL or self.losses == NULL or self.row == NULL
                or self.spread == NULL or self.touched == NULL or self.class_counts == NULL
                or self.firsts == NULL or self.slot_of == NULL or self.next_member == NULL
                or self.last_member == NULL or self.stamps == NULL):
            raise MemoryError()

    def __dealloc__(self):
        cdef int side, which
        free(self.f)
        free(self.losses)
        free(self.row)
        free(self.spread)
        free(self.touched)
        free(self.class_counts)
        free(self.firsts)
        free(self.slot_of)
        free(self.next_member)
        free(self.last_member)
        free(self.stamps)
        for side in range(2):
            free(self.items[side])
            for which in range(2):
                free(self.columns[side][which])

    # What Python calls

    def insert(self, int count):
        """Let the next words come, and merge two classes for each beyond the window's size.

        Returns how many words are left.
        """
        cdef int slot
        with nogil:
            while count > 0 and self.come < self.words:
                slot = self._free_slot()
                self._insert(self.come, slot)
                self.come += 1
                if self.come >= self.slots:
                    self._merge_best()
                count -= 1
        return self.words - self.come

    def merge(self):
        """Merge the best two classes; their first words, the more frequent first."""
        cdef int32_t x, y
        cdef int i, classes = 0
        for i in range(self.slots):
            classes += self.firsts[i] >= 0
        if classes < 2 or self.come < self.words:
            raise ValueError("words are still to come, or one class is left")
        with nogil:
            self._merge_best()
            # Both stand in `touched` for this.
            x, y = self.touched[0], self.touched[1]
        return x, y

    def classes(self):
        """The first word of each word's class."""
        cdef int w
        found = np.empty(self.words, np.int32)
        cdef int32_t[::1] out = found
        if self.come < self.words:
            raise ValueError("words are still to come")
        for w in range(self.words):
            out[w] = self.firsts[self.slot_of[w]]
        return found

    # How it works

    cdef inline int64_t look_up(self, int64_t x) noexcept nogil:
        return self.f[x] if x < TABLE else f_of(x)

    cdef inline int64_t* loss(self, int i, int j) noexcept nogil:
        return &self.losses[<size_t>i * self.slots + j if i > j else <size_t>j * self.slots + i]

    cdef int _free_slot(self) noexcept nogil:
        cdef int slot = 0
        while self.firsts[slot] >= 0:
            slot += 1
        return slot

    cdef int64_t corner(self, int i, int j) noexcept nogil:
        """What a merge of i and j loses beside the sum over contexts.

        Contexts i and j are merged themselves, and so are the counts of the classes.
        """
        cdef uint32_t* counts = self.items[0]
        cdef size_t row_i = <size_t>i * self.contexts, row_j = <size_t>j * self.contexts
        cdef int64_t ii = counts[row_i + i], ij = counts[row_i + j]
        cdef int64_t ji = counts[row_j + i], jj = counts[row_j + j]
        cdef int64_t x = self.class_counts[i], y = self.class_counts[j]
        return (
            self.look_up(ii + ji) + self.look_up(ij + jj) + self.look_up(ii + ij)
            + self.look_up(ji + jj) - self.look_up(ii) - self.look_up(ij) - self.look_up(ji)
            - self.look_up(jj) - self.look_up(ii + ij + ji + jj)
            - 2 * (self.look_up(x) + self.look_up(y) - self.look_up(x + y)))

    cdef void _insert(self, int word, int slot) noexcept nogil:
        """A word comes: a class of its own, in a free slot."""
        cdef int64_t e
        cdef int side, other, j, k
        cdef uint32_t* mine
        self.slot_of[word] = slot
        self.firsts[slot] = self.last_member[word] = word
        self.class_counts[slot] = self.counts[word]
        for side in range(2):
            for e in range(self.starts[side][word], self.starts[side][word + 1]):
                other = self.slot_of[self.neighbours[side][e]]
                # What stands beside itself is in both lists.
                if other < 0 or (side == 1 and other == slot):
                    continue
                self.items[side][<size_t>slot * self.contexts + other] += self.times[side][e]
                self.items[1 - side][<size_t>other * self.contexts + slot] += self.times[side][e]
        for j in range(self.slots):
            self.row[j] = 0
        for side in range(2):
            mine = self.items[side] + <size_t>slot * self.contexts
            for k in range(self.contexts):
                if mine[k]:
                    self._share(self.items[1 - side] + <size_t>k * self.contexts, 0, mine[k])
            self._share_rare(side, word, -1, slot)
        for j in range(self.slots):
            if j != slot and self.firsts[j] >= 0:
                self.loss(slot, j)[0] = self.row[j] + self.corner(slot, j)

    cdef inline void _share(self, const uint32_t* column, int64_t before, int64_t more,
                            ) noexcept nogil:
        """A class has a context `more` times than `before`; others have it as `column` says."""
        cdef int64_t gain = self.look_up(before + more) - self.look_up(before)
        cdef int j
        for j in range(self.slots):
            if column[j]:
                self.row[j] += gain + self.look_up(before + column[j]) - self.look_up(
                    before + more + column[j])

    cdef void _share_rare(self, int side, int word, int old, int new) noexcept nogil:
        """The same for words that have not come yet and stand beside the class `new`.

        `word` is its first member; class `old` takes it up.
        """
        cdef int64_t e, before, gain
        cdef int32_t context
        cdef int count, t, j
        self.stamp += 1
        while word >= 0:
            for e in range(self.starts[side][word], self.starts[side][word + 1]):
                context = self.neighbours[side][e]
                if self.slot_of[context] >= 0 or self.stamps[context] == self.stamp:
                    continue
                self.stamps[context] = self.stamp
                count = self._spread(1 - side, context)
                before = self.spread[old] if old >= 0 else 0
                gain = self.look_up(before + self.spread[new]) - self.look_up(before)
                for t in range(count):
                    j = self.touched[t]
                    self.row[j] += gain + self.look_up(before + self.spread[j]) - self.look_up(
                        before + self.spread[new] + self.spread[j])
                for t in range(count):
                    self.spread[self.touched[t]] = 0
            word = self.next_member[word]

    cdef int _spread(self, int side, int32_t context) noexcept nogil:
        """How often a word that has not come stands beside each class."""
        cdef int64_t e
        cdef int slot, count = 0
        for e in range(self.starts[side][context], self.starts[side][context + 1]):
            slot = self.slot_of[self.neighbours[side][e]]
            if 0 <= slot < self.slots:
                if self.spread[slot] == 0:
                    self.touched[count] = slot
                    count += 1
                self.spread[slot] += self.times[side][e]
        return count

    cdef void _merge_best(self) noexcept nogil:
        """Merge the classes with the least loss; leaves their first words in `touched`."""
        cdef int64_t least = INT64_MAX
        cdef const int64_t* row
        cdef int i, j, best_i = -1, best_j = -1
        cdef int32_t low, high
        for i in range(self.slots):
            row = self.losses + <size_t>i * self.slots
            for j in range(i):
                if row[j] <= least:
                    if row[j] < least:
                        least, best_i, best_j = row[j], i, j
                    elif least < INT64_MAX and self._is_before(i, j, best_i, best_j):
                        best_i, best_j = i, j
        low = min(self.firsts[best_i], self.firsts[best_j])
        high = max(self.firsts[best_i], self.firsts[best_j])
        # The rarer one goes into the other, which is less work.
        if self.class_counts[best_i] < self.class_counts[best_j]:
            best_i, best_j = best_j, best_i
        self._merge(best_i, best_j)
        self.touched[0], self.touched[1] = low, high

    cdef bint _is_before(self, int i, int j, int k, int m) noexcept nogil:
        """Whether the first words of i and j come before those of k and m."""
        cdef int32_t low = min(self.firsts[i], self.firsts[j])
        cdef int32_t other = min(self.firsts[k], self.firsts[m])
        if low != other:
            return low < other
        return max(self.firsts[i], self.firsts[j]) < max(self.firsts[k], self.firsts[m])

    cdef void _merge(self, int a, int b) noexcept nogil:
        """Class b goes into class a; its slot becomes free."""
        cdef int side, j
        cdef int32_t word
        for j in range(self.slots):
            self.row[j] = 0
            if j != a and j != b and self.firsts[j] >= 0:
                self.row[j] = self.loss(a, j)[0] - self.corner(a, j)
        for side in range(2):
            for j in range(self.contexts):
                self.columns[side][0][j] = self.items[1 - side][<size_t>a * self.contexts + j]
                self.columns[side][1][j] = self.items[1 - side][<size_t>b * self.contexts + j]
        for side in range(2):
            self._merge_contexts(side, a, b)
        for side in range(2):
            self._merge_items(side, a, b)
        # Members in the order of their first words, so that the first stays at the head.
        word = max(self.firsts[a], self.firsts[b])
        self.firsts[a] = min(self.firsts[a], self.firsts[b])
        self.next_member[self.last_member[self.firsts[a]]] = word
        self.last_member[self.firsts[a]] = self.last_member[word]
        word = self.firsts[a]
        while word >= 0:
            self.slot_of[word] = a
            word = self.next_member[word]
        self.class_counts[a] += self.class_counts[b]
        self.firsts[b] = -1
        for j in range(self.slots):
            if j != b:
                self.loss(b, j)[0] = INT64_MAX
            if j != a and self.firsts[j] >= 0:
                self.loss(a, j)[0] = self.row[j] + self.corner(a, j)

    cdef void _merge_contexts(self, int side, int a, int b) noexcept nogil:
        """Contexts a and b become one: of all pairs of classes that have them."""
        cdef const uint32_t* at_a = self.columns[side][0]
        cdef const uint32_t* at_b = self.columns[side][1]
        cdef int64_t ia, ib, ja, jb, gain, change
        cdef int i, j, t, count = 0
        cdef uint32_t* mine
        for j in range(self.slots):
            if j != b and (at_a[j] or at_b[j]):
                self.touched[count] = j
                count += 1
        for i in range(self.slots):
            if i == b or not at_b[i]:
                continue
            ia, ib = at_a[i], at_b[i]
            # Of f(x) + f(y) - f(x + y), what depends on i alone.
            gain = self.look_up(ia + ib) - self.look_up(ia)
            for t in range(count):
                j = self.touched[t]
                ja, jb = at_a[j], at_b[j]
                if jb:
                    if j >= i:
                        continue        # both have b: once is enough
                    change = (
                        gain - self.look_up(ib) + self.look_up(ib + jb) - self.look_up(jb)
                        + self.look_up(ja + jb) - self.look_up(ja))
                else:
                    change = gain
                change += self.look_up(ia + ja) - self.look_up(ia + ib + ja + jb)
                if i == a:
                    self.row[j] += change
                elif j == a:
                    self.row[i] += change
                else:
                    self.loss(i, j)[0] += change
        for i in range(self.contexts):
            if at_b[i]:
                mine = self.items[side] + <size_t>i * self.contexts
                mine[a] += mine[b]
                mine[b] = 0

    cdef void _merge_items(self, int side, int a, int b) noexcept nogil:
        """Class a takes up what class b has of each context."""
        cdef uint32_t* at_a = self.items[side] + <size_t>a * self.contexts
        cdef uint32_t* at_b = self.items[side] + <size_t>b * self.contexts
        cdef uint32_t* column
        cdef int k, j
        for k in range(self.contexts):
            if not at_b[k]:
                continue
            column = self.items[1 - side] + <size_t>k * self.contexts
            if k == a:
                # The other table has not merged these yet.
                column = self.columns[side][0]
                for j in range(self.contexts):
                    column[j] += self.columns[side][1][j]
            self._share(column, at_a[k], at_b[k])
        self._share_rare(side, self.firsts[b], a, b)
        for k in range(self.contexts):
            at_a[k] += at_b[k]
            at_b[k] = 0
