"""What can be read off the letters of one word: affixes, shape, character n-grams, cluster."""

import numpy as np

from libc.stdlib cimport calloc, free

from niwaki.kernel.batch cimport Batch, Span
from niwaki.kernel.hashing cimport (
    FIRST_VALUE, NONE_VALUE, find_key, hash_bytes, mix, place_key, short_hash, shortened,
)

# Look-ups in constant tables, which need no interpreter (Cython's own declarations say otherwise).
cdef extern from "Python.h" nogil:
    bint Py_UNICODE_ISALPHA(uint32_t character)
    bint Py_UNICODE_ISDIGIT(uint32_t character)
    bint Py_UNICODE_ISLOWER(uint32_t character)
    bint Py_UNICODE_ISUPPER(uint32_t character)
    uint32_t Py_UNICODE_TOLOWER(uint32_t character)

ATTRIBUTE_NAMES = (
    "form", "lower", "prefix1", "prefix2", "prefix3", "prefix4", "suffix1", "suffix2", "suffix3",
    "suffix4", "suffix5", "suffix6", "shape", "flags", "capital", "tail", "length", "cluster",
    "cluster4", "cluster6", "cluster10", "cluster12",
)

cdef enum:
    FORM_COLUMN = 1
    GRAM = 3
    LONGEST = 12        # words of more characters count as this long
    LONGEST_PREFIX = 12 # of the bits of a cluster

ctypedef const unsigned char* Bytes


cdef class Clusters:
    """Word classes given as bit strings: a word's path from the root of a binary tree."""

    def __cinit__(self, bytes lines not None):
        """A line a cluster: its path, then its words, with tabs between."""
        cdef Bytes text = <Bytes><const char*>lines
        cdef Py_ssize_t at = 0, start, length = len(lines)
        cdef uint64_t size = 64
        cdef int64_t place
        cdef uint32_t number = 0
        cdef uint16_t prefix
        # Then there are at most half as many words as bytes, and the table is bounded.
        if b"\t\t" in lines or b"\t\n" in lines or lines.endswith(b"\t"):
            raise ValueError("a word without letters has a cluster")
        self.count = lines.count(b"\t")
        while size < 2 * <uint64_t>self.count:
            size *= 2
        self.keys = <uint64_t*>calloc(size, sizeof(uint64_t))
        self.numbers = <uint32_t*>calloc(size, sizeof(uint32_t))
        self.prefixes = <uint16_t*>calloc(size, sizeof(uint16_t))
        if self.keys == NULL or self.numbers == NULL or self.prefixes == NULL:
            raise MemoryError()
        self.mask = size - 1
        while at < length:
            number += 1
            # The first bits of the path, after a 1 that says where they begin.
            prefix, start = 1, at
            while at < length and (text[at] == c"0" or text[at] == c"1"):
                if at - start < LONGEST_PREFIX:
                    prefix = prefix << 1 | (text[at] & 1)
                at += 1
            if at == start or at == length or text[at] != c"\t":
                found = lines[start:start + 20].split(b"\t")[0]
                raise ValueError(f"{found.decode(errors='replace')!r} is not a path of bits")
            while at < length and text[at] == c"\t":
                at += 1
                start = at
                while at < length and text[at] != c"\t" and text[at] != c"\n":
                    at += 1
                place = place_key(self.keys, self.mask, hash_bytes(&text[start], at - start))
                self.numbers[place], self.prefixes[place] = number, prefix
            at += 1

    def __dealloc__(self):
        free(self.keys)
        free(self.numbers)
        free(self.prefixes)

    cdef int64_t find(self, uint64_t form) noexcept nogil:
        """Where a word stands in the table, or -1."""
        return find_key(self.keys, self.mask, form)


cdef int decode(Bytes text, Py_ssize_t length, uint32_t* first, uint32_t* last, int* last_count,
                ) noexcept nogil:
    """Characters of valid UTF-8: up to WINDOW from the beginning and from the end.

    Returns the number of characters in `first`; `last` is filled only when the
    word is longer than WINDOW.
    """
    cdef Py_ssize_t at = 0
    cdef int count = 0
    while at < length and count < WINDOW:
        at = next_character(text, length, at, &first[count])
        count += 1
    last_count[0] = 0
    if at == length:
        return count
    # Step back from the end to the start of the WINDOW-th last character.
    cdef Py_ssize_t back = length
    cdef int seen = 0
    while back > 0 and seen < WINDOW:
        back -= 1
        while back > 0 and (text[back] & 0xC0) == 0x80:
            back -= 1
        seen += 1
    while back < length:
        back = next_character(text, length, back, &last[last_count[0]])
        last_count[0] += 1
    return count


cdef Py_ssize_t next_character(Bytes text, Py_ssize_t length, Py_ssize_t at,
                               uint32_t* character) noexcept nogil:
    """Decode one character; the text is valid UTF-8, but never read beyond its end."""
    cdef unsigned char lead = text[at]
    cdef int extra = 0 if lead < 0x80 else 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3
    cdef uint32_t value = lead
    if extra:
        value &= 0x3F >> extra
    at += 1
    while extra > 0 and at < length:
        value = (value << 6) | (text[at] & 0x3F)
        at += 1
        extra -= 1
    character[0] = value
    return at


cdef inline uint32_t hash_characters(const uint32_t* characters, int count,
                                     uint64_t salt) noexcept nogil:
    cdef uint64_t value = mix(salt)
    cdef uint32_t short
    cdef int i
    for i in range(count):
        value = (value ^ characters[i]) * 0x100000001B3ULL
    short = <uint32_t>(mix(value) >> 16)
    return short if short >= FIRST_VALUE else short + FIRST_VALUE


cdef inline uint32_t kind_of(uint32_t character) noexcept nogil:
    if Py_UNICODE_ISUPPER(character):
        return c'X'
    if Py_UNICODE_ISLOWER(character):
        return c'x'
    if Py_UNICODE_ISDIGIT(character):
        return c'd'
    if Py_UNICODE_ISALPHA(character):
        return c'c'
    return character


cdef uint32_t shape_of(const uint32_t* characters, int count) noexcept nogil:
    """Kinds of characters, runs shortened to two: Niwaki -> Xxx, 1984 -> dd, e-mail -> x-xx."""
    cdef uint32_t shape[WINDOW]
    cdef uint32_t kind, before = 0
    cdef int i, length = 0, run = 0
    for i in range(count):
        kind = kind_of(characters[i])
        run = run + 1 if kind == before else 1
        before = kind
        if run <= 2:
            shape[length] = kind
            length += 1
    return hash_characters(shape, length, SHAPE)


cdef void analyse_word(Bytes text, Py_ssize_t length, bint lowercase, Clusters clusters,
                       Word* word) noexcept nogil:
    """Fill in everything about a word. With `lowercase`, its case is not seen at all."""
    cdef uint32_t first[WINDOW]
    cdef uint32_t lower[WINDOW]
    cdef uint32_t rest[WINDOW]
    cdef uint32_t* end        # the last characters, lower case
    cdef int rest_count, count, end_count, i, k, tail
    cdef bint upper = False, digit = False, hyphen = False, all_upper = True
    count = decode(text, length, first, rest, &rest_count)
    for i in range(count):
        lower[i] = Py_UNICODE_TOLOWER(first[i])
        if lowercase:
            first[i] = lower[i]
    for i in range(rest_count):
        rest[i] = Py_UNICODE_TOLOWER(rest[i])
    end = &rest[0] if rest_count else &lower[0]
    end_count = rest_count if rest_count else count
    word.values[LOWER] = hash_characters(lower, count, LOWER)
    if rest_count:
        # Too long for the window: what is between must still tell words apart.
        word.values[LOWER] ^= <uint32_t>(hash_bytes(text, length) >> 32) | 16
    word.values[FORM] = word.values[LOWER] if lowercase else short_hash(text, length)
    # A shorter word is its own affix, so that "to" and "of" are told apart by suffix3 too.
    for k in range(1, 5):
        word.values[PREFIX1 + k - 1] = hash_characters(lower, min(k, count), PREFIX1)
    for k in range(1, 7):
        i = min(k, end_count)
        word.values[SUFFIX1 + k - 1] = hash_characters(end + end_count - i, i, SUFFIX1)
    word.values[SHAPE] = shape_of(first, count)
    tail = 0
    for i in range(count):
        digit |= Py_UNICODE_ISDIGIT(first[i])
        all_upper &= Py_UNICODE_ISUPPER(first[i])
        if first[i] == c'-':
            hyphen = True
            tail = i + 1
    upper = count > 0 and Py_UNICODE_ISUPPER(first[0])
    word.values[FLAGS] = FIRST_VALUE + upper * 8 + digit * 4 + hyphen * 2 + all_upper
    word.values[CAPITAL] = FIRST_VALUE + upper
    # What follows the last hyphen: "well-known" ends as "known" does.
    word.values[TAIL] = (
        hash_characters(lower + tail, count - tail, TAIL)
        if 0 < tail < count and rest_count == 0 else NONE_VALUE)
    word.values[LENGTH] = FIRST_VALUE + min(count, LONGEST)
    add_cluster(word, clusters, text, length, lower, count if rest_count == 0 else 0, lowercase)
    word.gram_count = 0
    for i in range(count - GRAM + 1):
        add_gram(word, hash_characters(lower + i, GRAM, ATTRIBUTES))


cdef void add_cluster(Word* word, Clusters clusters, Bytes text, Py_ssize_t length,
                      const uint32_t* lower, int count, bint lowercase) noexcept nogil:
    """The cluster of a word, or if it has none that of its lower case.

    With `lowercase`, only the latter is looked for. `lower` are its characters if it is
    short enough.
    """
    cdef int64_t place = -1
    cdef int kind
    if clusters is None:
        for kind in range(CLUSTER, CLUSTER12 + 1):
            word.values[kind] = NONE_VALUE
        return
    if not lowercase or count == 0:
        place = clusters.find(hash_bytes(text, length))
    if place < 0 and count:
        place = find_characters(clusters, lower, count)
    set_cluster(word, clusters, place)


cdef int64_t find_characters(Clusters clusters, const uint32_t* characters,
                             int count) noexcept nogil:
    """Where a word of at most WINDOW characters stands in the table, or -1."""
    cdef unsigned char text[4 * WINDOW]
    return clusters.find(hash_bytes(text, encode(characters, count, text)))


cdef inline void set_cluster(Word* word, Clusters clusters, int64_t place) noexcept nogil:
    """The values of the cluster at a place of the table."""
    cdef uint32_t prefix = 0
    # The first value means a word without a cluster.
    word.values[CLUSTER] = FIRST_VALUE
    if place >= 0:
        word.values[CLUSTER] += clusters.numbers[place]
        prefix = clusters.prefixes[place]
    word.values[CLUSTER4] = FIRST_VALUE + first_bits(prefix, 4)
    word.values[CLUSTER6] = FIRST_VALUE + first_bits(prefix, 6)
    word.values[CLUSTER10] = FIRST_VALUE + first_bits(prefix, 10)
    word.values[CLUSTER12] = FIRST_VALUE + first_bits(prefix, 12)


cdef inline uint32_t first_bits(uint32_t path, int bits) noexcept nogil:
    """Of bits below a leading 1 the first ones, or all if there are fewer."""
    while path >> (bits + 1):
        path >>= 1
    return path


cdef Py_ssize_t encode(const uint32_t* characters, int count, unsigned char* text) noexcept nogil:
    """Characters as UTF-8; returns the number of bytes, at most four for each."""
    cdef Py_ssize_t at = 0
    cdef uint32_t character
    cdef int i, extra
    for i in range(count):
        character = characters[i]
        extra = (0 if character < 0x80 else 1 if character < 0x800 else
                 2 if character < 0x10000 else 3)
        text[at] = <unsigned char>(
            character if extra == 0 else (0xF00 >> (extra + 1) & 0xFF) | (character >> 6 * extra))
        at += 1
        while extra > 0:
            extra -= 1
            text[at] = <unsigned char>(0x80 | (character >> 6 * extra & 0x3F))
            at += 1
    return at


cdef inline void add_gram(Word* word, uint32_t gram) noexcept nogil:
    """Each n-gram counts once, however often it stands in the word."""
    cdef int i
    if word.gram_count == MAX_GRAMS:
        return
    for i in range(word.gram_count):
        if word.grams[i] == gram:
            return
    word.grams[word.gram_count] = gram
    word.gram_count += 1


cdef void analyse_form(Bytes text, Py_ssize_t length, Clusters clusters, Word* word) noexcept nogil:
    """Form and cluster alone, as `analyse_word` finds them; most words need no look at letters."""
    cdef uint32_t lower[WINDOW]
    cdef uint32_t rest[WINDOW]
    cdef uint64_t hashed = hash_bytes(text, length)
    cdef int64_t place
    cdef int i, count, rest_count
    word.values[FORM] = shortened(hashed)
    if clusters is None:
        return
    place = clusters.find(hashed)
    if place < 0:
        count = decode(text, length, lower, rest, &rest_count)
        if rest_count == 0:
            for i in range(count):
                lower[i] = Py_UNICODE_TOLOWER(lower[i])
            place = find_characters(clusters, lower, count)
    set_cluster(word, clusters, place)


def word_values(Batch batch not None, list names not None, bint lowercase, Clusters clusters):
    """Some attributes of all words of a batch, one array each."""
    cdef Py_ssize_t i
    cdef int a, count = len(names)
    cdef int wanted[ATTRIBUTES]
    cdef uint32_t* out[ATTRIBUTES]
    cdef uint32_t[::1] view
    cdef Word word
    cdef Span form
    cdef bint is_simple = not lowercase
    if count > ATTRIBUTES:
        raise ValueError("too many attributes")
    arrays = [np.empty(batch.words, dtype=np.uint32) for _ in names]
    for a in range(count):
        wanted[a] = ATTRIBUTE_NAMES.index(names[a])
        is_simple = is_simple and (wanted[a] == FORM or (
            clusters is not None and CLUSTER <= wanted[a] <= CLUSTER12))
        view = arrays[a]
        out[a] = &view[0] if batch.words else NULL
    with nogil:
        for i in range(batch.words):
            form = batch.columns[FORM_COLUMN][i]
            if is_simple:
                analyse_form(form.at, form.length, clusters, &word)
            else:
                analyse_word(form.at, form.length, lowercase, clusters, &word)
            for a in range(count):
                out[a][i] = word.values[wanted[a]]
    return arrays


def analyse(bytes text not None, bint lowercase=False, Clusters clusters=None):
    """The attributes of a word by name, and its character n-grams (for tests)."""
    cdef Word word
    analyse_word(<Bytes><const char*>text, len(text), lowercase, clusters, &word)
    values = {name: word.values[i] for i, name in enumerate(ATTRIBUTE_NAMES)}
    return values, [word.grams[i] for i in range(word.gram_count)]
