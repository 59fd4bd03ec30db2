"""A growing table of linear models over hashed features, to learn in."""

import numpy as np

from libc.stdlib cimport calloc, free, malloc
from libc.math cimport sqrtf
from libc.string cimport memcpy, memset

from niwaki.kernel.compiled cimport CompiledWeights
from niwaki.kernel.scoring cimport MAX_CLASSES, MAX_KEYS

cdef extern from "rows.h" nogil:
    void* niwaki_take(size_t size)
    void* niwaki_allocate(size_t size)
    void* niwaki_enlarge(void* memory, size_t used, size_t size)
    void niwaki_prefetch(const void* address)

MAX_FEATURES = MAX_KEYS

cdef enum:
    DOORKEEPER = 1 << 26
    # A row that has so many entries gets one for each class up to its last, in order, if that
    # is below MAX_WIDTH: adding it up is then a loop without jumps. Its capacity is DENSE.
    MAX_SPARSE = 32
    MAX_WIDTH = 256
    DENSE = 0xFFFF
    MAX_CAPACITY = DENSE - 1
    AHEAD = 16              # rows that are asked for before they are needed


cdef bint grow_index(LearnTable* table, int times=2) noexcept nogil:
    """Make the index so many times as large, a power of two; rows keep their numbers."""
    cdef LearnTable larger = table[0]
    cdef uint64_t place, old
    larger.mask = (table.mask + 1) * times - 1
    larger.rows = <Row*>niwaki_allocate((larger.mask + 1) * sizeof(Row))
    larger.numbers = <uint32_t*>malloc((larger.mask + 1) * sizeof(uint32_t))
    if larger.rows == NULL or larger.numbers == NULL:
        free(larger.rows)
        free(larger.numbers)
        return False
    for old in range(table.mask + 1):
        if table.rows[old].key != 0:
            place = place_of(&larger, table.rows[old].key)
            larger.rows[place] = table.rows[old]
            larger.numbers[place] = table.numbers[old]
    free(table.rows)
    free(table.numbers)
    table[0] = larger
    return True


cdef inline bint admits(LearnTable* table, uint64_t key) noexcept nogil:
    """Whether a new key gets a row: rare features are not worth their memory.

    Keys are counted in a table without names, so now and then one is let in early.
    """
    cdef uint8_t* seen
    if table.closed:
        return False
    if table.doorkeeper == NULL:
        return True
    seen = &table.doorkeeper[(key >> 20) & (DOORKEEPER - 1)]
    seen[0] += seen[0] < 255
    return seen[0] >= table.min_updates


cdef Row* add_row(LearnTable* table, uint64_t key) noexcept nogil:
    """The row of a key, made if need be; NULL if it is turned away, or memory is out."""
    cdef uint64_t place = place_of(table, key)
    if table.rows[place].key != 0:
        return &table.rows[place]
    return new_row(table, key) if admits(table, key) else NULL


cdef Row* new_row(LearnTable* table, uint64_t key) noexcept nogil:
    """A row for a key that has none; NULL when memory is out."""
    cdef uint64_t place = place_of(table, key)
    if <uint64_t>table.row_count * 2 > table.mask:
        if not grow_index(table):
            table.failed = True
            return NULL
        place = place_of(table, key)
    table.rows[place].key = key
    table.numbers[place] = table.row_count
    table.row_count += 1
    return &table.rows[place]


cdef bint reserve(LearnTable* table, Row* row, int capacity) noexcept nogil:
    """Move a row's entries to a larger place at the end of the pool."""
    cdef uint64_t need = <uint64_t>table.pool_count + capacity
    cdef uint64_t size = table.pool_capacity
    cdef void* memory
    while size < need:
        size *= 2
    if size > 0xFFFFFFFFULL:
        return False
    if size > table.pool_capacity:
        memory = niwaki_enlarge(
            table.pool, table.pool_count * sizeof(Entry), size * sizeof(Entry))
        if memory == NULL:
            return False
        table.pool = <Entry*>memory
        memory = niwaki_enlarge(
            table.past, table.pool_count * sizeof(History), size * sizeof(History))
        if memory == NULL:
            return False
        table.past = <History*>memory
        table.pool_capacity = <uint32_t>size
    memcpy(table.pool + table.pool_count, table.pool + row.start, row.count * sizeof(Entry))
    memcpy(table.past + table.pool_count, table.past + row.start, row.count * sizeof(History))
    row.start = table.pool_count
    row.capacity = capacity
    table.pool_count += capacity
    return True


cdef bint spread(LearnTable* table, Row* row, int width) noexcept nogil:
    """Give a row an entry for each class below `width`, in order."""
    cdef Row old = row[0]
    cdef int i, action
    # Nothing is copied to the new place: the entries may stand elsewhere there.
    row.count = 0
    if not reserve(table, row, width):
        row[0] = old
        return False
    memset(table.pool + row.start, 0, width * sizeof(Entry))
    memset(table.past + row.start, 0, width * sizeof(History))
    for i in range(old.count):
        action = table.pool[old.start + i].action
        table.pool[row.start + action] = table.pool[old.start + i]
        table.past[row.start + action] = table.past[old.start + i]
    for action in range(width):
        table.pool[row.start + action].action = action
    row.count = width
    row.capacity = DENSE
    return True


cdef int widest(const LearnTable* table, const Row* row, int action) noexcept nogil:
    """How many classes there are up to the last of a row and another one."""
    cdef int i, last = action
    for i in range(row.count):
        last = max(last, <int>table.pool[row.start + i].action)
    return last + 1


cdef inline int64_t entry_of(LearnTable* table, Row* row, int action) noexcept nogil:
    """Where the entry of a class stands, made with weight 0 if need be; -1 when memory is out."""
    cdef uint32_t at
    cdef int i
    cdef bint fits = True
    if row.capacity == DENSE:
        if action < row.count:
            return row.start + action
    else:
        for i in range(row.count):
            if table.pool[row.start + i].action == action:
                return row.start + i
    # It depends on the number of entries alone, so a learner that was restored does the same.
    if ((row.capacity == DENSE or row.count == MAX_SPARSE)
            and widest(table, row, action) <= MAX_WIDTH):
        if spread(table, row, widest(table, row, action)):
            return row.start + action
        fits = False
    elif row.count == row.capacity or row.capacity == DENSE:
        fits = reserve(table, row, min(MAX_CAPACITY, max(2, row.count * 2)))
    if not fits:
        table.failed = True
        return -1
    at = row.start + row.count
    memset(&table.pool[at], 0, sizeof(Entry))
    memset(&table.past[at], 0, sizeof(History))
    table.pool[at].action = action
    row.count += 1
    return at


cdef inline void ask_for(const LearnTable* table, const uint64_t* keys, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        niwaki_prefetch(&table.rows[keys[i] & table.mask])


cdef void learn_add(LearnTable* table, const uint64_t* keys, int count,
                    int action, float step) noexcept nogil:
    """Perceptron step: add to the weights of one class in all rows of the keys."""
    cdef int i
    cdef Row* row
    cdef int64_t at
    ask_for(table, keys, count)
    for i in range(count):
        row = add_row(table, keys[i])
        if row != NULL:
            at = entry_of(table, row, action)
            if at >= 0:
                table.pool[at].weight += step
                table.past[at].total += table.clock * step
        if table.failed:
            return


cdef void learn_gradients(LearnTable* table, const uint64_t* keys, int count,
                          const int* classes, const float* gradients, int class_count,
                          float rate, float damping, float decay=0) noexcept nogil:
    """AdaGrad steps uphill: rate * gradient / (sqrt(sum of squared gradients) + damping).

    With a `decay`, each weight that is met also pays decay / 2 times its square.
    """
    cdef int i, j
    cdef Row* row
    cdef int64_t at
    cdef float step, gradient
    ask_for(table, keys, count)
    for i in range(count):
        row = add_row(table, keys[i])
        if row != NULL:
            for j in range(class_count):
                at = entry_of(table, row, classes[j])
                if at < 0:
                    return
                gradient = gradients[j] - decay * table.pool[at].weight
                table.past[at].squares += gradient * gradient
                step = rate * gradient / (sqrtf(table.past[at].squares) + damping)
                table.pool[at].weight += step
                table.past[at].total += table.clock * step
        if table.failed:
            return


cdef void learn_score(const void* opaque, const uint64_t* keys, int count,
                      float* scores) noexcept nogil:
    """Two dependent reads a feature, each asked for well before it is needed."""
    cdef const LearnTable* table = <const LearnTable*>opaque
    cdef const Row* present[MAX_KEYS]
    cdef const Row* row
    cdef const Entry* entries
    cdef int i, j, found = 0
    if table.base.classes:
        table.base.score(table.base.table, keys, count, scores)
    ask_for(table, keys, count)
    for i in range(count):
        row = &table.rows[place_of(table, keys[i])]
        if row.key != 0:
            niwaki_prefetch(table.pool + row.start)
            if row.count > 8:
                niwaki_prefetch(table.pool + row.start + 8)
            present[found] = row
            found += 1
    for i in range(found):
        entries = table.pool + present[i].start
        if present[i].capacity == DENSE:
            for j in range(present[i].count):
                scores[j] += entries[j].weight
        else:
            for j in range(present[i].count):
                scores[entries[j].action] += entries[j].weight


cdef class SparseWeights:
    """Weights that grow and change while learning; averaged when read out.

    With a `min_updates` above 1, a feature gets weights only when it was to be changed
    that many times. With a `base`, what is learned is added to a model that stays as it
    is: scores are those of both, and only the difference is exported.
    """

    def __cinit__(self, int classes, int min_updates=1, CompiledWeights base=None):
        if not 0 < classes <= MAX_CLASSES:
            raise ValueError(f"a model has 1 to {MAX_CLASSES} classes, not {classes}")
        if base is not None:
            if base.classes != classes:
                raise ValueError(f"{classes} classes on a base of {base.classes}")
            self.base = base
            self.table.base = base.scorer
        self.classes = classes
        self.table.mask = (1 << 12) - 1
        self.table.rows = <Row*>niwaki_allocate((self.table.mask + 1) * sizeof(Row))
        self.table.numbers = <uint32_t*>malloc((self.table.mask + 1) * sizeof(uint32_t))
        self.table.pool_capacity = 1 << 10
        self.table.pool = <Entry*>malloc(self.table.pool_capacity * sizeof(Entry))
        self.table.past = <History*>malloc(self.table.pool_capacity * sizeof(History))
        self.table.clock = 1
        if (self.table.rows == NULL or self.table.numbers == NULL or self.table.pool == NULL
                or self.table.past == NULL):
            raise MemoryError()
        self.table.min_updates = min_updates
        if min_updates > 1:
            self.table.doorkeeper = <uint8_t*>calloc(DOORKEEPER, 1)
            if self.table.doorkeeper == NULL:
                raise MemoryError()
        self.scorer.table = &self.table
        self.scorer.score = learn_score
        self.scorer.score_together = NULL
        self.scorer.classes = classes

    def __dealloc__(self):
        free(self.table.rows)
        free(self.table.numbers)
        free(self.table.pool)
        free(self.table.past)
        free(self.table.doorkeeper)

    def __len__(self):
        return self.table.row_count

    @property
    def clock(self):
        return self.table.clock

    def close(self):
        """From now on, no feature gets weights that has none yet."""
        self.table.closed = True

    def tick(self):
        """One more moment over which weights are averaged."""
        self.table.clock += 1

    def scores(self, const uint64_t[::1] keys not None):
        out = np.zeros(self.classes, dtype=np.float32)
        cdef float[::1] view = out
        if keys.shape[0] > MAX_KEYS:
            raise ValueError(f"at most {MAX_KEYS} features a decision")
        if keys.shape[0]:
            learn_score(&self.table, &keys[0], <int>keys.shape[0], &view[0])
        return out

    def add(self, const uint64_t[::1] keys not None, int action, float step):
        """Perceptron step on all keys."""
        self._check(keys, action)
        if keys.shape[0]:
            learn_add(&self.table, &keys[0], <int>keys.shape[0], action, step)
        self.check_memory()

    def climb(self, const uint64_t[::1] keys not None, int action, float gradient, float rate,
              float damping):
        """AdaGrad step on all keys."""
        self._check(keys, action)
        if keys.shape[0]:
            learn_gradients(&self.table, &keys[0], <int>keys.shape[0], &action, &gradient, 1, rate,
                            damping)
        self.check_memory()

    cdef _check(self, const uint64_t[::1] keys, int action):
        cdef Py_ssize_t i
        if not 0 <= action < self.classes:
            raise ValueError(f"class {action} of {self.classes}")
        for i in range(keys.shape[0]):
            if keys[i] == 0:
                raise ValueError("0 is not a key")

    def check_memory(self):
        if self.table.failed:
            raise MemoryError("the table of weights does not fit into memory")

    def export(self):
        """Everything learned, as arrays: enough to go on from, or to freeze."""
        cdef uint32_t rows = self.table.row_count, number
        cdef uint64_t place, at = 0
        cdef uint32_t entry
        cdef int j
        cdef const Row* row
        places = np.zeros(rows, dtype=np.uint64)
        cdef uint64_t[::1] places_view = places
        keys = np.zeros(rows, dtype=np.uint64)
        counts = np.zeros(rows, dtype=np.uint16)
        cdef uint64_t[::1] keys_view = keys
        cdef uint16_t[::1] counts_view = counts
        for place in range(self.table.mask + 1):
            if self.table.rows[place].key != 0:
                places_view[self.table.numbers[place]] = place
        for number in range(rows):
            keys_view[number] = self.table.rows[places_view[number]].key
            counts_view[number] = self.table.rows[places_view[number]].count
        total = int(counts.sum(dtype=np.int64))
        classes = np.zeros(total, dtype=np.uint16)
        weights = np.zeros(total, dtype=np.float32)
        totals = np.zeros(total, dtype=np.float64)
        squares = np.zeros(total, dtype=np.float32)
        cdef uint16_t[::1] classes_view = classes
        cdef float[::1] weights_view = weights
        cdef double[::1] totals_view = totals
        cdef float[::1] squares_view = squares
        for number in range(rows):
            row = &self.table.rows[places_view[number]]
            for j in range(row.count):
                entry = row.start + j
                classes_view[at] = self.table.pool[entry].action
                weights_view[at] = self.table.pool[entry].weight
                totals_view[at] = self.table.past[entry].total
                squares_view[at] = self.table.past[entry].squares
                at += 1
        exported = {
            "keys": keys, "counts": counts, "classes": classes, "weights": weights,
            "totals": totals, "squares": squares,
            "clock": np.array([self.table.clock], dtype=np.float64),
        }
        if self.table.doorkeeper != NULL:
            exported["doorkeeper"] = np.array(<uint8_t[:DOORKEEPER]>self.table.doorkeeper)
        return exported

    def restore(self, const uint64_t[::1] keys not None, const uint16_t[::1] counts not None,
                const uint16_t[::1] classes not None, const float[::1] weights not None,
                const double[::1] totals not None, const float[::1] squares not None,
                const double[::1] clock not None, const uint8_t[::1] doorkeeper=None):
        """Take over what `export` gave; the learner must be new.

        How often keys without a row were asked for is of use to the patient only.
        """
        cdef Py_ssize_t i, at = 0
        cdef int j
        cdef uint32_t entry
        cdef bint is_dense
        cdef Row* row
        if self.table.row_count:
            raise ValueError("only a new learner can be restored")
        if (counts.shape[0] != keys.shape[0] or weights.shape[0] != classes.shape[0]
                or totals.shape[0] != classes.shape[0] or squares.shape[0] != classes.shape[0]
                or clock.shape[0] != 1 or np.asarray(counts).sum(dtype=np.int64) != classes.shape[0]):
            raise ValueError("the arrays do not fit together")
        for i in range(keys.shape[0]):
            if keys[i] == 0 or self.table.rows[place_of(&self.table, keys[i])].key != 0:
                raise ValueError("a key is zero or repeated")
            row = new_row(&self.table, keys[i])
            if row == NULL or (counts[i] and not reserve(&self.table, row, counts[i])):
                raise MemoryError()
            is_dense = True
            for j in range(counts[i]):
                is_dense = is_dense and classes[at] == j
                if classes[at] >= self.classes:
                    raise ValueError(f"class {classes[at]} of {self.classes}")
                entry = row.start + j
                self.table.pool[entry].action = classes[at]
                self.table.pool[entry].weight = weights[at]
                self.table.past[entry].total = totals[at]
                self.table.past[entry].squares = squares[at]
                at += 1
            row.count = counts[i]
            if counts[i] > MAX_SPARSE and is_dense:
                row.capacity = DENSE
        self.table.clock = clock[0]
        if doorkeeper is not None and self.table.doorkeeper != NULL:
            if doorkeeper.shape[0] != DOORKEEPER:
                raise ValueError("the arrays do not fit together")
            memcpy(self.table.doorkeeper, &doorkeeper[0], DOORKEEPER)

    def add_multiple(self, const uint64_t[::1] keys not None, const uint16_t[::1] counts not None,
                     const uint16_t[::1] classes not None, const float[::1] weights not None,
                     const double[::1] totals not None, const float[::1] squares not None,
                     double share, double of_weights, double of_totals):
        """Add the table that another learner exported, with factors, entry by entry:

            weight  += share * weight'
            total   += of_weights * weight' + of_totals * total'
            squares += share * squares'

        All rows are let in, and the clock stays as it is.
        """
        cdef Py_ssize_t i, at = 0
        cdef int j
        cdef int64_t entry
        cdef Row* row
        if (counts.shape[0] != keys.shape[0] or weights.shape[0] != classes.shape[0]
                or totals.shape[0] != classes.shape[0] or squares.shape[0] != classes.shape[0]
                or np.asarray(counts).sum(dtype=np.int64) != classes.shape[0]):
            raise ValueError("the arrays do not fit together")
        if keys.shape[0] and np.asarray(keys).min() == 0:
            raise ValueError("0 is not a key")
        if classes.shape[0] and np.asarray(classes).max() >= self.classes:
            raise ValueError(f"class {np.asarray(classes).max()} of {self.classes}")
        with nogil:
            self._expect(keys)
            for i in range(keys.shape[0]):
                if i + AHEAD < keys.shape[0]:
                    niwaki_prefetch(&self.table.rows[keys[i + AHEAD] & self.table.mask])
                row = &self.table.rows[place_of(&self.table, keys[i])]
                if row.key == 0:
                    row = new_row(&self.table, keys[i])
                    if row != NULL and counts[i] and not reserve(&self.table, row, counts[i]):
                        self.table.failed = True
                if row == NULL or self.table.failed:
                    break
                for j in range(counts[i]):
                    entry = entry_of(&self.table, row, classes[at])
                    if entry < 0:
                        break
                    self.table.pool[entry].weight += <float>(share * weights[at])
                    self.table.past[entry].total += (
                        of_weights * weights[at] + of_totals * totals[at])
                    self.table.past[entry].squares += <float>(share * squares[at])
                    at += 1
                if self.table.failed:
                    break
        self.check_memory()

    cdef void _expect(self, const uint64_t[::1] keys) noexcept nogil:
        """Grow the index for keys that are to come, once instead of step by step."""
        cdef LearnTable* table = &self.table
        cdef Py_ssize_t i, fresh = 0
        cdef int times = 1
        for i in range(keys.shape[0]):
            if i + AHEAD < keys.shape[0]:
                niwaki_prefetch(&table.rows[keys[i + AHEAD] & table.mask])
            fresh += table.rows[place_of(table, keys[i])].key == 0
        while (table.row_count + <uint64_t>fresh) * 2 > (table.mask + 1) * times - 1:
            times *= 2
        if times > 1 and not grow_index(table, times):
            table.failed = True

    # -- many learners of one table ------------------------------------------------

    def copy(self, SparseWeights other not None):
        """Become what another table is; memory that is there is used again."""
        cdef LearnTable* mine = &self.table
        cdef const LearnTable* its = &other.table
        cdef uint64_t places = its.mask + 1
        if self.classes != other.classes or (mine.doorkeeper == NULL) != (its.doorkeeper == NULL):
            raise ValueError("a table of another kind")
        self._take(places, its.pool_count)
        with nogil:
            memcpy(mine.rows, its.rows, places * sizeof(Row))
            memcpy(mine.numbers, its.numbers, places * sizeof(uint32_t))
            memcpy(mine.pool, its.pool, its.pool_count * sizeof(Entry))
            memcpy(mine.past, its.past, its.pool_count * sizeof(History))
            if its.doorkeeper != NULL:
                memcpy(mine.doorkeeper, its.doorkeeper, DOORKEEPER)
        mine.row_count = its.row_count
        mine.pool_count = its.pool_count
        mine.clock = its.clock

    def twin(self):
        """Another table that is as this one, without its base."""
        made = SparseWeights(self.classes, self.table.min_updates)
        made.copy(self)
        return made

    cdef _take(self, uint64_t places, uint32_t entries):
        """Room for an index of so many places and for so many entries; what was there is lost."""
        cdef LearnTable* table = &self.table
        cdef void* memory
        if table.mask + 1 != places:
            memory = niwaki_take(places * sizeof(Row))
            if memory == NULL:
                raise MemoryError()
            memset(memory, 0, sizeof(Row))
            free(table.rows)
            table.rows = <Row*>memory
            table.row_count = 0
            table.mask = 0      # a table that is whole, should memory be out below
            memory = niwaki_take(places * sizeof(uint32_t))
            if memory == NULL:
                raise MemoryError()
            free(table.numbers)
            table.numbers = <uint32_t*>memory
            table.mask = places - 1
        if table.pool_capacity < entries:
            # A little more, because tables grow.
            entries = <uint32_t>min(<uint64_t>0xFFFFFFFF, entries + <uint64_t>(entries // 8))
            memory = niwaki_enlarge(table.pool, 0, entries * sizeof(Entry))
            if memory == NULL:
                raise MemoryError()
            table.pool = <Entry*>memory
            memory = niwaki_enlarge(table.past, 0, entries * sizeof(History))
            if memory == NULL:
                raise MemoryError()
            table.past = <History*>memory
            table.pool_capacity = entries

    def changes(self, SparseWeights start not None):
        """What was learned since this table was a copy of `start`: differences of all entries that
        differ, by their rows, in the order in which rows were made; all rows that are new. The
        clock is that of now. `asked_at` and `asked` are what was added to the counts of keys
        without a row.
        """
        cdef const LearnTable* now = &self.table
        cdef const LearnTable* before = &start.table
        cdef uint32_t number, count, found = 0, rows = now.row_count
        cdef uint64_t place, at = 0
        cdef const Row* row
        cdef const Row* old
        cdef bint same_places = now.mask == before.mask
        if self.classes != start.classes or rows < before.row_count:
            raise ValueError("a table of another kind")
        # Room for everything is asked for, and only what is written takes memory.
        keys = np.empty(rows + 1, dtype=np.uint64)
        counts = np.empty(rows + 1, dtype=np.uint16)
        classes = np.empty(now.pool_count + 1, dtype=np.uint16)
        weights = np.empty(now.pool_count + 1, dtype=np.float32)
        totals = np.empty(now.pool_count + 1, dtype=np.float64)
        squares = np.empty(now.pool_count + 1, dtype=np.float32)
        places = np.empty(rows + 1, dtype=np.uint64)
        cdef uint64_t[::1] keys_view = keys, places_view = places
        cdef uint16_t[::1] counts_view = counts, classes_view = classes
        cdef float[::1] weights_view = weights, squares_view = squares
        cdef double[::1] totals_view = totals
        with nogil:
            for place in range(now.mask + 1):
                if now.rows[place].key != 0:
                    places_view[now.numbers[place]] = place
            # Rows that were made one after the other have entries that stand so.
            for number in range(rows):
                if number + AHEAD < rows:
                    niwaki_prefetch(&now.rows[places_view[number + AHEAD]])
                    if same_places:
                        niwaki_prefetch(&before.rows[places_view[number + AHEAD]])
                row = &now.rows[places_view[number]]
                old = NULL
                if number < before.row_count:
                    place = places_view[number] if same_places else place_of(before, row.key)
                    old = &before.rows[place]
                count = row_changes(now, row, before, old, &classes_view[at], &weights_view[at],
                                    &totals_view[at], &squares_view[at])
                if count or old == NULL:
                    keys_view[found] = row.key
                    counts_view[found] = count
                    found += 1
                    at += count
        changed = {
            "keys": keys[:found], "counts": counts[:found], "classes": classes[:at],
            "weights": weights[:at], "totals": totals[:at], "squares": squares[:at],
            "clock": np.array([now.clock], dtype=np.float64),
        }
        if now.doorkeeper != NULL and before.doorkeeper != NULL:
            after = np.asarray(<uint8_t[:DOORKEEPER]>now.doorkeeper)
            earlier = np.asarray(<uint8_t[:DOORKEEPER]>before.doorkeeper)
            changed["asked_at"] = np.flatnonzero(after != earlier).astype(np.uint32)
            changed["asked"] = after[changed["asked_at"]] - earlier[changed["asked_at"]]
        return changed

    def add_changes(self, const uint64_t[::1] keys not None, const uint16_t[::1] counts not None,
                    const uint16_t[::1] classes not None, const float[::1] weights not None,
                    const double[::1] totals not None, const float[::1] squares not None,
                    const double[::1] clock not None, asked_at=None, asked=None):
        """Go on from what `changes` of another gave, or a mix of several."""
        self.add_multiple(keys, counts, classes, weights, totals, squares, 1.0, 0.0, 1.0)
        self.table.clock = clock[0]
        if asked_at is not None and self.table.doorkeeper != NULL:
            if len(asked_at) and asked_at.max() >= DOORKEEPER:
                raise ValueError("the arrays do not fit together")
            counted = np.asarray(<uint8_t[:DOORKEEPER]>self.table.doorkeeper)
            total = counted[asked_at].astype(np.uint32) + asked
            counted[asked_at] = np.minimum(total, 255).astype(np.uint8)


cdef uint32_t row_changes(const LearnTable* now, const Row* row, const LearnTable* before,
                          const Row* old, uint16_t* classes, float* weights, double* totals,
                          float* squares) noexcept nogil:
    """Write down the entries of a row that differ from those it had (NULL: none); their number."""
    cdef int j, i
    cdef uint32_t count = 0
    cdef int64_t was
    cdef const Entry* entry
    cdef const History* past
    cdef float weight, square
    cdef double total
    for j in range(row.count):
        entry = &now.pool[row.start + j]
        past = &now.past[row.start + j]
        was = -1
        if old != NULL:
            if j < old.count and before.pool[old.start + j].action == entry.action:
                was = old.start + j
            elif row.capacity == DENSE and old.capacity != DENSE:
                # It was spread since.
                for i in range(old.count):
                    if before.pool[old.start + i].action == entry.action:
                        was = old.start + i
        weight, total, square = entry.weight, past.total, past.squares
        if was >= 0:
            weight -= before.pool[was].weight
            total -= before.past[was].total
            square -= before.past[was].squares
        if weight == 0 and total == 0 and square == 0:
            continue
        classes[count] = entry.action
        weights[count] = weight
        totals[count] = total
        squares[count] = square
        count += 1
    return count


cdef Scorer scorer_of(object model) except *:
    """How to score with a SparseWeights or a CompiledWeights; the caller keeps the object alive."""
    if isinstance(model, SparseWeights):
        return (<SparseWeights>model).scorer
    if isinstance(model, CompiledWeights):
        return (<CompiledWeights>model).scorer
    raise TypeError(f"a SparseWeights or a CompiledWeights is needed, not {type(model).__name__}")
