"""The search for translations: stacks by the number of covered words, filled by cube pruning.

A partial translation covers some source words. Nodes recombine those that can go on in the same
ways; each way to a node is kept as an arc, so that `paths` finds all translations of the graph.

A phrase [s, e) may follow one that ends before L (0 in the beginning) if |s - L| <= limit and if
then the first gap g, the first word that is not covered, has |g - e| <= limit: it can be reached by
the next jump. Covered words therefore lie below g + limit, and a number of 64 bits holds them.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, qsort, realloc
from libc.string cimport memset

from niwaki.kernel.graph._heap cimport Heap, Waiting, pop, push
from niwaki.kernel.hashing cimport mix
from niwaki.kernel.translation.language_model cimport END, LanguageModel, LMState
from niwaki.kernel.translation._sentence cimport MOST_JUMP, Node, Option, Sentence

LARGEST_LIMIT = MOST_JUMP

cdef enum:
    # New nodes for each of a stack's places, those that recombine included.
    PATIENCE = 3


cdef inline bint room_for(void** items, int32_t count, int32_t* room, size_t size) noexcept nogil:
    """Space for one item more; False without memory."""
    cdef void* grown
    if count < room[0]:
        return True
    grown = realloc(items[0], (2 * <size_t>room[0] + 64) * size)
    if grown == NULL:
        return False
    items[0] = grown
    room[0] = 2 * room[0] + 64
    return True


cdef struct Sorted:
    uint64_t mask
    int32_t gap
    int32_t end
    double score
    int32_t node


cdef int by_group(const void* one, const void* other) noexcept nogil:
    cdef const Sorted* a = <const Sorted*>one
    cdef const Sorted* b = <const Sorted*>other
    if a.gap != b.gap:
        return a.gap - b.gap
    if a.mask != b.mask:
        return -1 if a.mask < b.mask else 1
    if a.end != b.end:
        return a.end - b.end
    if a.score != b.score:
        return -1 if a.score > b.score else 1
    return a.node - b.node


cdef inline bint is_covered(int32_t gap, uint64_t mask, int32_t word) noexcept nogil:
    return word < gap or (gap < word <= gap + 64 and (mask >> (word - gap - 1)) & 1)


cdef class Search(Sentence):
    """All of it happens when it is made; `score` is that of the best translation."""

    def __cinit__(self, *_, **__):
        self.order = self.stacks = self.slots = NULL
        self.nodes, self.arcs, self.edges, self.ready = NULL, NULL, NULL, NULL
        memset(&self.heap, 0, sizeof(Heap))

    def __dealloc__(self):
        free(self.nodes)
        free(self.arcs)
        free(self.order)
        free(self.stacks)
        free(self.slots)
        free(self.edges)
        free(self.ready)
        free(self.heap.items)

    def __init__(self, LanguageModel lm not None, int n, const int32_t[:, ::1] spans,
                 const double[::1] scores, const int32_t[::1] word_starts,
                 const int32_t[::1] words, const int32_t[::1] lm_words, double lm_weight,
                 double distance_weight, int limit, int stack, msd=None, jumps=None):
        """As for `Sentence`; `stack` is how many nodes cover the same number of words, at most."""
        if stack < 1:
            raise ValueError("a stack without room")
        super().__init__(lm, n, spans, scores, word_starts, words, lm_words, lm_weight,
                         distance_weight, limit, msd, jumps)
        self.stack = stack
        self.stacks = <int32_t*>malloc((<size_t>n + 2) * sizeof(int32_t))
        cdef bint done = self.stacks != NULL
        if done:
            with nogil:
                done = self.run()
        if not done:
            raise MemoryError

    @property
    def score(self):
        """Of the best translation; minus infinity if there is none."""
        return self.nodes[self.node_count - 1].score if self.node_count else -INFINITY

    cdef bint run(self) noexcept nogil:
        cdef int32_t covered
        cdef Node* start
        if not room_for(<void**>&self.nodes, 0, &self.node_room, sizeof(Node)):
            return False
        start = self.nodes
        memset(start, 0, sizeof(Node))
        start.option = start.arcs = start.begin = -1
        start.words[0] = start.words[1] = (
            <int32_t>self.jump_target.shape[0] - 1 if self.has_jumps else -1)
        self.lm.begin(&start.state)
        self.node_count = 1
        self.order = <int32_t*>malloc(sizeof(int32_t))
        if self.order == NULL:
            return False
        self.order[0] = 0
        self.stacks[0], self.stacks[1] = 0, 1
        for covered in range(1, self.n + 1):
            if not self.fill(covered):
                return False
        return self.finish()

    cdef bint fill(self, int32_t covered) noexcept nogil:
        """The nodes that cover so many words."""
        cdef int32_t length, first = self.node_count, taken = 0, edge
        cdef Waiting next
        self.edge_count = self.ready_count = self.heap.count = 0
        self.slot_count = 0
        for length in range(1, min(self.longest, covered) + 1):
            if not self.add_edges(covered - length, length):
                return False
        for edge in range(self.edge_count):
            if not self.wait(edge, 0, 0):
                return False
        while self.heap.count and taken < PATIENCE * <int64_t>self.stack and (
                self.node_count - first < self.stack):
            next = pop(&self.heap)
            if next.first >= 0:
                if not self.extend(next.first, next.second, next.third):
                    return False
                continue
            taken += 1
            if not self.keep(&self.ready[next.second].node, self.ready[next.second].arc, first):
                return False
        self.sort_stack(covered)
        return self.order != NULL

    cdef bint add_edges(self, int32_t covered, int32_t length) noexcept nogil:
        """All ways to go on from a stack with a phrase of this length."""
        cdef int32_t first = self.stacks[covered], last, begin
        cdef const Node* node
        cdef const Node* other
        while first < self.stacks[covered + 1]:
            node = &self.nodes[self.order[first]]
            last = first + 1
            while last < self.stacks[covered + 1]:
                other = &self.nodes[self.order[last]]
                if other.gap != node.gap or other.mask != node.mask or other.end != node.end:
                    break
                last += 1
            for begin in range(max(node.gap, node.end - self.limit),
                               min(self.n - length, node.end + self.limit) + 1):
                if not self.add_edge(first, last, begin, begin + length):
                    return False
            first = last
        return True

    cdef bint add_edge(self, int32_t first, int32_t last, int32_t begin,
                       int32_t end) noexcept nogil:
        cdef const Node* node = &self.nodes[self.order[first]]
        cdef int32_t cell = begin * self.longest + end - begin - 1, word, gap = node.gap
        cdef uint64_t mask = node.mask
        cdef Edge* edge
        if self.spans[cell] == self.spans[cell + 1]:
            return True
        for word in range(begin, end):
            if is_covered(gap, mask, word):
                return True
        if begin == gap:
            gap = end
            while is_covered(node.gap, node.mask, gap):
                gap += 1
            mask = mask >> (gap - node.gap) if gap - node.gap < 64 else 0
        else:
            if end - gap > self.limit:
                return True
            for word in range(begin, end):
                mask |= <uint64_t>1 << (word - gap - 1)
        if gap < self.n and not -self.limit <= gap - end <= self.limit:
            return True
        if not room_for(<void**>&self.edges, self.edge_count, &self.edge_room, sizeof(Edge)):
            return False
        edge = &self.edges[self.edge_count]
        edge.first, edge.last = first, last
        edge.options, edge.last_option = self.spans[cell], self.spans[cell + 1]
        edge.gap, edge.mask = gap, mask
        edge.constant = self.future(gap, mask) - self.distance_weight * (
            begin - node.end if begin > node.end else node.end - begin)
        self.edge_count += 1
        return True

    cdef bint wait(self, int32_t edge, int32_t row, int32_t column) noexcept nogil:
        """A cell of an edge's cube, with the score that is expected of it."""
        cdef const Edge* found = &self.edges[edge]
        cdef Waiting new
        if row >= found.last - found.first or column >= found.last_option - found.options:
            return True
        new.score = (self.nodes[self.order[found.first + row]].score + found.constant
                     + self.options[found.options + column].estimate)
        new.first, new.second, new.third = edge, row, column
        return push(&self.heap, new)

    cdef bint extend(self, int32_t edge, int32_t row, int32_t column) noexcept nogil:
        """Look at a cell itself: what it is worth indeed, and its neighbours wait."""
        cdef const Edge* found = &self.edges[edge]
        cdef const Option* option = &self.options[found.options + column]
        cdef int32_t before = self.order[found.first + row], word, number = option.number
        cdef const Node* node = &self.nodes[before]
        cdef Ready* ready
        cdef Waiting new
        # Each cell has one neighbour that calls it.
        if not self.wait(edge, row, column + 1) or (
                column == 0 and not self.wait(edge, row + 1, 0)):
            return False
        if not room_for(<void**>&self.ready, self.ready_count, &self.ready_room, sizeof(Ready)):
            return False
        ready = &self.ready[self.ready_count]
        ready.node = node[0]
        ready.arc.lm = 0
        for word in range(self.word_starts[number], self.word_starts[number + 1]):
            ready.arc.lm += self.lm.advance(&ready.node.state, self.lm_words[word],
                                            &ready.node.state)
            ready.node.words[1] = ready.node.words[0]
            ready.node.words[0] = self.words[word]
        ready.arc.before, ready.arc.option, ready.arc.next = before, number, -1
        ready.arc.score = (node.score + option.static_score + self.lm_weight * ready.arc.lm
                           + self.reordering(node, number, NULL))
        ready.node.gap, ready.node.mask = found.gap, found.mask
        ready.node.begin, ready.node.end = option.begin, option.end
        ready.node.option, ready.node.arcs = number, -1
        ready.node.score = ready.arc.score
        # Reordering holds the jump as well, which `constant` has already.
        new.score = ready.arc.score + self.future(found.gap, found.mask)
        new.first, new.second, new.third = -1, self.ready_count, 0
        self.ready_count += 1
        return push(&self.heap, new)

    cdef void sort_stack(self, int32_t covered) noexcept nogil:
        """Put the nodes of a stack that is full into groups; `order` is NULL without memory."""
        cdef int32_t first = self.stacks[covered], at
        cdef Sorted* items = <Sorted*>malloc((self.node_count - first + 1) * sizeof(Sorted))
        cdef int32_t* grown = <int32_t*>realloc(self.order, self.node_count * sizeof(int32_t))
        if items == NULL or grown == NULL:
            free(items)
            free(self.order if grown == NULL else grown)
            self.order = NULL
            return
        self.order = grown
        for at in range(first, self.node_count):
            items[at - first].mask, items[at - first].gap = self.nodes[at].mask, self.nodes[at].gap
            items[at - first].end, items[at - first].score = self.nodes[at].end, self.nodes[at].score
            items[at - first].node = at
        qsort(items, self.node_count - first, sizeof(Sorted), by_group)
        for at in range(first, self.node_count):
            self.order[at] = items[at - first].node
        self.stacks[covered + 1] = self.node_count
        free(items)

    cdef bint finish(self) noexcept nogil:
        """A last node, to which all whole translations lead."""
        cdef int32_t at, first = self.stacks[self.n], last = self.node_count
        cdef Node* node
        cdef Arc* arc
        cdef LMState unused
        if not room_for(<void**>&self.nodes, self.node_count, &self.node_room, sizeof(Node)):
            return False
        node = &self.nodes[self.node_count]
        memset(node, 0, sizeof(Node))
        node.score, node.arcs, node.option = -INFINITY, -1, -1
        for at in range(first, last):
            if not room_for(<void**>&self.arcs, self.arc_count, &self.arc_room, sizeof(Arc)):
                return False
            arc = &self.arcs[self.arc_count]
            arc.before, arc.option, arc.next = at, -1, node.arcs
            arc.lm = self.lm.advance(&self.nodes[at].state, END, &unused)
            arc.score = (self.nodes[at].score + self.lm_weight * arc.lm
                         + self.reordering(&self.nodes[at], -1, NULL))
            node.score = max(node.score, arc.score)
            node.arcs = self.arc_count
            self.arc_count += 1
        self.node_count += 1
        return True

    # ---- recombination ----

    cdef bint keep(self, const Node* node, Arc arc, int32_t first) noexcept nogil:
        """A new node, or a new arc of one that can go on in the same ways."""
        cdef int64_t slot
        cdef Node* kept
        if 2 * <int64_t>(self.node_count - first + 1) > self.slot_count and not self.widen(first):
            return False
        if not room_for(<void**>&self.nodes, self.node_count, &self.node_room, sizeof(Node)):
            return False
        if not room_for(<void**>&self.arcs, self.arc_count, &self.arc_room, sizeof(Arc)):
            return False
        slot = <int64_t>(self.hash_of(node) & <uint64_t>(self.slot_count - 1))
        while self.slots[slot] >= 0 and not self.same(&self.nodes[self.slots[slot]], node):
            slot = (slot + 1) & (self.slot_count - 1)
        if self.slots[slot] < 0:
            self.slots[slot] = self.node_count
            self.nodes[self.node_count] = node[0]
            self.node_count += 1
        kept = &self.nodes[self.slots[slot]]
        arc.next = kept.arcs
        kept.arcs = self.arc_count
        kept.score = max(kept.score, arc.score)
        self.arcs[self.arc_count] = arc
        self.arc_count += 1
        return True

    cdef bint same(self, const Node* one, const Node* other) noexcept nogil:
        """Whether all that comes later is worth the same after both."""
        cdef int at
        if (one.gap != other.gap or one.mask != other.mask or one.end != other.end
                or one.state.length != other.state.length):
            return False
        for at in range(one.state.length):
            if one.state.words[at] != other.state.words[at]:
                return False
        if self.has_msd and one.option != other.option:
            return False
        return not self.has_jumps or (one.words[0] == other.words[0]
                                      and one.words[1] == other.words[1])

    cdef uint64_t hash_of(self, const Node* node) noexcept nogil:
        cdef uint64_t key = mix(node.mask * 31 + <uint64_t>node.gap * 1000003 + <uint64_t>node.end)
        cdef int at
        for at in range(node.state.length):
            key = mix(key + <uint64_t>node.state.words[at] + 1)
        return key

    cdef bint widen(self, int32_t first) noexcept nogil:
        """More slots for the nodes of this stack."""
        cdef int64_t count = max(256, 2 * self.slot_count), slot
        cdef int32_t at
        cdef void* grown = realloc(self.slots, count * sizeof(int32_t))
        if grown == NULL:
            return False
        self.slots, self.slot_count = <int32_t*>grown, count
        memset(self.slots, 0xFF, count * sizeof(int32_t))
        for at in range(first, self.node_count):
            slot = <int64_t>(self.hash_of(&self.nodes[at]) & <uint64_t>(count - 1))
            while self.slots[slot] >= 0:
                slot = (slot + 1) & (count - 1)
            self.slots[slot] = at
        return True
