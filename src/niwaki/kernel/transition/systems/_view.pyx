"""A view of a transition system for tests and teaching: states that speak in named moves."""

import numpy as np

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from niwaki.kernel.transition.systems._system cimport MOVES, NOTES, Functions, Gold, Node, State, System
from niwaki.kernel.transition.systems._system import MOVE_NAMES


cdef class View:
    """A state of a parse. `move` gives the next one; this one stays as it is."""

    cdef State* state
    cdef System system
    cdef readonly int n
    cdef readonly View parent

    def __cinit__(self, System system not None, int n, View parent=None):
        if n < 1:
            raise ValueError("a sentence has at least one word")
        self.state = <State*>malloc(sizeof(State))
        if self.state == NULL:
            raise MemoryError()
        self.system = system
        self.n = n
        self.parent = parent
        if parent is None:
            system.functions.start(self.state, n)

    def __dealloc__(self):
        free(self.state)

    @property
    def stack(self):
        """Words on the stack, the top last; 0 is the artificial root."""
        cdef const Node* node = self.state.stack
        words = []
        while node != NULL:
            words.append(node.word)
            node = node.below
        return words[::-1]

    @property
    def buffer(self):
        cdef const State* swap = self.state.returned
        words = []
        while swap != NULL:
            words.append(swap.parent.stack.below.word)
            swap = swap.parent.returned
        return words + list(range(self.state.buffer, self.n + 1))

    @property
    def moves(self):
        """The names of the moves that are possible."""
        cdef int legal = self.system.functions.legal(self.state, self.n)
        return [name for number, name in enumerate(MOVE_NAMES) if legal >> number & 1]

    def move(self, str name, int label=0):
        if name not in self.moves:
            raise ValueError(f"{name} is not possible; possible: {', '.join(self.moves)}")
        made = View(self.system, self.n, self)
        self.system.functions.apply(self.state, MOVE_NAMES.index(name), label, self.n, made.state)
        return made

    def arc(self, str name):
        """The (head, dependent) that a move would link, or None."""
        cdef int32_t head, dependent
        self.system.functions.arc(self.state, MOVE_NAMES.index(name), &head, &dependent)
        return None if head < 0 else (head, dependent)

    @property
    def heads(self):
        """Heads of the words so far, -1 where there is none; at the end the last is the root's."""
        heads = [-1] * self.n
        view = self
        while view.parent is not None:
            arc = view.parent.arc(MOVE_NAMES[(<View>view).state.move])
            if arc is not None:
                heads[arc[1] - 1] = arc[0]
            view = view.parent
        if not self.moves and heads.count(-1) == 1:
            heads[heads.index(-1)] = 0
        return heads

    def children(self, int place):
        """What the node at a place of the stack (0 is the top) knows of its dependents:
        (leftmost, second, second from the right, rightmost, their numbers on each side)."""
        cdef const Node* node = self.state.stack
        while place and node != NULL:
            node = node.below
            place -= 1
        if node == NULL:
            return None
        return self._children(node)

    def front_children(self):
        return None if self.state.front == NULL else self._children(self.state.front)

    cdef _children(self, const Node* node):
        named = [None if word == self.n + 1 else word
                 for word in (node.left, node.left2, node.right2, node.right)]
        return (*named, node.lefts, node.rights)

    def cost(self, str name, heads):
        """Gold arcs that a move makes impossible."""
        return self._with_gold(name, heads)

    def oracle(self, heads):
        """The canonical move towards a tree."""
        return self._with_gold(None, heads)

    def _with_gold(self, name, heads):
        cdef int32_t[::1] gold_heads = np.array([0, *heads], dtype=np.int32)
        last = [0] * (self.n + 1)
        for word, head in enumerate(heads, start=1):
            last[head] = max(last[head], word)
        cdef int32_t[::1] last_child = np.array(last, dtype=np.int32)
        cdef int32_t[::1] scratch = np.zeros(
            self.system.functions.scratch(self.n) + 1, dtype=np.int32)
        cdef int32_t[::1] notes = np.zeros(NOTES * (self.n + 1), dtype=np.int32)
        cdef Gold gold
        gold.heads = &gold_heads[0]
        gold.labels = &gold_heads[0]
        gold.last_child = &last_child[0]
        gold.notes = &notes[0]
        gold.scratch = &scratch[0]
        gold.n = self.n
        self.system.functions.prepare_oracle(&gold)
        if name is None:
            return MOVE_NAMES[self.system.functions.oracle(self.state, &gold)]
        return self.system.functions.cost(self.state, MOVE_NAMES.index(name), &gold)
