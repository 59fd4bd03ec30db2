"""Alignments of cepts, changed word by word, and the logarithms of the factors that LEAF gives them.

Features of a direction, as Fraser and Marcu (2007) number them in Table 1, less one: 0 word
types, 1 choice of heads, 2 head translation, 3 size of target cepts, 4 number and 5 identity
of spurious words, 6 non-head translation, 7 to 9 movement of heads, of first and of later
non-heads, 10 translation whatever the type, 11 that of the HMM, 12 size without the word, 13
without the source cept, 14 minus the number of spurious words.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

# More spurious words than others have the probability 0. A number instead of its logarithm
# lets a search leave such an alignment: so much for each word too many.
cdef double IMPOSSIBLE = -1000


cdef int make_state(State* state, Part* part, int sources, int targets) noexcept nogil:
    cdef int side
    cdef size_t longest = max(sources, targets)
    cdef bint whole
    memset(state, 0, sizeof(State))
    memset(part, 0, sizeof(Part))
    state.entries = <int64_t*>calloc(<size_t>sources * targets, sizeof(int64_t))
    whole = state.entries != NULL
    for side in range(2):
        state.head[side] = <int*>calloc(6 * longest, sizeof(int))
        if state.head[side] == NULL:
            return -1
        state.mate[side] = state.head[side] + longest
        state.first[side] = state.mate[side] + longest
        state.next[side] = state.first[side] + longest
        state.count[side] = state.next[side] + longest
        part.touched[side] = state.count[side] + longest
    return 0 if whole else -1


cdef void free_state(State* state) noexcept nogil:
    free(state.entries)
    free(state.head[0])
    free(state.head[1])


# ---- changes ----


cdef void detach(State* state, int side, int word) noexcept nogil:
    """Take a word that is no head out of its cept; one without a cept stays."""
    cdef int head = state.head[side][word]
    cdef int* at
    if head < 0:
        return
    at = &state.first[side][head]
    while at[0] != word:
        at = &state.next[side][at[0]]
    at[0] = state.next[side][word]
    state.head[side][word] = -1
    state.count[side][head] -= 1
    state.linked[side] -= 1


cdef void attach(State* state, int side, int word, int head) noexcept nogil:
    """Put a word without a cept into that of `head`; -1 leaves it without."""
    cdef int* at
    if head < 0:
        return
    at = &state.first[side][head]
    while at[0] >= 0 and at[0] < word:
        at = &state.next[side][at[0]]
    state.next[side][word] = at[0]
    at[0] = word
    state.head[side][word] = head
    state.count[side][head] += 1
    state.linked[side] += 1


cdef void join(State* state, int source, int target) noexcept nogil:
    """Make two words without cepts heads of new ones."""
    cdef int side, word
    for side in range(2):
        word = target if side else source
        state.first[side][word] = word
        state.next[side][word] = -1
        state.count[side][word] = 1
        state.head[side][word] = word
        state.linked[side] += 1
    state.mate[0][source] = target
    state.mate[1][target] = source


cdef void separate(State* state, int source, int target) noexcept nogil:
    """End a link of heads that have no other words in their cepts."""
    state.head[0][source] = state.head[1][target] = -1
    state.mate[0][source] = state.mate[1][target] = -1
    state.linked[0] -= 1
    state.linked[1] -= 1


cdef void take_over(State* state, int side, int old, int new) noexcept nogil:
    """Make a non-head the head of its cept."""
    cdef int word = state.first[side][old]
    while word >= 0:
        state.head[side][word] = new
        word = state.next[side][word]
    state.first[side][new] = state.first[side][old]
    state.count[side][new] = state.count[side][old]
    state.mate[side][new] = state.mate[side][old]
    state.mate[1 - side][state.mate[side][new]] = new
    state.mate[side][old] = -1


# ---- features ----


cdef inline int moved(int distance) noexcept nogil:
    return max(-FARTHEST, min(FARTHEST, distance)) + FARTHEST


cdef inline int64_t entry_of(State* state, int d, int x, int y) noexcept nogil:
    return state.entries[<int64_t>x * state.size[1] + y if d == 0
                         else <int64_t>y * state.size[1] + x]


cdef inline float non_head(const Tables* table, int64_t entry, int word, int kind) noexcept nogil:
    cdef int64_t k
    for k in range(table.seen[entry], table.seen[entry + 1]):
        if table.seen_class[k] == kind:
            return table.seen_value[k]
    return table.word[entry] + table.unseen[<int64_t>word * table.classes + kind]


cdef void add_cept(State* state, const Tables* table, int d, int i, double* h) noexcept nogil:
    """The cepts of a linked head i of the side that direction d goes out from."""
    cdef int y = 1 - d, j = state.mate[d][i], k, last = -1
    cdef int word = state.words[d][i], kind = state.classes[y][state.words[y][j]]
    cdef int many = state.count[d][i] > 1, size = min(LARGEST, state.count[y][j]) - 1
    cdef int64_t entry = entry_of(state, d, i, j)
    h[0] += table.kind[3 * word + HEAD]
    k = state.first[d][i]
    while k >= 0:
        if k != i:
            h[0] += table.kind[3 * state.words[d][k] + NON_HEAD]
            h[1] += table.choice[state.classes[d][state.words[d][k]] * SPAN + moved(i - k)]
        k = state.next[d][k]
    h[2] += table.head[entry]
    h[3] += table.size[(2 * word + many) * LARGEST + size]
    h[12] += table.size_alone[many * LARGEST + size]
    h[13] += table.size_word[word * LARGEST + size]
    k = state.first[y][j]
    while k >= 0:
        entry = entry_of(state, d, i, k)
        h[10] += table.word[entry]
        h[11] += table.chain[entry]
        if k != j:
            h[6] += non_head(table, entry, word, kind)
            if last < 0:
                h[8] += table.second[kind * SPAN + moved(k - j)]
            else:
                h[9] += table.later[kind * SPAN + moved(k - last)]
            last = k
        k = state.next[y][k]


cdef void add_movement(State* state, const Tables* table, int d, int i, double* h) noexcept nogil:
    """Where the target head of i stands, seen from the cept of the next source head to the left."""
    cdef int y = 1 - d, before = i - 1, j = state.mate[d][i], k, row = 0
    # Places count from 1 here, so that the place before the sentence is 0.
    cdef int centre = 0, many
    while before >= 0 and state.mate[d][before] < 0:
        before -= 1
    if before >= 0:
        row = 1 + state.classes[d][state.words[d][before]]
        k = state.mate[d][before]
        many = state.count[y][k]
        k = state.first[y][k]
        while k >= 0:
            centre += k + 1
            k = state.next[y][k]
        centre = (centre + many - 1) // many
    h[7] += table.first[
        (row * table.classes + state.classes[y][state.words[y][j]]) * SPAN + moved(j + 1 - centre)]


cdef void add_free(State* state, const Tables* tables, int side, int word, double* h) noexcept nogil:
    """A word without a cept: deleted in one direction, spurious in the other."""
    cdef const Tables* other = &tables[1 - side]
    cdef int number = state.words[side][word], away = (1 - side) * FEATURES
    h[side * FEATURES] += tables[side].kind[3 * number + DELETED]
    h[away + 5] += other.spurious[number]
    h[away + 10] += other.word_null[number]
    h[away + 11] += other.chain_null[number]
    h[away + 14] -= 1


cdef void add_spurious(State* state, const Tables* table, int d, double* h) noexcept nogil:
    """log C(m', psi_0) p_0^(m' - psi_0) p_1^psi_0.

    Step 9 of the story adds nothing: psi_0! orders of spurious words, each placed with
    probability 1 / psi_0!, give the same sentence.
    """
    cdef int others = state.linked[1 - d], spurious = state.size[1 - d] - others
    if spurious > others:
        h[4] += IMPOSSIBLE * (spurious - others) + spurious * table.one
    else:
        h[4] += (table.factorials[others] - table.factorials[spurious]
                 - table.factorials[others - spurious]
                 + (others - spurious) * table.none + spurious * table.one)


cdef void add_part(State* state, const Tables* tables, Part* part, double* h) noexcept nogil:
    """Features of all that an operation may change; what is left out is the same before and after.

    A head's movement depends on the cept of the head before it, so that with a head comes
    the next one to its right, whether the head is one now or only before or after.
    """
    cdef int d, k, n, at
    cdef int around[2 * MOST_HEADS]
    for d in range(2):
        n = 0
        for k in range(part.many[d]):
            at = part.heads[d][k]
            if state.mate[d][at] >= 0:
                add_cept(state, &tables[d], d, at, h + d * FEATURES)
                n = add_once(around, n, at)
            at += 1
            while at < state.size[d] and state.mate[d][at] < 0:
                at += 1
            if at < state.size[d]:
                n = add_once(around, n, at)
        for k in range(n):
            add_movement(state, &tables[d], d, around[k], h + d * FEATURES)
        add_spurious(state, &tables[d], d, h + d * FEATURES)
    for d in range(2):
        for k in range(part.touches[d]):
            if state.head[d][part.touched[d][k]] < 0:
                add_free(state, tables, d, part.touched[d][k], h)


cdef inline int add_once(int* numbers, int size, int number) noexcept nogil:
    cdef int k
    for k in range(size):
        if numbers[k] == number:
            return size
    numbers[size] = number
    return size + 1


cdef void add_all(State* state, const Tables* tables, double* h) noexcept nogil:
    cdef int d, k
    for d in range(2):
        for k in range(state.size[d]):
            if state.mate[d][k] >= 0:
                add_cept(state, &tables[d], d, k, h + d * FEATURES)
                add_movement(state, &tables[d], d, k, h + d * FEATURES)
            elif state.head[d][k] < 0:
                add_free(state, tables, d, k, h)
        add_spurious(state, &tables[d], d, h + d * FEATURES)
