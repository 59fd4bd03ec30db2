"""The seven operations that turn an alignment of cepts into another one (Fraser and Marcu 2007).

Words without a cept count as non-heads whose head is nobody: to move a non-head may give it
a cept or take it. Two words that are no heads are linked as new heads of their own; a head and
a non-head of the cept it is linked to are linked by making the non-head that cept's head.
To unlink heads leaves all words of both cepts without one.
"""

from libc.string cimport memset

from niwaki.kernel.bilingual.cepts cimport (
    Part, State, attach, detach, join, separate, take_over)


cdef bint is_legal(State* state, int kind, int a, int b) noexcept nogil:
    cdef int side
    if kind == MOVE_TARGET or kind == MOVE_SOURCE:
        side = kind == MOVE_TARGET
        return (state.mate[side][a] < 0 and state.head[side][a] != b
                and (b < 0 or state.mate[side][b] >= 0))
    if kind == SWAP_TARGETS or kind == SWAP_SOURCES:
        side = kind == SWAP_TARGETS
        return (state.mate[side][a] < 0 and state.mate[side][b] < 0
                and state.head[side][a] != state.head[side][b])
    if kind == SWAP_LINKS:
        return state.mate[0][a] >= 0 and state.mate[0][b] >= 0
    if kind == LINK:
        if state.mate[0][a] >= 0:
            return state.mate[1][b] < 0 and state.head[1][b] == state.mate[0][a]
        return state.mate[1][b] < 0 or state.head[0][a] == state.mate[1][b]
    return state.mate[0][a] == b


cdef void touch_cept(State* state, Part* part, int side, int head) noexcept nogil:
    """A cept of `head` on this side and the one it is linked to; -1 is none."""
    if head >= 0:
        part.heads[side][part.many[side]] = head
        part.many[side] += 1
        part.heads[1 - side][part.many[1 - side]] = state.mate[side][head]
        part.many[1 - side] += 1


cdef void touch_word(Part* part, int side, int word) noexcept nogil:
    part.touched[side][part.touches[side]] = word
    part.touches[side] += 1


cdef void find_part(State* state, Part* part, int kind, int a, int b) noexcept nogil:
    """What the operation may change; to be called before it."""
    cdef int side, word
    memset(part.many, 0, sizeof(part.many))
    memset(part.touches, 0, sizeof(part.touches))
    if kind == MOVE_TARGET or kind == MOVE_SOURCE:
        side = kind == MOVE_TARGET
        touch_word(part, side, a)
        touch_cept(state, part, side, state.head[side][a])
        touch_cept(state, part, side, b)
    elif kind == SWAP_TARGETS or kind == SWAP_SOURCES:
        side = kind == SWAP_TARGETS
        touch_word(part, side, a)
        touch_word(part, side, b)
        touch_cept(state, part, side, state.head[side][a])
        touch_cept(state, part, side, state.head[side][b])
    elif kind == SWAP_LINKS:
        touch_cept(state, part, 0, a)
        touch_cept(state, part, 0, b)
    elif kind == LINK:
        if state.mate[0][a] < 0 and state.mate[1][b] < 0:
            touch_word(part, 0, a)
            touch_word(part, 1, b)
        touch_cept(state, part, 0, state.head[0][a])
        if state.head[1][b] >= 0 and (
                state.head[0][a] < 0 or state.mate[0][state.head[0][a]] != state.head[1][b]):
            touch_cept(state, part, 1, state.head[1][b])
        for side in range(2):
            word = b if side else a
            if state.mate[side][word] < 0:
                part.heads[side][part.many[side]] = word
                part.many[side] += 1
    else:
        touch_cept(state, part, 0, a)
        for side in range(2):
            word = state.first[side][b if side else a]
            while word >= 0:
                touch_word(part, side, word)
                word = state.next[side][word]


cdef void swap_links(State* state, int a, int b) noexcept nogil:
    cdef int one = state.mate[0][a], other = state.mate[0][b]
    state.mate[0][a], state.mate[0][b] = other, one
    state.mate[1][one], state.mate[1][other] = b, a


cdef void exchange(State* state, int side, int a, int b) noexcept nogil:
    cdef int one = state.head[side][a], other = state.head[side][b]
    detach(state, side, a)
    detach(state, side, b)
    attach(state, side, a, other)
    attach(state, side, b, one)


cdef void unlink(State* state, Part* part, int a, int b) noexcept nogil:
    cdef int side, k
    for side in range(2):
        for k in range(part.touches[side]):
            if part.touched[side][k] != (b if side else a):
                detach(state, side, part.touched[side][k])
    separate(state, a, b)


cdef void perform(State* state, Part* part, int kind, int a, int b, int* old) noexcept nogil:
    """Change the alignment; `old` gets what `revert` needs."""
    cdef int side = kind == MOVE_TARGET
    if kind == MOVE_TARGET or kind == MOVE_SOURCE:
        old[0] = state.head[side][a]
        detach(state, side, a)
        attach(state, side, a, b)
    elif kind == SWAP_TARGETS or kind == SWAP_SOURCES:
        exchange(state, kind == SWAP_TARGETS, a, b)
    elif kind == SWAP_LINKS:
        swap_links(state, a, b)
    elif kind == LINK:
        old[0], old[1] = state.head[0][a], state.head[1][b]
        if state.mate[0][a] >= 0:
            take_over(state, 1, old[1], b)
        elif state.mate[1][b] >= 0:
            take_over(state, 0, old[0], a)
        else:
            detach(state, 0, a)
            detach(state, 1, b)
            join(state, a, b)
    else:
        unlink(state, part, a, b)


cdef void revert(State* state, Part* part, int kind, int a, int b, const int* old) noexcept nogil:
    cdef int side, k
    if kind == MOVE_TARGET or kind == MOVE_SOURCE:
        side = kind == MOVE_TARGET
        detach(state, side, a)
        attach(state, side, a, old[0])
    elif kind == SWAP_TARGETS or kind == SWAP_SOURCES:
        exchange(state, kind == SWAP_TARGETS, a, b)
    elif kind == SWAP_LINKS:
        swap_links(state, a, b)
    elif kind == LINK:
        if old[0] == a:
            take_over(state, 1, b, old[1])
        elif old[1] == b:
            take_over(state, 0, a, old[0])
        else:
            separate(state, a, b)
            attach(state, 0, a, old[0])
            attach(state, 1, b, old[1])
    else:
        join(state, a, b)
        for side in range(2):
            for k in range(part.touches[side]):
                if part.touched[side][k] != (b if side else a):
                    attach(state, side, part.touched[side][k], b if side else a)
