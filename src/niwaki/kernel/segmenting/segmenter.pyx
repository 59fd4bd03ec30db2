"""Finds tokens, sentences and multiword tokens in raw text by linear models.

White space ends a token, except in models whose words may hold spaces (`joins`), a blank line a
sentence. All else is decided by sums of weights of features:

    p(end | context) = 1 / (1 + exp(-s))                    of a token or a sentence
    p(rule | token) = exp(s[rule]) / sum of exp(s[rule'])   of how to split a token

First all tokens are found, then the sentences, then the splits, by rules or by cuts between
characters: each decision sees the results of the one before. Work is linear in the length of the text, however
long its words and sentences are.
"""

import numpy as np

from libc.math cimport expf
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from niwaki.kernel.segmenting.characters cimport (
    BREAK_GAP, HASH_START, KINDS, NO_GAP, SPACE_GAP, Text, hash_more,
)
from niwaki.kernel.segmenting.contexts cimport (
    AHEAD, ENDINGS, MAX_VALUES, PLAIN_VALUES, UNSPACED_VALUES, Progress, Templates, Token, WordSoFar,
    begin, boundary_values, close_token, cut_values, join_values, plain_values, proceed,
    sentence_values, split_values, unspaced_values,
)
from niwaki.kernel.segmenting.lexicon cimport SPACES_KNOWN, Lexicon
from niwaki.kernel.linear cimport LearnTable, SparseWeights, learn_gradients, scorer_of
from niwaki.kernel.scoring cimport MAX_KEYS, Scorer

cdef enum:
    SPLITS_SEEN = 64        # classes that one step of learning changes at most

cdef float NEGLIGIBLE = 0.02       # smaller gradients are not worth a step (nor an entry)
cdef uint32_t SHAPE = 0xFFFFF
cdef uint32_t BLANK = c" "

# How much text after a decision it may depend on; see `Segmenter.segment`.
UNDECIDED_CHUNKS = 2
# Where known words go over spaces, from the next chunk on.
UNDECIDED_CHUNKS_KNOWN = 2 + SPACES_KNOWN
UNDECIDED_TOKENS = AHEAD
PAIR_KINDS = KINDS
ENDING_COUNT = ENDINGS


cdef struct Training:
    # For each character `gold` says whether a token ends after it (1) or also a sentence (2),
    # `rules` how that token is split, and `cuts` whether a word ends there within a token.
    LearnTable* table
    const uint8_t* gold
    const int32_t* rules
    const uint8_t* cuts
    float rate
    float damping
    long decisions
    long mistakes


cdef class Segmenter:
    """Segments text, and learns to.

    `model` has one class, the end of a token or a sentence; `split_model` a class for
    each rule, of which class 0 leaves a token whole, or is None. `open_pairs` says for
    each pair of kinds of characters whether a token may end between them,
    `split_endings` whether a token with such an ending may be split (see `ending_of`),
    `shortest` how long a token must be for each rule. With `joins`, a token may go on behind a
    single space. With `cuts`, tokens without a rule are cut into words between their characters.
    The `lexicon` is what templates that ask for known words look at.
    """

    cdef object model
    cdef object split_model
    cdef Scorer scorer
    cdef Scorer split_scorer
    cdef Templates boundaries
    cdef Templates sentences
    cdef Templates splits
    cdef Templates joins
    cdef Templates cuts
    cdef Lexicon lexicon
    cdef uint8_t open_pairs[KINDS * KINDS]
    cdef uint8_t split_endings[ENDINGS]
    cdef int32_t* shortest
    cdef int rules

    def __cinit__(self, model, split_model, Templates boundaries not None,
                  Templates sentences not None, Templates splits not None,
                  const uint8_t[::1] open_pairs not None, const uint8_t[::1] split_endings not None,
                  const int32_t[::1] shortest not None, Templates joins=None,
                  Templates cuts=None, Lexicon lexicon=None):
        cdef int i
        self.joins, self.cuts, self.lexicon = joins, cuts, lexicon
        if lexicon is None and (cuts is not None or boundaries.most >= UNSPACED_VALUES):
            raise ValueError("a lexicon is needed")
        self.model, self.split_model = model, split_model
        self.boundaries, self.sentences, self.splits = boundaries, sentences, splits
        self.scorer = scorer_of(model)
        self.rules = 1
        if split_model is not None:
            self.split_scorer = scorer_of(split_model)
            self.rules = self.split_scorer.classes
        if self.scorer.classes != 1:
            raise ValueError(f"one class is needed, not {self.scorer.classes}")
        if open_pairs.shape[0] != KINDS * KINDS:
            raise ValueError(f"{open_pairs.shape[0]} pairs of kinds, not {KINDS * KINDS}")
        if shortest.shape[0] != self.rules:
            raise ValueError(f"{shortest.shape[0]} lengths for {self.rules} rules")
        if split_endings.shape[0] != ENDINGS:
            raise ValueError(f"{split_endings.shape[0]} endings, not {ENDINGS}")
        for i in range(ENDINGS):
            self.split_endings[i] = split_endings[i]
        for i in range(KINDS * KINDS):
            self.open_pairs[i] = open_pairs[i]
        self.shortest = <int32_t*>calloc(self.rules, sizeof(int32_t))
        if self.shortest == NULL:
            raise MemoryError()
        for i in range(1, self.rules):
            self.shortest[i] = shortest[i]

    def __dealloc__(self):
        free(self.shortest)

    # -- segmenting -----------------------------------------------------------

    def segment(self, const uint32_t[::1] codes not None, bint final=True, bint by_lines=False):
        """Tokens, as arrays (starts, ends, gaps after, sentence ends, split rules), and for each
        character of the text whether a word ends after it within a token. The number after those
        of all rules is that of tokens that are cut.

        If more text follows (not `final`), the last tokens and sentence ends still
        depend on it and are left out: what is given is what the whole text would give.
        With `by_lines`, each line is a sentence.
        """
        cdef Text text = Text(codes, by_lines)
        cdef Py_ssize_t chunks = text.chunk_count, count = 0, decided, i
        cdef Token* tokens = <Token*>malloc((text.length + 1) * sizeof(Token))
        cdef uint8_t* ends = <uint8_t*>calloc(text.length + 1, 1)
        cdef int32_t* splits = <int32_t*>calloc(text.length + 1, sizeof(int32_t))
        cdef float* scores = <float*>malloc(self.rules * sizeof(float))
        cdef uint32_t* known = NULL
        cuts = np.zeros(text.length + 1, dtype=np.uint8)
        cdef uint8_t[::1] cuts_view = cuts
        try:
            if tokens == NULL or ends == NULL or splits == NULL or scores == NULL:
                raise MemoryError()
            known = self.known_words(text, 0)
            if not final:
                chunks = max(0, chunks - (
                    UNDECIDED_CHUNKS if self.lexicon is None else UNDECIDED_CHUNKS_KNOWN))
            with nogil:
                count = decided = self.find_tokens(text, chunks, known, NULL, tokens)
                if not final:
                    # The last token may go on.
                    decided = max(0, count - AHEAD - (self.joins is not None))
                self.find_sentences(text, tokens, count, by_lines, ends)
                while decided > 0 and not ends[decided - 1]:
                    decided -= 1
                if self.split_model is not None:
                    self.find_splits(text, tokens, decided, ends, NULL, scores, splits)
                if self.cuts is not None:
                    self.find_cuts(text, tokens, decided, ends, known, NULL, splits, &cuts_view[0])
            return *arrays_of(tokens, ends, splits, decided), cuts[:text.length]
        finally:
            free(known)
            free(tokens)
            free(ends)
            free(splits)
            free(scores)

    cdef uint32_t* known_words(self, Text text, int32_t piece) except? NULL:
        """Which known words begin at each character; NULL if there is no lexicon."""
        cdef uint32_t* known
        if self.lexicon is None:
            return NULL
        known = <uint32_t*>calloc(text.length + 1, sizeof(uint32_t))
        if known == NULL:
            raise MemoryError()
        with nogil:
            self.lexicon.find(text, self.open_pairs, self.cuts is not None, self.joins is not None,
                              piece, known)
        return known

    cdef Py_ssize_t find_tokens(self, Text text, Py_ssize_t chunks, const uint32_t* known,
                                Training* training, Token* tokens) noexcept nogil:
        """The tokens of the first chunks: as the model finds them, or in training as they
        are, and the model learns them."""
        cdef Py_ssize_t chunk, count = 0
        cdef int32_t i, first, start = 0, end
        cdef uint64_t word = HASH_START, last
        cdef uint32_t shape = 0
        cdef int spaces = 0     # within the token so far
        cdef bint is_end, goes_on = False, unspaced = self.boundaries.most >= UNSPACED_VALUES
        cdef uint64_t values[MAX_VALUES]
        for chunk in range(chunks):
            first = text.chunks[chunk].start
            end = text.chunks[chunk].end
            if goes_on:
                word = hash_more(word, BLANK)
                spaces += 1
            else:
                start = first
                word = HASH_START
                shape = 0
                spaces = 0
            for i in range(first, end):
                if i > first:
                    is_end = self.may_end(text, i)
                    if is_end:
                        boundary_values(text, chunk, start, word, shape, i, values)
                        if unspaced:
                            last = 0
                            if count > 0 and tokens[count - 1].end == start:
                                last = tokens[count - 1].form
                            unspaced_values(text, chunk, start, last, i, known,
                                            values + UNSPACED_VALUES)
                        if training == NULL:
                            is_end = self.score(self.boundaries, values) > 0
                        else:
                            self.step(training, self.boundaries, values, training.gold[i - 1] > 0)
                    if training != NULL:
                        is_end = training.gold[i - 1] > 0
                    if is_end:
                        close_token(text, &tokens[count], start, i, word, NO_GAP)
                        count += 1
                        start = i
                        word = HASH_START
                        shape = 0
                        spaces = 0
                word = hash_more(word, text.folded[i])
                if text.kinds[i] != (shape & 15):
                    shape = (shape << 4 | text.kinds[i]) & SHAPE
            goes_on = self.may_go_on(text, chunk, chunks)
            if goes_on:
                join_values(text, chunk, start, word, spaces, known, values)
                if training == NULL:
                    goes_on = self.score(self.joins, values) > 0
                else:
                    goes_on = training.gold[end - 1] == 0
                    self.step(training, self.joins, values, goes_on)
            if not goes_on:
                close_token(text, &tokens[count], start, end, word, text.chunks[chunk].gap)
                count += 1
        return count

    cdef inline bint may_go_on(self, Text text, Py_ssize_t chunk, Py_ssize_t chunks) noexcept nogil:
        """Whether a token that ends with a chunk may go on in the next: behind one space."""
        return (
            self.joins is not None and chunk + 1 < chunks
            and text.chunks[chunk].gap == SPACE_GAP
            and text.chunks[chunk + 1].start == text.chunks[chunk].end + 1)

    cdef inline bint may_end(self, Text text, int32_t at) noexcept nogil:
        return self.open_pairs[text.kinds[at - 1] * KINDS + text.kinds[at]]

    cdef float score(self, Templates templates, const uint64_t* values) noexcept nogil:
        cdef uint64_t keys[MAX_KEYS]
        cdef float score = 0
        cdef int count = templates.keys(values, keys)
        self.scorer.score(self.scorer.table, keys, count, &score)
        return score

    cdef void find_sentences(self, Text text, const Token* tokens, Py_ssize_t count,
                             bint by_lines, uint8_t* ends) noexcept nogil:
        cdef Progress progress
        cdef uint64_t values[MAX_VALUES]
        cdef Py_ssize_t t
        begin(&progress, 0)
        for t in range(count):
            proceed(&progress, text, &tokens[t])
            if t + 1 == count or tokens[t].gap == BREAK_GAP:
                ends[t] = True
            elif not by_lines:
                self.values_of_end(text, tokens, t, count, &progress, values)
                ends[t] = self.score(self.sentences, values) > 0
            if ends[t]:
                begin(&progress, t + 1)

    cdef void values_of_end(self, Text text, const Token* tokens, Py_ssize_t at, Py_ssize_t count,
                            const Progress* progress, uint64_t* values) noexcept nogil:
        sentence_values(text, tokens, at, count, progress, values)
        if self.sentences.most >= PLAIN_VALUES:
            plain_values(tokens, at, count, progress, values + PLAIN_VALUES)

    cdef void find_cuts(self, Text text, const Token* tokens, Py_ssize_t count,
                        const uint8_t* ends, const uint32_t* known, Training* training,
                        int32_t* splits, uint8_t* cuts) noexcept nogil:
        """Where tokens that no rule splits are cut; in training it learns where they are."""
        cdef uint64_t values[MAX_VALUES]
        cdef WordSoFar so_far
        cdef Py_ssize_t t
        cdef int32_t i
        cdef bint is_end
        for t in range(count):
            if (training.rules[tokens[t].end - 1] if training != NULL else splits[t]) != 0:
                continue
            so_far.start = tokens[t].start
            so_far.last = 0
            so_far.word = hash_more(HASH_START, text.folded[so_far.start])
            for i in range(tokens[t].start + 1, tokens[t].end):
                cut_values(text, tokens, t, count, ends, &so_far, i, known, values)
                if training == NULL:
                    is_end = self.score(self.cuts, values) > 0
                    if is_end:
                        cuts[i - 1] = 1
                        splits[t] = self.rules
                else:
                    is_end = training.cuts[i - 1]
                    self.step(training, self.cuts, values, is_end)
                if is_end:
                    so_far.last = so_far.word
                    so_far.word = HASH_START
                    so_far.start = i
                so_far.word = hash_more(so_far.word, text.folded[i])

    cdef void find_splits(self, Text text, const Token* tokens, Py_ssize_t count,
                          const uint8_t* ends, Training* training, float* scores,
                          int32_t* splits) noexcept nogil:
        """How the model splits the tokens; in training it learns how they are split."""
        cdef uint64_t values[MAX_VALUES]
        cdef uint64_t keys[MAX_KEYS]
        cdef Py_ssize_t start = 0, stop, t
        cdef int32_t length
        cdef int many
        while start < count:
            stop = start + 1
            while stop < count and not ends[stop - 1]:
                stop += 1
            for t in range(start, stop):
                if not self.split_endings[tokens[t].ending]:
                    continue
                split_values(text, tokens, t, start, stop, values)
                many = self.splits.keys(values, keys)
                memset(scores, 0, self.rules * sizeof(float))
                self.split_scorer.score(self.split_scorer.table, keys, many, scores)
                length = tokens[t].end - tokens[t].start
                if training == NULL:
                    splits[t] = self.best_rule(length, scores)
                else:
                    self.split_step(training, keys, many, scores, length,
                                    training.rules[tokens[t].end - 1])
            start = stop

    cdef int best_rule(self, int32_t length, const float* scores) noexcept nogil:
        cdef int rule, best = 0
        for rule in range(1, self.rules):
            if self.shortest[rule] <= length and scores[rule] > scores[best]:
                best = rule
        return best

    # -- learning -------------------------------------------------------------

    def learn(self, const uint32_t[::1] codes not None, const uint8_t[::1] gold not None,
              const int32_t[::1] rules not None, const uint8_t[::1] cuts not None, float rate,
              float damping, int32_t piece=0):
        """One step of AdaGrad for each decision of a text; returns decisions and mistakes.

        For each character, `gold` says whether a token ends after it (1) or also a
        sentence (2), `rules` how that token is split, and `cuts` whether a word ends there within
        a token. Words that the lexicon has from this `piece` alone are not known.
        """
        cdef SparseWeights learner = <SparseWeights?>self.model
        cdef SparseWeights split_learner = None
        cdef Text text = Text(codes)
        cdef Token* tokens
        cdef uint8_t* ends
        cdef float* scores
        cdef uint32_t* known = NULL
        cdef Training training
        cdef Py_ssize_t count, i
        if not gold.shape[0] == rules.shape[0] == cuts.shape[0] == codes.shape[0]:
            raise ValueError("text and answers do not fit together")
        for i in range(rules.shape[0]):
            if not 0 <= rules[i] < self.rules:
                raise ValueError(f"no rule {rules[i]}")
        if self.split_model is not None:
            split_learner = <SparseWeights?>self.split_model
        if text.chunk_count == 0:
            return 0, 0
        tokens = <Token*>malloc((text.length + 1) * sizeof(Token))
        ends = <uint8_t*>calloc(text.length + 1, 1)
        scores = <float*>malloc(self.rules * sizeof(float))
        try:
            if tokens == NULL or ends == NULL or scores == NULL:
                raise MemoryError()
            known = self.known_words(text, piece)
            training = Training(&learner.table, &gold[0], &rules[0], &cuts[0], rate, damping, 0, 0)
            with nogil:
                count = self.find_tokens(text, text.chunk_count, known, &training, tokens)
                for i in range(count):
                    ends[i] = gold[tokens[i].end - 1] == 2 or tokens[i].gap == BREAK_GAP
                self.learn_sentences(&training, text, tokens, ends, count)
                if self.cuts is not None:
                    self.find_cuts(text, tokens, count, ends, known, &training, NULL, NULL)
                if split_learner is not None:
                    training.table = &split_learner.table
                    self.find_splits(text, tokens, count, ends, &training, scores, NULL)
        finally:
            free(known)
            free(tokens)
            free(ends)
            free(scores)
        learner.check_memory()
        if split_learner is not None:
            split_learner.check_memory()
        return training.decisions, training.mistakes

    cdef void learn_sentences(self, Training* training, Text text, const Token* tokens,
                              const uint8_t* ends, Py_ssize_t count) noexcept nogil:
        cdef Progress progress
        cdef uint64_t values[MAX_VALUES]
        cdef Py_ssize_t t
        begin(&progress, 0)
        for t in range(count):
            proceed(&progress, text, &tokens[t])
            if t + 1 < count and tokens[t].gap != BREAK_GAP:
                self.values_of_end(text, tokens, t, count, &progress, values)
                self.step(training, self.sentences, values, ends[t])
            if ends[t]:
                begin(&progress, t + 1)

    cdef void step(self, Training* training, Templates templates, const uint64_t* values,
                   bint right) noexcept nogil:
        """Uphill on log p of whether there is an end: the gradient is [end] - p(end)."""
        cdef uint64_t keys[MAX_KEYS]
        cdef float score = 0, gradient
        cdef int count = templates.keys(values, keys), end = 0
        self.scorer.score(self.scorer.table, keys, count, &score)
        gradient = <float>right - 1 / (1 + expf(-score))
        training.decisions += 1
        training.mistakes += (score > 0) != right
        if gradient > NEGLIGIBLE or gradient < -NEGLIGIBLE:
            learn_gradients(
                training.table, keys, count, &end, &gradient, 1, training.rate, training.damping)
        training.table.clock += 1

    cdef void split_step(self, Training* training, const uint64_t* keys, int count,
                         const float* scores, int32_t length, int right) noexcept nogil:
        """Uphill on log p(right): the gradient of a rule is [right] - its probability."""
        cdef int classes[SPLITS_SEEN]
        cdef float gradients[SPLITS_SEEN]
        cdef int rule, best = self.best_rule(length, scores), many = 0
        cdef float total = 0, top = scores[best], gradient
        training.decisions += 1
        training.mistakes += best != right
        for rule in range(self.rules):
            if self.shortest[rule] <= length:
                total += expf(scores[rule] - top)
        for rule in range(self.rules):
            if self.shortest[rule] <= length and many < SPLITS_SEEN:
                gradient = <float>(rule == right) - expf(scores[rule] - top) / total
                if gradient > NEGLIGIBLE or gradient < -NEGLIGIBLE:
                    classes[many] = rule
                    gradients[many] = gradient
                    many += 1
        if many:
            learn_gradients(training.table, keys, count, classes, gradients, many, training.rate,
                            training.damping)
        training.table.clock += 1


def ending_of(const uint32_t[::1] form not None):
    """The number of a form's last two characters in `split_endings`."""
    cdef Text text = Text(form)
    cdef Token token
    if text.length == 0:
        raise ValueError("a form has at least one character")
    close_token(text, &token, 0, <int32_t>text.length, 0, 0)
    return token.ending


cdef arrays_of(const Token* tokens, const uint8_t* ends, const int32_t* splits,
               Py_ssize_t count):
    cdef Py_ssize_t i
    cdef int32_t[::1] starts_view, ends_view, splits_view
    cdef uint8_t[::1] gaps_view, sentences_view
    out = (
        np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32),
        np.empty(count, dtype=np.uint8), np.empty(count, dtype=np.uint8),
        np.empty(count, dtype=np.int32),
    )
    starts_view, ends_view, gaps_view, sentences_view, splits_view = out
    for i in range(count):
        starts_view[i] = tokens[i].start
        ends_view[i] = tokens[i].end
        gaps_view[i] = tokens[i].gap
        sentences_view[i] = ends[i]
        splits_view[i] = splits[i]
    return out
