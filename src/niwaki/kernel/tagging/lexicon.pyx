"""How often words, and words with an ending, had which tags."""

import numpy as np

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from niwaki.kernel.batch cimport Batch, Bytes
from niwaki.kernel.hashing cimport find_key, mix, place_key
from niwaki.kernel.features.words cimport next_character

cdef extern from "Python.h" nogil:
    bint Py_UNICODE_ISUPPER(uint32_t character)
    uint32_t Py_UNICODE_TOLOWER(uint32_t character)

cdef enum:
    FORM_COLUMN = 1
    MOST = 0x7FFFFFFF       # that a place can name

cdef uint64_t PRIME = 0x100000001B3ULL
cdef uint64_t WORD_SALT = 0x5D1E7A3C0F1B2D49ULL
cdef uint64_t ENDING_SALT = 0x2B7C9E8A4D6F1357ULL


cdef int find_keys(Bytes text, Py_ssize_t length, bint lowercase, uint64_t* keys) noexcept nogil:
    """Keys of a word and of its endings of 0, 1, ... characters; returns how many there are.

    Endings of capitalised words have keys of their own.
    """
    cdef uint32_t last[LONGEST]
    cdef uint32_t character
    cdef uint64_t value = WORD_SALT
    cdef Py_ssize_t at = 0, seen = 0
    cdef int i, endings
    cdef bint capital = False
    while at < length:
        at = next_character(text, length, at, &character)
        if lowercase:
            character = Py_UNICODE_TOLOWER(character)
        if seen == 0:
            capital = Py_UNICODE_ISUPPER(character)
        last[seen % LONGEST] = character
        seen += 1
        value = (value ^ character) * PRIME
    keys[0] = mix(value) | 1
    value = ENDING_SALT + capital
    keys[1] = mix(value) | 1
    endings = <int>min(seen, <Py_ssize_t>LONGEST)
    for i in range(endings):
        value = (value ^ last[(seen - 1 - i) % LONGEST]) * PRIME
        keys[i + 2] = mix(value) | 1
    return endings + 2


def lexical_keys(Batch batch not None, bint lowercase):
    """Keys of each word and of its endings, a row each; 0 where a word is too short."""
    out = np.zeros((batch.words, KEYS), dtype=np.uint64)
    cdef uint64_t[:, ::1] view = out
    cdef Py_ssize_t i
    for i in range(batch.words):
        find_keys(batch.columns[FORM_COLUMN][i].at, batch.columns[FORM_COLUMN][i].length,
                  lowercase, &view[i, 0])
    return out


cdef class Lexicon:
    """How often words and endings had which tags, by their keys."""

    def __cinit__(self, const uint64_t[::1] keys not None, const uint16_t[::1] sizes not None,
                  const uint8_t[::1] tags not None, const uint32_t[::1] counts not None):
        cdef uint64_t size = 16
        cdef int64_t place
        cdef Py_ssize_t i, j, at = 0, many = keys.shape[0]
        if (sizes.shape[0] != many or counts.shape[0] != tags.shape[0]
                or np.asarray(sizes).sum(dtype=np.int64) != tags.shape[0]):
            raise ValueError("words and tags do not fit together")
        if tags.shape[0] > MOST:
            raise ValueError(f"{tags.shape[0]} tags of words")
        while size < 2 * <uint64_t>many:
            size *= 2
        self.mask = size - 1
        self.largest_tag = -1
        self.keys = <uint64_t*>calloc(size, sizeof(uint64_t))
        self.places = <uint32_t*>calloc(size, sizeof(uint32_t))
        self.items = <Item*>calloc(many + 1, sizeof(Item))
        self.shares = <Share*>calloc(tags.shape[0] + 1, sizeof(Share))
        if (self.keys == NULL or self.places == NULL or self.items == NULL
                or self.shares == NULL):
            raise MemoryError()
        for i in range(many):
            if keys[i] == 0 or sizes[i] == 0:
                raise ValueError("a key is 0, or has no tag")
            place = place_key(self.keys, self.mask, keys[i])
            self.places[place] = <uint32_t>i
            self.items[i].start = <uint32_t>at
            self.items[i].shares = sizes[i]
            for j in range(at, at + sizes[i]):
                if counts[j] == 0:
                    raise ValueError("a tag was never seen")
                self.shares[j].tag = tags[j]
                self.shares[j].count = counts[j]
                self.items[i].total += counts[j]
                self.largest_tag = max(self.largest_tag, <int>tags[j])
            at += sizes[i]

    def __dealloc__(self):
        free(self.keys)
        free(self.places)
        free(self.items)
        free(self.shares)

    cdef const Item* find(self, uint64_t key) noexcept nogil:
        cdef int64_t place = find_key(self.keys, self.mask, key)
        return &self.items[self.places[place]] if place >= 0 else NULL
