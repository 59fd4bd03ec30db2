"""A frozen table of linear models, to run: weights of 8 bits, made for cache lines."""

import numpy as np

from libc.stdlib cimport calloc, free
from libc.string cimport memset

cdef extern from "rows.h" nogil:
    ctypedef struct niwaki_table:
        uint32_t buckets
        int32_t width
        const uint16_t* prints
        const int8_t* rows
    enum:
        NIWAKI_SLOTS
        NIWAKI_CHUNK
    uint32_t niwaki_bucket(uint64_t key, uint32_t buckets)
    uint16_t niwaki_print(uint64_t key)
    int64_t niwaki_slot(const niwaki_table* table, uint64_t key)
    void niwaki_fetch(const niwaki_table* table, const uint64_t* keys, int count)
    int niwaki_find(const niwaki_table* table, const uint64_t* keys, int count,
                    const int8_t** found)
    void niwaki_add(const int8_t** rows, int count, int width, int16_t* sums)
    void niwaki_plus_scaled(float* out, const int16_t* values, float scale, int count)
    void* niwaki_allocate(size_t size)
    void niwaki_prefetch(const void* address)
    void niwaki_fetch_row(const int8_t* row, int width)

SLOTS = NIWAKI_SLOTS
# Dense rows up to this many classes; beyond, a row is a list of (class, weight).
MAX_DENSE = 128

cdef enum:
    # So many rows a bucket, but for a few buckets: what a frozen table takes is bounded by what
    # its arrays take (a bucket of 4 rows has 13 bytes or more, and takes at most 2,080).
    LEAST_FILL = 4
    FEW_BUCKETS = 64

LEAST_ROWS = LEAST_FILL


cdef struct SparseTable:
    niwaki_table index
    float scale
    const uint32_t* starts      # of a slot's entries; slots + 1 of them
    const uint16_t* classes
    const int8_t* weights


cdef struct DenseTable:
    niwaki_table index
    float scale
    int classes


cdef void dense_score(const void* opaque, const uint64_t* keys, int count,
                      float* scores) noexcept nogil:
    cdef const DenseTable* table = <const DenseTable*>opaque
    cdef const int8_t* rows[MAX_KEYS]
    cdef int16_t sums[128]
    cdef int present
    niwaki_fetch(&table.index, keys, count)
    present = niwaki_find(&table.index, keys, count, rows)
    niwaki_add(rows, present, table.index.width, sums)
    niwaki_plus_scaled(scores, sums, table.scale, table.classes)


cdef void dense_score_together(const void* opaque, const Decision* decisions,
                               int count) noexcept nogil:
    cdef const DenseTable* table = <const DenseTable*>opaque
    cdef const int8_t* rows[LANES][MAX_KEYS]
    cdef int present[LANES]
    cdef int16_t sums[128]
    cdef int d
    for d in range(count):
        niwaki_fetch(&table.index, decisions[d].keys, decisions[d].count)
    for d in range(count):
        present[d] = niwaki_find(&table.index, decisions[d].keys, decisions[d].count, rows[d])
    for d in range(count):
        niwaki_add(rows[d], present[d], table.index.width, sums)
        niwaki_plus_scaled(decisions[d].scores, sums, table.scale, table.classes)


cdef void sparse_score(const void* opaque, const uint64_t* keys, int count,
                       float* scores) noexcept nogil:
    """Buckets, places of entries and entries are each fetched for all keys before they are read."""
    cdef const SparseTable* table = <const SparseTable*>opaque
    cdef int64_t slots[MAX_KEYS]
    cdef int64_t slot
    cdef uint32_t entry
    cdef int i, present = 0
    niwaki_fetch(&table.index, keys, count)
    for i in range(count):
        slot = niwaki_slot(&table.index, keys[i])
        if slot >= 0:
            niwaki_prefetch(table.starts + slot)
            slots[present] = slot
            present += 1
    for i in range(present):
        entry = table.starts[slots[i]]
        niwaki_prefetch(table.classes + entry)
        niwaki_prefetch(table.weights + entry)
    for i in range(present):
        for entry in range(table.starts[slots[i]], table.starts[slots[i] + 1]):
            scores[table.classes[entry]] += table.scale * table.weights[entry]


def buckets_of(const uint64_t[::1] keys not None, uint32_t buckets):
    """The bucket and the fingerprint of each key in a table of so many buckets."""
    places = np.zeros(keys.shape[0], dtype=np.uint32)
    prints = np.zeros(keys.shape[0], dtype=np.uint16)
    cdef uint32_t[::1] places_view = places
    cdef uint16_t[::1] prints_view = prints
    cdef Py_ssize_t i
    for i in range(keys.shape[0]):
        places_view[i] = niwaki_bucket(keys[i], buckets)
        prints_view[i] = niwaki_print(keys[i])
    return places, prints


cdef class CompiledWeights:
    """Weights of 8 bits in a table made for cache lines; never changes.

    `fill` says how many of its 16 slots each bucket uses. Then come, bucket by
    bucket and slot by slot, the fingerprints, how many entries each row has, and
    the entries. A score is `scale` times a sum of weights.

    An `image` of such a table is its memory, as arrays; a table over them copies nothing, and
    processes that map the same file share it. It is not looked through: whoever gives it made it.
    """

    def __cinit__(self, int classes, float scale, const uint8_t[::1] fill=None,
                  const uint16_t[::1] prints=None, const uint16_t[::1] counts=None,
                  const uint16_t[::1] entry_classes=None,
                  const int8_t[::1] entry_weights=None, *, image=None):
        cdef int width = NIWAKI_CHUNK
        cdef size_t slots
        if not 0 < classes <= MAX_CLASSES:
            raise ValueError(f"a model has 1 to {MAX_CLASSES} classes, not {classes}")
        if not 1e-20 <= scale <= 1e20:
            # Sums of scores must stay finite, and tell more from less.
            raise ValueError(f"a scale cannot be {scale}")
        # A power of two: rows that begin within a cache line end within it, or fill lines.
        while width < classes:
            width *= 2
        if image is not None:
            self.classes = classes
            self.scale = scale
            self._lay_over(image, width)
            return
        if (fill is None or prints is None or counts is None or entry_classes is None
                or entry_weights is None):
            raise ValueError("a table needs its arrays, or an image")
        slots = <size_t>fill.shape[0] * NIWAKI_SLOTS
        if fill.shape[0] == 0 or fill.shape[0] > (1 << 27):
            raise ValueError(f"a table cannot have {fill.shape[0]} buckets")
        self.classes = classes
        self.scale = scale
        self._check(fill, prints, counts, entry_classes, entry_weights)
        self.prints = niwaki_allocate(slots * sizeof(uint16_t))
        if self.prints == NULL:
            raise MemoryError()
        if classes <= MAX_DENSE:
            self._make_dense(width, slots)
        else:
            self._make_sparse(slots, entry_classes.shape[0])
        self._fill(fill, prints, counts, entry_classes, entry_weights, width)

    def __dealloc__(self):
        free(self.table)
        if self.held is not None:
            return
        free(self.prints)
        free(self.rows)
        free(self.starts)
        free(self.entry_classes)
        free(self.entry_weights)

    cdef _check(self, const uint8_t[::1] fill, const uint16_t[::1] prints,
                const uint16_t[::1] counts, const uint16_t[::1] entry_classes,
                const int8_t[::1] entry_weights):
        rows = int(np.asarray(fill).sum(dtype=np.int64))
        if np.asarray(fill).max() > NIWAKI_SLOTS:
            raise ValueError("a bucket is more than full")
        if rows != prints.shape[0] or rows != counts.shape[0]:
            raise ValueError("buckets and rows do not fit together")
        if fill.shape[0] > FEW_BUCKETS + rows // LEAST_FILL:
            # A bucket is a byte here and up to 2 KB in memory.
            raise ValueError(f"{fill.shape[0]} buckets for {rows} rows")
        if (np.asarray(counts).sum(dtype=np.int64) != entry_classes.shape[0]
                or entry_classes.shape[0] != entry_weights.shape[0]
                or entry_classes.shape[0] > <int64_t>0xFFFFFFFF):
            raise ValueError("rows and entries do not fit together")
        if entry_classes.shape[0] and np.asarray(entry_classes).max() >= self.classes:
            raise ValueError("an entry is of no class")
        if rows and np.asarray(prints).min() == 0:
            raise ValueError("a fingerprint is 0")

    cdef _make_dense(self, int width, size_t slots):
        self.rows = niwaki_allocate(slots * width)
        if self.rows == NULL:
            raise MemoryError()
        self._point_dense(width, slots)

    cdef _point_dense(self, int width, size_t slots):
        """Score with the rows that are there."""
        cdef DenseTable* table = <DenseTable*>calloc(1, sizeof(DenseTable))
        self.table = table
        if table == NULL:
            raise MemoryError()
        table.index.width = width
        table.index.prints = <const uint16_t*>self.prints
        table.index.rows = <const int8_t*>self.rows
        table.index.buckets = <uint32_t>(slots // NIWAKI_SLOTS)
        table.scale = self.scale
        table.classes = self.classes
        self.scorer.table = table
        self.scorer.score = dense_score
        self.scorer.score_together = dense_score_together
        self.scorer.classes = self.classes

    cdef _make_sparse(self, size_t slots, Py_ssize_t entries):
        self.starts = <uint32_t*>calloc(slots + 1, sizeof(uint32_t))
        self.entry_classes = <uint16_t*>calloc(entries + 1, sizeof(uint16_t))
        self.entry_weights = <int8_t*>calloc(entries + 1, sizeof(int8_t))
        if self.starts == NULL or self.entry_classes == NULL or self.entry_weights == NULL:
            raise MemoryError()
        self._point_sparse(slots)

    cdef _point_sparse(self, size_t slots):
        """Score with the entries that are there."""
        cdef SparseTable* table = <SparseTable*>calloc(1, sizeof(SparseTable))
        self.table = table
        if table == NULL:
            raise MemoryError()
        table.index.prints = <const uint16_t*>self.prints
        table.index.buckets = <uint32_t>(slots // NIWAKI_SLOTS)
        table.scale = self.scale
        table.starts = self.starts
        table.classes = self.entry_classes
        table.weights = self.entry_weights
        self.scorer.table = table
        self.scorer.score = sparse_score
        self.scorer.score_together = NULL
        self.scorer.classes = self.classes

    def image(self):
        """The memory of the table, as arrays: one of the same classes and scale can lie over it."""
        cdef size_t slots = (<const niwaki_table*>self.table).buckets * <size_t>NIWAKI_SLOTS
        cdef int width = (<const niwaki_table*>self.table).width
        found = {"prints": np.array(<uint16_t[:slots]>self.prints)}
        if self.classes <= MAX_DENSE:
            return {**found, "rows": np.array(<int8_t[:slots * width]>self.rows)}
        entries = self.starts[slots]
        return {
            **found,
            "starts": np.array(<uint32_t[:slots + 1]>self.starts),
            # One more, because an array of nothing has no address.
            "classes": np.array(<uint16_t[:entries + 1]>self.entry_classes),
            "weights": np.array(<int8_t[:entries + 1]>self.entry_weights),
        }

    cdef _lay_over(self, dict image, int width):
        cdef const uint16_t[::1] prints = image["prints"], classes
        cdef const int8_t[::1] weights
        cdef const uint32_t[::1] starts
        cdef size_t slots = prints.shape[0]
        self.held = image
        if slots == 0 or slots % NIWAKI_SLOTS or <size_t>&prints[0] % NIWAKI_CHUNK:
            raise ValueError("no image of a table")
        self.prints = <void*>&prints[0]
        if self.classes <= MAX_DENSE:
            weights = image["rows"]
            if weights.shape[0] != <Py_ssize_t>(slots * width) or (
                    <size_t>&weights[0] % NIWAKI_CHUNK):
                raise ValueError("no image of a table")
            self.rows = <void*>&weights[0]
            self._point_dense(width, slots)
            return
        starts, classes, weights = image["starts"], image["classes"], image["weights"]
        if (starts.shape[0] != <Py_ssize_t>slots + 1 or classes.shape[0] != weights.shape[0]
                or classes.shape[0] != <Py_ssize_t>starts[slots] + 1):
            raise ValueError("no image of a table")
        self.starts = <uint32_t*>&starts[0]
        self.entry_classes = <uint16_t*>&classes[0]
        self.entry_weights = <int8_t*>&weights[0]
        self._point_sparse(slots)

    cdef _fill(self, const uint8_t[::1] fill, const uint16_t[::1] prints,
               const uint16_t[::1] counts, const uint16_t[::1] entry_classes,
               const int8_t[::1] entry_weights, int width):
        cdef Py_ssize_t bucket, row = 0, entry = 0
        cdef size_t slot
        cdef int s, j
        cdef bint dense = self.rows != NULL
        for bucket in range(fill.shape[0]):
            for s in range(NIWAKI_SLOTS):
                slot = <size_t>bucket * NIWAKI_SLOTS + s
                if s < fill[bucket]:
                    (<uint16_t*>self.prints)[slot] = prints[row]
                    for j in range(counts[row]):
                        if dense:
                            (<int8_t*>self.rows)[slot * width + entry_classes[entry]] = (
                                entry_weights[entry])
                        else:
                            self.entry_classes[entry] = entry_classes[entry]
                            self.entry_weights[entry] = entry_weights[entry]
                        entry += 1
                    row += 1
                if not dense:
                    self.starts[slot + 1] = <uint32_t>entry

    def scores(self, const uint64_t[::1] keys not None):
        out = np.zeros(self.classes, dtype=np.float32)
        cdef float[::1] view = out
        if keys.shape[0] > MAX_KEYS:
            raise ValueError(f"at most {MAX_KEYS} features a decision")
        if keys.shape[0]:
            self.scorer.score(self.table, &keys[0], <int>keys.shape[0], &view[0])
        return out

    # -- for benchmarks: what the memory of a machine allows ---------------------

    def find_rows(self, const uint64_t[::1] keys not None):
        """The places of the rows of those keys that are present."""
        cdef const niwaki_table* index = &(<const DenseTable*>self.table).index
        cdef Py_ssize_t i
        if self.classes > MAX_DENSE:
            raise ValueError("only dense tables have rows")
        return np.array(
            [slot for slot in (niwaki_slot(index, keys[i]) for i in range(keys.shape[0]))
             if slot >= 0], dtype=np.int64)

    def gather(self, const int64_t[::1] rows not None, const int32_t[::1] counts not None):
        """Add up `counts[0]` rows, then the next `counts[1]`, and so on; returns the last sums.

        The rows of one decision are fetched while those of the one before are added,
        and nothing else is done: no parser can be faster.
        """
        cdef const niwaki_table* index = &(<const DenseTable*>self.table).index
        cdef const int8_t* fetched[2][MAX_KEYS]     # of the even and of the odd decisions
        cdef int16_t sums[128]
        cdef const int8_t* row
        cdef Py_ssize_t decision, at = 0
        cdef int i
        memset(sums, 0, sizeof(sums))
        if self.classes > MAX_DENSE:
            raise ValueError("only dense tables have rows")
        if (np.asarray(counts).sum(dtype=np.int64) != rows.shape[0] or np.any(np.asarray(counts) < 0)
                or np.any(np.asarray(counts) > MAX_KEYS)):
            raise ValueError("rows and counts do not fit together")
        if rows.shape[0] and not (
                0 <= np.min(rows) <= np.max(rows) < <int64_t>index.buckets * NIWAKI_SLOTS):
            raise ValueError("no such row")
        with nogil:
            for decision in range(counts.shape[0] + 1):
                if decision < counts.shape[0]:
                    for i in range(counts[decision]):
                        row = index.rows + rows[at + i] * index.width
                        fetched[decision % 2][i] = row
                        niwaki_fetch_row(row, index.width)
                    at += counts[decision]
                if decision:
                    niwaki_add(
                        fetched[1 - decision % 2], counts[decision - 1], index.width, sums)
        return np.array([sums[i] for i in range(self.classes)], dtype=np.int16)
