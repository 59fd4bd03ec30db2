"""Writes segmented text as CoNLL-U lines."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from niwaki.kernel.segmenting.characters cimport NO_GAP

cdef enum:
    ROW = 128           # bytes of a line beside its form: numbers, tabs, MISC
    REPLACEMENT = 0xFFFD
    NEXT_LINE = 0x85


cdef inline char* put_bytes(char* at, const char* text, Py_ssize_t length) noexcept:
    memcpy(at, text, length)
    return at + length


cdef char* put_number(char* at, int64_t number) noexcept:
    cdef char digits[20]
    cdef int count = 0
    while number > 0 or count == 0:
        digits[count] = <char>(c"0" + number % 10)
        number //= 10
        count += 1
    while count > 0:
        count -= 1
        at[0] = digits[count]
        at += 1
    return at


cdef char* put_text(char* at, const uint32_t* codes, int32_t start, int32_t end) noexcept:
    """Characters as UTF-8; those that CoNLL-U cannot hold become U+FFFD, and white space within
    words a space."""
    cdef int32_t i
    cdef uint32_t code
    for i in range(start, end):
        code = codes[i]
        if 9 <= code <= 13 or code == NEXT_LINE:
            code = c" "
        if code == 0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
            code = REPLACEMENT
        if code < 0x80:
            at[0] = <char>code
            at += 1
        elif code < 0x800:
            at[0] = <char>(0xC0 | code >> 6)
            at[1] = <char>(0x80 | (code & 63))
            at += 2
        elif code < 0x10000:
            at[0] = <char>(0xE0 | code >> 12)
            at[1] = <char>(0x80 | (code >> 6 & 63))
            at[2] = <char>(0x80 | (code & 63))
            at += 3
        else:
            at[0] = <char>(0xF0 | code >> 18)
            at[1] = <char>(0x80 | (code >> 12 & 63))
            at[2] = <char>(0x80 | (code >> 6 & 63))
            at[3] = <char>(0x80 | (code & 63))
            at += 4
    return at


cdef char* put_misc(char* at, bint glued, int64_t start, int64_t end) noexcept:
    """The columns after the form; a negative `start` is one that is not known."""
    at = put_bytes(at, b"\t_\t_\t_\t_\t_\t_\t_\t", 15)
    if start < 0:
        return put_bytes(at, b"_\n", 2)
    if glued:
        at = put_bytes(at, b"SpaceAfter=No|", 14)
    at = put_bytes(at, b"TokenRange=", 11)
    at = put_number(at, start)
    at[0] = c":"
    at = put_number(at + 1, end)
    at[0] = c"\n"
    return at + 1


def render(const uint32_t[::1] codes not None, int64_t offset, const int32_t[::1] starts not None,
           const int32_t[::1] ends not None, const uint8_t[::1] gaps not None,
           const int32_t[::1] rules not None, Py_ssize_t first, Py_ssize_t stop,
           dict words not None, bytes comments not None):
    """The lines of a sentence: the tokens `first` to before `stop`.

    `words` has the words of tokens that are split (of some that have a rule), by the
    token's number: (form, start, end) with places in the token, or -1 where a word does
    not stand there. `offset` is where the text begins in its document.
    """
    cdef Py_ssize_t size = len(comments) + ROW, t, length
    cdef int64_t word = 0
    cdef int64_t place
    cdef const uint32_t* text
    cdef char* buffer
    cdef char* at
    cdef bytes form
    if not (0 <= first < stop <= starts.shape[0] and starts.shape[0] == ends.shape[0]
            and starts.shape[0] == gaps.shape[0] == rules.shape[0]):
        raise ValueError("no such tokens")
    for t in range(first, stop):
        if not 0 <= starts[t] < ends[t] <= codes.shape[0]:
            raise ValueError(f"token {t} is not in the text")
        # Once in the comment and once in a line.
        size += 8 * (ends[t] - starts[t]) + 1 + ROW
        if rules[t] and t in words:
            size += sum([len(form) + ROW for form, _, _ in words[t]])
    buffer = at = <char*>malloc(size)
    if buffer == NULL:
        raise MemoryError()
    try:
        text = &codes[0]
        at = put_bytes(at, comments, len(comments))
        at = put_bytes(at, b"# text = ", 9)
        for t in range(first, stop):
            at = put_text(at, text, starts[t], ends[t])
            if gaps[t] != NO_GAP and t + 1 < stop:
                at = put_bytes(at, b" ", 1)
        at = put_bytes(at, b"\n", 1)
        for t in range(first, stop):
            parts = words.get(t) if rules[t] else None
            at = put_number(at, word + 1)
            if parts is not None:
                at = put_bytes(at, b"-", 1)
                at = put_number(at, word + len(parts))
            at = put_bytes(at, b"\t", 1)
            at = put_text(at, text, starts[t], ends[t])
            at = put_misc(at, gaps[t] == NO_GAP, offset + starts[t], offset + ends[t])
            if parts is None:
                word += 1
                continue
            for form, start, end in parts:
                word += 1
                place = offset + starts[t]
                at = put_number(at, word)
                at = put_bytes(at, b"\t", 1)
                at = put_bytes(at, form, len(form))
                at = put_misc(at, False, place + <int64_t>start if start >= 0 else -1,
                              place + <int64_t>end)
        at = put_bytes(at, b"\n", 1)
        return buffer[:at - buffer]
    finally:
        free(buffer)
