"""Many sentences at once, as arrays that the kernel's other modules work on without the lock."""

from unicodedata import normalize

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memchr, memcmp, memcpy

from niwaki.kernel.conllu cimport (
    COLUMNS, FORM, HEAD, LEMMA, Row, behind_bom, is_word_line, line_content_end, next_newline,
    read_head, split_row,
)
from niwaki.kernel.hashing cimport find_key, hash_bytes, place_key, short_hash


cdef bytes as_bytes(object value):
    """What is to be read as bytes; None would pass for them, and has none."""
    if not isinstance(value, bytes):
        raise TypeError(f"bytes are needed, not {type(value).__name__}")
    return <bytes>value


cdef class Symbols:
    """Names with numbers: the tags or labels of a model."""

    def __cinit__(self, list names not None):
        cdef uint64_t size = 16
        cdef bytes name
        cdef int32_t number
        while size < 2 * <uint64_t>len(names):
            size *= 2
        self.names = list(names)
        self.mask = size - 1
        self.keys = <uint64_t*>calloc(size, sizeof(uint64_t))
        self.numbers = <int32_t*>calloc(size, sizeof(int32_t))
        if self.keys == NULL or self.numbers == NULL:
            raise MemoryError()
        for number, value in enumerate(self.names):
            name = as_bytes(value)
            self.numbers[place_key(
                self.keys, self.mask,
                hash_bytes(<Bytes>PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name)))] = number

    def __dealloc__(self):
        free(self.keys)
        free(self.numbers)

    def __len__(self):
        return len(self.names)

    cdef int32_t find(self, Bytes at, Py_ssize_t length) noexcept nogil:
        """The number of a name, or -1."""
        cdef int64_t place = find_key(self.keys, self.mask, hash_bytes(at, length))
        return self.numbers[place] if place >= 0 else -1


cdef bint arcs_cross(const int32_t* heads, int n) noexcept nogil:
    """Whether an arc leads out from under another one; unknown heads (-1) have no arc."""
    cdef int word, between, first, last
    for word in range(1, n + 1):
        if heads[word - 1] < 0:
            continue
        first = min(word, heads[word - 1])
        last = max(word, heads[word - 1])
        for between in range(first + 1, last):
            if heads[between - 1] >= 0 and not first <= heads[between - 1] <= last:
                return True
    return False


cdef class Batch:
    """The words of many sound sentences, cut into fields once.

    FORM and LEMMA are seen in NFC, which models learn from, and rendered as they were given.
    """

    def __cinit__(self, list sources not None):
        cdef bytes source
        cdef Py_ssize_t s, words = 0
        cdef int j
        # A copy: the fields point into these bytes, whatever becomes of the caller's list.
        self.sources = list(sources)
        self.sentences = len(sources)
        self.texts = <Span*>malloc((self.sentences + 1) * sizeof(Span))
        self.starts = <int32_t*>calloc(self.sentences + 1, sizeof(int32_t))
        if self.texts == NULL or self.starts == NULL:
            raise MemoryError()
        for s, value in enumerate(self.sources):
            source = as_bytes(value)
            self.texts[s].at = <Bytes>PyBytes_AS_STRING(source)
            self.texts[s].length = <int32_t>PyBytes_GET_SIZE(source)
        with nogil:
            for s in range(self.sentences):
                words += count_words(self.texts[s])
        self.words = words
        self.heads = <int32_t*>malloc((self.words + 1) * sizeof(int32_t))
        for j in range(COLUMNS):
            self.columns[j] = NULL
        for j in range(1, COLUMNS):
            if j != HEAD:
                self.columns[j] = <Span*>malloc((self.words + 1) * sizeof(Span))
                if self.columns[j] == NULL:
                    raise MemoryError()
        if self.heads == NULL:
            raise MemoryError()
        with nogil:
            words = 0
            for s in range(self.sentences):
                words = self._cut(self.texts[s], words)
                if words < 0:
                    break
                self.starts[s + 1] = <int32_t>words
        if words < 0:
            raise ValueError("not a sound sentence")
        self.composed = [self._composed(FORM), self._composed(LEMMA)]

    def __dealloc__(self):
        cdef int j
        free(self.texts)
        free(self.starts)
        free(self.heads)
        for j in range(COLUMNS):
            free(self.columns[j])

    cdef Py_ssize_t _cut(self, Span text, Py_ssize_t word) noexcept nogil:
        cdef Bytes limit = text.at + text.length
        cdef Bytes at = behind_bom(text.at, limit)
        cdef Bytes newline
        cdef Bytes stop
        cdef Row row
        cdef int j
        while at < limit:
            newline = next_newline(at, limit)
            stop = line_content_end(at, newline)
            if is_word_line(at, stop):
                split_row(at, stop, &row)
                if row.columns != COLUMNS:
                    return -1
                for j in range(COLUMNS):
                    if self.columns[j] != NULL:
                        self.columns[j][word].at = row.start[j]
                        self.columns[j][word].length = <int32_t>(row.end[j] - row.start[j])
                self.heads[word] = read_head(row.start[HEAD], row.end[HEAD])
                word += 1
            at = newline + 1 if newline < limit else limit
        return word

    cdef bytes _composed(self, int column):
        """Let a column be seen in NFC; gives the bytes that its fields lie in, if it was not.

        All are checked at once, because most are in it.
        """
        cdef Span* fields = self.columns[column]
        cdef Py_ssize_t i, size = 0
        cdef bytes lines
        cdef char* at
        cdef char* stop
        cdef char* limit
        for i in range(self.words):
            size += fields[i].length + 1
        lines = PyBytes_FromStringAndSize(NULL, size)
        at = PyBytes_AS_STRING(lines)
        for i in range(self.words):
            memcpy(at, fields[i].at, fields[i].length)
            at += fields[i].length
            at[0] = c'\n'
            at += 1
        if lines.isascii():
            return None
        text = lines.decode("utf-8", "surrogateescape")
        composed = normalize("NFC", text)
        if composed == text:
            return None
        lines = composed.encode("utf-8", "surrogateescape")
        at = PyBytes_AS_STRING(lines)
        limit = at + PyBytes_GET_SIZE(lines)
        for i in range(self.words):
            stop = <char*>memchr(at, c'\n', limit - at)
            fields[i].at = <Bytes>at
            fields[i].length = <int32_t>(stop - at)
            at = stop + 1
        return lines

    @property
    def lengths(self):
        """Words of each sentence."""
        cdef Py_ssize_t s
        return [self.starts[s + 1] - self.starts[s] for s in range(self.sentences)]

    def given_heads(self):
        """HEAD as it stands in the file; -1 is unknown."""
        out = np.empty(self.words, dtype=np.int32)
        cdef int32_t[::1] view = out
        cdef Py_ssize_t i
        for i in range(self.words):
            view[i] = self.heads[i]
        return out

    def nonprojective(self):
        """Which sentences have arcs that cross, the one from 0 to the root included."""
        out = np.zeros(self.sentences, dtype=np.uint8)
        cdef uint8_t[::1] view = out
        cdef Py_ssize_t s
        with nogil:
            for s in range(self.sentences):
                view[s] = arcs_cross(self.heads + self.starts[s], self.starts[s + 1] - self.starts[s])
        return out.view(np.bool_)

    def numbers(self, int column, Symbols symbols not None):
        """The numbers of a column's values; -1 for one that is not among the symbols."""
        out = np.empty(self.words, dtype=np.int32)
        cdef int32_t[::1] view = out
        cdef Span* spans = self._spans(column)
        cdef Py_ssize_t i
        with nogil:
            for i in range(self.words):
                view[i] = symbols.find(spans[i].at, spans[i].length)
        return out

    def blanks(self, int column):
        """Where a column has nothing to say (`_`)."""
        out = np.empty(self.words, dtype=np.uint8)
        cdef uint8_t[::1] view = out
        cdef Span* spans = self._spans(column)
        cdef Py_ssize_t i
        for i in range(self.words):
            view[i] = spans[i].length == 1 and spans[i].at[0] == c'_'
        return out.astype(bool)

    def texts_of(self, int column):
        """The values of a column as a list of bytes."""
        cdef Span* spans = self._spans(column)
        cdef Py_ssize_t i
        return [
            PyBytes_FromStringAndSize(<const char*>spans[i].at, spans[i].length)
            for i in range(self.words)
        ]

    def hashes(self, int column):
        """Short hashes of a column's values."""
        out = np.empty(self.words, dtype=np.uint32)
        cdef uint32_t[::1] view = out
        cdef Span* spans = self._spans(column)
        cdef Py_ssize_t i
        with nogil:
            for i in range(self.words):
                view[i] = short_hash(spans[i].at, spans[i].length)
        return out

    def links(self, int column):
        """Links to the words of a translation, read off `Links=2,5` in a column such as MISC.

        Returns how many links the words up to each one have (one more number than there are
        words, 0 first), the linked words of each translation, numbered from 0 in its order, and
        the first word whose links cannot be read, or -1. Words that have no link get no number,
        so that neither the length of a translation nor a high number makes a difference.
        """
        cdef Span* spans = self._spans(column)
        cdef Py_ssize_t i, count = 0, found, bad = -1
        ends = np.zeros(self.words + 1, dtype=np.uint32)
        cdef uint32_t[::1] ends_view = ends
        with nogil:
            for i in range(self.words):
                found = read_links(spans[i], NULL)
                if found < 0:
                    bad = i
                    break
                count += found
                ends_view[i + 1] = <uint32_t>count
        targets = np.empty(count if bad < 0 else 0, dtype=np.uint32)
        room = np.empty_like(targets)
        cdef uint32_t[::1] targets_view = targets, room_view = room
        if count and bad < 0:
            with nogil:
                for i in range(self.words):
                    if ends_view[i + 1] > ends_view[i]:
                        read_links(spans[i], &targets_view[ends_view[i]])
                for i in range(self.sentences):
                    found = ends_view[self.starts[i]]
                    count = ends_view[self.starts[i + 1]] - found
                    if count:
                        rank(&targets_view[found], count, &room_view[0])
        return ends, targets, bad

    cdef Span* _spans(self, int column) except NULL:
        if not 0 <= column < COLUMNS or self.columns[column] == NULL:
            raise ValueError(f"column {column} is not kept")
        return self.columns[column]

    def render(self, dict columns not None):
        """The sentences as bytes, with some columns of the words replaced.

        A value is (numbers, Symbols), a list with one `bytes` a word, or for HEAD
        an array of numbers (-1 is `_`). A number -1, or None in a list, keeps the field as it was.
        """
        cdef Renderer renderer = Renderer(self)
        for column, value in columns.items():
            renderer.replace(column, value)
        return renderer.run()


def short_hashes(list values not None):
    """Short hashes of byte strings, the same as `Batch.hashes` gives for fields."""
    out = np.empty(len(values), dtype=np.uint32)
    cdef uint32_t[::1] view = out
    cdef bytes value
    cdef Py_ssize_t i
    for i, item in enumerate(values):
        value = as_bytes(item)
        view[i] = short_hash(<Bytes>PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value))
    return out


cdef int compare(const void* one, const void* other) noexcept nogil:
    cdef uint32_t a = (<const uint32_t*>one)[0], b = (<const uint32_t*>other)[0]
    return (a > b) - (a < b)


cdef void rank(uint32_t* numbers, Py_ssize_t count, uint32_t* room) noexcept nogil:
    """Replace numbers by their places, from 0, among the different ones in order."""
    cdef Py_ssize_t i, distinct = 1, low, high, middle
    memcpy(room, numbers, count * sizeof(uint32_t))
    qsort(room, count, sizeof(uint32_t), compare)
    for i in range(1, count):
        if room[i] != room[distinct - 1]:
            room[distinct] = room[i]
            distinct += 1
    for i in range(count):
        low = 0
        high = distinct - 1
        while low < high:
            middle = (low + high) // 2
            if room[middle] < numbers[i]:
                low = middle + 1
            else:
                high = middle
        numbers[i] = <uint32_t>low


cdef Py_ssize_t read_links(Span notes, uint32_t* out) noexcept nogil:
    """The numbers of `Links=2,5` among the notes of a word, put into `out` unless it is NULL.

    Returns how many there are; -1 if it is not a list of numbers from 1 to 999,999,999.
    """
    cdef Bytes at = notes.at
    cdef Bytes limit = at + notes.length
    cdef Py_ssize_t count = 0
    cdef uint32_t value
    cdef int digits
    while at < limit and not (limit - at >= 6 and memcmp(at, b"Links=", 6) == 0):
        while at < limit and at[0] != c'|':
            at += 1
        at += 1
    if at >= limit:
        return 0
    at += 6
    while True:
        value = digits = 0
        while at < limit and c'0' <= at[0] <= c'9' and digits < 10:
            value = 10 * value + (at[0] - c'0')
            digits += 1
            at += 1
        if not 0 < digits < 10 or value == 0:
            return -1
        if out != NULL:
            out[count] = value
        count += 1
        if at == limit or at[0] == c'|':
            return count
        if at[0] != c',':
            return -1
        at += 1


cdef Py_ssize_t count_words(Span text) noexcept nogil:
    cdef Bytes limit = text.at + text.length
    cdef Bytes at = behind_bom(text.at, limit)
    cdef Bytes newline
    cdef Py_ssize_t words = 0
    while at < limit:
        newline = next_newline(at, limit)
        words += is_word_line(at, newline)
        at = newline + 1 if newline < limit else limit
    return words


cdef class Renderer:
    """Writes the sentences of a batch anew; holds the new fields until that is done."""

    cdef Batch batch
    cdef Span* fields[10]       # new fields by column, with at = NULL where one is kept
    cdef bytearray digits       # the decimals that `fields` of HEAD points into
    cdef list alive

    def __cinit__(self, Batch batch not None):
        cdef int j
        self.batch = batch
        self.alive = []
        for j in range(COLUMNS):
            self.fields[j] = NULL

    def __dealloc__(self):
        cdef int j
        for j in range(COLUMNS):
            free(self.fields[j])

    cdef replace(self, int column, value):
        if not 1 <= column < COLUMNS or self.fields[column] != NULL:
            raise ValueError(f"column {column} cannot be replaced")
        self.fields[column] = <Span*>calloc(self.batch.words + 1, sizeof(Span))
        if self.fields[column] == NULL:
            raise MemoryError()
        self.alive.append(value)
        if column == HEAD:
            self._replace_heads(value)
        elif isinstance(value, list):
            self._replace_values(column, <list>value)
        elif isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], Symbols):
            self._replace_symbols(column, value[0], value[1])
        else:
            raise TypeError("a column is a list of bytes, or numbers with their Symbols")

    cdef _replace_heads(self, const int32_t[::1] heads):
        cdef Py_ssize_t i
        cdef Span* spans = self.fields[HEAD]
        cdef unsigned char* out
        cdef int32_t value
        cdef int length
        if heads is None:
            raise TypeError("heads are an array of numbers")
        if heads.shape[0] != self.batch.words:
            raise ValueError(f"{heads.shape[0]} heads for {self.batch.words} words")
        self.digits = bytearray(12 * self.batch.words + 1)
        out = <unsigned char*>self.digits
        for i in range(self.batch.words):
            value = heads[i]
            spans[i].at = out
            if value < 0:
                out[0] = c'_'
                spans[i].length = 1
            else:
                length = 1
                while value >= 10:
                    value //= 10
                    length += 1
                spans[i].length = length
                value = heads[i]
                while length:
                    length -= 1
                    out[length] = c'0' + value % 10
                    value //= 10
            out += 12

    cdef _replace_values(self, int column, list values):
        cdef Py_ssize_t i
        cdef bytes value
        if len(values) != self.batch.words:
            raise ValueError(f"{len(values)} values for {self.batch.words} words")
        for i in range(self.batch.words):
            if values[i] is None:
                continue
            value = as_bytes(values[i])
            self.fields[column][i].at = <Bytes>PyBytes_AS_STRING(value)
            self.fields[column][i].length = <int32_t>PyBytes_GET_SIZE(value)

    cdef _replace_symbols(self, int column, const int32_t[::1] numbers, Symbols symbols):
        cdef Py_ssize_t i
        cdef bytes name
        if numbers is None:
            raise TypeError("symbols need an array of numbers")
        if numbers.shape[0] != self.batch.words:
            raise ValueError(f"{numbers.shape[0]} numbers for {self.batch.words} words")
        for i in range(self.batch.words):
            if numbers[i] >= len(symbols.names):
                raise ValueError(f"no symbol {numbers[i]}")
            if numbers[i] >= 0:
                name = <bytes>symbols.names[numbers[i]]
                self.fields[column][i].at = <Bytes>PyBytes_AS_STRING(name)
                self.fields[column][i].length = <int32_t>PyBytes_GET_SIZE(name)

    cdef list run(self):
        cdef Batch batch = self.batch
        cdef Py_ssize_t s, size = 1
        cdef int j
        cdef int32_t i
        cdef char* buffer
        cdef Py_ssize_t* ends = <Py_ssize_t*>calloc(batch.sentences + 1, sizeof(Py_ssize_t))
        with nogil:
            for s in range(batch.sentences):
                size += batch.texts[s].length
            for j in range(COLUMNS):
                if self.fields[j] != NULL:
                    for i in range(batch.words):
                        size += self.fields[j][i].length
            buffer = <char*>malloc(size)
            if buffer != NULL and ends != NULL:
                for s in range(batch.sentences):
                    ends[s + 1] = ends[s] + self._write(s, buffer + ends[s])
        try:
            if buffer == NULL or ends == NULL:
                raise MemoryError()
            return [
                PyBytes_FromStringAndSize(buffer + ends[s], ends[s + 1] - ends[s])
                for s in range(batch.sentences)
            ]
        finally:
            free(buffer)
            free(ends)

    cdef Py_ssize_t _write(self, Py_ssize_t s, char* out) noexcept nogil:
        cdef Bytes at = self.batch.texts[s].at
        cdef Bytes limit = at + self.batch.texts[s].length
        cdef Bytes newline
        cdef Bytes stop
        cdef Bytes start = behind_bom(at, limit)
        cdef char* to = out
        cdef Row row
        cdef Py_ssize_t length = start - at, word = self.batch.starts[s]
        cdef int j
        memcpy(to, at, length)
        to += length
        at = start
        while at < limit:
            newline = next_newline(at, limit)
            stop = line_content_end(at, newline)
            if is_word_line(at, stop):
                split_row(at, stop, &row)
                for j in range(COLUMNS):
                    if self.fields[j] != NULL and self.fields[j][word].at != NULL:
                        length = self.fields[j][word].length
                        memcpy(to, self.fields[j][word].at, length)
                    else:
                        length = row.end[j] - row.start[j]
                        memcpy(to, row.start[j], length)
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
        return to - out
