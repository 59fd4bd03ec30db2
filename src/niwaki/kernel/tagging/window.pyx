"""Features of a word in its sentence: templates over the words and tags around it."""

from libc.stdlib cimport calloc, free, malloc, realloc

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.hashing cimport FIRST_VALUE, NONE_VALUE, atom, hash_bytes, join, mix
from niwaki.kernel.features.words cimport ATTRIBUTES, Clusters, Word, analyse_word

cdef enum:
    MAX_TYPES = 1 << 14     # kept by a Memory; then all are forgotten
    FORM_COLUMN = 1

# What a part of a template looks at.
cdef enum:
    WORD_PART
    GRAMS_PART
    TAG_PART
    CASE_PART
    FIRST_PART
    FEATS_PART

KINDS = {
    "word": WORD_PART, "grams": GRAMS_PART, "tag": TAG_PART, "case": CASE_PART,
    "first": FIRST_PART, "feats": FEATS_PART,
}


cdef class Memory:
    """What one thread needs while it looks at sentences."""

    def __cinit__(self, int width):
        self.width = width
        if not self.forget(1 << 9):
            raise MemoryError()

    def __dealloc__(self):
        free(self.keys)
        free(self.numbers)
        free(self.types)
        free(self.sums)
        free(self.line)
        free(self.tags)

    cdef bint reserve(self, Py_ssize_t length) noexcept nogil:
        """Room for a sentence, all of whose words may be new."""
        cdef const Type** line
        cdef uint64_t* tags
        if length > self.longest or self.line == NULL:
            line = <const Type**>realloc(self.line, (length + 2 * REACH) * sizeof(Type*))
            if line == NULL:
                return False
            self.line = line
            tags = <uint64_t*>realloc(self.tags, (length + 1) * sizeof(uint64_t))
            if tags == NULL:
                return False
            self.tags = tags
            self.longest = length
        # Types must stay where they are while a sentence points at them, so they are
        # forgotten only here, between sentences.
        if 2 * (<uint64_t>self.count + length + 1) > self.mask:
            return self.forget(length)
        return True

    cdef bint forget(self, Py_ssize_t length) noexcept nogil:
        """Empty the table; it grows until it can hold MAX_TYPES, or a longer sentence."""
        cdef uint64_t size = self.mask + 1
        if size < 2 * MAX_TYPES:
            size *= 2
        while size < 4 * (<uint64_t>length + 1):
            size *= 2
        free(self.keys)
        free(self.numbers)
        free(self.types)
        free(self.sums)
        # Half of the places are filled at most; types stand one after the other.
        self.keys = <uint64_t*>calloc(size, sizeof(uint64_t))
        self.numbers = <uint32_t*>malloc(size * sizeof(uint32_t))
        self.types = <Type*>malloc(size // 2 * sizeof(Type))
        self.sums = <float*>malloc((size // 2 * self.width + 1) * sizeof(float))
        self.mask = size - 1
        self.count = 0
        return (self.keys != NULL and self.numbers != NULL and self.types != NULL
                and self.sums != NULL)


cdef class Window:
    """Templates, each a list of parts (kind, offset, attribute); see KINDS."""

    def __cinit__(self, list templates not None, bint lowercase=False, Clusters clusters=None):
        self.lowercase = lowercase
        self.clusters = clusters
        if not 0 < len(templates) <= MAX_TEMPLATES:
            raise ValueError(f"{len(templates)} templates, but 1 to {MAX_TEMPLATES} are possible")
        groups = [[] for _ in range(OFFSETS + 2)]
        for number, template in enumerate(templates):
            groups[self._group(template)].append((number, template))
        for place, group in enumerate(groups):
            self.first[place] = self.template_count
            for number, template in group:
                self._add(number, template)
        self.first[OFFSETS + 2] = self.template_count

    def _group(self, list template):
        for kind, offset, attribute in template:
            if kind not in KINDS.values() or abs(offset) > REACH or (
                    not 0 <= attribute < ATTRIBUTES):
                raise ValueError(f"no such part: {(kind, offset, attribute)}")
        if not 0 < len(template) <= MAX_PARTS:
            raise ValueError(f"a template has 1 to {MAX_PARTS} parts")
        kinds = {kind for kind, _, _ in template}
        offsets = {offset for _, offset, _ in template}
        if kinds & {TAG_PART, FEATS_PART}:
            return OFFSETS + 1
        if kinds & {CASE_PART, FIRST_PART} or len(offsets) > 1:
            return OFFSETS
        return REACH + offsets.pop()

    def _add(self, int number, list parts):
        cdef Template* template = &self.templates[self.template_count]
        cdef int i
        if any(kind == GRAMS_PART for kind, _, _ in parts) and len(parts) > 1:
            raise ValueError("character n-grams cannot be combined")
        template.salt = mix(<uint64_t>number + 1)
        template.part_count = len(parts)
        for i, (kind, offset, attribute) in enumerate(parts):
            template.parts[i].kind = kind
            template.parts[i].offset = offset
            template.parts[i].attribute = attribute
            # The place in the template tells the same value in two roles apart.
            template.parts[i].salt = mix(template.salt + i + 1)
        self.template_count += 1

    cdef uint64_t value(self, const Part* part, const Sentence* sentence, int at) noexcept nogil:
        cdef int place
        cdef const uint64_t* values
        if part.kind == WORD_PART:
            return sentence.types[at + REACH + part.offset].word.values[part.attribute]
        if part.kind == TAG_PART or part.kind == FEATS_PART:
            place = at + part.offset
            values = sentence.tags if part.kind == TAG_PART else sentence.feats
            if values == NULL or not 0 <= place < sentence.length:
                return NONE_VALUE
            return values[place]
        if part.kind == FIRST_PART:
            return FIRST_VALUE + (at == 0)
        return sentence.case

    cdef int keys(self, int start, int stop, const Sentence* sentence, int at,
                  uint64_t* keys) noexcept nogil:
        """Keys of the templates `start` to `stop` at a word; returns their number."""
        cdef int t, i, count = 0, g
        cdef uint64_t joined
        cdef const Template* template
        cdef const Word* word
        for t in range(start, stop):
            template = &self.templates[t]
            if template.parts[0].kind == GRAMS_PART:
                word = &sentence.types[at + REACH + template.parts[0].offset].word
                for g in range(word.gram_count):
                    keys[count] = join(template.salt ^ atom(word.grams[g], template.parts[0].salt))
                    count += 1
                continue
            joined = template.salt
            for i in range(template.part_count):
                joined ^= atom(self.value(&template.parts[i], sentence, at), template.parts[i].salt)
            keys[count] = join(joined)
            count += 1
        return count

    cdef const Type* find_type(self, Memory memory, const unsigned char* form,
                               Py_ssize_t length) noexcept nogil:
        """The type of a form (NULL: of what lies outside the sentence), made if it is new."""
        cdef uint64_t hashed = hash_bytes(form, length) if form != NULL else mix(7)
        cdef uint64_t place = hashed & memory.mask
        cdef Type* type
        cdef int i
        while memory.keys[place] != 0:
            if memory.keys[place] == hashed:
                return &memory.types[memory.numbers[place]]
            place = (place + 1) & memory.mask
        memory.keys[place] = hashed
        memory.numbers[place] = memory.count
        type = &memory.types[memory.count]
        memory.count += 1
        type.summed = False
        if form != NULL:
            analyse_word(form, length, self.lowercase, self.clusters, &type.word)
        else:
            type.word.gram_count = 0
            for i in range(ATTRIBUTES):
                type.word.values[i] = NONE_VALUE
        return type

    cdef bint open_sentence(self, Batch batch, Py_ssize_t s, Memory memory,
                            Sentence* sentence) noexcept nogil:
        """Look up the words of a sentence; False when memory is out."""
        cdef int32_t start = batch.starts[s]
        cdef int length = batch.starts[s + 1] - start, i
        if not memory.reserve(length):
            return False
        for i in range(REACH):
            memory.line[i] = memory.line[REACH + length + i] = self.find_type(memory, NULL, 0)
        for i in range(length):
            memory.line[REACH + i] = self.find_type(
                memory, batch.columns[FORM_COLUMN][start + i].at,
                batch.columns[FORM_COLUMN][start + i].length)
        sentence.length = length
        sentence.types = memory.line
        sentence.tags = memory.tags
        sentence.feats = NULL
        sentence.case = FIRST_VALUE if self.lowercase else case_of(batch, start, length)
        return True


cdef uint32_t case_of(Batch batch, int32_t start, int length) noexcept nogil:
    """How much of a sentence is capitalised, in quarters of its words that begin with a letter.

    In a headline a capital says little; in running text it says "name".
    """
    cdef int i, letters = 0, capitals = 0
    cdef unsigned char first
    for i in range(length):
        first = batch.columns[FORM_COLUMN][start + i].at[0]
        if c'A' <= first <= c'Z':
            capitals += 1
            letters += 1
        elif c'a' <= first <= c'z':
            letters += 1
    if letters == 0:
        return FIRST_VALUE
    return FIRST_VALUE + 1 + 4 * capitals // letters
