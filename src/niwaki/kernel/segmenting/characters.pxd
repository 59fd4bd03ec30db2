"""Raw text as a segmenter sees it: kinds of characters, and chunks between white space."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

# Kinds of characters; they fit into four bits, so that a shape is a number.
cdef enum:
    SPACE
    LOWER
    UPPER
    DIGIT
    LETTER          # without case
    PERIOD
    ENDER           # ! ? and their like
    COMMA           # , ; : and their like
    HYPHEN
    APOSTROPHE
    QUOTE
    OPEN
    CLOSE
    SYMBOL          # other ASCII
    OTHER
    MARK            # belongs to the letter before
    KINDS

# What stands between two tokens.
cdef enum:
    NO_GAP
    SPACE_GAP
    BREAK_GAP       # a blank line: always the end of a sentence

cdef enum:
    HASH_START = 5381


cdef inline uint64_t hash_more(uint64_t hashed, uint32_t character) noexcept nogil:
    """One more character of a word, as in FNV-1a."""
    return (hashed ^ character) * 0x100000001B3ULL


cdef struct Chunk:
    # Characters without white space between them.
    int32_t start
    int32_t end
    uint32_t signs      # the kinds of its characters as bits, and whether it is an address
    uint8_t gap         # after it


cdef class Text:
    cdef readonly Py_ssize_t length
    cdef readonly Py_ssize_t chunk_count
    cdef uint32_t* folded       # lower case, one digit for all, one shape of quotes
    cdef uint8_t* kinds
    cdef uint64_t* rest         # hash of the folded characters from here to the chunk's end
    cdef uint32_t* runs         # kinds from here on without repetition, nearest lowest
    cdef Chunk* chunks

    cdef void analyse(self, const uint32_t* codes, bint by_lines) noexcept nogil
    cdef void find_chunks(self, const uint32_t* codes, bint by_lines) noexcept nogil
