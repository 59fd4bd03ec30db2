"""Arc-hybrid (Kuhlmann, Gómez-Rodríguez and Satta 2011), with the artificial root at the bottom.

A word takes its left dependents while it waits at the front of the buffer and its
right dependents while it lies second on the stack; each arc removes its dependent.
The root keeps waiting until the buffer is empty, so it gets exactly one child, and
some move is possible until the tree is whole. A parse has 2n moves.

Costs are those of Goldberg and Nivre (2013): an arc that a move makes impossible
never makes another one impossible too, so they may be counted one by one.
"""

from libc.stdint cimport int32_t

from niwaki.kernel.transition.systems._system cimport (
    LEFT, RIGHT, ROOT, SHIFT, Functions, Gold, Node, State, System, add_right, attach_to_front,
    follow, has_word, no_scratch, no_study, right_or_shift, shift, start_with_root, topmost_arc,
    two_a_word,
)


cdef int legal(const State* state, int n) noexcept nogil:
    """SHIFT: the buffer is not empty.
    LEFT: the buffer is not empty and a word (not the root) is on the stack.
    RIGHT: two words are on the stack.
    ROOT: one word is on the stack above the root, and the buffer is empty.
    """
    cdef int moves = 0
    if state.buffer <= n:
        moves |= 1 << SHIFT
    if has_word(state.stack):
        if state.buffer <= n:
            moves |= 1 << LEFT
        if state.stack.below.word != 0:
            moves |= 1 << RIGHT
        elif state.buffer > n:
            moves |= 1 << ROOT
    return moves


cdef void apply(const State* state, int move, int label, int n, State* out) noexcept nogil:
    """SHIFT: [σ] [b β] -> [σ b] [β].
    LEFT: [σ s] [b β] -> [σ] [b β], arc b -> s.
    RIGHT, ROOT: [σ t s] [β] -> [σ t] [β], arc t -> s.
    """
    cdef const Node* top = state.stack
    follow(state, move, label, out)
    if move == SHIFT:
        shift(state, n, out)
    elif move == LEFT:
        attach_to_front(state, label, n, out)
    else:
        out.node = top.below[0]
        add_right(&out.node, top.word, label)
        out.stack = &out.node


cdef void arc(const State* state, int move, int32_t* head, int32_t* dependent) noexcept nogil:
    if move == LEFT:
        head[0] = state.buffer
        dependent[0] = state.stack.word
    else:
        topmost_arc(state, move, head, dependent)


cdef int cost(const State* state, int move, const Gold* gold) noexcept nogil:
    """With s on top of the stack, t below it and b at the front of the buffer:

    SHIFT loses the arcs from b to words on the stack, and the arc to b from what
    lies below s. LEFT and RIGHT take s away and lose its arcs to words in the
    buffer; LEFT also the arc to s from t or from behind b, RIGHT the arc to s from
    the buffer.
    """
    cdef const int32_t* heads = gold.heads
    cdef const Node* node = state.stack
    cdef int lost = 0, word, head
    if move == SHIFT:
        while node != NULL:
            if node.word != 0 and heads[node.word] == state.buffer:
                lost += 1
            if node != state.stack and heads[state.buffer] == node.word:
                lost += 1
            node = node.below
        return lost
    if gold.last_child[node.word] >= state.buffer:
        for word in range(state.buffer, gold.n + 1):
            if heads[word] == node.word:
                lost += 1
    head = heads[node.word]
    if move == LEFT:
        if head == node.below.word or head > state.buffer:
            lost += 1
    elif head >= state.buffer:
        lost += 1
    return lost


cdef int oracle(const State* state, const Gold* gold) noexcept nogil:
    """LEFT as soon as it is right, RIGHT when the word has all its dependents, else SHIFT."""
    cdef const Node* top = state.stack
    if top.word != 0:
        if state.buffer <= gold.n and gold.heads[top.word] == state.buffer:
            return LEFT
        return right_or_shift(state, gold)
    return SHIFT


SYSTEM = System("arc-hybrid", ("shift", "left", "right", "root"), sees_front_children=True)
(<System>SYSTEM).functions = Functions(
    legal=legal, apply=apply, arc=arc, cost=cost, oracle=oracle,
    steps=two_a_word, start=start_with_root, scratch=no_scratch, prepare_oracle=no_study,
)
