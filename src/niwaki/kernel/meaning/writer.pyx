"""Writes the expressions that trees with formal labels say, from CoNLL-U lines to a line of text.

`tasks/meaning/decode.py` makes the same expressions as objects, counts where a tree contradicts
itself, and is this module's judge together with `data/expression_text.py`: the same text for every
tree (tests/kernel/test_meaning.py).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, qsort, realloc
from libc.string cimport memchr, memcpy

from niwaki.kernel.conllu cimport (
    COLUMNS, FORM, HEAD, Bytes, Row, behind_bom, is_word_line, line_content_end, next_newline,
    read_head, split_row,
)

cdef enum:
    DEPREL = 7
    LAST_PLACE = 99
    UNREACHED = -1
    SILENT = -1

cdef const char* SIGNS = b"[]{}|():./+@&%,#\""


cdef struct Label:
    int up
    int place      # in a bracket; 0 for what is joined
    int rank       # of the connective
    int first      # of the brackets around the word, from the innermost
    int opened


cdef struct Taken:
    # Places of a bracket, a bit each.
    uint64_t low, high


cdef struct Bracket:
    char opens
    char closes
    Taken blank
    char blanks[LAST_PLACE + 1]


cdef struct Word:
    Bytes start
    Bytes stop
    int label
    int head
    int child, sibling  # the first that hangs on it, and the next that hangs on its head
    int above           # what it is said of: a word, 0 for a whole, UNREACHED
    int level           # of that word: 0, or the number of a bracket around it
    int place, rank
    int first, below    # of what is said of it, in order of writing
    int places          # of its brackets: where in `taken`


cdef struct Step:
    int word, above, depth


cdef inline bint is_taken(const Taken* taken, int place) noexcept nogil:
    return ((taken.low >> place) if place < 64 else (taken.high >> (place - 64))) & 1


cdef inline void take(Taken* taken, int place) noexcept nogil:
    if place < 64:
        taken.low |= <uint64_t>1 << place
    else:
        taken.high |= <uint64_t>1 << (place - 64)


cdef struct Said:
    int above, level, place, rank, word


cdef int by_writing(const void* one, const void* other) noexcept nogil:
    """By what is said of which word, from its innermost part; what is joined, by its connective;
    places."""
    cdef const Said* a = <const Said*>one
    cdef const Said* b = <const Said*>other
    if a.above != b.above:
        return -1 if a.above < b.above else 1
    if a.level != b.level:
        return a.level - b.level
    if a.place != b.place:
        return a.place - b.place
    if a.rank != b.rank:
        return a.rank - b.rank
    return -1 if a.word < b.word else 1


cdef bint is_space(Bytes at, Bytes stop) noexcept nogil:
    """Whether a character begins here that Python takes for white space."""
    cdef unsigned char first = at[0]
    if first < 0x80:
        return first == 32 or 9 <= first <= 13 or 28 <= first <= 31
    if first == 0xC2:
        return stop - at > 1 and (at[1] == 0x85 or at[1] == 0xA0)
    if stop - at < 3:
        return False
    if first == 0xE1:
        return at[1] == 0x9A and at[2] == 0x80
    if first == 0xE2:
        return (at[1] == 0x80 and (0x80 <= at[2] <= 0x8A or 0xA8 <= at[2] <= 0xA9
                                   or at[2] == 0xAF)) or (at[1] == 0x81 and at[2] == 0x9F)
    return first == 0xE3 and at[1] == 0x80 and at[2] == 0x80


cdef bint is_plain(Bytes at, Bytes stop) noexcept nogil:
    """Whether a word needs no quotes: no white space, no sign, not a blank."""
    if stop - at == 1 and (at[0] == c'^' or at[0] == c'_'):
        return False
    while at < stop:
        if memchr(SIGNS, at[0], 18) != NULL or is_space(at, stop):
            return False
        at += 1
    return True


cdef class Writer:
    """Knows labels, by numbers, and writes what trees with them say.

    `connectives` are written in this order; the first stands in front of its word, `uncovered` is
    the number of the one for what can hang nowhere. Words hang at `deepest` levels at most.
    """

    cdef list _connectives
    cdef int _uncovered, _deepest
    cdef char _collection
    cdef dict _numbers
    cdef Label* _labels
    cdef Bracket* _brackets
    cdef int _label_count, _bracket_count
    cdef Word* _words
    cdef int* _order
    cdef Step* _steps
    cdef Said* _said
    cdef Taken* _taken
    cdef Py_ssize_t _capacity, _taken_capacity
    cdef char* _out
    cdef Py_ssize_t _length, _room

    def __cinit__(self, list connectives not None, int uncovered, bytes collection not None,
                  int deepest):
        if len(collection) != 1 or not 0 <= uncovered < len(connectives):
            raise ValueError("no such connective or bracket")
        self._connectives = [bytes(each) for each in connectives]
        self._uncovered, self._deepest = uncovered, deepest
        self._collection = collection[0]
        self._numbers = {}

    def __dealloc__(self):
        free(self._labels)
        free(self._brackets)
        free(self._words)
        free(self._order)
        free(self._steps)
        free(self._said)
        free(self._taken)
        free(self._out)

    def learn(self, bytes label not None, int up, int place, int rank, list brackets not None):
        """A label: how far up, a place or a connective's number, and brackets from the innermost,
        each (how it opens, how it closes, [(place, blank), ...])."""
        cdef Label* known
        cdef Bracket* made
        cdef int at
        if up < 0 or not 0 <= place <= LAST_PLACE or not 0 <= rank < len(self._connectives):
            raise ValueError("no such place or connective")
        self._labels = <Label*>grown(self._labels, self._label_count + 1, sizeof(Label))
        self._brackets = <Bracket*>grown(
            self._brackets, self._bracket_count + len(brackets) + 1, sizeof(Bracket))
        known = &self._labels[self._label_count]
        known.up, known.place, known.rank = up, place, rank
        known.first, known.opened = self._bracket_count, 0
        for opens, closes, blanks in brackets:
            made = &self._brackets[known.first + known.opened]
            made.opens, made.closes = (<bytes>opens)[0], (<bytes>closes)[0]
            made.blank.low = made.blank.high = 0
            for at, sign in blanks:
                if not 1 <= at <= LAST_PLACE:
                    raise ValueError("no such place")
                take(&made.blank, at)
                made.blanks[at] = (<bytes>sign)[0]
            known.opened += 1
        self._bracket_count += known.opened
        self._numbers[label] = self._label_count
        self._label_count += 1

    def learn_silent(self, bytes label not None):
        """The label of words that say nothing."""
        self._numbers[label] = SILENT

    def write(self, bytes source not None):
        """The text of a sentence; None if it has a label that is not known, or no whole tree."""
        cdef int words = self._read(source)
        if words < 0:
            return None
        cdef int count = self._walk(words)
        self._hold_brackets(count)
        self._place(count)
        self._sort(count)
        self._length = 0
        self._write_all(count)
        return PyBytes_FromStringAndSize(self._out, self._length)

    # -- the tree --------------------------------------------------------------------------

    cdef int _read(self, bytes source) except -2:
        """How many words there are, from 1 in `_words`; -1 as for `write`."""
        cdef Bytes limit = <Bytes>PyBytes_AS_STRING(source) + PyBytes_GET_SIZE(source)
        cdef Bytes at = behind_bom(<Bytes>PyBytes_AS_STRING(source), limit)
        cdef Bytes newline
        cdef Bytes stop
        cdef Row row
        cdef Word* word
        cdef int words = 0, number
        cdef object known
        while at < limit:
            newline = next_newline(at, limit)
            stop = line_content_end(at, newline)
            if is_word_line(at, stop):
                split_row(at, stop, &row)
                if row.columns != COLUMNS:
                    raise ValueError("not a sound sentence")
                words += 1
                self._hold(words + 1)
                word = &self._words[words]
                word.start, word.stop = row.start[FORM], row.end[FORM]
                word.head = read_head(row.start[HEAD], row.end[HEAD])
                known = self._numbers.get(PyBytes_FromStringAndSize(
                    <const char*>row.start[DEPREL], row.end[DEPREL] - row.start[DEPREL]))
                if known is None or word.head < 0:
                    return -1
                word.label = <int>known
            at = newline + 1 if newline < limit else limit
        if not words:
            return -1
        self._words[0].child = 0
        for number in range(1, words + 1):
            self._words[number].child = 0
            self._words[number].above = UNREACHED
        for number in range(words, 0, -1):
            word = &self._words[number]
            if word.head > words or word.head == number:
                return -1
            word.sibling = self._words[word.head].child
            self._words[word.head].child = number
        return words

    cdef int _hold(self, Py_ssize_t words) except -1:
        """Room for so many words, the place of the root among them."""
        cdef Py_ssize_t wanted
        if words <= self._capacity:
            return 0
        wanted = max(64, 2 * words)
        self._words = <Word*>grown(self._words, wanted, sizeof(Word))
        self._order = <int*>grown(self._order, wanted, sizeof(int))
        self._steps = <Step*>grown(self._steps, wanted, sizeof(Step))
        self._said = <Said*>grown(self._said, wanted, sizeof(Said))
        self._capacity = wanted
        return 0

    cdef int _push(self, int head, int top, int above, int depth) noexcept nogil:
        """What hangs on a word, the first on top; how many steps there are then."""
        cdef int child = self._words[head].child, low = top, high
        cdef Step swapped
        while child:
            self._steps[top].word, self._steps[top].above = child, above
            self._steps[top].depth = depth
            top += 1
            child = self._words[child].sibling
        high = top - 1
        while low < high:
            swapped = self._steps[low]
            self._steps[low], self._steps[high] = self._steps[high], swapped
            low, high = low + 1, high - 1
        return top

    cdef int _walk(self, int words) noexcept nogil:
        """The words that say something into `_order`, each behind what it is said of; how many.

        What hangs on a silent word hangs on the next one above it that says something, and what
        is deeper than expressions can be hangs on the last one that is not.
        """
        cdef int top = self._push(0, 0, 0, 0), count = 0, deeper
        cdef Step step
        cdef Word* word
        while top:
            top -= 1
            step = self._steps[top]
            word = &self._words[step.word]
            if word.label == SILENT:
                top = self._push(step.word, top, step.above, step.depth)
                continue
            word.above = step.above
            self._order[count] = step.word
            count += 1
            deeper = step.depth + 1 + self._labels[word.label].opened
            if step.above and deeper > self._deepest:
                top = self._push(step.word, top, step.above, step.depth)
            else:
                top = self._push(step.word, top, step.word, deeper)
        return count

    cdef int _hold_brackets(self, int count) except -1:
        """Places of all brackets, of which blanks have taken some."""
        cdef int at, number, brackets = 0
        cdef Word* word
        cdef Label* label
        for at in range(count):
            word = &self._words[self._order[at]]
            word.places, word.below = brackets, 0
            brackets += self._labels[word.label].opened
        if brackets >= self._taken_capacity:
            self._taken = <Taken*>grown(self._taken, 2 * brackets + 64, sizeof(Taken))
            self._taken_capacity = 2 * brackets + 64
        for at in range(count):
            word = &self._words[self._order[at]]
            label = &self._labels[word.label]
            for number in range(label.opened):
                self._taken[word.places + number] = self._brackets[label.first + number].blank
        return 0

    cdef void _place(self, int count) noexcept nogil:
        """Where each word stands in what it is said of."""
        cdef int at, place, late = 0
        cdef Word* word
        cdef Label* label
        cdef Taken* taken
        for at in range(count):
            word = &self._words[self._order[at]]
            label = &self._labels[word.label]
            word.level = word.place = 0
            word.rank = label.rank
            if word.above == 0:
                word.rank = at  # wholes stay in the order in which they were met
                continue
            word.level = min(label.up, self._labels[self._words[word.above].label].opened)
            if label.place == 0:
                continue
            word.rank = self._uncovered
            if word.level:
                taken = &self._taken[self._words[word.above].places + word.level - 1]
                if is_taken(taken, label.place):
                    # After all others have their places: the order of words decides.
                    self._steps[late].word = self._order[at]
                    late += 1
                else:
                    take(taken, label.place)
                    word.place = label.place
        for at in range(late):
            word = &self._words[self._steps[at].word]
            taken = &self._taken[self._words[word.above].places + word.level - 1]
            for place in range(self._labels[word.label].place, LAST_PLACE + 1):
                if not is_taken(taken, place):
                    take(taken, place)
                    word.place = place
                    break

    cdef void _sort(self, int count) noexcept nogil:
        """All that is said into `_said`, in the order of writing."""
        cdef int at
        cdef Word* word
        for at in range(count):
            word = &self._words[self._order[at]]
            self._said[at].above, self._said[at].level = word.above, word.level
            self._said[at].place, self._said[at].rank = word.place, word.rank
            self._said[at].word = self._order[at]
        qsort(self._said, count, sizeof(Said), by_writing)
        for at in range(count):
            if self._said[at].above:
                word = &self._words[self._said[at].above]
                if word.below == 0:
                    word.first = at
                word.below += 1

    # -- text ------------------------------------------------------------------------------

    cdef int _write_all(self, int count) except -1:
        cdef int tops = 0, at
        while tops < count and self._said[tops].above == 0:
            tops += 1
        if tops > 1:
            self._text(b"|", 1)
        for at in range(tops):
            if at:
                self._text(b", ", 2)
            self._whole(self._said[at].word, UNREACHED)
        if tops > 1:
            self._text(b"|", 1)
        return 0

    cdef int _span(self, int number, int level, int* start) noexcept nogil:
        """What is said of a part of a word: from where in `_said`, and where it ends."""
        cdef Word* word = &self._words[number]
        cdef int stop = word.first + word.below, end
        start[0] = word.first
        if word.below == 0:
            start[0] = 0
            return 0
        while start[0] < stop and self._said[start[0]].level < level:
            start[0] += 1
        end = start[0]
        while end < stop and self._said[end].level == level:
            end += 1
        return end

    cdef int _whole(self, int word, int level) except -1:
        """With the level UNREACHED it is that of the outermost bracket, here and below."""
        cdef int start, end
        if level < 0:
            level = self._labels[self._words[word].label].opened
        self._compound(word, level)
        end = self._span(word, level, &start)
        while start < end and self._said[start].place == 0:
            if self._said[start].rank:
                self._sign(self._said[start].rank)
                self._part(self._said[start].word)
            start += 1
        return 0

    cdef int _compound(self, int word, int level) except -1:
        """What is joined by the first connective, and then the word or bracket itself."""
        cdef int start, end = self._span(word, level, &start)
        while start < end and self._said[start].place == 0 and self._said[start].rank == 0:
            self._grouped(self._said[start].word, UNREACHED)
            self._sign(0)
            start += 1
        return self._core(word, level)

    cdef int _grouped(self, int word, int level) except -1:
        cdef int start, end
        if level < 0:
            level = self._labels[self._words[word].label].opened
        end = self._span(word, level, &start)
        if start < end and self._said[start].place == 0:
            self._text(b"(", 1)
            self._whole(word, level)
            self._text(b")", 1)
            return 0
        return self._core(word, level)

    cdef int _part(self, int word) except -1:
        cdef int level = self._labels[self._words[word].label].opened
        cdef int start, end = self._span(word, level, &start)
        while start < end and self._said[start].place == 0:
            if self._said[start].rank:
                self._text(b"(", 1)
                self._whole(word, level)
                self._text(b")", 1)
                return 0
            start += 1
        return self._compound(word, level)

    cdef int _core(self, int word, int level) except -1:
        cdef int start, end, place, last = LAST_PLACE
        cdef bint first = True
        cdef Bracket* bracket
        cdef Taken* taken
        if level == 0:
            return self._form(&self._words[word])
        bracket = &self._brackets[self._labels[self._words[word].label].first + level - 1]
        taken = &self._taken[self._words[word].places + level - 1]
        if bracket.opens == self._collection:
            self._grouped(word, level - 1)
            self._text(&bracket.opens, 1)
        else:
            self._text(&bracket.opens, 1)
            self._whole(word, level - 1)
            first = False
        end = self._span(word, level, &start)
        while start < end and self._said[start].place == 0:
            start += 1
        while last and not is_taken(taken, last):
            last -= 1
        for place in range(1, last + 1):
            if not first:
                self._text(b", ", 2)
            first = False
            if start < end and self._said[start].place == place:
                self._whole(self._said[start].word, UNREACHED)
                start += 1
            elif is_taken(&bracket.blank, place):
                self._text(&bracket.blanks[place], 1)
            else:
                self._text(b"_", 1)
        return self._text(&bracket.closes, 1)

    cdef int _sign(self, int rank) except -1:
        cdef bytes text = self._connectives[rank]
        return self._text(PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))

    cdef int _form(self, Word* word) except -1:
        cdef Bytes at = word.start
        if is_plain(word.start, word.stop):
            return self._text(<const char*>word.start, word.stop - word.start)
        self._text(b'"', 1)
        while at < word.stop:
            if at[0] == c'"' or at[0] == c'\\':
                self._text(b"\\", 1)
            self._text(<const char*>at, 1)
            at += 1
        return self._text(b'"', 1)

    cdef int _text(self, const char* text, Py_ssize_t length) except -1:
        if self._length + length > self._room:
            self._out = <char*>grown(self._out, 2 * (self._length + length) + 256, 1)
            self._room = 2 * (self._length + length) + 256
        memcpy(self._out + self._length, text, length)
        self._length += length
        return 0


cdef void* grown(void* held, size_t count, size_t size) except NULL:
    cdef void* found = realloc(held, count * size)
    if found == NULL:
        raise MemoryError()
    return found
