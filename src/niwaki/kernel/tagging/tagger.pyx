"""A left-to-right tagger: a log-linear choice of a tag for each word, given the tags before it.

A tag is a pair (UPOS, XPOS). Its score is the sum of a score of its UPOS and one of
its XPOS, so that the two levels learn from each other:

    p(u, x | word, context) = exp(s[u] + s[x]) / sum over pairs (u', x') of exp(s[u'] + s[x'])

Most features look at one word only. Their sum is kept with the word's type, so
that a frequent word costs a few additions of whole vectors.
"""

import numpy as np

from libc.math cimport INFINITY, expf
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.hashing cimport NONE_VALUE
from niwaki.kernel.linear cimport SparseWeights, learn_add, learn_gradients, scorer_of
from niwaki.kernel.scoring cimport LANES, MAX_KEYS, Decision, Scorer, score_decisions
from niwaki.kernel.tagging.window cimport OFFSETS, Memory, Sentence, Type, Window

cdef extern from "rows.h" nogil:
    void niwaki_plus(float* out, const float* values, int count)

cdef enum:
    MAX_COLUMNS = 1024      # UPOS and XPOS together

MAX_TAGS = MAX_COLUMNS

cdef float NEGLIGIBLE = 0.04       # smaller gradients are not worth a step (nor an entry)
cdef float UNLIKELY = -9.0         # exp of this does not count


cdef class Tagger:
    """Tags the words of batches, and learns to.

    `pairs` lists the tags as (UPOS, XPOS) numbers, an XPOS of -1 meaning none;
    `pair_values` is what features see of each.
    """

    cdef Window window
    cdef Scorer scorer
    cdef object model
    cdef readonly int upos_count
    cdef readonly int columns
    cdef int pair_count
    cdef int* pair_upos
    cdef int* pair_column       # of the XPOS, or -1
    cdef uint64_t* pair_values
    cdef list idle

    def __cinit__(self, model, Window window not None, list pairs not None, int upos_count,
                  list pair_values not None):
        cdef int i, u, x
        self.model = model
        self.window = window
        self.scorer = scorer_of(model)
        self.upos_count = upos_count
        self.columns = self.scorer.classes
        self.idle = []
        if self.columns > MAX_COLUMNS:
            raise ValueError(f"{self.columns} tags, but at most {MAX_COLUMNS} are possible")
        if not 0 < upos_count <= self.columns:
            raise ValueError(f"{upos_count} UPOS tags for a model of {self.columns} tags")
        if not pairs or len(pair_values) != len(pairs):
            raise ValueError("a tagger needs tags, and a value for each")
        self.pair_count = len(pairs)
        self.pair_upos = <int*>malloc(self.pair_count * sizeof(int))
        self.pair_column = <int*>malloc(self.pair_count * sizeof(int))
        self.pair_values = <uint64_t*>malloc(self.pair_count * sizeof(uint64_t))
        if self.pair_upos == NULL or self.pair_column == NULL or self.pair_values == NULL:
            raise MemoryError()
        for i, (u, x) in enumerate(pairs):
            if not 0 <= u < upos_count or x >= self.columns - upos_count:
                raise ValueError(f"tag {i} is a pair of numbers out of range")
            self.pair_upos[i] = u
            self.pair_column[i] = upos_count + x if x >= 0 else -1
            self.pair_values[i] = pair_values[i]

    def __dealloc__(self):
        free(self.pair_upos)
        free(self.pair_column)
        free(self.pair_values)

    cdef bint open_sentence(self, Batch batch, Py_ssize_t s, Memory memory,
                            Sentence* sentence) noexcept nogil:
        """Look up the words of a sentence and add up what each contributes by itself."""
        cdef int i
        if not self.window.open_sentence(batch, s, memory, sentence):
            return False
        for i in range(sentence.length + OFFSETS - 1):
            self.add_up(memory, sentence.types[i])
        return True

    cdef void add_up(self, Memory memory, const Type* type) noexcept nogil:
        """Sums of the features that look at this word alone, from each distance."""
        cdef const Type* line[OFFSETS]
        cdef Sentence alone
        cdef uint64_t keys[MAX_KEYS]
        cdef float* sums = memory.sums + (type - memory.types) * memory.width
        cdef int place, count
        if type.summed:
            return
        memset(sums, 0, memory.width * sizeof(float))
        (<Type*>type).summed = True
        for place in range(OFFSETS):
            line[place] = type
        alone.types = line
        alone.length = 1
        alone.tags = alone.feats = NULL
        alone.case = NONE_VALUE
        for place in range(OFFSETS):
            count = self.window.keys(
                self.window.first[place], self.window.first[place + 1], &alone, 0, keys)
            self.scorer.score(
                self.scorer.table, keys, count, sums + place * self.columns)

    # -- tagging ---------------------------------------------------------------

    cdef void scores_without_tags(self, Memory memory, const Sentence* sentence, int at, int count,
                                  float* scores) noexcept nogil:
        """What words say of the columns of `count` words from `at` on, a row each.

        Nothing here depends on the tags chosen before, so that several words can be
        looked at together.
        """
        cdef Decision decisions[LANES]
        cdef const float* sums
        cdef float* row
        cdef int i, place
        for i in range(count):
            decisions[i].scores = scores + i * self.columns
            decisions[i].count = self.window.keys(
                self.window.first[OFFSETS], self.window.first[OFFSETS + 1], sentence, at + i,
                decisions[i].keys)
        memset(scores, 0, count * self.columns * sizeof(float))
        score_decisions(&self.scorer, decisions, count)
        for i in range(count):
            row = scores + i * self.columns
            for place in range(OFFSETS):
                # The word at offset o is seen by the templates for o.
                sums = (memory.sums + (sentence.types[at + i + place] - memory.types) * memory.width
                        + place * self.columns)
                niwaki_plus(row, sums, self.columns)

    cdef inline void add_tag_scores(self, const Sentence* sentence, int at,
                                    float* scores) noexcept nogil:
        cdef uint64_t keys[MAX_KEYS]
        cdef int count = self.window.keys(
            self.window.first[OFFSETS + 1], self.window.template_count, sentence, at, keys)
        self.scorer.score(self.scorer.table, keys, count, scores)

    cdef inline float pair_score(self, const float* scores, int pair) noexcept nogil:
        cdef float score = scores[self.pair_upos[pair]]
        if self.pair_column[pair] >= 0:
            score += scores[self.pair_column[pair]]
        return score

    cdef inline bint allowed(self, int pair, int32_t upos, int32_t xpos) noexcept nogil:
        return ((upos < 0 or self.pair_upos[pair] == upos)
                and (xpos < 0 or self.pair_column[pair] == self.upos_count + xpos))

    cdef void choose(self, const float* scores, int32_t upos, int32_t xpos, float* all_scores,
                     int* best, int* second) noexcept nogil:
        """The two best pairs among those that agree with what is given (-1: nothing is)."""
        cdef int pair, first = -1, next = -1
        cdef bint free = upos < 0 and xpos < 0
        cdef float score, top = -INFINITY, below = -INFINITY
        for pair in range(self.pair_count):
            score = self.pair_score(scores, pair)
            all_scores[pair] = score
            if score > below and (free or self.allowed(pair, upos, xpos)):
                if score > top:
                    next = first
                    below = top
                    first = pair
                    top = score
                else:
                    next = pair
                    below = score
        best[0] = first
        second[0] = next

    def tag(self, Batch batch not None, const int32_t[::1] given_upos not None,
            const int32_t[::1] given_xpos not None):
        """Tag all words: (pair, probability, second pair, its probability), one each a word.

        A given number (not -1) is kept, and the other half chosen to go with it. The
        second pair is -1 if there is no other.
        """
        pairs = np.empty(batch.words, dtype=np.int32)
        seconds = np.empty(batch.words, dtype=np.int32)
        probabilities = np.empty(batch.words, dtype=np.float32)
        second_probabilities = np.empty(batch.words, dtype=np.float32)
        cdef int32_t[::1] pairs_view = pairs, seconds_view = seconds
        cdef float[::1] p = probabilities, q = second_probabilities
        cdef Memory memory = self._memory()
        cdef Py_ssize_t s
        cdef bint fits = True
        if given_upos.shape[0] != batch.words or given_xpos.shape[0] != batch.words:
            raise ValueError("given tags do not fit the batch")
        if batch.words:
            with nogil:
                for s in range(batch.sentences):
                    if not self.tag_sentence(batch, s, memory, &given_upos[0], &given_xpos[0],
                                             &pairs_view[0], &p[0], &seconds_view[0], &q[0]):
                        fits = False
                        break
        self.idle.append(memory)
        if not fits:
            raise MemoryError()
        return pairs, probabilities, seconds, second_probabilities

    cdef bint tag_sentence(self, Batch batch, Py_ssize_t s, Memory memory,
                           const int32_t* upos, const int32_t* xpos, int32_t* pairs, float* p,
                           int32_t* seconds, float* q) noexcept nogil:
        cdef Sentence sentence
        cdef float rows[LANES * MAX_COLUMNS]
        cdef float* scores
        cdef float* all_scores = <float*>malloc(self.pair_count * sizeof(float))
        cdef int i, word, best, second
        cdef float total
        if all_scores == NULL or not self.open_sentence(batch, s, memory, &sentence):
            free(all_scores)
            return False
        for i in range(sentence.length):
            word = batch.starts[s] + i
            if i % LANES == 0:
                self.scores_without_tags(
                    memory, &sentence, i, min(<int>LANES, sentence.length - i), rows)
            scores = rows + i % LANES * self.columns
            self.add_tag_scores(&sentence, i, scores)
            self.choose(scores, upos[word], xpos[word], all_scores, &best, &second)
            if best < 0:
                # No known pair agrees with what is given; the nearest that agrees with half.
                self.choose(scores, upos[word], -1, all_scores, &best, &second)
                if best < 0:
                    self.choose(scores, -1, -1, all_scores, &best, &second)
                # Weights that are not numbers choose nothing.
                best = max(best, 0)
            memory.tags[i] = self.pair_values[best]
            total = self.total(all_scores, best, upos[word], xpos[word])
            pairs[word] = best
            p[word] = 1 / total
            seconds[word] = second
            q[word] = expf(all_scores[second] - all_scores[best]) / total if second >= 0 else 0
        free(all_scores)
        return True

    cdef inline float total(self, const float* all_scores, int best, int32_t upos,
                            int32_t xpos) noexcept nogil:
        """The sum of exp(score - best score) over the pairs that agree with what is given."""
        cdef float total = 0, difference
        cdef int pair
        for pair in range(self.pair_count):
            difference = all_scores[pair] - all_scores[best]
            if difference > UNLIKELY:
                if (upos >= 0 or xpos >= 0) and pair != best and not self.allowed(pair, upos, xpos):
                    continue
                total += expf(difference)
        return total

    def distribution(self, Batch batch not None):
        """Probabilities of all pairs for all words, each given the best tags before it."""
        out = np.zeros((batch.words, self.pair_count), dtype=np.float32)
        cdef float[:, ::1] view = out
        cdef Memory memory = self._memory()
        cdef Sentence sentence
        cdef float scores[MAX_COLUMNS]
        cdef int i, word, best, second, pair
        cdef Py_ssize_t s
        cdef float total
        for s in range(batch.sentences):
            if not self.open_sentence(batch, s, memory, &sentence):
                raise MemoryError()
            for i in range(sentence.length):
                word = batch.starts[s] + i
                self.scores_without_tags(memory, &sentence, i, 1, scores)
                self.add_tag_scores(&sentence, i, scores)
                self.choose(scores, -1, -1, &view[word, 0], &best, &second)
                memory.tags[i] = self.pair_values[best]
                total = view[word, best]
                for pair in range(self.pair_count):
                    view[word, pair] = expf(view[word, pair] - total)
        out /= out.sum(axis=1, keepdims=True)
        self.idle.append(memory)
        return out

    cdef Memory _memory(self):
        # Appending and popping are atomic, so threads need no further lock.
        try:
            return self.idle.pop()
        except IndexError:
            return Memory(OFFSETS * self.columns)

    # -- learning --------------------------------------------------------------

    def learn(self, Batch batch not None, const int32_t[::1] gold not None,
              const int32_t[::1] order not None, float rate, float damping, float margin):
        """Learn from some sentences, in the given order; returns words and mistakes.

        The words before a word carry the tags that the model chose, so that it
        learns to live with its mistakes. With a rate, steps are AdaGrad's on the
        log-likelihood; without (0), they are the perceptron's with a margin. A word
        whose gold pair is -1 teaches nothing.
        """
        cdef SparseWeights learner = <SparseWeights?>self.model
        cdef Memory memory = Memory(0)
        cdef Py_ssize_t k
        cdef long words = 0, mistakes = 0
        cdef int found
        if gold.shape[0] != batch.words:
            raise ValueError("gold tags do not fit the batch")
        for k in range(order.shape[0]):
            if not 0 <= order[k] < batch.sentences:
                raise ValueError(f"no sentence {order[k]}")
        for k in range(batch.words):
            if gold[k] >= self.pair_count:
                raise ValueError(f"no tag {gold[k]}")
        if batch.words:
            with nogil:
                for k in range(order.shape[0]):
                    found = self.learn_sentence(
                        batch, order[k], memory, learner, &gold[0], rate, damping, margin)
                    if found < 0:
                        break
                    words += batch.starts[order[k] + 1] - batch.starts[order[k]]
                    mistakes += found
        learner.check_memory()
        return words, mistakes

    cdef int learn_sentence(self, Batch batch, Py_ssize_t s, Memory memory, SparseWeights learner,
                            const int32_t* gold, float rate, float damping,
                            float margin) noexcept nogil:
        cdef Sentence sentence
        cdef uint64_t keys[MAX_KEYS]
        cdef float scores[MAX_COLUMNS]
        cdef float* all_scores = <float*>malloc(self.pair_count * sizeof(float))
        cdef int i, count, best, second, right, mistakes = 0
        if all_scores == NULL or not self.window.open_sentence(batch, s, memory, &sentence):
            learner.table.failed = True
            free(all_scores)
            return -1
        for i in range(sentence.length):
            memset(scores, 0, self.columns * sizeof(float))
            count = self.window.keys(0, self.window.template_count, &sentence, i, keys)
            self.scorer.score(self.scorer.table, keys, count, scores)
            self.choose(scores, -1, -1, all_scores, &best, &second)
            right = gold[batch.starts[s] + i]
            memory.tags[i] = self.pair_values[best]
            mistakes += best != right
            if right >= 0 and rate > 0:
                self.climb(learner, keys, count, all_scores, best, right, rate, damping)
            elif right >= 0:
                self.correct(learner, keys, count, all_scores, best, second, right, margin)
            learner.table.clock += 1
        free(all_scores)
        return mistakes if not learner.table.failed else -1

    cdef void climb(self, SparseWeights learner, const uint64_t* keys, int count, float* all_scores,
                    int best, int right, float rate, float damping) noexcept nogil:
        """One step on log p(right): the gradient of a column is [right] - probability."""
        cdef float gradients[MAX_COLUMNS]
        cdef float kept[MAX_COLUMNS]
        cdef int columns[MAX_COLUMNS]
        cdef float total = self.total(all_scores, best, -1, -1), difference, top = all_scores[best]
        cdef int pair, j, many = 0
        memset(gradients, 0, self.columns * sizeof(float))
        for pair in range(self.pair_count):
            difference = all_scores[pair] - top
            if difference > UNLIKELY or pair == right:
                difference = <float>(pair == right) - expf(difference) / total
                gradients[self.pair_upos[pair]] += difference
                if self.pair_column[pair] >= 0:
                    gradients[self.pair_column[pair]] += difference
        for j in range(self.columns):
            if gradients[j] > NEGLIGIBLE or gradients[j] < -NEGLIGIBLE:
                columns[many] = j
                kept[many] = gradients[j]
                many += 1
        learn_gradients(&learner.table, keys, count, columns, kept, many, rate, damping)

    cdef void correct(self, SparseWeights learner, const uint64_t* keys, int count,
                      const float* all_scores, int best, int second, int right,
                      float margin) noexcept nogil:
        """Perceptron step when the right pair does not lead by the margin."""
        cdef int wrong = best if best != right else second
        if wrong < 0 or all_scores[right] > all_scores[wrong] + margin:
            return
        if self.pair_upos[right] != self.pair_upos[wrong]:
            learn_add(&learner.table, keys, count, self.pair_upos[right], 1)
            learn_add(&learner.table, keys, count, self.pair_upos[wrong], -1)
        if self.pair_column[right] != self.pair_column[wrong]:
            if self.pair_column[right] >= 0:
                learn_add(&learner.table, keys, count, self.pair_column[right], 1)
            if self.pair_column[wrong] >= 0:
                learn_add(&learner.table, keys, count, self.pair_column[wrong], -1)
