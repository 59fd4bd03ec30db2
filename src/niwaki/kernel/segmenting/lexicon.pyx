"""Words that are known, and where they stand in a text.

A word is known by the hash of its folded characters. While a model learns, a word that occurs in
the piece of text at hand and nowhere else is not known: else each word of the training data would
be, and the model would never learn what to do about others.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from niwaki.kernel.hashing cimport find_key, mix, place_key
from niwaki.kernel.segmenting.characters cimport (
    HASH_START, KINDS, SPACE, SPACE_GAP, Text, hash_more,
)

LONGEST_WORD = LONGEST_KNOWN


cdef inline uint64_t key_of(uint64_t word) noexcept nogil:
    cdef uint64_t key = mix(word)
    return key if key != 0 else 1


def hash_of(const uint32_t[::1] form not None):
    """By what a `Lexicon` knows a word."""
    cdef Text text = Text(form)
    cdef uint64_t hashed = HASH_START
    cdef Py_ssize_t i
    for i in range(text.length):
        hashed = hash_more(hashed, text.folded[i])
    return key_of(hashed)


cdef class Lexicon:
    """Hashes of words (see `hash_of`), each once. `pieces` has for each the number of the one
    piece of text in which it occurs, 0 if there are several; a finished model has none."""

    def __cinit__(self, const uint64_t[::1] words not None, const int32_t[::1] pieces=None):
        cdef uint64_t size = 16
        cdef int64_t place
        cdef Py_ssize_t i
        if pieces is not None and pieces.shape[0] != words.shape[0]:
            raise ValueError(f"{words.shape[0]} words in {pieces.shape[0]} pieces")
        while size < 2 * <uint64_t>words.shape[0]:
            size *= 2
        self.mask = size - 1
        self.count = words.shape[0]
        self.words = <uint64_t*>calloc(size, sizeof(uint64_t))
        self.pieces = <int32_t*>calloc(size, sizeof(int32_t))
        if self.words == NULL or self.pieces == NULL:
            raise MemoryError()
        for i in range(words.shape[0]):
            if words[i] == 0:
                raise ValueError("no word has the hash 0")
            place = place_key(self.words, self.mask, words[i])
            if pieces is not None:
                self.pieces[place] = pieces[i]

    def __dealloc__(self):
        free(self.words)
        free(self.pieces)

    cdef bint knows(self, uint64_t word, int32_t piece) noexcept nogil:
        """Whether it is known, to somebody who learns from this piece (0: from none)."""
        cdef int64_t place = find_key(self.words, self.mask, key_of(word))
        return place >= 0 and (piece == 0 or self.pieces[place] != piece)

    cdef void find(self, Text text, const uint8_t* open_pairs, bint anywhere, bint across,
                   int32_t piece, uint32_t* found) noexcept nogil:
        """For each character, bit n says whether a known word of n characters begins there.

        Words begin and end with chunks or where tokens may end, or `anywhere`; if they may hold
        spaces, they go `across` single ones.
        """
        cdef Py_ssize_t chunk, last
        cdef int32_t p, q, end, spaces
        cdef uint64_t word
        cdef bint ends
        for chunk in range(text.chunk_count):
            for p in range(text.chunks[chunk].start, text.chunks[chunk].end):
                if not (anywhere or p == text.chunks[chunk].start
                        or open_pairs[text.kinds[p - 1] * KINDS + text.kinds[p]]):
                    continue
                last = chunk
                end = text.chunks[chunk].end
                spaces = 0
                word = HASH_START
                q = p
                while q - p < LONGEST_KNOWN:
                    if q == end:
                        if not (across and spaces < SPACES_KNOWN and last + 1 < text.chunk_count
                                and text.chunks[last].gap == SPACE_GAP
                                and text.chunks[last + 1].start == end + 1):
                            break
                        last += 1
                        end = text.chunks[last].end
                        spaces += 1
                    word = hash_more(word, text.folded[q])
                    q += 1
                    ends = q == end or anywhere
                    if not ends and text.kinds[q - 1] != SPACE:
                        ends = open_pairs[text.kinds[q - 1] * KINDS + text.kinds[q]]
                    if ends and self.knows(word, piece):
                        found[p] |= <uint32_t>1 << (q - p)


def words_in(const uint32_t[::1] codes not None, Lexicon lexicon not None,
             const uint8_t[::1] open_pairs not None, bint anywhere=False, bint across=False,
             int32_t piece=0):
    """The bits of `Lexicon.find`."""
    cdef Text text = Text(codes)
    found = np.zeros(text.length + 1, dtype=np.uint32)
    cdef uint32_t[::1] view = found
    if open_pairs.shape[0] != KINDS * KINDS:
        raise ValueError(f"{open_pairs.shape[0]} pairs of kinds, not {KINDS * KINDS}")
    lexicon.find(text, &open_pairs[0], anywhere, across, piece, &view[0])
    return found
