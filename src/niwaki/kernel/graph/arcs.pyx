"""Features of arcs, and of dependents with their siblings, and what a linear model says of them.

A template joins parts of the head, the dependent, a sibling, the words between, the
direction and the distance. All that a word adds to a key is computed once a sentence, so
that the key of an arc is an exclusive or of three numbers and one multiplication.
"""

import numpy as np

from libc.stdlib cimport free, malloc
from libc.string cimport memset

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.hashing cimport FIRST_VALUE, NONE_VALUE, ROOT_VALUE, atom, join, mix
from niwaki.kernel.linear cimport scorer_of
from niwaki.kernel.scoring cimport LANES, MAX_KEYS, Decision, score_decisions
from niwaki.kernel.features.columns cimport Columns

ROLE_NAMES = ("h", "d", "s")
MOST_TEMPLATES = MAX_TEMPLATES
MAX_OFFSET = 3

cdef enum:
    HEAD
    DEPENDENT
    SIBLING
    MOST_CLASSES = 256
    UNUSED = -1


cdef inline int bucket_of(int distance) noexcept nogil:
    """1, 2, 3, 4, 5-6, 7-10 and more, as in the transition parsers."""
    if distance < 0:
        distance = -distance
    if distance <= 4:
        return distance
    return 5 if distance <= 6 else 6 if distance <= 10 else 7


cdef class ArcFeatures:
    """Templates, each a list of parts:

    ("word", role, offset, attribute), ("between", attribute), ("direction",),
    ("distance",) from head to dependent and ("gap",) from sibling to dependent.
    """

    def __cinit__(self, list templates not None, int attribute_count):
        cdef int t, bucket, side
        cdef Template* template
        if not 0 < len(templates) <= MAX_TEMPLATES:
            raise ValueError(f"{len(templates)} templates, but 1 to {MAX_TEMPLATES} are possible")
        if not 0 <= attribute_count <= MAX_ATTRIBUTES:
            raise ValueError(f"at most {MAX_ATTRIBUTES} attributes")
        self.attribute_count = attribute_count
        self.between_attribute = -1
        is_between = [any(part[0] == "between" for part in each) for each in templates]
        self.plain_count = len(templates) - sum(is_between)
        order = sorted(range(len(templates)), key=lambda number: is_between[number])
        for number in order:
            self._add(number, templates[number])
        for t in range(self.template_count):
            template = &self.templates[t]
            for bucket in range(BUCKETS):
                for side in range(SIDES):
                    self.by_distance[side * BUCKETS + bucket][t] = (
                        (atom(FIRST_VALUE + side, template.side_salt) if template.side_salt else 0)
                        ^ (atom(FIRST_VALUE + bucket, template.distance_salt)
                           if template.distance_salt else 0))
                self.by_gap[bucket][t] = (
                    atom(FIRST_VALUE + bucket, template.gap_salt) if template.gap_salt else 0)

    def _add(self, int number, list parts):
        cdef Template* template = &self.templates[self.template_count]
        memset(template, 0, sizeof(Template))
        template.between = -1
        # A salt depends on the template's place in the list, not on its neighbours.
        template.salt = mix(<uint64_t>number + 0x7EE5)
        if not 0 < len(parts) <= MAX_PARTS or len(set(parts)) < len(parts):
            raise ValueError(f"a template has 1 to {MAX_PARTS} different parts")
        for part in parts:
            self._add_part(template, part)
        self.template_count += 1

    cdef _add_part(self, Template* template, tuple part):
        cdef WordPart* word
        kind = part[0]
        if kind == "direction":
            template.side_salt = mix(0xD1)
        elif kind == "distance":
            template.distance_salt = mix(0xD2)
        elif kind == "gap":
            template.gap_salt = mix(0xD3)
            self.has_siblings = True
        elif kind == "between":
            self._check_attribute(part[1])
            if template.between >= 0 or self.between_attribute not in (-1, part[1]):
                raise ValueError("all features of the words between look at the same thing")
            template.between = self.between_attribute = part[1]
            template.between_salt = mix(0xD4)
        elif kind == "word":
            word = &template.words[template.word_count]
            word.role, word.offset, word.attribute = part[1:]
            self._check_attribute(word.attribute)
            if not 0 <= word.role < ROLES or not -MAX_OFFSET <= word.offset <= MAX_OFFSET:
                raise ValueError(f"no such part: {part}")
            word.salt = mix(0xA4C5ULL + 64 * (word.attribute + 64 * (
                word.role + 4 * (word.offset + MAX_OFFSET))))
            template.word_count += 1
            if word.role == SIBLING:
                self.has_siblings = True
        else:
            raise ValueError(f"no such part: {part}")

    def _check_attribute(self, int attribute):
        if not 0 <= attribute < self.attribute_count:
            raise ValueError(f"no attribute {attribute}")

    cdef bint prepare(self, Sentence* sentence, const uint32_t** columns, int32_t start,
                      int n) noexcept nogil:
        """Compute what each word adds to each key; False when memory is out."""
        cdef size_t rows = n + 2, room = rows * self.template_count
        cdef size_t need = ROLES * room + (rows * sizeof(int32_t) + 7) // 8
        cdef int t, p, role, word, i, at
        cdef const Template* template
        cdef const WordPart* part
        cdef const uint32_t* column
        cdef uint32_t value
        if need > sentence.capacity:
            free(sentence.memory)
            sentence.memory = <uint64_t*>malloc(need * sizeof(uint64_t))
            sentence.capacity = need if sentence.memory != NULL else 0
            if sentence.memory == NULL:
                return False
        sentence.n = n
        for role in range(ROLES):
            sentence.shares[role] = sentence.memory + role * room
        sentence.numbers = <int32_t*>(sentence.memory + ROLES * room)
        memset(sentence.memory, 0, ROLES * room * sizeof(uint64_t))
        for t in range(self.template_count):
            template = &self.templates[t]
            for word in range(n + 2):
                sentence.shares[HEAD][word * self.template_count + t] = template.salt
            for p in range(template.word_count):
                part = &template.words[p]
                column = columns[part.attribute] + start
                # Place n + 1 stands for no sibling; it has no neighbours either.
                for word in range(n + 2):
                    at = word + part.offset
                    if word > n or at < 0 or at > n:
                        value = NONE_VALUE
                    else:
                        value = column[at - 1] if at else ROOT_VALUE
                    sentence.shares[part.role][word * self.template_count + t] ^= atom(
                        value, part.salt)
        sentence.value_count = 0
        if self.between_attribute >= 0:
            column = columns[self.between_attribute] + start
            for word in range(1, n + 1):
                i = 0
                while i < sentence.value_count and sentence.values[i] != column[word - 1]:
                    i += 1
                if i == sentence.value_count and i < MAX_BETWEEN:
                    sentence.values[i] = column[word - 1]
                    sentence.value_count += 1
                # Of very many different values, the last ones are not seen.
                sentence.numbers[word] = i if i < MAX_BETWEEN else UNUSED
        return True

    cdef uint64_t between(self, const Sentence* sentence, int one, int other) noexcept nogil:
        """The set of values strictly between two words, as bits."""
        cdef uint64_t found = 0
        cdef int word
        if self.between_attribute < 0:
            return 0
        for word in range(min(one, other) + 1, max(one, other)):
            if sentence.numbers[word] >= 0:
                found |= <uint64_t>1 << sentence.numbers[word]
        return found

    cdef int keys(self, const Sentence* sentence, int head, int dependent, int sibling,
                  uint64_t between, uint64_t* keys) noexcept nogil:
        """The keys of an arc, or with a sibling (n + 1 for none); returns their number."""
        cdef int count = self.template_count, t, b, side = head > dependent, found
        cdef const uint64_t* heads = sentence.shares[HEAD] + head * count
        cdef const uint64_t* dependents = sentence.shares[DEPENDENT] + dependent * count
        cdef const uint64_t* distances = self.by_distance[
            side * BUCKETS + bucket_of(head - dependent)]
        cdef const uint64_t* siblings
        cdef const uint64_t* gaps
        cdef uint64_t base
        if sibling < 0:
            for t in range(self.plain_count):
                keys[t] = join(heads[t] ^ dependents[t] ^ distances[t])
        else:
            siblings = sentence.shares[SIBLING] + sibling * count
            gaps = self.by_gap[bucket_of(sibling - dependent) if sibling <= sentence.n else 0]
            for t in range(self.plain_count):
                keys[t] = join(heads[t] ^ dependents[t] ^ distances[t] ^ siblings[t] ^ gaps[t])
        found = self.plain_count
        for t in range(self.plain_count, count):
            base = heads[t] ^ dependents[t] ^ distances[t]
            for b in range(sentence.value_count):
                if between >> b & 1 and found < MAX_KEYS:
                    keys[found] = join(base ^ atom(
                        sentence.values[b], self.templates[t].between_salt))
                    found += 1
        return found


cdef class ArcModel:
    """A linear model of the classes of arcs: one (is it there?), latent ones, or labels."""

    def __cinit__(self, ArcFeatures features not None, model):
        self.features = features
        self.model = model
        self.scorer = scorer_of(model)
        if self.scorer.classes > MOST_CLASSES:
            raise ValueError(f"at most {MOST_CLASSES} classes of arcs")

    @property
    def classes(self):
        return self.scorer.classes

    def arcs(self, Batch batch not None, list attributes not None,
             const int32_t[::1] sentences not None):
        """Scores of all arcs of some sentences, [head 0..n, dependent 1..n] one after the other,
        by class. A word as its own head scores 0.
        """
        cdef Columns columns = self._columns(batch, attributes, sentences)
        out = np.zeros((_count_arcs(batch, sentences, 1), self.scorer.classes))
        self._score(batch, columns, sentences, False, out.reshape(-1))
        return out

    cdef void score_arcs(self, const Sentence* sentence, double* out) noexcept nogil:
        cdef Decision decisions[LANES]
        cdef float scores[LANES][MOST_CLASSES]
        cdef double* places[LANES]
        cdef int n = sentence.n, classes = self.scorer.classes, head, word, step, waiting = 0
        cdef uint64_t between
        for head in range(n + 1):
            for step in range(-1, 2, 2):
                # Outwards from the head, so that what lies between only grows.
                between = 0
                word = head + step
                while 1 <= word <= n:
                    decisions[waiting].count = self.features.keys(
                        sentence, head, word, -1, between, decisions[waiting].keys)
                    decisions[waiting].scores = scores[waiting]
                    places[waiting] = out + (<Py_ssize_t>head * n + word - 1) * classes
                    memset(scores[waiting], 0, classes * sizeof(float))
                    waiting += 1
                    if waiting == LANES:
                        self.flush(decisions, places, waiting)
                        waiting = 0
                    if self.features.between_attribute >= 0 and sentence.numbers[word] >= 0:
                        between |= <uint64_t>1 << sentence.numbers[word]
                    word += step
        self.flush(decisions, places, waiting)

    cdef void flush(self, const Decision* decisions, double** places, int count) noexcept nogil:
        cdef int d, c
        score_decisions(&self.scorer, decisions, count)
        for d in range(count):
            for c in range(self.scorer.classes):
                places[d][c] = decisions[d].scores[c]

    def siblings(self, Batch batch not None, list attributes not None,
                 const int32_t[::1] sentences not None):
        """Scores of dependents behind their siblings, [head, dependent, sibling or 0 for none];
        what cannot be (a sibling that is not between) scores 0. There is one class.
        """
        cdef Columns columns = self._columns(batch, attributes, sentences)
        if self.scorer.classes != 1:
            raise ValueError("siblings are scored by a model of one class")
        out = np.zeros(_count_arcs(batch, sentences, 2))
        self._score(batch, columns, sentences, True, out)
        return out

    cdef _score(self, Batch batch, Columns columns, const int32_t[::1] sentences,
                bint siblings, double[::1] out):
        """Score sentence after sentence, one behind the other."""
        cdef Sentence sentence
        cdef Py_ssize_t k, at = 0
        cdef int n
        cdef bint ready = True
        memset(&sentence, 0, sizeof(Sentence))
        with nogil:
            for k in range(sentences.shape[0]):
                n = batch.starts[sentences[k] + 1] - batch.starts[sentences[k]]
                if n == 0:
                    continue
                ready = self.features.prepare(
                    &sentence, columns.pointers, batch.starts[sentences[k]], n)
                if not ready:
                    break
                if siblings:
                    self.score_siblings(&sentence, &out[at])
                    at += <Py_ssize_t>(n + 1) * n * (n + 1)
                else:
                    self.score_arcs(&sentence, &out[at])
                    at += <Py_ssize_t>(n + 1) * n * self.scorer.classes
        free(sentence.memory)
        if not ready:
            raise MemoryError()

    cdef void score_siblings(self, const Sentence* sentence, double* out) noexcept nogil:
        cdef Decision decisions[LANES]
        cdef float scores[LANES][1]
        cdef double* places[LANES]
        cdef int n = sentence.n, head, word, step, sibling, waiting = 0
        cdef uint64_t between
        for head in range(n + 1):
            for word in range(1, n + 1):
                if word == head:
                    continue
                step = 1 if word > head else -1
                between = self.features.between(sentence, head, word)
                # The head itself stands for no sibling.
                sibling = head
                while sibling != word:
                    decisions[waiting].count = self.features.keys(
                        sentence, head, word, n + 1 if sibling == head else sibling, between,
                        decisions[waiting].keys)
                    decisions[waiting].scores = scores[waiting]
                    scores[waiting][0] = 0
                    places[waiting] = out + (<Py_ssize_t>head * n + word - 1) * (n + 1) + (
                        0 if sibling == head else sibling)
                    waiting += 1
                    if waiting == LANES:
                        self.flush(decisions, places, waiting)
                        waiting = 0
                    sibling += step
        self.flush(decisions, places, waiting)

    def listed(self, Batch batch not None, list attributes not None, Py_ssize_t s,
               const int32_t[:, ::1] parts not None):
        """Scores by class of some parts of one sentence: rows of head, dependent and sibling
        (0: none, -1: the arc alone).
        """
        cdef Columns columns = Columns(attributes, self.features.attribute_count, batch.words)
        cdef Sentence sentence
        cdef Decision decisions[LANES]
        cdef float scores[LANES][MOST_CLASSES]
        cdef double* places[LANES]
        cdef Py_ssize_t k
        cdef int lane
        cdef bint ready
        check_parts(batch, s, parts)
        out = np.zeros((parts.shape[0], self.scorer.classes))
        cdef double[:, ::1] view = out
        memset(&sentence, 0, sizeof(Sentence))
        with nogil:
            ready = self.features.prepare(&sentence, columns.pointers, batch.starts[s],
                                          batch.starts[s + 1] - batch.starts[s])
            if ready:
                for k in range(parts.shape[0]):
                    lane = k % LANES
                    decisions[lane].count = part_keys(
                        self.features, &sentence, &parts[k, 0], decisions[lane].keys)
                    decisions[lane].scores = scores[lane]
                    memset(scores[lane], 0, self.scorer.classes * sizeof(float))
                    places[lane] = &view[k, 0]
                    if lane == LANES - 1 or k == parts.shape[0] - 1:
                        self.flush(decisions, places, lane + 1)
        free(sentence.memory)
        if not ready:
            raise MemoryError()
        return out

    def chosen(self, Batch batch not None, list attributes not None,
               const int32_t[::1] heads not None):
        """Scores by class of one arc for each word of a batch, given the heads."""
        cdef Columns columns = Columns(attributes, self.features.attribute_count, batch.words)
        cdef Sentence sentence
        cdef Decision decisions[LANES]
        cdef float scores[LANES][MOST_CLASSES]
        cdef double* places[LANES]
        cdef int32_t part[3]
        cdef Py_ssize_t s, start
        cdef int lane, n, word
        cdef bint ready = True
        if heads.shape[0] != batch.words:
            raise ValueError("each word needs a head")
        for s in range(batch.sentences):
            n = batch.starts[s + 1] - batch.starts[s]
            for word in range(1, n + 1):
                if (not 0 <= heads[batch.starts[s] + word - 1] <= n
                        or heads[batch.starts[s] + word - 1] == word):
                    raise ValueError(f"head {heads[batch.starts[s] + word - 1]} is out of range")
        out = np.zeros((batch.words, self.scorer.classes))
        cdef double[:, ::1] view = out
        memset(&sentence, 0, sizeof(Sentence))
        with nogil:
            part[2] = -1
            for s in range(batch.sentences):
                start = batch.starts[s]
                n = batch.starts[s + 1] - batch.starts[s]
                ready = self.features.prepare(&sentence, columns.pointers, batch.starts[s], n)
                if not ready:
                    break
                for word in range(1, n + 1):
                    lane = (word - 1) % LANES
                    part[0], part[1] = heads[start + word - 1], word
                    decisions[lane].count = part_keys(
                        self.features, &sentence, part, decisions[lane].keys)
                    decisions[lane].scores = scores[lane]
                    memset(scores[lane], 0, self.scorer.classes * sizeof(float))
                    places[lane] = &view[start + word - 1, 0]
                    if lane == LANES - 1 or word == n:
                        self.flush(decisions, places, lane + 1)
        free(sentence.memory)
        if not ready:
            raise MemoryError()
        return out

    def keys(self, Batch batch not None, list attributes not None, Py_ssize_t s,
             const int32_t[:, ::1] parts not None):
        """The features of some parts, one after the other, and how many each has."""
        cdef Columns columns = Columns(attributes, self.features.attribute_count, batch.words)
        cdef Sentence sentence
        cdef Py_ssize_t k, at = 0
        check_parts(batch, s, parts)
        memset(&sentence, 0, sizeof(Sentence))
        found = np.empty(parts.shape[0] * MAX_KEYS, dtype=np.uint64)
        counts = np.zeros(parts.shape[0], dtype=np.int32)
        cdef uint64_t[::1] found_view = found
        cdef int32_t[::1] counts_view = counts
        if not self.features.prepare(&sentence, columns.pointers, batch.starts[s],
                                     batch.starts[s + 1] - batch.starts[s]):
            raise MemoryError()
        for k in range(parts.shape[0]):
            counts_view[k] = part_keys(self.features, &sentence, &parts[k, 0], &found_view[at])
            at += counts_view[k]
        free(sentence.memory)
        return found[:at].copy(), counts

    def _columns(self, Batch batch, list attributes, const int32_t[::1] sentences):
        cdef Py_ssize_t k
        for k in range(sentences.shape[0]):
            if not 0 <= sentences[k] < batch.sentences:
                raise ValueError(f"no sentence {sentences[k]}")
        return Columns(attributes, self.features.attribute_count, batch.words)


cdef int part_keys(ArcFeatures features, const Sentence* sentence, const int32_t* part,
                   uint64_t* keys) noexcept nogil:
    """The keys of (head, dependent, sibling), where a sibling 0 is none and -1 is not asked for."""
    cdef int sibling = sentence.n + 1 if part[2] == 0 else part[2]
    return features.keys(sentence, part[0], part[1], sibling,
                         features.between(sentence, part[0], part[1]), keys)


cdef Py_ssize_t _count_arcs(Batch batch, const int32_t[::1] sentences, int order):
    cdef Py_ssize_t k, n, total = 0
    for k in range(sentences.shape[0]):
        n = batch.starts[sentences[k] + 1] - batch.starts[sentences[k]]
        total += (n + 1) * n * (n + 1 if order == 2 else 1)
    return total


cdef check_parts(Batch batch, Py_ssize_t s, const int32_t[:, ::1] parts):
    cdef Py_ssize_t k
    cdef int n
    if not 0 <= s < batch.sentences:
        raise ValueError(f"no sentence {s}")
    n = batch.starts[s + 1] - batch.starts[s]
    if parts.shape[1] != 3:
        raise ValueError("a part is a head, a dependent and a sibling")
    for k in range(parts.shape[0]):
        if not (0 <= parts[k, 0] <= n and 1 <= parts[k, 1] <= n and -1 <= parts[k, 2] <= n
                and parts[k, 0] != parts[k, 1]):
            raise ValueError(f"no such part: {tuple(parts[k])}")
