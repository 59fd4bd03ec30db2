"""Arc-standard with the three atomic moves of Huang, Jiang and Liu (2009).

Both arcs link the two topmost trees on the stack and remove the dependent, so the
stack holds unrelated trees. The artificial root lies at the bottom and takes its
only child last. A parse has 2n moves, and some move is always possible.

Costs are exact, by the tabular method of Goldberg, Sartorio and Satta (2014): the
arcs that can still be had are found by growing one tree from the top of the stack,
which takes in the next tree below it or the next one of the buffer until all are
one. In the buffer, gold subtrees that wait for nothing on the stack count as one.
"""

from libc.stdint cimport int32_t

from niwaki.kernel.systems._system cimport (
    LEFT, RIGHT, ROOT, SHIFT, Functions, Gold, Node, State, System, add_left, add_right, follow,
    has_word, no_study, shift, start_with_root, topmost_arc,
)


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
        if gold.heads[top.word] == top.below.word and gold.last_child[top.word] < state.buffer:
            if top.below.word != 0:
                return RIGHT
            if state.buffer > gold.n:
                return ROOT
    return SHIFT


cdef int buffer_trees(int first, const int32_t* stack, int depth, const Gold* gold,
                      int32_t* waiting, int32_t* trees) noexcept nogil:
    """The buffer with its complete gold subtrees collapsed to their roots.

    A word waits if a dependent of it, or of a descendant, is still on the stack.
    One that does not wait can be joined to its head in the buffer at any time.
    """
    cdef int i, word, count = 0
    for word in range(first, gold.n + 1):
        waiting[word] = False
    for i in range(depth):
        word = gold.heads[stack[i]]
        while word >= first and not waiting[word]:
            waiting[word] = True
            word = gold.heads[word]
    for word in range(first, gold.n + 1):
        if gold.heads[word] < first or waiting[word]:
            trees[count] = word
            count += 1
    return count


cdef int reachable(const int32_t* stack, int depth, int first, const Gold* gold,
                   int32_t* scratch) noexcept nogil:
    """The most gold arcs that can be had from a stack (top first) and a buffer.

    best[p][q][h]: the tree that has taken in the p topmost of the stack and the q
    foremost of the buffer, with head h (an index into both, stack first).
    """
    cdef int32_t* trees = scratch
    cdef int32_t* best
    cdef const int32_t* heads = gold.heads
    cdef int count, p, q, h, head, next_word, size, value, most = 0, collapsed
    count = buffer_trees(first, stack, depth, gold, scratch + gold.n + 1, trees)
    collapsed = gold.n + 1 - first - count
    size = depth + count
    if size == 0:
        return collapsed
    best = scratch + 2 * (gold.n + 1)
    for p in range((depth + 1) * (count + 1) * size):
        best[p] = -1
    # One tree to begin with: the top of the stack, or else the front of the buffer.
    if depth:
        best[(1 * (count + 1) + 0) * size + 0] = 0
    else:
        best[(0 * (count + 1) + 1) * size + depth] = 0
    for p in range(depth + 1):
        for q in range(count + 1):
            for h in range(size):
                value = best[(p * (count + 1) + q) * size + h]
                if value < 0:
                    continue
                head = stack[h] if h < depth else trees[h - depth]
                if p < depth:
                    next_word = stack[p]
                    raise_to(best, ((p + 1) * (count + 1) + q) * size + h,
                             value + (heads[next_word] == head))
                    raise_to(best, ((p + 1) * (count + 1) + q) * size + p,
                             value + (heads[head] == next_word))
                if q < count:
                    next_word = trees[q]
                    raise_to(best, (p * (count + 1) + q + 1) * size + h,
                             value + (heads[next_word] == head))
                    raise_to(best, (p * (count + 1) + q + 1) * size + depth + q,
                             value + (heads[head] == next_word))
                if p == depth and q == count and value + (heads[head] == 0) > most:
                    most = value + (heads[head] == 0)
    return most + collapsed


cdef inline void raise_to(int32_t* best, int place, int value) noexcept nogil:
    if value > best[place]:
        best[place] = value


cdef int cost(const State* state, int move, const Gold* gold) noexcept nogil:
    """The fall of the number of gold arcs that can still be had, the one just made included.

    SHIFT can cost too: what it covers cannot be joined any more before what it adds.
    """
    cdef int32_t* stack = gold.scratch
    cdef const Node* node = state.stack
    cdef int32_t* rest = gold.scratch + gold.n + 2
    cdef int depth = 0, before, made
    cdef int32_t head, dependent
    if stack == NULL:
        return move != oracle(state, gold)
    while has_word(node):
        stack[1 + depth] = node.word
        depth += 1
        node = node.below
    before = reachable(stack + 1, depth, state.buffer, gold, rest)
    if move == SHIFT:
        stack[0] = state.buffer
        return before - reachable(stack, depth + 1, state.buffer + 1, gold, rest)
    topmost_arc(state, move, &head, &dependent)
    made = gold.heads[dependent] == head
    if move == LEFT:
        # The second on the stack goes, the first takes its place.
        stack[2] = stack[1]
    return before - made - reachable(stack + 2, depth - 1, state.buffer, gold, rest)


cdef size_t scratch(int n) noexcept nogil:
    """The stack, the collapsed buffer, who waits, and the table of `reachable`: with p on the
    stack and q in the buffer it has (p + 1)(q + 1)(p + q) places, at most (n/2 + 2)^2 (n + 1)."""
    return <size_t>4 * (n + 3) + <size_t>(n // 2 + 2) * (n // 2 + 2) * (n + 2)


cdef int steps(int n) noexcept nogil:
    return 2 * n


SYSTEM = System("arc-standard", ("shift", "left", "right", "root"))
(<System>SYSTEM).functions = Functions(
    legal=legal, apply=apply, arc=topmost_arc, cost=cost, oracle=oracle,
    steps=steps, start=start_with_root, scratch=scratch, study=no_study,
)
