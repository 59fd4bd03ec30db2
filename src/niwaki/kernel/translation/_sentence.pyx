"""A sentence with the options of its phrases: what they are worth, alone and behind each other.

Estimates are those of an option by itself, with the language model out of context. Future scores
are sums of the best estimates over what is not covered yet.
"""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, qsort

from niwaki.kernel.translation.language_model cimport LanguageModel, LMState


cdef int by_span(const void* one, const void* other) noexcept nogil:
    """Options by their span, the most promising first."""
    cdef const Option* a = <const Option*>one
    cdef const Option* b = <const Option*>other
    if a.begin != b.begin:
        return a.begin - b.begin
    if a.end != b.end:
        return a.end - b.end
    if a.estimate != b.estimate:
        return -1 if a.estimate > b.estimate else 1
    return a.number - b.number


cdef class Sentence:
    """Options and their scores; those that lie outside of the sentence are refused."""

    def __cinit__(self, *_, **__):
        self.options = NULL
        self.places = self.spans = NULL
        self.best = self.rest = NULL

    def __dealloc__(self):
        free(self.options)
        free(self.places)
        free(self.spans)
        free(self.best)
        free(self.rest)

    def __init__(self, LanguageModel lm not None, int n, const int32_t[:, ::1] spans,
                 const double[::1] scores, const int32_t[::1] word_starts,
                 const int32_t[::1] words, const int32_t[::1] lm_words, double lm_weight,
                 double distance_weight, int limit, msd=None, jumps=None):
        """Options have a span, a weighted score, and words: numbers of target words and those of
        the language model. `msd` are six logarithms an option and six weights; `jumps` are scores
        of classes by source word and by target word, the last one of which stands before the first
        word of a translation, and a weight.
        """
        cdef int32_t count = <int32_t>spans.shape[0], at, longest = 1
        if (n < 1 or not 0 <= limit <= MOST_JUMP or spans.shape[1] != 2
                or scores.shape[0] != count or word_starts.shape[0] != count + 1
                or words.shape[0] != lm_words.shape[0] or word_starts[0] != 0
                or word_starts[count] != words.shape[0]):
            raise ValueError("the options of a sentence do not fit together")
        for at in range(count):
            if not 0 <= spans[at, 0] < spans[at, 1] <= n or word_starts[at] > word_starts[at + 1]:
                raise ValueError("an option outside of its sentence")
            if scores[at] - scores[at] != 0:
                raise ValueError("a score that is no number")
            longest = max(longest, spans[at, 1] - spans[at, 0])
        self.lm, self.n, self.limit = lm, n, limit
        self.count, self.longest = count, longest
        self.word_starts, self.words, self.lm_words = word_starts, words, lm_words
        self.lm_weight, self.distance_weight = lm_weight, distance_weight
        self.has_msd, self.has_jumps = msd is not None, jumps is not None
        if msd is not None:
            self.msd, self.msd_weights = msd
            if (self.msd.shape[0] != count or self.msd.shape[1] != 2 * ORIENTATIONS
                    or self.msd_weights.shape[0] != 2 * ORIENTATIONS):
                raise ValueError("orientations that do not fit the options")
        if jumps is not None:
            self.jump_source, self.jump_target, self.jump_weight = jumps
            if (self.jump_source.shape[0] != n or self.jump_source.shape[1] != CLASSES
                    or self.jump_target.shape[1] != 2 or self.jump_target.shape[2] != CLASSES):
                raise ValueError("scores of jumps that do not fit the sentence")
        self.window = min(<int32_t>n, max(limit, longest)) + 1
        self.options = <Option*>malloc((count + 1) * sizeof(Option))
        self.places = <int32_t*>malloc((count + 1) * sizeof(int32_t))
        self.spans = <int32_t*>malloc((<size_t>n * longest + 1) * sizeof(int32_t))
        self.best = <double*>malloc((<size_t>n + 1) * self.window * sizeof(double))
        self.rest = <double*>malloc((<size_t>n + 1) * sizeof(double))
        if (self.options == NULL or self.places == NULL or self.spans == NULL
                or self.best == NULL or self.rest == NULL):
            raise MemoryError
        for at in range(count):
            self.options[at].begin, self.options[at].end = spans[at, 0], spans[at, 1]
            self.options[at].number = at
            self.options[at].static_score = scores[at]
        with nogil:
            self.prepare()

    cdef void prepare(self) noexcept nogil:
        """Estimates and the order of options; future scores."""
        cdef int32_t at, word, cell
        cdef double lm
        cdef LMState state
        cdef Option* option
        for at in range(self.count):
            option = &self.options[at]
            state.length = 0
            lm = 0
            for word in range(self.word_starts[at], self.word_starts[at + 1]):
                lm += self.lm.advance(&state, self.lm_words[word], &state)
            option.estimate = option.static_score + self.lm_weight * lm
        if self.count > 1:
            qsort(self.options, self.count, sizeof(Option), by_span)
        cell = 0
        for at in range(self.count):
            option = &self.options[at]
            self.places[option.number] = at
            word = option.begin * self.longest + option.end - option.begin - 1
            while cell <= word:
                self.spans[cell] = at
                cell += 1
        while cell <= self.n * self.longest:
            self.spans[cell] = self.count
            cell += 1
        self.future_scores()

    cdef void future_scores(self) noexcept nogil:
        """best[i, k] is the sum of the best estimates that cover k words from i on."""
        cdef int32_t i, k, length, cell
        cdef double first, found
        self.rest[self.n] = 0
        for i in range(self.n, -1, -1):
            self.best[<int64_t>i * self.window] = 0
            if i < self.n:
                self.rest[i] = -INFINITY
            for k in range(1, min(self.window - 1, self.n - i) + 1):
                found = -INFINITY
                for length in range(1, min(k, self.longest) + 1):
                    cell = i * self.longest + length - 1
                    if self.spans[cell] == self.spans[cell + 1]:
                        continue
                    first = self.options[self.spans[cell]].estimate
                    found = max(found, first
                                + self.best[<int64_t>(i + length) * self.window + k - length])
                    if length == k:
                        self.rest[i] = max(self.rest[i], first + self.rest[i + length])
                self.best[<int64_t>i * self.window + k] = found

    cdef double future(self, int32_t gap, uint64_t mask) noexcept nogil:
        """What the words that are not covered may be worth."""
        cdef double found = 0
        cdef int32_t begin = gap, at = gap + 1
        while mask:
            if mask & 1:
                if begin < at:
                    found += self.best[<int64_t>begin * self.window + at - begin]
                begin = at + 1
            mask >>= 1
            at += 1
        return found + self.rest[begin]

    # ---- behind each other ----

    cdef double reordering(self, const Node* before, int32_t option, double* parts) noexcept nogil:
        """The weighted score of a jump; its values go to `parts` if given: the distance, six
        orientations, the logarithm of its class's probability. Option -1 is the sentence's end.
        """
        cdef int32_t begin = self.n, end = self.n, orientation, jump
        cdef double score = 0, distance = 0, jump_score
        if option >= 0:
            begin = self.options[self.places[option]].begin
            end = self.options[self.places[option]].end
            distance = -(begin - before.end if begin > before.end else before.end - begin)
            score = self.distance_weight * distance
        if parts != NULL:
            parts[0] += distance
        orientation = 0 if begin == before.end else 1 if end == before.begin else 2
        if self.has_msd and option >= 0:
            score += self.msd_weights[orientation] * self.msd[option, orientation]
            if parts != NULL:
                parts[1 + orientation] += self.msd[option, orientation]
        if self.has_msd and before.option >= 0:
            jump = ORIENTATIONS + orientation
            score += self.msd_weights[jump] * self.msd[before.option, jump]
            if parts != NULL:
                parts[1 + jump] += self.msd[before.option, jump]
        if self.has_jumps and option >= 0:
            jump_score = self.jump(before, begin)
            score += self.jump_weight * jump_score
            if parts != NULL:
                parts[1 + 2 * ORIENTATIONS] += jump_score
        return score

    cdef double jump(self, const Node* before, int32_t begin) noexcept nogil:
        """log P of the class of a jump: to the next word, forward, one back, backward."""
        cdef double scores[CLASSES]
        cdef double largest = -INFINITY, total = 0
        cdef int c, which, chosen
        for c in range(CLASSES):
            scores[c] = self.jump_source[begin, c]
            for which in range(2):
                # Words that are not known to the model weigh nothing.
                if 0 <= before.words[which] < self.jump_target.shape[0]:
                    scores[c] += self.jump_target[before.words[which], which, c]
            largest = max(largest, scores[c])
        for c in range(CLASSES):
            total += exp(scores[c] - largest)
        chosen = begin - before.end + 1
        chosen = (0 if chosen == 1 else 1) if chosen > 0 else 2 if chosen == -1 else 3
        return scores[chosen] - largest - log(total)
