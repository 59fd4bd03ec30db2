"""Arc-eager (Nivre 2008) without an artificial root: what is left without a head is the root.

A word is attached to its head on the left as soon as it comes to the front of the
buffer, before it has its own right dependents. To end with one tree, the last word
may only be pushed when that leaves one headless word on the stack; then some move
is always possible, because a headless top can take LEFT and any other REDUCE. A
parse has 2n - 1 moves; one more, ROOT, gives the root its label where labels differ.

Costs are those of Goldberg and Nivre (2012), where several words may stay headless.
The condition on the last word can cost more than they count; it never does on the
way of the oracle.
"""

from libc.stdint cimport int32_t

from niwaki.kernel.transition.systems._system cimport (
    LEFT, REDUCE, RIGHT, ROOT, SHIFT, Functions, Gold, Node, State, System, add_right,
    attach_to_front, follow, no_scratch, no_study, shift, start_without_root, two_a_word,
)


cdef int legal(const State* state, int n) noexcept nogil:
    """SHIFT: the buffer is not empty; its last word only onto an empty stack.
    LEFT: the buffer is not empty and the top of the stack has no head.
    RIGHT: the buffer is not empty, nor the stack; the last word only if one word is headless.
    REDUCE: the top of the stack has a head.
    ROOT: the buffer is empty and the top has none; it is then alone.
    """
    cdef int moves = 0
    cdef bint last = state.buffer == n
    if state.stack == NULL:
        return 1 << SHIFT if state.buffer <= n else 0
    if state.stack.has_head:
        moves |= 1 << REDUCE
    if state.buffer <= n:
        if not last:
            moves |= 1 << SHIFT
        if not last or state.counter == 1:
            moves |= 1 << RIGHT
        if not state.stack.has_head:
            moves |= 1 << LEFT
    elif not state.stack.has_head:
        moves |= 1 << ROOT
    return moves


cdef void apply(const State* state, int move, int label, int n, State* out) noexcept nogil:
    """SHIFT: [σ] [b β] -> [σ b] [β].
    LEFT: [σ s] [b β] -> [σ] [b β], arc b -> s.
    RIGHT: [σ s] [b β] -> [σ s b] [β], arc s -> b.
    REDUCE: [σ t s] [β] -> [σ t] [β].
    ROOT: [s] [] -> [] [], arc 0 -> s.

    A head is told of a right dependent when that is reduced: until then the
    dependent lies right above it.
    """
    cdef const Node* top = state.stack
    follow(state, move, label, out)
    if move == SHIFT:
        shift(state, n, out)
        out.counter = state.counter + 1
    elif move == RIGHT:
        shift(state, n, out)
        out.node.has_head = True
        out.node.label = label
    elif move == LEFT:
        attach_to_front(state, label, n, out)
        out.counter = state.counter - 1
    elif move == ROOT:
        out.stack = NULL
        out.counter = 0
    else:
        out.node = top.below[0]
        add_right(&out.node, top.word, top.label)
        out.stack = &out.node


cdef void arc(const State* state, int move, int32_t* head, int32_t* dependent) noexcept nogil:
    head[0] = dependent[0] = -1
    if move == LEFT:
        head[0] = state.buffer
        dependent[0] = state.stack.word
    elif move == RIGHT:
        head[0] = state.stack.word
        dependent[0] = state.buffer
    elif move == ROOT:
        head[0] = 0
        dependent[0] = state.stack.word


cdef int cost(const State* state, int move, const Gold* gold) noexcept nogil:
    """With s on top of the stack and b at the front of the buffer (the head of the root
    counts as standing behind the last word):

    SHIFT loses the arc to b from the stack, and arcs from b to headless words on it.
    RIGHT loses the same, but not the arc from s; also the arc to b from the buffer.
    LEFT loses the arcs from s to the buffer, and the arc to s from behind b.
    REDUCE loses the arcs from s to the buffer.
    ROOT loses nothing: s would be the root without it.
    """
    cdef const int32_t* heads = gold.heads
    cdef const Node* node = state.stack
    cdef int lost = 0, word, head
    if move == SHIFT or move == RIGHT:
        head = heads[state.buffer]
        while node != NULL:
            if not node.has_head and heads[node.word] == state.buffer:
                lost += 1
            if head == node.word and (move == SHIFT or node != state.stack):
                lost += 1
            node = node.below
        if move == RIGHT and (head == 0 or head > state.buffer):
            lost += 1
        return lost
    if gold.last_child[node.word] >= state.buffer:
        for word in range(state.buffer, gold.n + 1):
            if heads[word] == node.word:
                lost += 1
    if move == LEFT:
        head = heads[node.word]
        if head == 0 or head > state.buffer:
            lost += 1
    return lost


cdef int oracle(const State* state, const Gold* gold) noexcept nogil:
    """LEFT or RIGHT if that arc is right, REDUCE when the top has all its dependents, else SHIFT;
    ROOT at the end."""
    cdef const Node* top = state.stack
    if top != NULL:
        if state.buffer <= gold.n:
            if not top.has_head and gold.heads[top.word] == state.buffer:
                return LEFT
            if gold.heads[state.buffer] == top.word:
                return RIGHT
        elif not top.has_head:
            return ROOT
        if top.has_head and gold.last_child[top.word] < state.buffer:
            return REDUCE
    return SHIFT


SYSTEM = System(
    "arc-eager", ("shift", "left", "right", "reduce", "root"),
    knows_heads=True, sees_front_children=True, root_is_optional=True,
)
(<System>SYSTEM).functions = Functions(
    legal=legal, apply=apply, arc=arc, cost=cost, oracle=oracle,
    steps=two_a_word, start=start_without_root, scratch=no_scratch, prepare_oracle=no_study,
)
