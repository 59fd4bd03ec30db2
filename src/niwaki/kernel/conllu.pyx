"""Finds and checks sentences in CoNLL-U bytes, and rewrites single fields of them.

`scan` only says whether a sentence is sound. Why it is not is found by the
readable checker in `data/faults.py`, which is also this module's judge: the two
must agree on every input (tests/kernel/test_conllu.py).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_DecodeUTF8, PyUnicode_GET_LENGTH
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy

# What `scan` found; the names are re-exported for Python below.
cdef enum:
    _SOUND = 0       # a sentence that passed every check
    _FAULTY = 1      # a block of lines with at least one fault
    _INCOMPLETE = 2  # the buffer ends before the sentence does
    _NOTHING = 3     # only blank lines up to the end of the input

SOUND, FAULTY, INCOMPLETE, NOTHING = _SOUND, _FAULTY, _INCOMPLETE, _NOTHING

cdef enum:
    _ALLOW_MANY_ROOTS = 1
    _ALLOW_UNKNOWN_HEADS = 2

ALLOW_MANY_ROOTS, ALLOW_UNKNOWN_HEADS = _ALLOW_MANY_ROOTS, _ALLOW_UNKNOWN_HEADS

cdef enum:
    # A longer line is a fault; it also bounds the reader's memory.
    _MAX_LINE = 1 << 23
    # Larger ids do not occur (a line has at least 20 bytes) and could overflow.
    MAX_ID = 99_999_999
    UNKNOWN = -1
    BAD = -2

MAX_LINE = _MAX_LINE


cdef struct Heads:
    int32_t* values
    Py_ssize_t count
    Py_ssize_t capacity


cdef Bytes behind_bom(Bytes at, Bytes stop) noexcept nogil:
    if stop - at >= 3 and at[0] == 0xEF and at[1] == 0xBB and at[2] == 0xBF:
        return at + 3
    return at


cdef Bytes line_content_end(Bytes start, Bytes stop) noexcept nogil:
    """The end of a line's content: `stop` is its newline or the input's end."""
    if stop > start and (stop - 1)[0] == c'\r':
        return stop - 1
    return stop


cdef Bytes next_newline(Bytes at, Bytes stop) noexcept nogil:
    """The first newline in [at, stop), or `stop`."""
    cdef Bytes found = <Bytes>memchr(at, c'\n', stop - at)
    return stop if found == NULL else found


cdef void split_row(Bytes at, Bytes stop, Row* row) noexcept nogil:
    """Cuts a line's content at tabs; more than COLUMNS fields are counted, not kept."""
    cdef Bytes tab
    row.columns = 0
    while True:
        tab = <Bytes>memchr(at, c'\t', stop - at)
        if tab == NULL:
            tab = stop
        if row.columns < COLUMNS:
            row.start[row.columns] = at
            row.end[row.columns] = tab
        row.columns += 1
        if tab == stop:
            return
        at = tab + 1


cdef int32_t read_decimal(Bytes* at, Bytes stop) noexcept nogil:
    """A plain decimal without sign or leading zeros, moving `at` behind it; BAD if none."""
    cdef Bytes p = at[0]
    cdef int32_t value = 0
    if p == stop or not (c'0' <= p[0] <= c'9'):
        return BAD
    if p[0] == c'0':
        at[0] = p + 1
        return 0
    while p < stop and c'0' <= p[0] <= c'9':
        value = value * 10 + (p[0] - c'0')
        if value > MAX_ID:
            return BAD
        p += 1
    at[0] = p
    return value


cdef int read_head(Bytes at, Bytes stop) noexcept nogil:
    cdef int32_t value
    if stop - at == 1 and at[0] == c'_':
        return UNKNOWN
    if stop - at == 2 and at[0] == c'-' and at[1] == c'1':
        return UNKNOWN
    value = read_decimal(&at, stop)
    return value if at == stop else BAD


cdef bint append_head(Heads* heads, int32_t value) noexcept nogil:
    cdef int32_t* grown
    if heads.count == heads.capacity:
        heads.capacity = 256 if heads.capacity == 0 else heads.capacity * 2
        grown = <int32_t*>realloc(heads.values, heads.capacity * sizeof(int32_t))
        if grown == NULL:
            return False
        heads.values = grown
    heads.values[heads.count] = value
    heads.count += 1
    return True


cdef bint is_sound_tree(Heads* heads, int flags) noexcept nogil:
    """Heads in range, roots as allowed, no cycle. Overwrites `heads.values`.

    Cycles: walk up from each word, replacing visited heads by the walk's stamp
    (below BAD, so stamps and heads never meet). Meeting one's own stamp is a
    cycle; each word is visited once, so the whole is linear.
    """
    cdef Py_ssize_t i, word, count = heads.count
    cdef int32_t head, stamp
    cdef int roots = 0, unknown = 0
    for i in range(count):
        head = heads.values[i]
        if head == 0:
            roots += 1
        elif head == UNKNOWN:
            unknown += 1
        elif head > count or head == i + 1:
            return False
    if unknown and not flags & _ALLOW_UNKNOWN_HEADS:
        return False
    if roots > 1 and not flags & _ALLOW_MANY_ROOTS:
        return False
    if roots == 0 and unknown == 0:
        return False
    for i in range(count):
        stamp = BAD - 1 - <int32_t>i
        word = i + 1
        while word > 0:
            head = heads.values[word - 1]
            if head < BAD:
                if head == stamp:
                    return False
                break
            heads.values[word - 1] = stamp
            word = head
    return True


cdef struct Sequence:
    # Position in the ids of a sentence: words so far, last empty node after the
    # last word, last word of the latest range.
    int32_t words
    int32_t empty
    int32_t range_end


cdef bint is_sound_id(Sequence* seq, Bytes at, Bytes stop, bint* is_word) noexcept nogil:
    """Whether an ID continues the sentence: `7`, `7-8` before word 7, or `6.1` after word 6."""
    cdef int32_t first = read_decimal(&at, stop)
    cdef int32_t second
    cdef unsigned char separator
    is_word[0] = False
    if first == BAD:
        return False
    if at == stop:
        if first != seq.words + 1:
            return False
        seq.words += 1
        seq.empty = 0
        is_word[0] = True
        return True
    separator = at[0]
    at += 1
    second = read_decimal(&at, stop)
    if second == BAD or at != stop:
        return False
    if separator == c'-':
        if first != seq.words + 1 or second < first or first <= seq.range_end:
            return False
        seq.range_end = second
        return True
    if separator == c'.':
        if first != seq.words or second != seq.empty + 1:
            return False
        seq.empty += 1
        return True
    return False


cdef bint is_sound_row(Bytes at, Bytes stop, Sequence* seq, Heads* heads) noexcept nogil:
    cdef Row row
    cdef int j
    cdef bint is_word
    cdef int32_t head
    split_row(at, stop, &row)
    if row.columns != COLUMNS:
        return False
    for j in range(COLUMNS):
        if row.start[j] == row.end[j]:
            return False
    if not is_sound_id(seq, row.start[0], row.end[0], &is_word):
        return False
    if is_word:
        head = read_head(row.start[HEAD], row.end[HEAD])
        return head != BAD and append_head(heads, head)
    return True


cdef bint has_high_byte(Bytes at, Bytes stop) noexcept nogil:
    cdef unsigned char seen = 0
    while at < stop:
        seen |= at[0]
        at += 1
    return seen >= 0x80


def scan(bytes buffer not None, Py_ssize_t start, int flags, bint final, bint eager):
    """Find and check the sentence that begins at `start`.

    Returns `(end, lines, verdict)`: where the next sentence begins (blank lines
    that follow belong to this one), how many lines were passed, and SOUND,
    FAULTY, INCOMPLETE or NOTHING. `final` says that nothing follows the buffer;
    `eager` that a sentence is wanted as soon as its first blank line is there,
    because what follows may be long in coming.
    """
    cdef Bytes limit = <Bytes>PyBytes_AS_STRING(buffer) + PyBytes_GET_SIZE(buffer)
    cdef Bytes begin
    cdef Bytes at
    cdef Bytes newline
    cdef Bytes stop
    cdef Py_ssize_t lines = 0
    cdef bint sound = True, content = False, ended = False, rows = False
    cdef Sequence seq
    cdef Heads heads
    if not 0 <= start <= PyBytes_GET_SIZE(buffer):
        raise ValueError("start lies outside the buffer")
    begin = at = <Bytes>PyBytes_AS_STRING(buffer) + start
    seq.words = seq.empty = seq.range_end = 0
    heads.values = NULL
    heads.count = heads.capacity = 0
    with nogil:
        while at < limit:
            newline = next_newline(at, limit)
            if newline == limit and not final:
                break
            stop = line_content_end(at, newline)
            if stop == at:
                if content:
                    ended = True
            elif ended:
                break
            else:
                content = True
                # A carriage return is no data: it may only stand before a line feed.
                if stop - at > _MAX_LINE or memchr(at, c'\r', stop - at) != NULL:
                    sound = False
                elif at[0] == c'#':
                    if rows:
                        sound = False
                else:
                    rows = True
                    if sound:
                        sound = is_sound_row(at, stop, &seq, &heads)
            lines += 1
            at = newline + 1 if newline < limit else limit
        # Blank lines belong to the sentence before them, so the beginning of the
        # next sentence must be in sight (a lone \r may be half of a blank line).
        if (at == limit or (limit - at == 1 and at[0] == c'\r')) and not final and not eager:
            ended = False
        if sound and (ended or final) and content:
            sound = (seq.words > 0 and seq.range_end <= seq.words
                     and memchr(begin, 0, at - begin) == NULL
                     and is_sound_tree(&heads, flags))
        free(heads.values)
    if not content and final:
        return at - begin + start, lines, _NOTHING
    if not (ended or final):
        return start, 0, _INCOMPLETE
    if sound and has_high_byte(begin, at):
        try:
            PyUnicode_DecodeUTF8(<const char*>begin, at - begin, NULL)
        except UnicodeDecodeError:
            sound = False
    return at - begin + start, lines, _SOUND if sound else _FAULTY


# A small direct-mapped cache of the strings that fields hold again and again
# (`_`, tags, labels, frequent words). Guarded by the GIL.
cdef enum:
    CACHE_SIZE = 1 << 12
    CACHED_LENGTH = 24

cdef list string_cache = [""] * CACHE_SIZE


cdef str field_string(Bytes at, Bytes stop):
    """The field as a string; the same object for the same short ASCII text if it is cached."""
    cdef Py_ssize_t length = stop - at, i
    cdef unsigned long long hashed = 0xcbf29ce484222325ULL
    cdef str cached, made
    if length > CACHED_LENGTH or has_high_byte(at, stop):
        return PyUnicode_DecodeUTF8(<const char*>at, length, NULL)
    for i in range(length):
        hashed = (hashed ^ at[i]) * 0x100000001b3ULL
    hashed ^= hashed >> 29
    cached = <str>string_cache[hashed & (CACHE_SIZE - 1)]
    # Only ASCII strings are stored, so that one byte is one character.
    if PyUnicode_GET_LENGTH(cached) == length and memcmp(PyUnicode_DATA(cached), at, length) == 0:
        return cached
    made = PyUnicode_DecodeUTF8(<const char*>at, length, NULL)
    string_cache[hashed & (CACHE_SIZE - 1)] = made
    return made


def read_off(bytes source not None):
    """The content of a sound sentence: the ten columns, the comments, the other rows.

    A column is a tuple with one string a word, but HEAD holds integers (-1 for
    unknown). Comments are whole lines. Other rows are those of ranges and empty
    nodes, each a list of ten strings.
    """
    cdef Bytes limit = <Bytes>PyBytes_AS_STRING(source) + PyBytes_GET_SIZE(source)
    cdef Bytes at = behind_bom(<Bytes>PyBytes_AS_STRING(source), limit)
    cdef Bytes newline
    cdef Bytes stop
    cdef Row row
    cdef int j
    cdef Py_ssize_t words = 0, word = 0
    cdef list comments = [], others = [], columns
    cdef Bytes body = at
    cdef str value
    cdef object number
    while at < limit:
        newline = next_newline(at, limit)
        words += is_word_line(at, newline)
        at = newline + 1 if newline < limit else limit
    columns = [PyTuple_New(words) for _ in range(COLUMNS)]
    at = body
    while at < limit:
        newline = next_newline(at, limit)
        stop = line_content_end(at, newline)
        if is_word_line(at, stop):
            split_row(at, stop, &row)
            if row.columns != COLUMNS:
                raise ValueError("not a sound sentence")
            for j in range(COLUMNS):
                if j == HEAD:
                    number = <object>read_head(row.start[j], row.end[j])
                    Py_INCREF(number)
                    PyTuple_SET_ITEM(<tuple>columns[j], word, number)
                else:
                    value = field_string(row.start[j], row.end[j])
                    Py_INCREF(value)
                    PyTuple_SET_ITEM(<tuple>columns[j], word, value)
            word += 1
        elif at[0] == c'#' and stop > at:
            comments.append(PyUnicode_DecodeUTF8(<const char*>at, stop - at, NULL))
        elif stop > at:
            others.append(PyUnicode_DecodeUTF8(<const char*>at, stop - at, NULL).split("\t"))
        at = newline + 1 if newline < limit else limit
    columns.append(comments)
    columns.append(others)
    return columns


def splice(bytes source not None, list columns not None):
    """Copy a sound sentence with some columns of its words replaced.

    `columns` has ten entries: None to keep a column, else a list with one
    `bytes` value a word. Returns None when a list is too short or too long, or a
    value is empty or holds a tab, line end or NUL.
    """
    cdef Bytes at = <Bytes>PyBytes_AS_STRING(source)
    cdef Bytes limit = at + PyBytes_GET_SIZE(source)
    cdef Bytes newline
    cdef Bytes stop
    cdef Py_ssize_t size = PyBytes_GET_SIZE(source), word = 0, length, words = -1
    cdef Row row
    cdef int j
    cdef bytes value
    cdef char* out
    cdef char* to
    if len(columns) != COLUMNS:
        raise ValueError("splice needs ten columns")
    for column in columns:
        if column is None:
            continue
        if not isinstance(column, list):
            raise TypeError("a column is a list of bytes")
        if words >= 0 and len(<list>column) != words:
            return None
        words = len(<list>column)
        for item in <list>column:
            if not isinstance(item, bytes):
                raise TypeError("a column is a list of bytes")
            value = <bytes>item
            if not is_field(value):
                return None
            size += PyBytes_GET_SIZE(value)
    out = <char*>malloc(size if size else 1)
    if out == NULL:
        raise MemoryError()
    to = out
    try:
        length = behind_bom(at, limit) - at
        memcpy(to, at, length)
        to += length
        at += length
        while at < limit:
            newline = next_newline(at, limit)
            stop = line_content_end(at, newline)
            if is_word_line(at, stop) and words >= 0:
                split_row(at, stop, &row)
                if row.columns != COLUMNS or word >= words:
                    return None
                for j in range(COLUMNS):
                    if columns[j] is None:
                        length = row.end[j] - row.start[j]
                        memcpy(to, row.start[j], length)
                    else:
                        value = (<list>columns[j])[word]
                        length = PyBytes_GET_SIZE(value)
                        memcpy(to, PyBytes_AS_STRING(value), length)
                    to += length
                    if j < COLUMNS - 1:
                        to[0] = c'\t'
                        to += 1
                word += 1
                at = stop
            length = newline - at + (newline < limit)
            memcpy(to, at, length)
            to += length
            at += length
        if words >= 0 and word != words:
            return None
        return PyBytes_FromStringAndSize(out, to - out)
    finally:
        free(out)


cdef bint is_field(bytes value):
    cdef Bytes at = <Bytes>PyBytes_AS_STRING(value)
    cdef Bytes stop = at + PyBytes_GET_SIZE(value)
    if at == stop:
        return False
    while at < stop:
        if at[0] == c'\t' or at[0] == c'\n' or at[0] == c'\r' or at[0] == 0:
            return False
        at += 1
    return True


cdef bint is_word_line(Bytes at, Bytes stop) noexcept nogil:
    """Whether a line of a sound sentence is a word (not a comment, range, empty node)."""
    while at < stop and c'0' <= at[0] <= c'9':
        at += 1
    return at < stop and at[0] == c'\t'
