"""Language models with backoff: n-grams in an open table of 16-byte entries.

The key of an n-gram grows from its last word to its first, so that one walk to the left finds the
longest n-gram that is known. What is longer than one that is not known, is not known either: who
makes a table sees to it that with an n-gram all its parts stand in it.
"""

import numpy as np

from libc.math cimport signbit
from libc.stdint cimport int32_t, int64_t, uint64_t

from niwaki.kernel.hashing cimport REACH, mix

ENTRY_WORDS = 2     # of 64 bits each: the key, and two floats
MAX_ORDER = MOST_CONTEXT + 1


cdef inline uint64_t key_of_word(int word) noexcept nogil:
    return mix(<uint64_t>word + 1)


cdef inline uint64_t longer_key(uint64_t key, int word) noexcept nogil:
    """The key of an n-gram with one more word to its left."""
    key = mix(key * 0x9E3779B97F4A7C15ULL + <uint64_t>word + 1)
    return key if key != 0 else 1


cdef inline bint is_context(float backoff) noexcept nogil:
    return backoff != 0 or not signbit(backoff)


cdef inline uint64_t key_of(const int32_t* gram, Py_ssize_t length) noexcept nogil:
    cdef uint64_t key = key_of_word(gram[length - 1])
    cdef Py_ssize_t at
    for at in range(length - 2, -1, -1):
        key = longer_key(key, gram[at])
    return key


cdef Entry* place_of(Entry* entries, uint64_t mask, uint64_t key) noexcept nogil:
    """Where a key stands, or would; NULL if all places within reach are others'."""
    cdef uint64_t place = key & mask
    cdef int steps
    for steps in range(REACH):
        if entries[place].key == key or entries[place].key == 0:
            return &entries[place]
        place = (place + 1) & mask
    return NULL


cdef Entry* entries_of(const uint64_t[:, ::1] table) except NULL:
    cdef Py_ssize_t size = table.shape[0]
    if size < 2 or size & (size - 1) or table.shape[1] != ENTRY_WORDS:
        raise ValueError("a table whose size is no power of 2")
    return <Entry*>&table[0, 0]


def insert(uint64_t[:, ::1] table, const int32_t[:, ::1] grams, const float[:, ::1] values):
    """Put n-grams of two or more words into a table: log probability and backoff of each."""
    cdef Entry* entries = entries_of(table)
    cdef Entry* entry
    cdef uint64_t key
    cdef Py_ssize_t row
    if values.shape[0] != grams.shape[0] or values.shape[1] != 2 or grams.shape[1] < 2:
        raise ValueError("n-grams and values do not fit together")
    for row in range(grams.shape[0]):
        key = key_of(&grams[row, 0], grams.shape[1])
        entry = place_of(entries, table.shape[0] - 1, key)
        if entry == NULL:
            raise ValueError("too many keys for one place of a table")
        if entry.key == key:
            raise ValueError("an n-gram stands twice")
        entry.key = key
        entry.values.log_probability, entry.values.backoff = values[row, 0], values[row, 1]


def lookup(const uint64_t[:, ::1] table, const int32_t[:, ::1] grams):
    """Log probability and backoff of each n-gram of two or more words; NaN where none stands."""
    cdef Entry* entries = entries_of(table)
    cdef const Entry* entry
    cdef uint64_t key
    cdef Py_ssize_t row
    found = np.full((grams.shape[0], 2), np.nan, np.float32)
    cdef float[:, ::1] values = found
    if grams.shape[1] < 2:
        raise ValueError("n-grams of less than two words")
    for row in range(grams.shape[0]):
        key = key_of(&grams[row, 0], grams.shape[1])
        entry = place_of(entries, table.shape[0] - 1, key)
        if entry != NULL and entry.key == key:
            values[row, 0], values[row, 1] = entry.values.log_probability, entry.values.backoff
    return found


cdef class LanguageModel:
    """N-grams of up to `order` words; words are numbers below `words`."""

    def __init__(self, int order, const float[:, ::1] unigrams, const uint64_t[:, ::1] table):
        """Arrays are kept, not copied, so that they may be parts of a mapped file."""
        if not 1 <= order <= MAX_ORDER:
            raise ValueError(f"order {order}, not 1 to {MAX_ORDER}")
        if unigrams.shape[0] <= END or unigrams.shape[0] >= 2**31 or unigrams.shape[1] != 2:
            raise ValueError("unigrams do not fit")
        self.order, self.words = order, <int>unigrams.shape[0]
        self._held = unigrams, table
        self._unigrams = <const Values*>&unigrams[0, 0]
        self._entries, self._mask = entries_of(table), table.shape[0] - 1

    cdef const Entry* find(self, uint64_t key) noexcept nogil:
        cdef const Entry* entry = place_of(<Entry*>self._entries, self._mask, key)
        return entry if entry != NULL and entry.key == key else NULL

    cdef void begin(self, LMState* state) noexcept nogil:
        """The state before the first word of a sentence."""
        state.length = 1 if self.order > 1 else 0
        state.words[0] = BEGIN

    cdef double advance(self, const LMState* before, int word, LMState* after) noexcept nogil:
        """log P(word | before); both states may be the same."""
        cdef int known = 1, kept = 0, at, length = min(before.length, self.order - 1)
        cdef const int* context = before.words + (before.length - length)
        cdef const Entry* entry
        cdef uint64_t key
        cdef double score
        if not 0 <= word < self.words:
            word = UNKNOWN
        score = self._unigrams[word].log_probability
        kept = self.order > 1 and is_context(self._unigrams[word].backoff)
        key = key_of_word(word)
        while known <= length:
            key = longer_key(key, context[length - known])
            entry = self.find(key)
            if entry == NULL:
                break
            score = entry.values.log_probability
            known += 1
            if known < self.order and is_context(entry.values.backoff):
                kept = known
        if known <= length:
            score += self.backed_off(before, length, known)
        # Moves to the left come first to last, so that `after` may be `before`.
        for at in range(kept - 1):
            after.words[at] = context[length - kept + 1 + at]
        if kept:
            after.words[kept - 1] = word
        after.length = kept
        return score

    cdef double backed_off(self, const LMState* before, int longest, int shortest) noexcept nogil:
        """The sum of backoffs of the contexts of so many words."""
        cdef const int* last = before.words + (before.length - 1)
        cdef uint64_t key = key_of_word(last[0])
        cdef double found = self._unigrams[last[0]].backoff if shortest <= 1 else 0
        cdef const Entry* entry
        cdef int length
        for length in range(2, longest + 1):
            key = longer_key(key, last[1 - length])
            if length >= shortest:
                entry = self.find(key)
                if entry == NULL:
                    break
                found += entry.values.backoff
        return found

    def score(self, const int32_t[::1] words, const int64_t[::1] starts):
        """log P of each word of some sentences, and of the end of each behind its words."""
        cdef Py_ssize_t sentences = starts.shape[0] - 1, s, at
        cdef int64_t to = 0
        cdef LMState state
        if sentences < 0 or starts[0] != 0 or starts[sentences] != words.shape[0]:
            raise ValueError("sentences do not fit their words")
        if (np.diff(starts) < 0).any():
            raise ValueError("a sentence that ends before it begins")
        found = np.empty(words.shape[0] + sentences)
        cdef double[::1] scores = found
        with nogil:
            for s in range(sentences):
                self.begin(&state)
                for at in range(starts[s], starts[s + 1]):
                    scores[to] = self.advance(&state, words[at], &state)
                    to += 1
                scores[to] = self.advance(&state, END, &state)
                to += 1
        return found

    def after(self, const int32_t[::1] context):
        """The words of a state after these, which begin nowhere."""
        cdef LMState state
        state.length = 0
        for word in context:
            self.advance(&state, word, &state)
        return [state.words[at] for at in range(state.length)]

    def following(self, const int32_t[::1] context):
        """log P of every word after a context, which begins nowhere unless with `<s>`."""
        cdef LMState state, unused
        cdef int word
        state.length = 0
        for word in context:
            self.advance(&state, word, &state)
        found = np.empty(self.words)
        cdef double[::1] scores = found
        for word in range(self.words):
            scores[word] = self.advance(&state, word, &unused)
        return found
