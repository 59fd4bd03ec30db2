"""What a transition system is: states that share their past, and a record of functions.

A state never changes. A move makes a new state that points to the one before, and
exactly one new node: the word on the stack or at the front of the buffer that the
move touched. Nothing is copied but that node, so a beam of states costs a constant
amount of memory and time a move. A parse ends where no move is possible.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t

cdef enum:
    # Moves. ROOT is RIGHT from the artificial root: the same arc, but with labels of its own.
    SHIFT
    LEFT
    RIGHT
    REDUCE
    SWAP
    ROOT
    MOVES

    NOTES = 5


cdef struct Node:
    # A word with what is known of its dependents. Word 0 is the artificial root;
    # where there is no child, its number is that of the place behind the last word.
    const Node* below       # on the stack; NULL at the bottom
    int32_t word
    int32_t first           # word of its subtree, so far; where words never swap, the subtrees on
                            # the stack and at the front lie side by side without gaps
    int32_t left            # leftmost child and the one after it
    int32_t left2
    int32_t right           # rightmost child and the one before it
    int32_t right2
    uint32_t left_set       # labels of the children on a side, as a set of bits
    uint32_t right_set
    uint8_t left_label
    uint8_t left2_label
    uint8_t right_label
    uint8_t right2_label
    uint8_t lefts           # number of children on a side
    uint8_t rights
    uint8_t label           # of the arc to its head, if it has one while on the stack
    uint8_t has_head


cdef struct State:
    Node node               # the node that the move made
    const Node* stack       # top
    const Node* front       # front of the buffer, if it has children or came back; else NULL
    const State* parent
    # The state after the SWAP that put the front of the buffer there, if one did; the word
    # was second on the stack before it. NULL: no word of the buffer was ever on the stack.
    const State* returned
    float score             # of all moves so far
    int32_t buffer          # first word that was never shifted; behind the last if there is none
    int32_t counter           # headless words on the stack (arc-eager), or swaps so far
    uint8_t move
    uint8_t label
    uint8_t action           # the labelled move as the model numbers it


cdef struct Gold:
    # A tree to learn from. heads[w] for the words 1..n; last_child[w] is the
    # position of the rightmost dependent of w (0 if none). `notes` are NOTES numbers for
    # each word and the root that `prepare_oracle` writes and the oracle reads.
    const int32_t* heads
    const int32_t* labels
    const int32_t* last_child
    int32_t* notes
    int32_t* scratch
    int n


cdef struct Functions:
    # legal: set of the moves that are possible, as bits
    # apply: make the state after a move
    # arc: the arc that a move makes; -1, -1 if it makes none
    # cost: how many words can no longer get their gold head after the move
    # oracle: the move of the canonical way to a tree
    # steps: number of moves of a whole parse; if parses differ, that of the longest
    # start: make the first state
    # scratch: room that `cost` needs, in numbers; without it, `cost` only knows the oracle's way
    # prepare_oracle: note what `oracle` wants to know of a tree, if anything
    int (*legal)(const State* state, int n) noexcept nogil
    void (*apply)(const State* state, int move, int label, int n, State* out) noexcept nogil
    void (*arc)(const State* state, int move, int32_t* head, int32_t* dependent) noexcept nogil
    int (*cost)(const State* state, int move, const Gold* gold) noexcept nogil
    int (*oracle)(const State* state, const Gold* gold) noexcept nogil
    int (*steps)(int n) noexcept nogil
    void (*start)(State* state, int n) noexcept nogil
    size_t (*scratch)(int n) noexcept nogil
    void (*prepare_oracle)(const Gold* gold) noexcept nogil


cdef class System:
    cdef Functions functions
    cdef readonly str name
    cdef readonly tuple moves
    # What features can see: heads of words on the stack, children of the buffer's front.
    cdef readonly bint knows_heads
    cdef readonly bint sees_front_children
    # Whether crossing trees can be reached.
    cdef readonly bint nonprojective
    # Whether a parse is whole without ROOT, which then only chooses the label of the root.
    cdef readonly bint root_is_optional


cdef inline bint has_word(const Node* node) noexcept nogil:
    """Whether there is a node and it is not the artificial root."""
    return node != NULL and node.word != 0


cdef inline void new_node(Node* node, int word, int n) noexcept nogil:
    node.below = NULL
    node.word = node.first = word
    node.left = node.left2 = node.right = node.right2 = n + 1
    node.left_set = node.right_set = 0
    node.left_label = node.left2_label = node.right_label = node.right2_label = 0
    node.lefts = node.rights = node.label = node.has_head = 0


cdef inline void front_node(const State* state, int n, Node* node) noexcept nogil:
    """The front of the buffer as a node of its own."""
    if state.front != NULL:
        node[0] = state.front[0]
    else:
        new_node(node, state.buffer, n)


cdef inline void add_left(Node* head, int dependent, int label) noexcept nogil:
    head.left2 = head.left
    head.left2_label = head.left_label
    head.left = dependent
    head.left_label = label
    head.left_set |= <uint32_t>1 << (label % 32)
    if head.lefts < 255:
        head.lefts += 1


cdef inline void add_right(Node* head, int dependent, int label) noexcept nogil:
    head.right2 = head.right
    head.right2_label = head.right_label
    head.right = dependent
    head.right_label = label
    head.right_set |= <uint32_t>1 << (label % 32)
    if head.rights < 255:
        head.rights += 1


cdef inline void follow(const State* state, int move, int label, State* out) noexcept nogil:
    """What every move does to the state that it makes."""
    out.parent = state
    out.stack = state.stack
    out.front = state.front
    out.buffer = state.buffer
    out.returned = state.returned
    out.counter = state.counter
    out.score = state.score
    out.move = move
    out.label = label
    out.action = 0


cdef inline void shift(const State* state, int n, State* out) noexcept nogil:
    """Put the front of the buffer on the stack."""
    front_node(state, n, &out.node)
    out.node.below = state.stack
    out.stack = &out.node
    out.front = NULL
    out.buffer = state.buffer + 1


cdef inline int two_a_word(int n) noexcept nogil:
    """The number of moves where each word is pushed once and taken away once."""
    return 2 * n


cdef inline size_t no_scratch(int n) noexcept nogil:
    return 0


cdef inline void no_study(const Gold* gold) noexcept nogil:
    pass


cdef inline void start_without_root(State* state, int n) noexcept nogil:
    """An empty stack, all words in the buffer."""
    state.stack = NULL
    state.front = NULL
    state.parent = NULL
    state.buffer = 1
    state.returned = NULL
    state.counter = 0
    state.score = 0
    state.move = state.label = state.action = 0


cdef inline void start_with_root(State* state, int n) noexcept nogil:
    """The artificial root on the stack, all words in the buffer."""
    start_without_root(state, n)
    new_node(&state.node, 0, n)
    state.stack = &state.node


cdef inline void attach_to_front(const State* state, int label, int n, State* out) noexcept nogil:
    """LEFT where heads wait in the buffer: [σ s] [b β] -> [σ] [b β], arc b -> s."""
    front_node(state, n, &out.node)
    add_left(&out.node, state.stack.word, label)
    out.node.first = state.stack.first
    out.front = &out.node
    out.stack = state.stack.below


cdef inline int right_or_shift(const State* state, const Gold* gold) noexcept nogil:
    """RIGHT or ROOT when the top is complete and belongs to the word below it, else SHIFT."""
    cdef const Node* top = state.stack
    if gold.heads[top.word] == top.below.word and gold.last_child[top.word] < state.buffer:
        if top.below.word != 0:
            return RIGHT
        if state.buffer > gold.n:
            return ROOT
    return SHIFT


cdef inline void topmost_arc(const State* state, int move, int32_t* head,
                             int32_t* dependent) noexcept nogil:
    """The arcs between the two topmost words of the stack."""
    head[0] = dependent[0] = -1
    if move == LEFT:
        head[0] = state.stack.word
        dependent[0] = state.stack.below.word
    elif move == RIGHT or move == ROOT:
        head[0] = state.stack.below.word
        dependent[0] = state.stack.word
