"""Chooses one of a few candidates for each tagged word: its features, a fine tag, a lemma rule.

Which candidates there are is looked up by the word itself if it is known, else by
less and less of it. Where only one is left there is nothing to choose; else a
linear model over the words and tags around chooses.
"""

import numpy as np

from libc.math cimport expf
from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.hashing cimport find_key, place_key
from niwaki.kernel.linear cimport SparseWeights, learn_gradients, scorer_of
from niwaki.kernel.scoring cimport MAX_CLASSES, MAX_KEYS, Scorer
from niwaki.kernel.tagging.window cimport Memory, Sentence, Window

cdef enum:
    MOST = 0x7FFFFFFF       # candidates that a place can name

cdef float NEGLIGIBLE = 0.04       # smaller gradients are not worth a step (nor an entry)
cdef float UNLIKELY = -9.0         # exp of this does not count


cdef struct Lesson:
    # What a learner needs besides the table: how long its steps are, room, and counts.
    float rate
    float damping
    float* scores
    float* gradients
    int* columns
    float* shares       # of the candidates of a word
    long choices
    long mistakes


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


cdef int check_values(Batch batch, const uint64_t[::1] tags,
                      const uint64_t[::1] feats) except -1:
    if tags.shape[0] != batch.words or (feats is not None and feats.shape[0] != batch.words):
        raise ValueError("tags do not fit the batch")
    return 0


cdef inline const uint64_t* first_of(const uint64_t[::1] values) noexcept nogil:
    return &values[0] if values is not None else NULL


cdef class Factors:
    """The columns of a model whose scores add up to that of a class: `counts[k]` of `columns` are
    those of class k, one class after the other.
    """

    cdef int32_t* starts
    cdef uint16_t* columns
    cdef readonly int classes

    def __cinit__(self, const uint16_t[::1] counts not None, const uint16_t[::1] columns not None):
        cdef Py_ssize_t i
        if (counts.shape[0] > MAX_CLASSES or columns.shape[0] > MOST
                or np.asarray(counts).sum(dtype=np.int64) != columns.shape[0]):
            raise ValueError("classes and columns do not fit together")
        self.classes = <int>counts.shape[0]
        self.starts = <int32_t*>calloc(self.classes + 1, sizeof(int32_t))
        self.columns = <uint16_t*>calloc(columns.shape[0] + 1, sizeof(uint16_t))
        if self.starts == NULL or self.columns == NULL:
            raise MemoryError()
        for i in range(columns.shape[0]):
            self.columns[i] = columns[i]
        for i in range(self.classes):
            self.starts[i + 1] = self.starts[i] + counts[i]

    def __dealloc__(self):
        free(self.starts)
        free(self.columns)

    def largest_column(self):
        cdef int i, largest = -1
        for i in range(self.starts[self.classes]):
            largest = max(largest, self.columns[i])
        return largest

    cdef inline float score(self, int number, const float* scores) noexcept nogil:
        cdef float score = 0
        cdef int i
        for i in range(self.starts[number], self.starts[number + 1]):
            score += scores[self.columns[i]]
        return score


cdef class LexiconClassifier:
    """`window` holds the features; `levels` the templates that look candidates up, best first.

    Without `factors`, each class is a column of the model.
    """

    cdef Window window
    cdef Window levels
    cdef Candidates candidates
    cdef Factors factors
    cdef Scorer scorer
    cdef object model
    cdef list idle
    cdef int most       # candidates that a word can have

    def __cinit__(self, model, Window window not None, Window levels not None,
                  Candidates candidates not None, Factors factors=None):
        cdef int i
        self.model = model
        self.scorer = scorer_of(model)
        self.window = window
        self.levels = levels
        self.candidates = candidates
        self.idle = []
        if factors is None:
            ones = np.ones(self.scorer.classes, dtype=np.uint16)
            factors = Factors(ones, np.arange(self.scorer.classes, dtype=np.uint16))
        self.factors = factors
        if candidates.largest_class() >= factors.classes:
            raise ValueError("a candidate is of no class")
        if factors.largest_column() >= self.scorer.classes:
            raise ValueError("a class of columns that there are not")
        for i in range(candidates.count):
            self.most = max(self.most, candidates.starts[i + 1] - candidates.starts[i])

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

    cdef int best(self, int entry, const float* scores) noexcept nogil:
        cdef int i, best = -1
        cdef float score, top = 0
        for i in range(self.candidates.starts[entry], self.candidates.starts[entry + 1]):
            score = self.factors.score(self.candidates.classes[i], scores)
            if best < 0 or score > top:
                best = self.candidates.classes[i]
                top = score
        return best

    def choose(self, Batch batch not None, const uint64_t[::1] tags not None,
               const uint64_t[::1] feats=None):
        """The class of each word, given values of the words' tags, and of FEATS if features look
        at them; -1 where none is possible.
        """
        out = np.full(batch.words, -1, dtype=np.int32)
        cdef int32_t[::1] view = out
        cdef float* scores = <float*>malloc(self.scorer.classes * sizeof(float))
        cdef Memory memory = self._memory()
        cdef Py_ssize_t s
        cdef bint fits = scores != NULL
        check_values(batch, tags, feats)
        if batch.words and fits:
            with nogil:
                for s in range(batch.sentences):
                    fits = self.choose_sentence(batch, s, memory, &tags[0], first_of(feats), scores,
                                                &view[0])
                    if not fits:
                        break
        free(scores)
        if not fits:
            raise MemoryError()
        self.idle.append(memory)
        return out

    cdef bint choose_sentence(self, Batch batch, Py_ssize_t s, Memory memory,
                              const uint64_t* tags, const uint64_t* feats, float* scores,
                              int32_t* out) noexcept nogil:
        cdef Sentence sentence
        cdef uint64_t keys[MAX_KEYS]
        cdef int i, count, entry
        cdef int32_t start = batch.starts[s]
        if not self.window.open_sentence(batch, s, memory, &sentence):
            return False
        sentence.tags = tags + start
        sentence.feats = feats + start if feats != NULL else NULL
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
            out[start + i] = self.best(entry, scores)
        return True

    cdef Memory _memory(self):
        try:
            return self.idle.pop()
        except IndexError:
            return Memory(0)

    # -- learning --------------------------------------------------------------

    def learn(self, Batch batch not None, const uint64_t[::1] tags not None,
              const int32_t[::1] gold not None, const int32_t[::1] order not None,
              float rate, float damping, const uint64_t[::1] feats=None):
        """Steps on the log-likelihood of some sentences in order; returns choices and mistakes.

            p(k | word, context) = exp(s[k]) / sum over candidates k' of exp(s[k'])

        where s[k] is the sum of the scores of the columns of k. A word whose gold class is -1
        teaches nothing.
        """
        cdef SparseWeights learner = <SparseWeights?>self.model
        cdef Lesson lesson
        cdef Memory memory = Memory(0)
        cdef Py_ssize_t k
        cdef bint fits
        check_values(batch, tags, feats)
        if gold.shape[0] != batch.words:
            raise ValueError("classes do not fit the batch")
        for k in range(order.shape[0]):
            if not 0 <= order[k] < batch.sentences:
                raise ValueError(f"no sentence {order[k]}")
        for k in range(batch.words):
            if gold[k] >= self.factors.classes:
                raise ValueError(f"no class {gold[k]}")
        lesson.scores = <float*>malloc(self.scorer.classes * sizeof(float))
        lesson.gradients = <float*>malloc(self.scorer.classes * sizeof(float))
        lesson.columns = <int*>malloc(self.scorer.classes * sizeof(int))
        lesson.shares = <float*>malloc(max(1, self.most) * sizeof(float))
        lesson.rate, lesson.damping = rate, damping
        lesson.choices = lesson.mistakes = 0
        fits = (lesson.scores != NULL and lesson.gradients != NULL and lesson.columns != NULL
                and lesson.shares != NULL)
        if batch.words and fits:
            with nogil:
                for k in range(order.shape[0]):
                    fits = self.learn_sentence(
                        batch, order[k], memory, learner, &tags[0], first_of(feats), &gold[0],
                        &lesson)
                    if not fits:
                        break
        free(lesson.scores)
        free(lesson.gradients)
        free(lesson.columns)
        free(lesson.shares)
        if not fits:
            raise MemoryError()
        return lesson.choices, lesson.mistakes

    cdef bint learn_sentence(self, Batch batch, Py_ssize_t s, Memory memory,
                             SparseWeights learner, const uint64_t* tags,
                             const uint64_t* feats, const int32_t* gold,
                             Lesson* lesson) noexcept nogil:
        cdef Sentence sentence
        cdef uint64_t keys[MAX_KEYS]
        cdef int i, count, entry, chosen, right
        cdef int32_t start = batch.starts[s]
        if not self.window.open_sentence(batch, s, memory, &sentence):
            return False
        sentence.tags = tags + start
        sentence.feats = feats + start if feats != NULL else NULL
        for i in range(sentence.length):
            right = gold[start + i]
            entry = self.find(&sentence, i)
            if right < 0 or entry < 0:
                continue
            memset(lesson.scores, 0, self.scorer.classes * sizeof(float))
            count = self.window.keys(0, self.window.template_count, &sentence, i, keys)
            self.scorer.score(self.scorer.table, keys, count, lesson.scores)
            chosen = self.best(entry, lesson.scores)
            lesson.choices += 1
            lesson.mistakes += chosen != right
            self.climb(learner, keys, count, entry, chosen, right, lesson)
            learner.table.clock += 1
        return not learner.table.failed

    cdef void climb(self, SparseWeights learner, const uint64_t* keys, int count, int entry,
                    int best, int right, Lesson* lesson) noexcept nogil:
        """One step on log p(right): the gradient of a column is the sum of [right] - probability
        over the classes that it is of.
        """
        cdef int first = self.candidates.starts[entry], last = self.candidates.starts[entry + 1]
        cdef float top = self.factors.score(best, lesson.scores), total = 0, share
        cdef int i, j, number, many = 0
        for i in range(first, last):
            share = self.factors.score(self.candidates.classes[i], lesson.scores) - top
            lesson.shares[i - first] = expf(share) if share > UNLIKELY else 0
            total += lesson.shares[i - first]
        memset(lesson.gradients, 0, self.scorer.classes * sizeof(float))
        for i in range(first, last):
            number = self.candidates.classes[i]
            share = <float>(number == right) - lesson.shares[i - first] / total
            if share != 0:
                for j in range(self.factors.starts[number], self.factors.starts[number + 1]):
                    lesson.gradients[self.factors.columns[j]] += share
        for j in range(self.scorer.classes):
            if lesson.gradients[j] > NEGLIGIBLE or lesson.gradients[j] < -NEGLIGIBLE:
                lesson.columns[many] = j
                lesson.gradients[many] = lesson.gradients[j]
                many += 1
        learn_gradients(&learner.table, keys, count, lesson.columns, lesson.gradients, many,
                        lesson.rate, lesson.damping)

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
