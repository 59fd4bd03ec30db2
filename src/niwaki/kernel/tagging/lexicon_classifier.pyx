"""Chooses one of a few candidates for each tagged word: its features, a fine tag, a lemma rule.

Which candidates there are is looked up by the word itself if it is known, else by
less and less of it. Where only one is left there is nothing to choose; else a
linear model over the words and tags around chooses.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.hashing cimport find_key, place_key
from niwaki.kernel.linear cimport SparseWeights, learn_add, scorer_of
from niwaki.kernel.scoring cimport MAX_KEYS, Scorer
from niwaki.kernel.tagging.window cimport Memory, Sentence, Window

cdef enum:
    MOST = 0x7FFFFFFF       # candidates that a place can name


cdef class Candidates:
    """Which classes are possible, by a key; the classes of key k are those of entry k."""

    cdef uint64_t* keys
    cdef int32_t* entries
    cdef uint64_t mask
    cdef int32_t* starts
    cdef uint16_t* classes
    cdef readonly int count

    def __cinit__(self, const uint64_t[::1] keys not None, const uint16_t[::1] counts not None,
                  const uint16_t[::1] classes not None):
        cdef uint64_t size = 16
        cdef int64_t place
        cdef Py_ssize_t i, at = 0
        if classes.shape[0] > MOST:
            raise ValueError(f"{classes.shape[0]} candidates")
        if counts.shape[0] != keys.shape[0] or (
                np.asarray(counts).sum(dtype=np.int64) != classes.shape[0]):
            raise ValueError("keys and candidates do not fit together")
        self.count = <int>keys.shape[0]
        while size < 2 * <uint64_t>self.count:
            size *= 2
        self.mask = size - 1
        self.keys = <uint64_t*>calloc(size, sizeof(uint64_t))
        self.entries = <int32_t*>calloc(size, sizeof(int32_t))
        self.starts = <int32_t*>calloc(self.count + 1, sizeof(int32_t))
        self.classes = <uint16_t*>calloc(classes.shape[0] + 1, sizeof(uint16_t))
        if (self.keys == NULL or self.entries == NULL or self.starts == NULL
                or self.classes == NULL):
            raise MemoryError()
        for i in range(classes.shape[0]):
            self.classes[i] = classes[i]
        for i in range(self.count):
            if keys[i] == 0 or counts[i] == 0:
                raise ValueError("a key is 0, or has no candidate")
            place = place_key(self.keys, self.mask, keys[i])
            self.entries[place] = <int32_t>i
            at += counts[i]
            self.starts[i + 1] = <int32_t>at

    def __dealloc__(self):
        free(self.keys)
        free(self.entries)
        free(self.starts)
        free(self.classes)

    def largest_class(self):
        cdef int i, largest = -1
        for i in range(self.starts[self.count]):
            largest = max(largest, self.classes[i])
        return largest

    cdef int find(self, uint64_t key) noexcept nogil:
        cdef int64_t place = find_key(self.keys, self.mask, key)
        return self.entries[place] if place >= 0 else -1


cdef class LexiconClassifier:
    """`window` holds the features; `levels` the templates that look candidates up, best first."""

    cdef Window window
    cdef Window levels
    cdef Candidates candidates
    cdef Scorer scorer
    cdef object model
    cdef list idle

    def __cinit__(self, model, Window window not None, Window levels not None,
                  Candidates candidates not None):
        self.model = model
        self.scorer = scorer_of(model)
        self.window = window
        self.levels = levels
        self.candidates = candidates
        self.idle = []
        if candidates.largest_class() >= self.scorer.classes:
            raise ValueError("a candidate is of no class")

    cdef int find(self, const Sentence* sentence, int at) noexcept nogil:
        """The entry of candidates for a word, by the first level that knows it; or -1."""
        cdef uint64_t keys[MAX_KEYS]
        cdef int level, entry
        self.levels.keys(0, self.levels.template_count, sentence, at, keys)
        for level in range(self.levels.template_count):
            entry = self.candidates.find(keys[level])
            if entry >= 0:
                return entry
        return -1

    cdef int best(self, int entry, const float* scores, int without) noexcept nogil:
        cdef int i, action, best = -1
        for i in range(self.candidates.starts[entry], self.candidates.starts[entry + 1]):
            action = self.candidates.classes[i]
            if action != without and (best < 0 or scores[action] > scores[best]):
                best = action
        return best

    def choose(self, Batch batch not None, const uint64_t[::1] tags not None):
        """The class of each word, given values of the words' tags; -1 where none is possible."""
        out = np.full(batch.words, -1, dtype=np.int32)
        cdef int32_t[::1] view = out
        cdef float* scores = <float*>malloc(self.scorer.classes * sizeof(float))
        cdef Memory memory = self._memory()
        cdef Py_ssize_t s
        cdef bint fits = scores != NULL
        if tags.shape[0] != batch.words:
            raise ValueError("tags do not fit the batch")
        if batch.words and fits:
            with nogil:
                for s in range(batch.sentences):
                    fits = self.choose_sentence(batch, s, memory, &tags[0], scores, &view[0])
                    if not fits:
                        break
        free(scores)
        if not fits:
            raise MemoryError()
        self.idle.append(memory)
        return out

    cdef bint choose_sentence(self, Batch batch, Py_ssize_t s, Memory memory,
                              const uint64_t* tags, float* scores, int32_t* out) noexcept nogil:
        cdef Sentence sentence
        cdef uint64_t keys[MAX_KEYS]
        cdef int i, count, entry
        cdef int32_t start = batch.starts[s]
        if not self.window.open_sentence(batch, s, memory, &sentence):
            return False
        sentence.tags = tags + start
        for i in range(sentence.length):
            entry = self.find(&sentence, i)
            if entry < 0:
                continue
            if self.candidates.starts[entry + 1] - self.candidates.starts[entry] == 1:
                out[start + i] = self.candidates.classes[self.candidates.starts[entry]]
                continue
            memset(scores, 0, self.scorer.classes * sizeof(float))
            count = self.window.keys(0, self.window.template_count, &sentence, i, keys)
            self.scorer.score(self.scorer.table, keys, count, scores)
            out[start + i] = self.best(entry, scores, -1)
        return True

    cdef Memory _memory(self):
        try:
            return self.idle.pop()
        except IndexError:
            return Memory(0)

    def learn(self, Batch batch not None, const uint64_t[::1] tags not None,
              const int32_t[::1] gold not None, const int32_t[::1] order not None, float margin):
        """Perceptron steps on some sentences in order; returns choices made and mistakes."""
        cdef SparseWeights learner = <SparseWeights?>self.model
        cdef float* scores = <float*>malloc(self.scorer.classes * sizeof(float))
        cdef Memory memory = Memory(0)
        cdef Sentence sentence
        cdef uint64_t keys[MAX_KEYS]
        cdef Py_ssize_t k
        cdef int i, count, entry, right, wrong
        cdef int32_t start
        cdef long choices = 0, mistakes = 0
        cdef bint fits = scores != NULL
        if tags.shape[0] != batch.words or gold.shape[0] != batch.words:
            raise ValueError("tags do not fit the batch")
        for k in range(order.shape[0]):
            if not 0 <= order[k] < batch.sentences:
                raise ValueError(f"no sentence {order[k]}")
        for k in range(batch.words):
            if gold[k] >= self.scorer.classes:
                raise ValueError(f"no class {gold[k]}")
        if batch.words and fits:
            with nogil:
                for k in range(order.shape[0]):
                    start = batch.starts[order[k]]
                    fits = self.window.open_sentence(batch, order[k], memory, &sentence)
                    if not fits or learner.table.failed:
                        break
                    sentence.tags = &tags[start]
                    for i in range(sentence.length):
                        right = gold[start + i]
                        entry = self.find(&sentence, i)
                        if right < 0 or entry < 0:
                            continue
                        choices += 1
                        memset(scores, 0, self.scorer.classes * sizeof(float))
                        count = self.window.keys(
                            0, self.window.template_count, &sentence, i, keys)
                        self.scorer.score(self.scorer.table, keys, count, scores)
                        wrong = self.best(entry, scores, right)
                        if wrong >= 0 and scores[wrong] + margin >= scores[right]:
                            mistakes += scores[wrong] >= scores[right]
                            learn_add(&learner.table, keys, count, right, 1)
                            learn_add(&learner.table, keys, count, wrong, -1)
                        learner.table.clock += 1
        free(scores)
        if not fits:
            raise MemoryError()
        learner.check_memory()
        return choices, mistakes

    def level_keys(self, Batch batch not None, const uint64_t[::1] tags not None):
        """The look-up keys of all words, one row a level (for building Candidates)."""
        out = np.empty((self.levels.template_count, batch.words), dtype=np.uint64)
        cdef uint64_t[:, ::1] view = out
        cdef Memory memory = Memory(0)
        cdef Sentence sentence
        cdef uint64_t keys[MAX_KEYS]
        cdef Py_ssize_t s
        cdef int i, level
        if tags.shape[0] != batch.words:
            raise ValueError("tags do not fit the batch")
        for s in range(batch.sentences):
            if not self.window.open_sentence(batch, s, memory, &sentence):
                raise MemoryError()
            if sentence.length:
                sentence.tags = &tags[batch.starts[s]]
            for i in range(sentence.length):
                self.levels.keys(0, self.levels.template_count, &sentence, i, keys)
                for level in range(self.levels.template_count):
                    view[level, batch.starts[s] + i] = keys[level]
        return out
