"""Parsing around what is known: the nearest allowed tree, and search among allowed moves.

What may be is given as tables. `arcs[h, d]`: h may be the head of d (0 is the root).
`left[h, d]` and `right[h, d]`: the first and last of the words that d and all below it
must then be; 0 for any, and where trees may cross. A filter of moves need not know all
dead ends: who finds none but dead ends takes the nearest allowed tree, which the chart
finds exactly, or a search for spanning trees where they may cross.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.transition.features cimport Context
from niwaki.kernel.features.columns cimport Columns
from niwaki.kernel.transition.parser cimport (
    MAX_CLASSES, WAIT, Choice, Parser, Space, keep_best,
)
from niwaki.kernel.transition.systems._system cimport (
    MOVES, NOTES, REDUCE, SHIFT, Functions, Gold, Node, State,
)

# A chart takes 48 bytes for each pair of words.
MAX_WORDS = 1000

cdef enum:
    # Above this, exact costs take too long (about 250 words in arc-standard).
    MAX_SCRATCH = 1 << 22

cdef int64_t IMPOSSIBLE = -(<int64_t>1 << 60)

cdef enum:
    # Spans of a chart: a head with all it has on one side, or an arc and what lies between.
    WHOLE_RIGHT
    WHOLE_LEFT
    ARC_RIGHT
    ARC_LEFT
    KINDS


cdef class Chart:
    """Eisner's (1996) chart: the projective tree with one root whose arcs weigh most.

    best[kind][s][t] covers the words s..t; split[kind][s][t] is where it was put together.
    """

    cdef int64_t* best
    cdef int32_t* split
    cdef size_t side
    cdef int n
    cdef const uint8_t[:, ::1] arcs
    cdef const int32_t[:, ::1] left
    cdef const int32_t[:, ::1] right
    cdef const int64_t[:, ::1] weights

    def __cinit__(self, const uint8_t[:, ::1] arcs not None, const int32_t[:, ::1] left not None,
                  const int32_t[:, ::1] right not None, const int64_t[:, ::1] weights not None):
        cdef Py_ssize_t side = arcs.shape[0]
        if not 2 <= side <= MAX_WORDS + 1:
            raise ValueError(f"a chart takes 1 to {MAX_WORDS} words")
        if {arcs.shape[1], left.shape[0], left.shape[1], right.shape[0], right.shape[1],
                weights.shape[0], weights.shape[1]} != {side}:
            raise ValueError("the tables of a chart are squares of one size")
        self.n = side - 1
        self.side = side
        self.arcs, self.left, self.right, self.weights = arcs, left, right, weights
        self.best = <int64_t*>malloc(KINDS * side * side * sizeof(int64_t))
        self.split = <int32_t*>malloc(KINDS * side * side * sizeof(int32_t))
        if self.best == NULL or self.split == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.best)
        free(self.split)

    cdef inline size_t at(self, int kind, int s, int t) noexcept nogil:
        return (kind * self.side + s) * self.side + t

    cdef void offer(self, int kind, int s, int t, int k, int64_t value) noexcept nogil:
        cdef size_t place = self.at(kind, s, t)
        # What holds something impossible may have gained a little weight since.
        if value > IMPOSSIBLE // 2 and value > self.best[place]:
            self.best[place] = value
            self.split[place] = k

    cdef void fill(self) noexcept nogil:
        cdef int s, t, k, kind, width
        cdef int64_t value
        for s in range(1, self.n + 1):
            for t in range(s, self.n + 1):
                for kind in range(KINDS):
                    self.best[self.at(kind, s, t)] = IMPOSSIBLE
            self.best[self.at(WHOLE_RIGHT, s, s)] = self.best[self.at(WHOLE_LEFT, s, s)] = 0
        for width in range(1, self.n):
            for s in range(1, self.n - width + 1):
                t = s + width
                for k in range(s, t):
                    value = (self.best[self.at(WHOLE_RIGHT, s, k)]
                             + self.best[self.at(WHOLE_LEFT, k + 1, t)])
                    # The dependent's words on the side of the head begin or end here.
                    if self.arcs[s, t] and self.left[s, t] in (0, k + 1):
                        self.offer(ARC_RIGHT, s, t, k, value + self.weights[s, t])
                    if self.arcs[t, s] and self.right[t, s] in (0, k):
                        self.offer(ARC_LEFT, s, t, k, value + self.weights[t, s])
                for k in range(s, t):
                    # ... and those on its other side here.
                    if self.right[s, k + 1] in (0, t):
                        self.offer(WHOLE_RIGHT, s, t, k + 1,
                                   self.best[self.at(ARC_RIGHT, s, k + 1)]
                                   + self.best[self.at(WHOLE_RIGHT, k + 1, t)])
                    if self.left[t, k] in (0, s):
                        self.offer(WHOLE_LEFT, s, t, k,
                                   self.best[self.at(WHOLE_LEFT, s, k)]
                                   + self.best[self.at(ARC_LEFT, k, t)])

    cdef int root(self) noexcept nogil:
        """The root of the best tree, 0 if there is no tree."""
        cdef int word, found = 0
        cdef int64_t value, most = IMPOSSIBLE // 2
        for word in range(1, self.n + 1):
            if self.arcs[0, word] and self.left[0, word] in (0, 1) and (
                    self.right[0, word] in (0, self.n)):
                value = (self.best[self.at(WHOLE_LEFT, 1, word)] + self.weights[0, word]
                         + self.best[self.at(WHOLE_RIGHT, word, self.n)])
                if value > most:
                    most = value
                    found = word
        return found

    def tree(self):
        """Heads of the words of the best tree, or None if there is none."""
        cdef int root, kind, s, t, k
        with nogil:
            self.fill()
            root = self.root()
        if root == 0:
            return None
        heads = np.zeros(self.n, dtype=np.int32)
        todo = [(WHOLE_LEFT, 1, root), (WHOLE_RIGHT, root, self.n)]
        while todo:
            kind, s, t = todo.pop()
            if s == t:
                continue
            k = self.split[self.at(kind, s, t)]
            if kind == WHOLE_RIGHT:
                todo += [(ARC_RIGHT, s, k), (WHOLE_RIGHT, k, t)]
            elif kind == WHOLE_LEFT:
                todo += [(WHOLE_LEFT, s, k), (ARC_LEFT, k, t)]
            else:
                heads[(t if kind == ARC_RIGHT else s) - 1] = s if kind == ARC_RIGHT else t
                todo += [(WHOLE_RIGHT, s, k), (WHOLE_LEFT, k + 1, t)]
        return heads


cdef class Limits:
    """What the search may do in one sentence.

    Beside the tables: `classes[d, c]`, whether labelled move c may give d its head;
    `heads`, those that are fixed (-1: unknown); `subtrees[i, d]`, whether d is one of the
    words that must be the i-th subtree. With `exactly`, `heads` is a whole tree and the
    search follows the canonical way to it, choosing labels only.
    """

    cdef readonly int n
    cdef bint exactly
    cdef bint nonprojective         # the system builds non-projective trees
    cdef bint knows_heads
    cdef Gold gold
    cdef Functions functions
    cdef const uint8_t[:, ::1] arcs
    cdef const int32_t[:, ::1] left
    cdef const int32_t[:, ::1] right
    cdef const uint8_t[:, ::1] classes
    cdef const uint8_t[:, ::1] subtrees
    cdef int32_t[:, ::1] spans      # first and last words of the subtrees
    cdef int32_t[::1] heads
    cdef int32_t[::1] last_child
    cdef int32_t[::1] notes
    cdef int32_t[::1] made          # heads on the way to a state, while it is looked at
    cdef int32_t[::1] scratch

    def __cinit__(self, const uint8_t[:, ::1] arcs not None, const int32_t[:, ::1] left not None,
                  const int32_t[:, ::1] right not None, const uint8_t[:, ::1] classes not None,
                  const int32_t[::1] heads not None, const uint8_t[:, ::1] subtrees not None,
                  bint exactly=False):
        cdef int word, i
        cdef Py_ssize_t side = arcs.shape[0]
        if {arcs.shape[1], left.shape[0], left.shape[1], right.shape[0], right.shape[1]} != {side}:
            raise ValueError("the tables of limits are squares of one size")
        if side < 2 or classes.shape[0] != side or heads.shape[0] != side - 1:
            raise ValueError("limits do not fit the number of words")
        if subtrees.shape[1] != side:
            raise ValueError("limits do not fit the subtrees")
        self.n = side - 1
        self.arcs, self.left, self.right, self.classes = arcs, left, right, classes
        self.subtrees, self.exactly = subtrees, exactly
        self.spans = np.zeros((subtrees.shape[0], 2), dtype=np.int32)
        for i in range(subtrees.shape[0]):
            for word in range(side):
                if subtrees[i, word]:
                    self.spans[i, 0] = self.spans[i, 0] or word
                    self.spans[i, 1] = word
        self.heads = np.full(side + 1, -1, dtype=np.int32)
        self.last_child = np.zeros(side + 1, dtype=np.int32)
        self.made = np.zeros(side + 1, dtype=np.int32)
        for word in range(1, side):
            if not -1 <= heads[word - 1] <= self.n:
                raise ValueError(f"head {heads[word - 1]} is out of range")
            self.heads[word] = heads[word - 1]
            if heads[word - 1] >= 0:
                self.knows_heads = True
                self.last_child[heads[word - 1]] = word

    cdef int open(self, Parser parser) except -1:
        """Make room for what the costs of a system need."""
        cdef size_t room
        self.functions = parser.functions
        self.nonprojective = parser.system.nonprojective
        # Where trees may cross, what is lost is found without costs (`is_whole`).
        room = 0 if self.nonprojective else self.functions.scratch(self.n)
        if self.classes.shape[1] != parser.class_count:
            raise ValueError("limits do not fit the labelled moves")
        self.gold.heads = self.gold.labels = &self.heads[0]
        self.gold.last_child = &self.last_child[0]
        self.gold.n = self.n
        self.notes = np.zeros(NOTES * (self.n + 1), dtype=np.int32)
        self.gold.notes = &self.notes[0]
        self.gold.scratch = NULL
        if self.exactly:
            self.functions.prepare_oracle(&self.gold)
        if room > MAX_SCRATCH:
            # The filter then lets moves pass that lose a fixed head.
            self.knows_heads = False
        elif room and not self.exactly:
            self.scratch = np.zeros(room, dtype=np.int32)
            self.gold.scratch = &self.scratch[0]
        return 0

    cdef int moves(self, Parser parser, const State* state, int32_t* dependents) noexcept nogil:
        """The moves that are possible and allowed; `dependents` of those that make arcs, else -1."""
        cdef int mask = parser.legal(state, self.n), allowed = 0, move
        cdef int32_t head
        if self.exactly:
            mask &= 1 << self.functions.oracle(state, &self.gold)
        for move in range(MOVES):
            if not mask >> move & 1:
                continue
            self.functions.arc(state, move, &head, &dependents[move])
            if head >= 0 and not self.arcs[head, dependents[move]]:
                continue
            if self.exactly or self.keeps(state, move, head, dependents[move]):
                allowed |= 1 << move
        return allowed

    cdef bint keeps(self, const State* state, int move, int head, int dependent) noexcept nogil:
        """Whether fixed heads and subtrees can still be had after a move, as far as is known."""
        if self.nonprojective:
            return head < 0 or self.is_whole(state, head, dependent)
        if self.knows_heads and self.functions.cost(state, move, &self.gold):
            return False
        return not self.spans.shape[0] or self.keeps_spans(state, move, head, dependent)

    cdef bint is_whole(self, const State* state, int head, int dependent) noexcept nogil:
        """Whether a word that goes with its arc has all that must be below it.

        Words change places, so that until then nothing is lost for good but for want of
        swaps. Below it are those whose head it is, and, if the arc leads into a subtree,
        all of its other words: no arc leads out of it, so their heads are in it.
        """
        cdef int word, i
        cdef bint enters
        if not self.knows_heads and not self.subtrees.shape[0]:
            return True
        self.read_heads(state)
        for word in range(1, self.n + 1):
            if self.heads[word] == dependent and self.made[word] < 0:
                return False
        for i in range(self.subtrees.shape[0]):
            enters = self.subtrees[i, dependent] and not self.subtrees[i, head]
            if not enters:
                continue
            for word in range(1, self.n + 1):
                if self.subtrees[i, word] and word != dependent and self.made[word] < 0:
                    return False
        return True

    cdef bint keeps_spans(self, const State* state, int move, int head,
                          int dependent) noexcept nogil:
        """Whether a move leaves each span a subtree that can still be had."""
        cdef int i, waiting, edge, top
        cdef const Node* node
        if head >= 0:
            self.read_heads(state)
            if self.left[head, dependent]:
                edge = dependent
                while edge > 1 and self.is_below(edge - 1, dependent):
                    edge -= 1
                if edge != self.left[head, dependent]:
                    return False
            # A word that still waits in the buffer (arc-eager) gets more dependents later.
            if self.right[head, dependent] and dependent != state.buffer:
                edge = dependent
                while edge < self.n and self.is_below(edge + 1, dependent):
                    edge += 1
                return edge == self.right[head, dependent]
        elif move == SHIFT:
            # Words that are parted by the next one can no longer become one subtree.
            for i in range(self.spans.shape[0]):
                if self.spans[i, 1] != state.buffer - 1:
                    continue
                waiting = 0
                node = state.stack
                while node != NULL and node.word >= self.spans[i, 0]:
                    waiting += not node.has_head
                    node = node.below
                if waiting > 1:
                    return False
        elif move == REDUCE:
            self.read_heads(state)
            top = state.stack.word
            edge = self.right[self.made[top], top] if self.made[top] >= 0 else 0
            return edge == 0 or edge == state.buffer - 1
        return True

    cdef void read_heads(self, const State* state) noexcept nogil:
        cdef int32_t head, dependent
        cdef int word
        for word in range(self.n + 1):
            self.made[word] = -1
        while state.parent != NULL:
            self.functions.arc(state.parent, state.move, &head, &dependent)
            if head >= 0:
                self.made[dependent] = head
            state = state.parent

    cdef bint is_below(self, int word, int top) noexcept nogil:
        while word > 0 and word != top:
            word = self.made[word]
        return word == top

    # -- search ----------------------------------------------------------------

    cdef int step(self, Parser parser, Space space, const Context* context, const State* now,
                  int beam, int width, State* after) noexcept nogil:
        """The best `width` results of allowed moves from the states of a beam, best first."""
        cdef float scores[MAX_CLASSES]
        cdef int32_t dependents[MOVES]
        cdef Choice choice
        cdef int count = 0, parent, mask, i, dependent
        for parent in range(beam):
            choice.parent = parent
            if not parser.legal(&now[parent], self.n):
                # Finished, while others of the beam are not.
                choice.action = WAIT
                choice.score = now[parent].score
                keep_best(space.heap, &count, width, &choice)
                continue
            parser.score(context, &now[parent], scores)
            mask = self.moves(parser, &now[parent], dependents)
            for i in range(parser.legal_count[mask]):
                choice.action = parser.legal_classes[mask][i]
                dependent = dependents[parser.class_move[choice.action]]
                if dependent >= 0 and not self.classes[dependent, choice.action]:
                    continue
                choice.score = now[parent].score + scores[choice.action]
                keep_best(space.heap, &count, width, &choice)
        parser.advance_all(space, context, now, count, after)
        return count

    def kbest(self, Parser parser not None, Batch batch not None, Py_ssize_t s,
              list attributes not None, int k, int width):
        """Like `Parser.kbest`, among allowed moves; no tree if all ways were dead ends."""
        cdef Columns columns = Columns(attributes, parser.program.attribute_count, batch.words)
        cdef Space space = parser.space()
        cdef Context context
        cdef State* now
        cdef State* after
        cdef int step, beam = 1
        if k < 1 or width < 1:
            raise ValueError("k and the beam are at least 1")
        if not 0 <= s < batch.sentences:
            raise ValueError(f"no sentence {s}")
        if batch.starts[s + 1] - batch.starts[s] != self.n:
            raise ValueError("limits do not fit the sentence")
        width = max(width, k)
        self.open(parser)
        with nogil:
            if not parser.open_sentence(
                    space, columns.pointers, batch.starts[s], self.n, width, &context):
                with gil:
                    raise MemoryError()
            now = space.states
            self.functions.start(now, self.n)
            for step in range(parser.steps(self.n)):
                after = now + beam
                beam = self.step(parser, space, &context, now, beam, width, after)
                now = after
                # No way goes on, or all are at their ends.
                if space.all_wait:
                    break
        result = parser.collect(now, beam, self.n, k)
        parser.idle.append(space)
        return result
