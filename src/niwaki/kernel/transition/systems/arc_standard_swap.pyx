"""Arc-standard with SWAP (Nivre 2009): reaches every tree, crossing or not.

SWAP puts the second word of the stack back in front of the buffer, so words can be
brought into an order in which their tree does not cross. No two words change places
twice, so every parse ends: n words and s swaps take 2n + 2s moves. A sentence of n words
has at most MOST_SWAPS * n swaps, which keeps memory linear; trees that need more are
not reached.

The oracle is the lazy one of Nivre, Kuhlmann and Hall (2009): it swaps words that stand
in the wrong order only when what lies on top can grow no further without it. Of the orders
in which a tree does not cross it takes one in which words go back to where their subtree
began, not to where its top is: then both words that are to be linked have been seen.

Costs are those of arc-standard, in the order to which the words are brought: a word of the
stack counts as one of the buffer if something behind it has to come before it. Swaps
themselves are static (de Lhoneux, Stymne and Nivre 2017): only those that are due are right,
though a swap could also make up for a mistake; and after another one costs are estimates.
"""

from libc.stdint cimport int32_t, uint32_t

from niwaki.kernel.transition.systems._system cimport (
    LEFT, RIGHT, ROOT, SHIFT, SWAP, Functions, Gold, Node, State, System, follow, has_word,
    shift, start_with_root, topmost_arc,
)
from niwaki.kernel.transition.systems._reachable cimport reachable, table_size

cdef enum:
    MOST_SWAPS = 4
    MOST_CHILDREN = 255     # that a node counts on a side


cdef inline int most_swaps(int n) noexcept nogil:
    return MOST_SWAPS * n


cdef int legal(const State* state, int n) noexcept nogil:
    """SHIFT: the buffer is not empty.
    LEFT, RIGHT: two words are on the stack.
    SWAP: so they are, in the order of the sentence, and not all swaps are used up.
    ROOT: one word is on the stack above the root, and the buffer is empty.
    """
    cdef int moves = 0
    cdef bint is_empty = state.returned == NULL and state.buffer > n
    if not is_empty:
        moves |= 1 << SHIFT
    if has_word(state.stack):
        if state.stack.below.word != 0:
            moves |= 1 << LEFT | 1 << RIGHT
            if state.stack.below.word < state.stack.word and state.counter < most_swaps(n):
                moves |= 1 << SWAP
        elif is_empty:
            moves |= 1 << ROOT
    return moves


cdef inline const Node* returned_node(const State* state) noexcept nogil:
    """The word at the front of the buffer, if it came back from the stack."""
    if state.returned == NULL:
        return NULL
    return state.returned.parent.stack.below


cdef void add_child(Node* head, int dependent, int label, int n) noexcept nogil:
    """Swapped words come in any order, so a child finds its place among the outermost."""
    cdef int none = n + 1
    if dependent < head.word:
        if head.left == none or dependent < head.left:
            head.left2 = head.left
            head.left2_label = head.left_label
            head.left = dependent
            head.left_label = label
        elif head.left2 == none or dependent < head.left2:
            head.left2 = dependent
            head.left2_label = label
        head.left_set |= <uint32_t>1 << (label % 32)
        if head.lefts < MOST_CHILDREN:
            head.lefts += 1
        return
    if head.right == none or dependent > head.right:
        head.right2 = head.right
        head.right2_label = head.right_label
        head.right = dependent
        head.right_label = label
    elif head.right2 == none or dependent > head.right2:
        head.right2 = dependent
        head.right2_label = label
    head.right_set |= <uint32_t>1 << (label % 32)
    if head.rights < MOST_CHILDREN:
        head.rights += 1


cdef void apply(const State* state, int move, int label, int n, State* out) noexcept nogil:
    """SHIFT: [σ] [b β] -> [σ b] [β].
    LEFT: [σ t s] [β] -> [σ s] [β], arc s -> t.
    RIGHT, ROOT: [σ t s] [β] -> [σ t] [β], arc t -> s.
    SWAP: [σ t s] [β] -> [σ s] [t β].
    """
    cdef const Node* top = state.stack
    follow(state, move, label, out)
    if move == SHIFT:
        shift(state, n, out)
        if state.returned != NULL:
            out.buffer = state.buffer
            out.returned = state.returned.parent.returned
            out.front = returned_node(out)
        return
    if move == SWAP:
        out.node = top[0]
        out.node.below = top.below.below
        out.front = top.below
        out.returned = out
        out.counter = state.counter + 1
    elif move == LEFT:
        out.node = top[0]
        add_child(&out.node, top.below.word, label, n)
        out.node.below = top.below.below
    else:
        out.node = top.below[0]
        add_child(&out.node, top.word, label, n)
    out.stack = &out.node


# -- what the oracle knows of a tree: three numbers of each word -------------------

cdef inline const int32_t* order_of(const Gold* gold) noexcept nogil:
    """Places of the words in the order in which the tree does not cross."""
    return gold.notes


cdef inline const int32_t* components_of(const Gold* gold) noexcept nogil:
    """The largest part of the tree around a word that can be built without SWAP, by its top."""
    return gold.notes + gold.n + 1


cdef inline const int32_t* sizes_of(const Gold* gold) noexcept nogil:
    """Numbers of dependents."""
    return gold.notes + 2 * (gold.n + 1)


cdef void prepare_oracle(const Gold* gold) noexcept nogil:
    """Three numbers of each word for the oracle, and two to find them."""
    cdef int word, size = gold.n + 1
    cdef int32_t* notes = gold.notes
    cdef int32_t* sizes = notes + 2 * size
    for word in range(size):
        sizes[word] = 0
    for word in range(1, size):
        if gold.heads[word] >= 0:
            sizes[gold.heads[word]] += 1
    find_order(gold, notes, notes + size, notes + 3 * size, notes + 4 * size)
    find_components(gold, notes + size, notes + 3 * size, notes + 4 * size)


cdef void find_order(const Gold* gold, int32_t* order, int32_t* first, int32_t* child,
                     int32_t* sibling) noexcept nogil:
    """Each word between its dependents, from the artificial root down, such that a subtree
    with a gap stands where its first word does.

    What comes behind the gap goes back over it, so a word is swapped when it is on top of the
    stack, and not to make room for one that was not yet seen. `first` is the first word of a
    subtree, `child` the next dependent to visit; words that hang nowhere get no place (-1).
    """
    cdef int word, head, place, count = 0, rank = 0
    for word in range(gold.n + 1):
        first[word] = child[word] = 0
    # Sorted by their first words, kept in `order` until dependents are in lists.
    for place in range(1, gold.n + 1):
        word = place
        while word > 0 and not first[word]:
            first[word] = place
            order[count] = word
            count += 1
            word = gold.heads[word]
    for place in range(count - 1, -1, -1):
        word = order[place]
        head = gold.heads[word]
        if head >= 0:
            sibling[word] = child[head]
            child[head] = word
    for word in range(gold.n + 1):
        order[word] = -1
    word = 0
    while True:
        if child[word] != 0 and (first[child[word]] < word or order[word] >= 0):
            head = word
            word = child[head]
            child[head] = sibling[word]
        elif order[word] < 0:
            order[word] = rank
            rank += 1
        elif word == 0:
            return
        else:
            word = gold.heads[word]


cdef void find_components(const Gold* gold, int32_t* top, int32_t* stack,
                          int32_t* done) noexcept nogil:
    """Parse without SWAP until nothing more can be linked; `top` leads up in what was built."""
    cdef const int32_t* sizes = sizes_of(gold)
    cdef int depth = 0, word, one, other
    for word in range(gold.n + 1):
        top[word] = word
        done[word] = 0
    for word in range(1, gold.n + 1):
        stack[depth] = word
        depth += 1
        while depth > 1:
            one = stack[depth - 1]
            other = stack[depth - 2]
            if gold.heads[other] == one and done[other] == sizes[other]:
                top[other] = one
                done[one] += 1
                stack[depth - 2] = one
            elif gold.heads[one] == other and done[one] == sizes[one]:
                top[one] = other
                done[other] += 1
            else:
                break
            depth -= 1
    for word in range(1, gold.n + 1):
        one = word
        while top[one] != one:
            # Halving the way makes the next one short.
            top[one] = top[top[one]]
            one = top[one]
        top[word] = one


cdef inline bint is_complete(const Node* node, const Gold* gold) noexcept nogil:
    """Whether a word has as many dependents as in the gold tree."""
    return node.lefts + node.rights >= min(<int>MOST_CHILDREN, sizes_of(gold)[node.word])


cdef bint swap_is_due(const State* state, const Gold* gold) noexcept nogil:
    """Whether the two topmost stand in the wrong order, can still be swapped, and the front of
    the buffer is no part of what the top can grow to."""
    cdef const Node* top = state.stack
    cdef const int32_t* components = components_of(gold)
    cdef int front = state.front.word if state.front != NULL else state.buffer
    if not legal(state, gold.n) >> SWAP & 1:
        return False
    return order_of(gold)[top.word] < order_of(gold)[top.below.word] and (
        front > gold.n or components[top.word] != components[front])


cdef int oracle(const State* state, const Gold* gold) noexcept nogil:
    """LEFT or RIGHT when the dependent is complete, SWAP when it is due, else SHIFT."""
    cdef const Node* top = state.stack
    cdef const Node* second = top.below
    if not has_word(top):
        return SHIFT
    if second.word == 0:
        return ROOT if state.front == NULL and state.buffer > gold.n else SHIFT
    if gold.heads[second.word] == top.word and is_complete(second, gold):
        return LEFT
    if gold.heads[top.word] == second.word and is_complete(top, gold):
        return RIGHT
    return SWAP if swap_is_due(state, gold) else SHIFT


# -- costs ---------------------------------------------------------------------------

cdef inline bint makes_way(int word, const int32_t* others, int count,
                           const int32_t* order) noexcept nogil:
    """Whether another has to come before a word, and can: no two change places twice."""
    cdef int i
    for i in range(count):
        if others[i] > word and order[others[i]] < order[word]:
            return True
    return False


cdef int arcs_within_reach(const Node* top, const State* back, int first, int covered,
                           const Gold* gold) noexcept nogil:
    """The gold arcs that can be had from a stack and a buffer once words are in order.

    The buffer is what came back (`back`) and the words from `first` on; `covered` is the one
    of its words that now lies on the stack, above `top` (0 if none does).
    """
    cdef const int32_t* order = order_of(gold)
    cdef int n = gold.n, depth = 0, length = 0, word, i, staying = 0
    cdef int32_t* stack = gold.scratch + 1      # with room for one more on top
    cdef int32_t* later = stack + n + 1         # words of the buffer
    cdef int32_t* ranked = later + n + 1        # by their place in the order
    cdef bint top_goes = False
    if covered:
        stack[0] = covered
        depth = 1
    while has_word(top):
        stack[depth] = top.word
        depth += 1
        top = top.below
    while back != NULL:
        word = back.parent.stack.below.word
        if word != covered:
            later[length] = word
            length += 1
        back = back.parent.returned
    for word in range(first, n + 1):
        if word != covered:
            later[length] = word
            length += 1
    # From the top down, who has to make way for one behind goes back to the buffer.
    for i in range(depth):
        word = stack[i]
        if makes_way(word, stack, staying, order) or makes_way(word, later, length, order):
            later[length] = word
            length += 1
            top_goes = top_goes or i == 0
        else:
            stack[staying] = word
            staying += 1
    length = sort_by_order(later, length, ranked, order, n)
    if top_goes and length:
        # What the top covers is not seen again before another word takes its place.
        stack -= 1
        stack[0] = later[0]
        return reachable(stack, staying + 1, later + 1, length - 1, gold, ranked + n + 1)
    return reachable(stack, staying, later, length, gold, ranked + n + 1)


cdef inline int sort_by_order(int32_t* words, int count, int32_t* ranked, const int32_t* order,
                              int n) noexcept nogil:
    """Returns their number. Words that hang nowhere have no place, and no arcs: they go."""
    cdef int i, kept = 0
    for i in range(n + 1):
        ranked[i] = 0
    for i in range(count):
        if order[words[i]] >= 0:
            ranked[order[words[i]]] = words[i]
    for i in range(n + 1):
        if ranked[i]:
            words[kept] = ranked[i]
            kept += 1
    return kept


cdef int cost(const State* state, int move, const Gold* gold) noexcept nogil:
    """The fall of the number of gold arcs within reach, the one just made included.

    A SWAP is due or wrong; and when one is due, SHIFT would prevent it.
    """
    cdef const Node* top = state.stack
    cdef Node kept
    cdef int32_t head, dependent
    cdef int before, made
    cdef bint is_due
    if gold.scratch == NULL:
        return move != oracle(state, gold)
    is_due = swap_is_due(state, gold)
    if move == SWAP:
        return 0 if is_due else gold.n + 1
    before = arcs_within_reach(top, state.returned, state.buffer, 0, gold)
    if move == SHIFT:
        made = state.front.word if state.front != NULL else state.buffer
        before -= arcs_within_reach(top, state.returned, state.buffer, made, gold)
        return max(before, <int>is_due)
    topmost_arc(state, move, &head, &dependent)
    made = gold.heads[dependent] == head
    kept = top[0] if move == LEFT else top.below[0]
    kept.below = top.below.below
    before -= made + arcs_within_reach(&kept, state.returned, state.buffer, 0, gold)
    return max(before, 0)


cdef size_t scratch(int n) noexcept nogil:
    """The stack, the buffer, the buffer in order, and the table of `reachable`."""
    return <size_t>3 * (n + 1) + 1 + table_size(n)


cdef int steps(int n) noexcept nogil:
    return 2 * n + 2 * most_swaps(n)


SYSTEM = System(
    "arc-standard-swap", ("shift", "left", "right", "swap", "root"),
    sees_front_children=True, nonprojective=True,
)
(<System>SYSTEM).functions = Functions(
    legal=legal, apply=apply, arc=topmost_arc, cost=cost, oracle=oracle,
    steps=steps, start=start_with_root, scratch=scratch, prepare_oracle=prepare_oracle,
)
