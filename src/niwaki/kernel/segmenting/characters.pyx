"""Raw text as a segmenter sees it: kinds of characters, and chunks between white space."""

import unicodedata

import numpy as np

from libc.stdlib cimport free, malloc

# Look-ups in constant tables, which need no interpreter (Cython's own declarations say otherwise).
cdef extern from "Python.h" nogil:
    bint Py_UNICODE_ISALPHA(uint32_t character)
    bint Py_UNICODE_ISSPACE(uint32_t character)
    uint32_t Py_UNICODE_TOLOWER(uint32_t character)

KIND_NAMES = (
    "space", "lower", "upper", "digit", "letter", "period", "ender", "comma", "hyphen",
    "apostrophe", "quote", "open", "close", "symbol", "other", "mark",
)

cdef enum:
    TABLE = 1 << 16     # beyond it lie few scripts and many signs

cdef uint32_t ADDRESS = 1 << 16
cdef uint32_t RUNS = 0xFFFFF        # five of them
cdef uint32_t LINE_SEPARATOR = 0x2028
cdef uint32_t PARAGRAPH_SEPARATOR = 0x2029

_CATEGORIES = {
    "Ll": LOWER, "Lu": UPPER, "Lt": UPPER, "Lm": LETTER, "Lo": LETTER, "Nd": DIGIT, "Pd": HYPHEN,
    "Ps": OPEN, "Pe": CLOSE, "Pi": QUOTE, "Pf": QUOTE, "Mn": MARK, "Mc": MARK, "Me": MARK,
}
_SIGNS = {
    PERIOD: ".", ENDER: "!?‼‽⁇⁈⁉…؟۔।॥。！？｡．", COMMA: ",;:،؛、，；：", HYPHEN: "-−",
    APOSTROPHE: "'’‘`´ʼ＇", QUOTE: "\"“”„‟＂", OPEN: "([{<", CLOSE: ")]}>",
}

cdef uint8_t KIND_OF[TABLE]


def _fill_table():
    """Kinds by Unicode category, then the signs that count for sentences."""
    cdef int code
    for code in range(TABLE):
        if 0x3400 <= code < 0xA000 or 0xAC00 <= code < 0xD7A4:
            KIND_OF[code] = LETTER      # ideographs and syllables: half of the table
        elif 0xD800 <= code < 0xF900:
            KIND_OF[code] = OTHER
        elif Py_UNICODE_ISSPACE(code):
            KIND_OF[code] = SPACE
        else:
            other = SYMBOL if 0x20 < code < 0x7F else OTHER
            KIND_OF[code] = _CATEGORIES.get(unicodedata.category(chr(code)), other)
    for kind, signs in _SIGNS.items():
        for sign in signs:
            KIND_OF[ord(sign)] = kind


_fill_table()


cdef inline uint8_t kind_of(uint32_t code) noexcept nogil:
    if code < TABLE:
        return KIND_OF[code]
    if Py_UNICODE_ISALPHA(code):
        return LETTER
    return OTHER


cdef inline uint32_t fold(uint32_t code, uint8_t kind) noexcept nogil:
    """What characters are to features: case and the choice of digits do not count."""
    if kind == DIGIT:
        return c"0"
    if kind == APOSTROPHE:
        return c"'"
    if kind == QUOTE:
        return c'"'
    return Py_UNICODE_TOLOWER(code)


def kinds_of(const uint32_t[::1] codes not None):
    """The kind of each character."""
    kinds = np.empty(codes.shape[0], dtype=np.uint8)
    cdef uint8_t[::1] view = kinds
    cdef Py_ssize_t i
    for i in range(codes.shape[0]):
        view[i] = kind_of(codes[i])
    return kinds


cdef class Text:
    """A piece of text, analysed. With `by_lines`, a line feed is as good as a blank line."""

    def __cinit__(self, const uint32_t[::1] codes not None, bint by_lines=False):
        cdef size_t size = <size_t>codes.shape[0] + 1
        if codes.shape[0] >= (1 << 30):
            raise ValueError("a piece of text has less than 2^30 characters")
        self.length = codes.shape[0]
        self.folded = <uint32_t*>malloc(size * sizeof(uint32_t))
        self.kinds = <uint8_t*>malloc(size)
        self.rest = <uint64_t*>malloc(size * sizeof(uint64_t))
        self.runs = <uint32_t*>malloc(size * sizeof(uint32_t))
        self.chunks = <Chunk*>malloc((size // 2 + 1) * sizeof(Chunk))
        if (self.folded == NULL or self.kinds == NULL or self.rest == NULL or self.runs == NULL
                or self.chunks == NULL):
            raise MemoryError()
        if self.length:
            with nogil:
                self.analyse(&codes[0], by_lines)

    def __dealloc__(self):
        free(self.folded)
        free(self.kinds)
        free(self.rest)
        free(self.runs)
        free(self.chunks)

    cdef void analyse(self, const uint32_t* codes, bint by_lines) noexcept nogil:
        cdef Py_ssize_t i
        cdef uint64_t rest = HASH_START
        cdef uint32_t runs = 0
        cdef uint8_t kind
        for i in range(self.length - 1, -1, -1):
            kind = kind_of(codes[i])
            self.kinds[i] = kind
            if kind == SPACE:
                rest = HASH_START
                runs = 0
                self.folded[i] = c" "   # where a word goes on behind it
            else:
                self.folded[i] = fold(codes[i], kind)
                rest = hash_more(rest, self.folded[i])
                if kind != (runs & 15):
                    runs = (runs << 4 | kind) & RUNS
            self.rest[i] = rest
            self.runs[i] = runs
        self.find_chunks(codes, by_lines)

    cdef void find_chunks(self, const uint32_t* codes, bint by_lines) noexcept nogil:
        cdef Py_ssize_t i = 0
        cdef Chunk* chunk
        cdef Py_ssize_t line_ends
        while i < self.length and self.kinds[i] == SPACE:
            i += 1
        while i < self.length:
            chunk = &self.chunks[self.chunk_count]
            self.chunk_count += 1
            chunk.start = <int32_t>i
            chunk.signs = 0
            while i < self.length and self.kinds[i] != SPACE:
                chunk.signs |= <uint32_t>1 << self.kinds[i]
                if codes[i] == c"@" or (
                        codes[i] == c"/" and i > chunk.start and codes[i - 1] == c"/"):
                    chunk.signs |= ADDRESS
                i += 1
            chunk.end = <int32_t>i
            line_ends = 0
            while i < self.length and self.kinds[i] == SPACE:
                if by_lines:
                    line_ends += 2 * (codes[i] == c"\n")
                elif codes[i] == c"\n" or codes[i] == LINE_SEPARATOR:
                    line_ends += 1
                elif codes[i] == c"\r":
                    line_ends += not (i + 1 < self.length and codes[i + 1] == c"\n")
                elif codes[i] == PARAGRAPH_SEPARATOR:
                    line_ends += 2
                i += 1
            chunk.gap = BREAK_GAP if line_ends > 1 else SPACE_GAP
