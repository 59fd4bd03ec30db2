"""What a segmenter looks at when it decides: named values, and templates that combine them.

There are five decisions: whether a token ends before a character, whether it goes on
after a space, whether a sentence ends after a token, how a token is split into words, and
whether a word ends within a token. Each has its values. None of them depends on how much text follows beyond a fixed number of
tokens, nor on what stands before the sentence, so that text can be segmented
piece by piece.
"""

from niwaki.kernel.segmenting.characters cimport (
    BREAK_GAP, CLOSE, ENDER, HASH_START, KINDS, LETTER, LOWER, MARK, OPEN, PERIOD, QUOTE, SPACE,
    UPPER, Text, hash_more,
)
from niwaki.kernel.segmenting.lexicon cimport LONGEST_KNOWN
from niwaki.kernel.hashing cimport NONE_VALUE, atom, join, mix

cdef extern from "portable.h" nogil:
    int niwaki_highest_bit(uint32_t bits)

cdef enum:
    CHARACTERS = 6          # c-3 ... c2 around a possible boundary
    BEFORE = 3
    ATTRIBUTES = 8
    OFFSETS = 2 * REACH + 1
    FAR = 20                # places and lengths are not told apart beyond

_KNOWN = ("known", "longer", "begins", "ends", "covers", "then")
_TOKEN_PARTS = ("w", "s", "f", "l", "n", "x", "y", "g")
BOUNDARY_VALUES = (
    *(f"c{o}" for o in range(-BEFORE, CHARACTERS - BEFORE)),
    *(f"k{o}" for o in range(-BEFORE, CHARACTERS - BEFORE)),
    "word", "rest", "head", "chunk", "place", "before", "after", "shape", "runs", "next", "next2",
    "nextc", "signs", "address", "start",
    # Of text without spaces.
    *(f"t{o}" for o in range(-BEFORE, CHARACTERS - BEFORE)), "last", *_KNOWN,
)
JOIN_VALUES = (
    "word", "s-1", "s0", "s1", "s2", "k0", "k1", "k2", "l0", "r1", "count",
    "known", "longer", "begins", "through",
)
CUT_VALUES = (
    *(f"c{o}" for o in range(-BEFORE, CHARACTERS - BEFORE)),
    "word", "last", "rest", "token", "place", "before", "after", "w-1", "w1", *_KNOWN,
)
SENTENCE_VALUES = (
    *(f"{part}{o}" for o in range(-REACH, REACH + 1) for part in _TOKEN_PARTS),
    "size", "open", "quoted", "capitals", "ahead", "left", "w-first", "s-first", "l-first",
    # Of text whose sentences do not begin with capitals.
    "w3", "length",
)
assert BOUNDARY_VALUES.index("t-3") == UNSPACED_VALUES
assert SENTENCE_VALUES.index("w3") == PLAIN_VALUES
SPLIT_VALUES = (
    *(f"{part}{o}" for o in range(-REACH, REACH + 1) for part in _TOKEN_PARTS),
    *(f"prefix{n}" for n in range(1, LONGEST_AFFIX + 1)),
    *(f"suffix{n}" for n in range(1, LONGEST_AFFIX + 1)),
)


cdef class Templates:
    """Features, each a list of numbers of values; `kind` tells those of each decision apart."""

    def __cinit__(self, list templates not None, int kind, int value_count):
        cdef int i
        cdef Template* template
        if not 0 < len(templates) <= MAX_TEMPLATES:
            raise ValueError(f"{len(templates)} templates, but 1 to {MAX_TEMPLATES} are possible")
        for number, parts in enumerate(templates):
            if not 0 < len(parts) <= MAX_PARTS:
                raise ValueError(f"a template has 1 to {MAX_PARTS} parts")
            template = &self.templates[number]
            template.salt = mix(<uint64_t>kind * 1000 + number + 1)
            template.part_count = len(parts)
            for i, part in enumerate(parts):
                if not 0 <= part < value_count <= MAX_VALUES:
                    raise ValueError(f"no value {part}")
                template.parts[i] = part
                self.most = max(self.most, part)
                template.salts[i] = mix(template.salt + i + 1)
        self.count = len(templates)

    cdef int keys(self, const uint64_t* values, uint64_t* keys) noexcept nogil:
        cdef const Template* template
        cdef uint64_t joined
        cdef int t, i
        for t in range(self.count):
            template = &self.templates[t]
            joined = template.salt
            for i in range(template.part_count):
                joined ^= atom(values[template.parts[i]], template.salts[i])
            keys[t] = join(joined)
        return self.count


cdef inline uint64_t up_to(Py_ssize_t number, int most) noexcept nogil:
    return <uint64_t>(number if number < most else most)


cdef void boundary_values(Text text, Py_ssize_t chunk, int32_t token_start, uint64_t word,
                          uint32_t shape, int32_t at, uint64_t* values) noexcept nogil:
    """Between `at` - 1 and `at`, within a chunk; `word` and `shape` are of the token so far."""
    cdef int32_t start = text.chunks[chunk].start, end = text.chunks[chunk].end, place
    cdef Py_ssize_t follows = -1
    cdef int i
    for i in range(CHARACTERS):
        place = at + i - BEFORE
        if start <= place < end:
            values[i] = text.folded[place]
            values[CHARACTERS + i] = text.kinds[place]
        else:
            values[i] = 0
            values[CHARACTERS + i] = 0
    values += 2 * CHARACTERS
    if text.chunks[chunk].gap != BREAK_GAP and chunk + 1 < text.chunk_count:
        follows = text.chunks[chunk + 1].start
    values[0] = word
    values[1] = text.rest[at]
    # What comes before in the chunk, without a second hash: the whole and the rest say it.
    values[2] = text.rest[start] ^ mix(text.rest[at])
    values[3] = text.rest[start]
    values[4] = up_to(at - start, FAR)
    values[5] = up_to(at - token_start, FAR)
    values[6] = up_to(end - at, FAR)
    values[7] = shape
    values[8] = text.runs[at]
    values[9] = values[10] = values[11] = 0
    if follows >= 0:
        values[9] = text.kinds[follows]
        values[10] = text.runs[follows] & 0xFF
        values[11] = text.folded[follows]
    values[12] = text.chunks[chunk].signs
    values[13] = text.chunks[chunk].signs >> KINDS
    values[14] = HASH_START
    for place in range(token_start, at if at - token_start < 4 else token_start + 4):
        values[14] = hash_more(values[14], text.folded[place])


cdef inline uint64_t type_of(uint32_t folded, uint8_t kind) noexcept nogil:
    """The kind of a character; letters without case by what they are in their script."""
    if kind != LETTER:
        return kind
    if 0x3041 <= folded < 0x30A0:
        return KINDS            # hiragana
    if folded == 0x30FC:
        return KINDS + 1        # the sign of a long vowel
    if 0x30A0 <= folded < 0x3100 or 0x31F0 <= folded < 0x3200 or 0xFF66 <= folded < 0xFFA0:
        return KINDS + 2        # katakana
    if 0x3005 <= folded < 0x3008 or 0x3400 <= folded < 0xA000 or 0xF900 <= folded < 0xFB00 \
            or folded >= 0x20000:
        return KINDS + 3        # Han
    if 0x0E40 <= folded < 0x0E45:
        return KINDS + 4        # Thai vowels before a consonant
    if folded == 0x0E30 or folded == 0x0E32 or folded == 0x0E33:
        return KINDS + 5        # and behind it
    return kind


cdef inline int longest_of(uint32_t bits) noexcept nogil:
    return niwaki_highest_bit(bits) if bits else 0


cdef inline uint32_t words_from(const uint32_t* known, int32_t start, int32_t end) noexcept nogil:
    """The lengths, as bits, of known words that begin at `start` and go on to `end` at most."""
    if start >= end:
        return 0
    if end - start >= LONGEST_KNOWN:
        return known[start]
    return known[start] & (((<uint32_t>2) << (end - start)) - 1)


cdef void known_values(const uint32_t* known, int32_t start, int32_t at, int32_t end,
                       uint64_t* values) noexcept nogil:
    """What the lexicon says of an end before `at` of a word that began at `start`.

    Whether the word is known; how far the longest that begins like it goes on; the longest that
    begins at `at`; those that end there, or go on over it, and begin later than this word; and
    the longest that begins behind the one that goes on.
    """
    cdef uint32_t bits = words_from(known, start, end)
    cdef int longest = longest_of(bits), ends = 0, covers = 0, top
    cdef int32_t p
    values[0] = at - start <= LONGEST_KNOWN and bits >> (at - start) & 1
    values[1] = values[5] = 0
    if longest > at - start:
        values[1] = longest - (at - start)
        values[5] = LONGEST_KNOWN + 1
        if start + longest < end:
            values[5] = longest_of(words_from(known, start + longest, end))
    values[2] = longest_of(words_from(known, at, end))
    for p in range(max(start + 1, at - LONGEST_KNOWN), at):
        bits = words_from(known, p, end)
        if ends == 0 and bits >> (at - p) & 1:
            ends = at - p
        top = longest_of(bits)
        if top > at - p and top > covers:
            covers = top
    values[3] = ends
    values[4] = covers


cdef void unspaced_values(Text text, Py_ssize_t chunk, int32_t token_start, uint64_t last,
                          int32_t at, const uint32_t* known, uint64_t* values) noexcept nogil:
    """More of a boundary, for text without spaces; `last` is the token before, if it is near."""
    cdef int32_t start = text.chunks[chunk].start, end = text.chunks[chunk].end, place
    cdef int i
    for i in range(CHARACTERS):
        place = at + i - BEFORE
        values[i] = 0
        if start <= place < end:
            values[i] = type_of(text.folded[place], text.kinds[place])
    values[CHARACTERS] = last
    known_values(known, token_start, at, end, values + CHARACTERS + 1)


cdef uint64_t letters_from(Text text, int32_t start, int32_t end) noexcept nogil:
    """Hash of the letters with which a chunk begins: signs behind them do not belong to them."""
    cdef uint64_t hashed = HASH_START
    cdef int32_t i
    cdef uint8_t kind
    for i in range(start, end):
        kind = text.kinds[i]
        if i > start and not (kind == LOWER or kind == UPPER or kind == LETTER or kind == MARK):
            break
        hashed = hash_more(hashed, text.folded[i])
    return hashed


cdef void join_values(Text text, Py_ssize_t chunk, int32_t token_start, uint64_t word, int count,
                      const uint32_t* known, uint64_t* values) noexcept nogil:
    """Between a chunk and the next; `word` is the token so far, which has `count` spaces."""
    cdef int32_t start = text.chunks[chunk].start, end = text.chunks[chunk].end
    cdef int32_t follows = text.chunks[chunk + 1].start
    cdef Py_ssize_t i
    values[0] = word
    values[1] = values[4] = values[7] = 0
    if chunk > 0 and text.chunks[chunk - 1].gap != BREAK_GAP:
        values[1] = text.rest[text.chunks[chunk - 1].start]
    values[2] = letters_from(text, token_start if token_start > start else start, end)
    i = text.chunks[chunk + 1].start
    values[3] = letters_from(text, <int32_t>i, text.chunks[chunk + 1].end)
    values[5] = text.kinds[start]
    values[6] = text.kinds[i]
    values[8] = text.kinds[end - 1]
    values[9] = text.runs[i]
    values[10] = up_to(count, FAR)
    # What stands behind signs is no part of the same word.
    if chunk + 2 < text.chunk_count and text.chunks[chunk + 1].gap != BREAK_GAP:
        i = text.chunks[chunk + 2].start
        values[4] = letters_from(text, <int32_t>i, text.chunks[chunk + 2].end)
        values[7] = text.kinds[i]
    # Known words: the token so far, those that it begins, those that begin after it, and those
    # that the last chunk begins; the longest of them, in chunks.
    values[11] = values[12] = values[13] = values[14] = 0
    if known != NULL:
        values[11] = (
            end - token_start <= LONGEST_KNOWN and known[token_start] >> (end - token_start) & 1)
        values[12] = spaces_over(text, token_start, longest_of(known[token_start]), end)
        if known[follows]:
            values[13] = 1 + spaces_over(text, follows, longest_of(known[follows]), follows)
        if token_start < start:
            values[14] = spaces_over(text, start, longest_of(known[start]), end)


cdef uint64_t spaces_over(Text text, int32_t start, int length, int32_t place) noexcept nogil:
    """Spaces from `place` on in a word."""
    cdef uint64_t spaces = 0
    cdef int32_t i
    for i in range(max(start, place), start + length):
        spaces += text.kinds[i] == SPACE
    return spaces


cdef void cut_values(Text text, const Token* tokens, Py_ssize_t at, Py_ssize_t stop,
                     const uint8_t* ends, const WordSoFar* so_far, int32_t place,
                     const uint32_t* known, uint64_t* values) noexcept nogil:
    """Before the character `place` of the token `at`, of those before `stop`; `ends` says after
    which of them sentences end."""
    cdef const Token* token = &tokens[at]
    cdef int32_t near
    cdef int i
    for i in range(CHARACTERS):
        near = place + i - BEFORE
        values[i] = text.folded[near] if token.start <= near < token.end else 0
    values += CHARACTERS
    values[0] = so_far.word
    values[1] = so_far.last
    values[2] = HASH_START
    if token.end - place <= LONGEST_KNOWN:
        for near in range(place, token.end):
            values[2] = hash_more(values[2], text.folded[near])
    values[3] = token.form
    values[4] = up_to(place - token.start, FAR)
    values[5] = up_to(place - so_far.start, FAR)
    values[6] = up_to(token.end - place, FAR)
    values[7] = values[8] = 0
    if at > 0 and not ends[at - 1]:
        values[7] = tokens[at - 1].form
    if at + 1 < stop and not ends[at]:
        values[8] = tokens[at + 1].form
    known_values(known, so_far.start, place, token.end, values + 9)


cdef uint64_t suffix_of(Text text, const Token* token, int length) noexcept nogil:
    cdef uint64_t hashed = HASH_START
    cdef int32_t i, start = token.end - length
    for i in range(start if start > token.start else token.start, token.end):
        hashed = hash_more(hashed, text.folded[i])
    return hashed


cdef uint32_t shape_of(Text text, const Token* token) noexcept nogil:
    """The first kinds of characters of a token, without repetition."""
    cdef uint32_t runs = 0, count = 0
    cdef uint8_t last = 0
    cdef int32_t i
    cdef int32_t stop = token.end if token.end - token.start <= FAR else token.start + FAR
    for i in range(token.start, stop):
        if text.kinds[i] != last and count < 5:
            last = text.kinds[i]
            runs |= <uint32_t>last << (4 * count)
            count += 1
    return runs


cdef void close_token(Text text, Token* token, int32_t start, int32_t end, uint64_t form,
                      uint8_t gap) noexcept nogil:
    token.form = form
    token.start = start
    token.end = end
    token.gap = gap
    token.tail = suffix_of(text, token, 3)
    token.shape = shape_of(text, token)
    token.ending = <uint32_t>(mix(suffix_of(text, token, 2)) & (ENDINGS - 1))


cdef void begin(Progress* progress, Py_ssize_t start) noexcept nogil:
    progress.start = start
    progress.open = progress.words = progress.capitals = 0
    progress.quoted = False


cdef void proceed(Progress* progress, Text text, const Token* token) noexcept nogil:
    cdef uint8_t kind = text.kinds[token.start]
    if kind == OPEN:
        progress.open += progress.open < 3
    elif kind == CLOSE:
        progress.open -= progress.open > 0
    elif kind == QUOTE:
        progress.quoted = not progress.quoted
    elif kind == UPPER or kind == LOWER or kind == LETTER:
        progress.words += 1
        progress.capitals += kind == UPPER


cdef void window_values(Text text, const Token* tokens, Py_ssize_t at, Py_ssize_t start,
                        Py_ssize_t stop, uint64_t* values) noexcept nogil:
    """Attributes of the tokens around one, of those from `start` to before `stop`."""
    cdef Py_ssize_t place
    cdef const Token* token
    cdef int i
    for place in range(at - REACH, at + REACH + 1):
        if start <= place < stop:
            token = &tokens[place]
            values[0] = token.form
            values[1] = token.shape
            values[2] = text.kinds[token.start]
            values[3] = text.kinds[token.end - 1]
            values[4] = up_to(token.end - token.start, 8)
            values[5] = token.tail
            values[6] = text.folded[token.end - 1]
            if token.end - token.start > 1:
                values[6] |= <uint64_t>text.folded[token.end - 2] << 32
            values[7] = token.gap
        else:
            for i in range(ATTRIBUTES):
                values[i] = NONE_VALUE << 20
        values += ATTRIBUTES


cdef inline uint64_t size_bucket(Py_ssize_t size) noexcept nogil:
    if size < 6:
        return size
    if size < 20:
        return 6 + size // 5
    return 10 + up_to(size // 20, 4)


cdef void sentence_values(Text text, const Token* tokens, Py_ssize_t at, Py_ssize_t stop,
                          const Progress* progress, uint64_t* values) noexcept nogil:
    """After the token `at`; `stop` is the number of tokens in the text."""
    cdef Py_ssize_t i, end = at + 1
    cdef uint64_t ahead = 0
    cdef uint8_t kind
    # Nothing is seen beyond a blank line.
    while end < stop and end <= at + AHEAD and tokens[end - 1].gap != BREAK_GAP:
        if ahead == 0:
            kind = text.kinds[tokens[end].end - 1]
            if kind == PERIOD or kind == ENDER:
                ahead = end - at
        end += 1
    window_values(text, tokens, at, progress.start, end, values)
    values += OFFSETS * ATTRIBUTES
    values[0] = size_bucket(at + 1 - progress.start)
    values[1] = progress.open
    values[2] = progress.quoted
    values[3] = 5
    if progress.words:
        values[3] = 4 * progress.capitals // progress.words
    values[4] = ahead
    values[5] = up_to(end - at - 1, AHEAD)
    values[6] = tokens[progress.start].form
    values[7] = tokens[progress.start].shape
    values[8] = up_to(tokens[at].end - tokens[progress.start].start, 1000) // 40


cdef void plain_values(const Token* tokens, Py_ssize_t at, Py_ssize_t stop,
                       const Progress* progress, uint64_t* values) noexcept nogil:
    """More of the end of a sentence, where capitals say nothing: a farther token, and how many
    there were."""
    cdef Py_ssize_t end = at + 1
    while end < stop and end <= at + 3 and tokens[end - 1].gap != BREAK_GAP:
        end += 1
    values[0] = tokens[at + 3].form if at + 3 < end else NONE_VALUE << 20
    values[1] = up_to(at + 1 - progress.start, FAR)


cdef void split_values(Text text, const Token* tokens, Py_ssize_t at, Py_ssize_t start,
                       Py_ssize_t stop, uint64_t* values) noexcept nogil:
    """Of the token `at` in its sentence, which is the tokens from `start` to before `stop`."""
    cdef const Token* token = &tokens[at]
    cdef uint64_t hashed = HASH_START
    cdef int32_t i
    cdef int length
    window_values(text, tokens, at, start, stop, values)
    values += OFFSETS * ATTRIBUTES
    for length in range(1, LONGEST_AFFIX + 1):
        if token.start + length <= token.end:
            hashed = hash_more(hashed, text.folded[token.start + length - 1])
        values[length - 1] = hashed
        values[LONGEST_AFFIX + length - 1] = suffix_of(text, token, length)
