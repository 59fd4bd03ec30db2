"""Hill climbing among the alignments of LEAF (Fraser and Marcu 2007), and their features."""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, qsort, realloc
from libc.string cimport memset

from niwaki.kernel.bilingual.cepts cimport (
    ALL_FEATURES, FARTHEST, LARGEST, SPAN, Part, State, Tables, add_all, add_part, attach,
    free_state, make_state)
from niwaki.kernel.bilingual.operations cimport (
    KINDS, LINK, MOVE_SOURCE, MOVE_TARGET, SWAP_TARGETS, UNLINK, find_part, is_legal, perform,
    revert)

WEIGHTS = ALL_FEATURES
LONGEST_MOVE = FARTHEST
LARGEST_CEPT = LARGEST

# What gains less is taken for a rounding error: the search would go round in circles.
cdef double LEAST_GAIN = 1e-6

cdef enum:
    BROKEN = -2

cdef struct Operation:
    double gain
    int kind
    int a, b


cdef struct Operations:
    Operation* items
    size_t size, room


cdef struct Search:
    State state
    Part part
    const Tables* tables
    const double* weights
    Operations found


cdef double weigh(const double* weights, const double* h) noexcept nogil:
    cdef double total = 0
    cdef int k
    for k in range(ALL_FEATURES):
        total += weights[k] * h[k]
    return total


cdef double try_out(Search* search, int kind, int a, int b, double* h) noexcept nogil:
    """What an operation adds to the score, and to each feature; the alignment stays as it is."""
    cdef int old[2]
    cdef int k
    memset(h, 0, ALL_FEATURES * sizeof(double))
    find_part(&search.state, &search.part, kind, a, b)
    add_part(&search.state, search.tables, &search.part, h)
    for k in range(ALL_FEATURES):
        h[k] = -h[k]
    perform(&search.state, &search.part, kind, a, b, old)
    add_part(&search.state, search.tables, &search.part, h)
    revert(&search.state, &search.part, kind, a, b, old)
    return weigh(search.weights, h)


cdef int keep(Operations* found, double gain, int kind, int a, int b) noexcept nogil:
    cdef Operation* grown
    if found.size == found.room:
        grown = <Operation*>realloc(found.items, (2 * found.room + 64) * sizeof(Operation))
        if grown == NULL:
            return -1
        found.items = grown
        found.room = 2 * found.room + 64
    found.items[found.size] = Operation(gain, kind, a, b)
    found.size += 1
    return 0


cdef int is_before(const void* one, const void* other) noexcept nogil:
    """By falling gain; equal ones in the order in which they were tried."""
    cdef const Operation* a = <const Operation*>one
    cdef const Operation* b = <const Operation*>other
    if a.gain != b.gain:
        return -1 if a.gain > b.gain else 1
    if a.kind != b.kind:
        return a.kind - b.kind
    return a.a - b.a if a.a != b.a else a.b - b.b


cdef int find_operations(Search* search, double least) noexcept nogil:
    """All legal operations that gain more than `least`, the best first."""
    cdef State* state = &search.state
    cdef int kind, a, b, side, low, high
    cdef double gain
    cdef double h[ALL_FEATURES]
    search.found.size = 0
    for kind in range(KINDS):
        side = kind == MOVE_TARGET or kind == SWAP_TARGETS
        for a in range(state.size[side]):
            if kind == MOVE_TARGET or kind == MOVE_SOURCE:
                low, high = -1, state.size[side]
            elif kind == LINK:
                low, high = 0, state.size[1]
            elif kind == UNLINK:
                low, high = max(0, state.mate[0][a]), state.mate[0][a] + 1
            else:
                low, high = a + 1, state.size[side]
            for b in range(low, high):
                if not is_legal(state, kind, a, b):
                    continue
                gain = try_out(search, kind, a, b, h)
                if gain > least and keep(&search.found, gain, kind, a, b) < 0:
                    return -1
    if search.found.size > 1:   # there may be no array yet
        qsort(search.found.items, search.found.size, sizeof(Operation), is_before)
    return 0


cdef int climb(Search* search) noexcept nogil:
    """Until no operation helps: the best one, and of those after it all that still help."""
    cdef size_t k
    cdef Operation each
    cdef int old[2]
    cdef double h[ALL_FEATURES]
    while True:
        if find_operations(search, LEAST_GAIN) < 0:
            return -1
        if not search.found.size:
            return 0
        for k in range(search.found.size):
            each = search.found.items[k]
            if (is_legal(&search.state, each.kind, each.a, each.b)
                    and try_out(search, each.kind, each.a, each.b, h) > LEAST_GAIN):
                find_part(&search.state, &search.part, each.kind, each.a, each.b)
                perform(&search.state, &search.part, each.kind, each.a, each.b, old)


cdef int read(State* state, const int32_t* heads0, const int32_t* heads1, const int32_t* mates
              ) noexcept nogil:
    """Lists of the cepts from heads and links; BROKEN if these are no alignment."""
    cdef const int32_t* heads[2]
    cdef int side, k, head
    heads[0], heads[1] = heads0, heads1
    for side in range(2):
        state.linked[side] = 0
        for k in range(state.size[side]):
            state.mate[side][k] = state.first[side][k] = -1
            state.count[side][k] = 0
            state.head[side][k] = -1
    for k in range(state.size[0]):
        if mates[k] >= state.size[1] or (mates[k] >= 0) != (heads[0][k] == k):
            return BROKEN
        if mates[k] >= 0:
            if heads[1][mates[k]] != mates[k] or state.mate[1][mates[k]] >= 0:
                return BROKEN
            state.mate[0][k] = mates[k]
            state.mate[1][mates[k]] = k
    for side in range(2):
        for k in range(state.size[side] - 1, -1, -1):
            head = heads[side][k]
            if head >= state.size[side] or (head >= 0 and state.mate[side][head] < 0):
                return BROKEN
            if head >= 0:
                attach(state, side, k, head)
    return 0


cdef void write(State* state, int32_t* heads0, int32_t* heads1, int32_t* mates) noexcept nogil:
    cdef int k
    for k in range(state.size[0]):
        heads0[k] = state.head[0][k]
        mates[k] = state.mate[0][k]
    for k in range(state.size[1]):
        heads1[k] = state.head[1][k]


cdef class Climber:
    """Sentence pairs with the tables of both directions: scores and improves their alignments.

    An alignment of all pairs is three arrays: for each source and each target word the place
    of its head in its sentence (its own if it is a head, -1 if it has none), and for each source
    head the place of the target head it is linked to (-1 for other words).
    """

    cdef const int32_t[::1] s_words, t_words, s_classes, t_classes, cols
    cdef const int64_t[::1] s_starts, t_starts, row
    cdef Tables tables[2]
    cdef object kept
    cdef readonly int pairs
    cdef int longest_source, longest_target

    def __init__(self, table, const int32_t[::1] source_classes, const int32_t[::1] target_classes,
                 forward, backward):
        """`table` has the text and the words that occur together, as the HMM keeps them."""
        self.s_words, self.t_words = table.source_words, table.target_words
        self.s_starts, self.t_starts = table.source_starts, table.target_starts
        self.row, self.cols = table.rows, table.columns
        self.s_classes, self.t_classes = source_classes, target_classes
        self.pairs = table.pairs
        self.longest_source, self.longest_target = table.longest_source, table.longest_target
        types = len(table.null_backward), len(table.null_forward)
        counts = len(forward["choice"]), len(backward["choice"])
        self._check_classes(source_classes, types[0], counts[0])
        self._check_classes(target_classes, types[1], counts[1])
        longest = max(self.longest_source, self.longest_target)
        factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, longest + 1)))])
        self.kept = [factorials]
        for d, arrays in enumerate((forward, backward)):
            self._set(d, arrays, types[d], types[1 - d], counts[d], counts[1 - d])

    def _check_classes(self, classes, int words, int count):
        if len(classes) != words:
            raise ValueError("a class for each word, please")
        if np.min(classes, initial=0) < 0 or np.max(classes, initial=0) >= count:
            raise ValueError("a class without a table")

    cdef _set(self, int d, arrays, int x_words, int y_words, int x_classes, int y_classes):
        cdef Tables* table = &self.tables[d]
        cdef const double[::1] factorials = self.kept[0]
        cdef const int64_t[::1] seen = arrays["seen"]
        cdef const int32_t[::1] seen_class = arrays["seen_class"]
        cdef Py_ssize_t entries = self.cols.shape[0]
        if seen.shape[0] != entries + 1 or seen_class.shape[0] != seen[entries]:
            raise ValueError("the lists of non-heads do not fit")
        if seen[0] != 0 or (np.diff(arrays["seen"]) < 0).any():
            raise ValueError("the lists of non-heads do not fit")

        def array(name, *shape):
            made = arrays[name]
            if made.shape != shape or made.dtype != np.float32 or not made.flags.c_contiguous:
                raise ValueError(f"table {name} has shape {made.shape}, not {shape}")
            self.kept.append(made)
            return made

        table.kind = address(array("kind", x_words, 3))
        table.choice = address(array("choice", x_classes, SPAN))
        table.head = address(array("head", entries))
        table.size = address(array("size", x_words, 2, LARGEST))
        table.spurious = address(array("spurious", y_words))
        table.first = address(array("first", x_classes + 1, y_classes, SPAN))
        table.second = address(array("second", y_classes, SPAN))
        table.later = address(array("later", y_classes, SPAN))
        table.word = address(array("word", entries))
        table.word_null = address(array("word_null", y_words))
        table.chain = address(array("chain", entries))
        table.chain_null = address(array("chain_null", y_words))
        table.size_alone = address(array("size_alone", 2, LARGEST))
        table.size_word = address(array("size_word", x_words, LARGEST))
        table.seen_value = address(array("seen_value", seen_class.shape[0]))
        table.unseen = address(array("unseen", x_words, y_classes))
        self.kept += [arrays["seen"], arrays["seen_class"]]
        table.seen = &seen[0]
        table.seen_class = &seen_class[0] if seen_class.shape[0] else NULL
        table.none, table.one = arrays["spurious_rate"].tolist()
        table.factorials = &factorials[0]
        table.classes = y_classes

    def climb(self, int first, int last, const double[::1] weights, int32_t[::1] source_heads,
              int32_t[::1] target_heads, int32_t[::1] mates, double[::1] scores):
        """Improve the alignments of the pairs first <= p < last, which get their scores."""
        cdef Search search
        cdef int p, state = 0
        cdef double h[ALL_FEATURES]
        self._check(first, last, weights, source_heads, target_heads, mates)
        if scores.shape[0] != self.pairs:
            raise ValueError("a score for each pair, please")
        self._begin(&search, &weights[0])
        with nogil:
            for p in range(first, last):
                state = self._load(&search, p, source_heads, target_heads, mates)
                if state == 0:
                    state = climb(&search)
                if state < 0:
                    break
                write(&search.state, &source_heads[self.s_starts[p]],
                      &target_heads[self.t_starts[p]], &mates[self.s_starts[p]])
                memset(h, 0, sizeof(h))
                add_all(&search.state, self.tables, h)
                scores[p] = weigh(search.weights, h)
        self._end(&search, state)

    def features(self, int first, int last, const int32_t[::1] source_heads,
                 const int32_t[::1] target_heads, const int32_t[::1] mates):
        """Of the alignments of the pairs first <= p < last: pairs x WEIGHTS."""
        made = np.zeros((max(0, last - first), ALL_FEATURES))
        cdef const double[::1] weights = np.zeros(ALL_FEATURES)
        cdef double[:, ::1] h = made
        cdef Search search
        cdef int p, state = 0
        self._check(first, last, weights, source_heads, target_heads, mates)
        self._begin(&search, &weights[0])
        with nogil:
            for p in range(first, last):
                state = self._load(&search, p, source_heads, target_heads, mates)
                if state < 0:
                    break
                add_all(&search.state, self.tables, &h[p - first, 0])
        self._end(&search, state)
        return made

    def neighbours(self, int pair, int most, const double[::1] weights,
                   const int32_t[::1] source_heads, const int32_t[::1] target_heads,
                   const int32_t[::1] mates):
        """The alignment of a pair and the `most` best that are one operation away.

        Source heads, target heads and mates of each, and its features.
        """
        cdef Search search
        cdef int state, k, n = 0, f
        cdef Operation each
        cdef int old[2]
        cdef double change[ALL_FEATURES]
        cdef int32_t[:, ::1] s_heads, t_heads, s_mates
        cdef double[:, ::1] h
        self._check(pair, pair + 1, weights, source_heads, target_heads, mates)
        if most < 0:
            raise ValueError("0 neighbours or more, please")
        self._begin(&search, &weights[0])
        with nogil:
            state = self._load(&search, pair, source_heads, target_heads, mates)
            if state == 0:
                state = find_operations(&search, -INFINITY)
        if state < 0:
            self._end(&search, state)
        n = min(most, <int>search.found.size) + 1
        made = [np.empty((n, size), np.int32)
                for size in (search.state.size[0], search.state.size[1], search.state.size[0])]
        s_heads, t_heads, s_mates = made
        features = np.zeros((n, ALL_FEATURES))
        h = features
        with nogil:
            write(&search.state, &s_heads[0, 0], &t_heads[0, 0], &s_mates[0, 0])
            add_all(&search.state, self.tables, &h[0, 0])
            for k in range(1, n):
                each = search.found.items[k - 1]
                try_out(&search, each.kind, each.a, each.b, change)
                for f in range(ALL_FEATURES):
                    h[k, f] = h[0, f] + change[f]
                find_part(&search.state, &search.part, each.kind, each.a, each.b)
                perform(&search.state, &search.part, each.kind, each.a, each.b, old)
                write(&search.state, &s_heads[k, 0], &t_heads[k, 0], &s_mates[k, 0])
                revert(&search.state, &search.part, each.kind, each.a, each.b, old)
        self._end(&search, 0)
        return (*made, features)

    cdef _check(self, int first, int last, weights, source_heads, target_heads, mates):
        if first < 0 or last > self.pairs or first > last:
            raise ValueError("pairs out of range")
        if len(weights) != ALL_FEATURES or not np.isfinite(weights).all():
            raise ValueError("30 numbers as weights, please")
        if (len(source_heads) != self.s_words.shape[0] or len(mates) != self.s_words.shape[0]
                or len(target_heads) != self.t_words.shape[0]):
            raise ValueError("a head for each word, please")

    cdef _begin(self, Search* search, const double* weights):
        memset(search, 0, sizeof(Search))
        search.tables, search.weights = self.tables, weights
        if make_state(&search.state, &search.part, max(1, self.longest_source),
                      max(1, self.longest_target)) < 0:
            free_state(&search.state)
            raise MemoryError()

    cdef _end(self, Search* search, int state):
        free_state(&search.state)
        free(search.found.items)
        if state == BROKEN:
            raise ValueError("heads and mates are no alignment")
        if state < 0:
            raise MemoryError()

    cdef int _load(self, Search* search, int p, const int32_t[::1] source_heads,
                   const int32_t[::1] target_heads, const int32_t[::1] mates) noexcept nogil:
        cdef State* state = &search.state
        cdef int i, j
        state.size[0] = <int>(self.s_starts[p + 1] - self.s_starts[p])
        state.size[1] = <int>(self.t_starts[p + 1] - self.t_starts[p])
        state.words[0] = &self.s_words[self.s_starts[p]]
        state.words[1] = &self.t_words[self.t_starts[p]]
        state.classes[0], state.classes[1] = &self.s_classes[0], &self.t_classes[0]
        for i in range(state.size[0]):
            for j in range(state.size[1]):
                state.entries[i * state.size[1] + j] = self._find(
                    state.words[0][i], state.words[1][j])
        return read(state, &source_heads[self.s_starts[p]], &target_heads[self.t_starts[p]],
                    &mates[self.s_starts[p]])

    cdef int64_t _find(self, int32_t source, int32_t target) noexcept nogil:
        """The entry of two words of a pair: all of these are there."""
        cdef int64_t low = self.row[source], high = self.row[source + 1], middle
        while high - low > 1:
            middle = (low + high) >> 1
            if self.cols[middle] <= target:
                low = middle
            else:
                high = middle
        return low


cdef const float* address(array):
    """Where the numbers of an array begin."""
    cdef const float[::1] flat = array.reshape(-1)
    return &flat[0] if flat.shape[0] else NULL
