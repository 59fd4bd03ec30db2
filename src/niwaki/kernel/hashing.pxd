"""Mixing of values into feature keys; everything that is hashed goes through here."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef enum:
    NONE_VALUE = 1   # there is no such word, child, character ...
    ROOT_VALUE = 2   # the artificial root
    FIRST_VALUE = 3  # the first value that means something

cdef enum:
    # No key stands farther from its place in an open table: tables are half empty at least, and
    # with a hundred million keys that were not chosen to meet, none is half as far.
    REACH = 256


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    """A bijection that spreads every bit over the whole word (the finaliser of SplitMix64)."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL
    return value ^ (value >> 31)


cdef inline uint64_t atom(uint64_t value, uint64_t salt) noexcept nogil:
    """A value in one place of a feature; `salt` is a mixed number that names the place."""
    value = (value + salt) * 0x9E3779B97F4A7C15ULL
    return value ^ (value >> 32)


cdef inline uint64_t join(uint64_t atoms) noexcept nogil:
    """The key of a feature, from the exclusive-or of its atoms and its own salt."""
    atoms *= 0xD6E8FEB86659FD93ULL
    atoms ^= atoms >> 32
    return atoms if atoms != 0 else 1


cdef inline uint64_t hash_bytes(const unsigned char* text, Py_ssize_t length) noexcept nogil:
    """FNV-1a, finished by `mix`; never one of the small reserved values."""
    cdef uint64_t value = 0xCBF29CE484222325ULL
    cdef Py_ssize_t i
    for i in range(length):
        value = (value ^ text[i]) * 0x100000001B3ULL
    value = mix(value)
    return value if value > 15 else value + 16


cdef inline int64_t probe(const uint64_t* keys, uint64_t mask, uint64_t key) noexcept nogil:
    """Where a key stands in an open table, or the free place (0) where it would; -1 if all
    places within REACH are taken by others.
    """
    cdef uint64_t place = key & mask
    cdef int steps = 0
    while keys[place] != 0 and keys[place] != key:
        place = (place + 1) & mask
        steps += 1
        if steps == REACH:
            return -1
    return <int64_t>place


cdef inline int64_t find_key(const uint64_t* keys, uint64_t mask, uint64_t key) noexcept nogil:
    """Where a key stands in an open table, or -1."""
    cdef int64_t place = probe(keys, mask, key)
    return place if place >= 0 and keys[place] != 0 else -1


cdef inline int64_t place_key(uint64_t* keys, uint64_t mask, uint64_t key) except -1:
    """Put a new key into an open table; where it stands now."""
    cdef int64_t place = probe(keys, mask, key)
    if place < 0:
        raise ValueError("too many keys for one place of a table")
    if keys[place] != 0:
        raise ValueError("a key stands twice")
    keys[place] = key
    return place


cdef inline uint32_t shortened(uint64_t hashed) noexcept nogil:
    """32 bits of `hash_bytes`, never one of the small reserved values."""
    cdef uint32_t value = <uint32_t>hashed
    return value if value > 15 else value + 16


cdef inline uint32_t short_hash(const unsigned char* text, Py_ssize_t length) noexcept nogil:
    return shortened(hash_bytes(text, length))
