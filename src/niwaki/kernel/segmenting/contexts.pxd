"""What a segmenter looks at when it decides: named values, and templates that combine them."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from niwaki.kernel.segmenting.characters cimport Text

cdef enum:
    # From which value on those stand that only some models look at.
    UNSPACED_VALUES = 27    # of a boundary
    PLAIN_VALUES = 49       # of the end of a sentence

cdef enum:
    MAX_PARTS = 6
    MAX_TEMPLATES = 128     # below linear.MAX_KEYS
    MAX_VALUES = 80
    REACH = 2               # tokens looked at on either side
    AHEAD = 8               # tokens looked at for the next full stop
    LONGEST_AFFIX = 5
    ENDINGS = 1 << 12


cdef struct Template:
    int parts[MAX_PARTS]    # numbers of values
    uint64_t salts[MAX_PARTS]
    int part_count
    uint64_t salt


cdef struct Token:
    uint64_t form           # hash of its folded characters
    uint64_t tail           # hash of the last three of them
    int32_t start
    int32_t end
    uint32_t shape          # its first kinds of characters, without repetition
    uint32_t ending         # a number below ENDINGS for its last two characters
    uint8_t gap             # after it


cdef struct Progress:
    # Of a sentence, up to and with the current token.
    Py_ssize_t start        # its first token
    int open                # brackets
    bint quoted
    int words               # tokens that begin with a letter
    int capitals            # those of them that begin with a capital


cdef struct WordSoFar:
    # Of a token that is cut into words.
    int32_t start
    uint64_t word           # hash of its folded characters so far
    uint64_t last           # that of the word before it in the token, or 0


cdef class Templates:
    cdef Template templates[MAX_TEMPLATES]
    cdef readonly int count
    cdef int most           # the highest number of a value that is looked at

    cdef int keys(self, const uint64_t* values, uint64_t* keys) noexcept nogil


cdef void boundary_values(Text text, Py_ssize_t chunk, int32_t token_start, uint64_t word,
                          uint32_t shape, int32_t at, uint64_t* values) noexcept nogil
cdef void unspaced_values(Text text, Py_ssize_t chunk, int32_t token_start, uint64_t last,
                          int32_t at, const uint32_t* known, uint64_t* values) noexcept nogil
cdef void join_values(Text text, Py_ssize_t chunk, int32_t token_start, uint64_t word, int count,
                      const uint32_t* known, uint64_t* values) noexcept nogil
cdef void cut_values(Text text, const Token* tokens, Py_ssize_t at, Py_ssize_t stop,
                     const uint8_t* ends, const WordSoFar* so_far, int32_t place,
                     const uint32_t* known, uint64_t* values) noexcept nogil
cdef void close_token(Text text, Token* token, int32_t start, int32_t end, uint64_t form,
                      uint8_t gap) noexcept nogil
cdef void begin(Progress* progress, Py_ssize_t start) noexcept nogil
cdef void proceed(Progress* progress, Text text, const Token* token) noexcept nogil
cdef void sentence_values(Text text, const Token* tokens, Py_ssize_t at, Py_ssize_t stop,
                          const Progress* progress, uint64_t* values) noexcept nogil
cdef void plain_values(const Token* tokens, Py_ssize_t at, Py_ssize_t stop,
                       const Progress* progress, uint64_t* values) noexcept nogil
cdef void split_values(Text text, const Token* tokens, Py_ssize_t at, Py_ssize_t start,
                       Py_ssize_t stop, uint64_t* values) noexcept nogil
