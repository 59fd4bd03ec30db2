"""Arc-standard with the three atomic moves of Huang, Jiang and Liu (2009).

Both arcs link the two topmost trees on the stack and remove the dependent, so the
stack holds unrelated trees. The artificial root lies at the bottom and takes its
only child last. A parse has 2n moves, and some move is always possible.

Costs are exact, by the tabular method of Goldberg, Sartorio and Satta (2014); see
_reachable.pxd.
"""

from libc.stdint cimport int32_t

from niwaki.kernel.transition.systems._system cimport (
    LEFT, RIGHT, ROOT, SHIFT, Functions, Gold, Node, State, System, add_left, add_right, follow,
    has_word, no_study, right_or_shift, shift, start_with_root, topmost_arc, two_a_word,
)
from niwaki.kernel.transition.systems._reachable cimport reachable, table_size


cdef int legal(const State* state, int n) noexcept nogil:
    """SHIFT: the buffer is not empty.
    LEFT, RIGHT: two words are on the stack.
    ROOT: one word is on the stack above the root, and the buffer is empty.
    """
    cdef int moves = 0
    if state.buffer <= n:
        moves |= 1 << SHIFT
    if has_word(state.stack):
        if state.stack.below.word != 0:
            moves |= 1 << LEFT | 1 << RIGHT
        elif state.buffer > n:
            moves |= 1 << ROOT
    return moves


cdef void apply(const State* state, int move, int label, int n, State* out) noexcept nogil:
    """SHIFT: [σ] [b β] -> [σ b] [β].
    LEFT: [σ t s] [β] -> [σ s] [β], arc s -> t.
    RIGHT, ROOT: [σ t s] [β] -> [σ t] [β], arc t -> s.
    """
    cdef const Node* top = state.stack
    follow(state, move, label, out)
    if move == SHIFT:
        shift(state, n, out)
        return
    if move == LEFT:
        out.node = top[0]
        add_left(&out.node, top.below.word, label)
        out.node.first = top.below.first
        out.node.below = top.below.below
    else:
        out.node = top.below[0]
        add_right(&out.node, top.word, label)
    out.stack = &out.node


cdef int oracle(const State* state, const Gold* gold) noexcept nogil:
    """Huang's shortest stack: LEFT whenever it is right, then RIGHT when the dependent is
    complete, else SHIFT. Left dependents are found inside-out before right ones."""
    cdef const Node* top = state.stack
    if top.word != 0:
        if top.below.word != 0 and gold.heads[top.below.word] == top.word:
            return LEFT
        return right_or_shift(state, gold)
    return SHIFT


cdef int cost(const State* state, int move, const Gold* gold) noexcept nogil:
    """The fall of the number of gold arcs that can still be had, the one just made included.

    SHIFT can cost too: what it covers cannot be joined any more before what it adds.
    """
    cdef int32_t* stack = gold.scratch
    cdef int32_t* buffer = stack + gold.n + 2
    cdef int32_t* rest = buffer + gold.n + 1
    cdef const Node* node = state.stack
    cdef int depth = 0, length = 0, before, made
    cdef int32_t head, dependent
    if stack == NULL:
        return move != oracle(state, gold)
    while has_word(node):
        stack[1 + depth] = node.word
        depth += 1
        node = node.below
    while state.buffer + length <= gold.n:
        buffer[length] = state.buffer + length
        length += 1
    before = reachable(stack + 1, depth, buffer, length, gold, rest)
    if move == SHIFT:
        stack[0] = state.buffer
        return before - reachable(stack, depth + 1, buffer + 1, length - 1, gold, rest)
    topmost_arc(state, move, &head, &dependent)
    made = gold.heads[dependent] == head
    if move == LEFT:
        # The second on the stack goes, the first takes its place.
        stack[2] = stack[1]
    return before - made - reachable(stack + 2, depth - 1, buffer, length, gold, rest)


cdef size_t scratch(int n) noexcept nogil:
    """The stack, the buffer, and the table of `reachable`."""
    return <size_t>2 * (n + 2) + table_size(n)


SYSTEM = System("arc-standard", ("shift", "left", "right", "root"))
(<System>SYSTEM).functions = Functions(
    legal=legal, apply=apply, arc=topmost_arc, cost=cost, oracle=oracle,
    steps=two_a_word, start=start_with_root, scratch=scratch, prepare_oracle=no_study,
)
