"""Greedy and beam search over a transition system."""

import numpy as np

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.transition.contiguity cimport count_targets, fill_tables, tables_room
from niwaki.kernel.features.columns cimport Columns
from niwaki.kernel.hashing cimport NONE_VALUE, ROOT_VALUE
from niwaki.kernel.transition.systems._system import MOVE_NAMES
from niwaki.kernel.transition.systems._system cimport ROOT
from niwaki.kernel.linear cimport scorer_of
from niwaki.kernel.scoring cimport LANES, MAX_KEYS, Decision, score_decisions

MAX_LABELLED_MOVES = MAX_CLASSES


cdef class Space:
    """Working memory of one thread; grows to the longest sentence and widest beam seen."""

    def __dealloc__(self):
        free(self.states)
        free(self.values)
        free(self.heap)

    cdef bint reserve(self, size_t states, size_t values, int width) noexcept nogil:
        # Nothing is kept between sentences, so what is too small is thrown away.
        if states > self.capacity:
            free(self.states)
            self.states = <State*>malloc(states * sizeof(State))
            self.capacity = states if self.states != NULL else 0
        if values > self.value_capacity:
            free(self.values)
            self.values = <uint32_t*>malloc(values * sizeof(uint32_t))
            self.value_capacity = values if self.values != NULL else 0
        if width > self.heap_capacity:
            free(self.heap)
            self.heap = <Choice*>malloc(width * sizeof(Choice))
            self.heap_capacity = width if self.heap != NULL else 0
        return self.states != NULL and self.values != NULL and self.heap != NULL


cdef void sink(Choice* heap, int place, int count) noexcept nogil:
    """Restore a heap whose worst element is at 0, after `place` changed for the better."""
    cdef int child
    cdef Choice moved = heap[place]
    while True:
        child = 2 * place + 1
        if child >= count:
            break
        if child + 1 < count and worse(&heap[child + 1], &heap[child]):
            child += 1
        if not worse(&heap[child], &moved):
            break
        heap[place] = heap[child]
        place = child
    heap[place] = moved


cdef void rise(Choice* heap, int place) noexcept nogil:
    cdef Choice moved = heap[place]
    while place and worse(&moved, &heap[(place - 1) // 2]):
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = moved


cdef void sort_choices(Choice* heap, int count) noexcept nogil:
    """Taking the worst away again and again leaves the choices in order, best first."""
    cdef int i
    cdef Choice choice
    for i in range(count - 1, 0, -1):
        choice = heap[0]
        heap[0] = heap[i]
        sink(heap, 0, i)
        heap[i] = choice


cdef int count_moves(const State* state) noexcept nogil:
    cdef int count = 0
    while state.parent != NULL:
        state = state.parent
        count += 1
    return count


cdef class Parser:
    """Finds the best trees of sentences under a linear model.

    `classes` lists the labelled moves as (move, label); a label -1 stands for all
    labels that are too rare for a class of their own, and `rare` tells which: it
    maps (class, value of the dependent's attribute `rare_attribute`) to a label,
    with the value 0 for all others.
    """

    def __cinit__(self, System system not None, Program program not None, model,
                  list classes not None, int root_label, dict rare not None, int rare_attribute):
        cdef int number, move, label, mask
        self.system = system
        self.functions = system.functions
        self.program = program
        self.model = model
        self.scorer = scorer_of(model)
        self.class_count = len(classes)
        self.root_label = root_label
        self.rare_attribute = rare_attribute
        self.idle = []
        if not 0 < len(classes) <= MAX_CLASSES or len(classes) != self.scorer.classes:
            raise ValueError(f"{len(classes)} labelled moves for a model of {self.scorer.classes}")
        if not 0 <= rare_attribute < max(1, program.attribute_count):
            raise ValueError(f"no attribute {rare_attribute}")
        if program.uses_links and system.nonprojective:
            raise ValueError(f"subtrees may have gaps in {system.name}: no template can use links")
        moves = set()
        for number, (move, label) in enumerate(classes):
            if not 0 <= move < MOVES or not -1 <= label < MAX_CLASSES:
                raise ValueError(f"no such labelled move: {(move, label)}")
            self.class_move[number] = move
            moves.add(move)
            self.class_label[number] = label
        self.known_moves = sum(1 << move for move in moves)
        missing = [name for name in system.moves if MOVE_NAMES.index(name) not in moves
                   and not (name == "root" and system.root_is_optional)]
        if missing:
            # A state in which only this move is legal would be a dead end.
            raise ValueError(f"no labelled move for {', '.join(missing)}")
        for mask in range(MASKS):
            self.legal_count[mask] = 0
            for number in range(self.class_count):
                if mask >> self.class_move[number] & 1:
                    self.legal_classes[mask][self.legal_count[mask]] = number
                    self.legal_count[mask] += 1
        self._set_rare(rare)

    def _set_rare(self, dict rare):
        cdef int i
        items = sorted((action << 32 | value, label) for (action, value), label in rare.items())
        self.rare_count = len(items)
        self.rare_keys = <uint64_t*>malloc((len(items) + 1) * sizeof(uint64_t))
        self.rare_labels = <int32_t*>malloc((len(items) + 1) * sizeof(int32_t))
        if self.rare_keys == NULL or self.rare_labels == NULL:
            raise MemoryError()
        for i, (key, label) in enumerate(items):
            self.rare_keys[i] = key
            self.rare_labels[i] = label

    def __dealloc__(self):
        free(self.rare_keys)
        free(self.rare_labels)

    cdef Space space(self):
        # Popping and appending are atomic, so threads need no further lock.
        try:
            return self.idle.pop()
        except IndexError:
            return Space()

    # -- one state -------------------------------------------------------------

    cdef int legal(self, const State* state, int n) noexcept nogil:
        """The possible moves that the model has classes for; none at the end of a parse."""
        return self.functions.legal(state, n) & self.known_moves

    cdef int steps(self, int n) noexcept nogil:
        """Moves of the longest parse; one less where the root gets its label without a move."""
        return self.functions.steps(n) - (not self.known_moves >> ROOT & 1)

    cdef size_t value_room(self, const uint32_t** columns, int32_t start, int n) noexcept nogil:
        cdef size_t room = <size_t>(self.program.attribute_count + 1) * (n + 2)
        columns += self.program.attribute_count
        if self.program.uses_links and columns[0] != NULL:
            room += tables_room(n, count_targets(columns[0] + start, columns[1], n))
        return room

    cdef bint open_sentence(self, Space space, const uint32_t** columns, int32_t start, int n,
                            int width, Context* context) noexcept nogil:
        """Make room for a sentence and put its values where the templates look for them."""
        if not space.reserve(
                (<size_t>self.steps(n) + 1) * width,
                self.value_room(columns, start, n), width):
            return False
        self.place_values(columns, start, n, space.values, context)
        return True

    cdef void place_values(self, const uint32_t** columns, int32_t start, int n, uint32_t* values,
                           Context* context) noexcept nogil:
        cdef int a
        context.n = n
        for a in range(self.program.attribute_count):
            values[0] = ROOT_VALUE
            memcpy(values + 1, columns[a] + start, n * sizeof(uint32_t))
            values[n + 1] = NONE_VALUE
            context.attributes[a] = values
            values += n + 2
        if self.program.uses_links:
            context.links.targets = 0
            columns += self.program.attribute_count
            if columns[0] != NULL:
                fill_tables(columns[0] + start, columns[1], n, <int32_t*>values, &context.links)

    cdef void score(self, const Context* context, const State* state, float* scores) noexcept nogil:
        cdef uint64_t keys[MAX_KEYS]
        cdef int count = self.program.keys(context, state, keys)
        memset(scores, 0, self.class_count * sizeof(float))
        self.scorer.score(self.scorer.table, keys, count, scores)

    cdef void prepare(self, const Context* context, const State* state, Decision* decision,
                      float* scores) noexcept nogil:
        """A decision to be scored together with others."""
        decision.count = self.program.keys(context, state, decision.keys)
        decision.scores = scores
        memset(scores, 0, self.class_count * sizeof(float))

    cdef int label_of(self, const Context* context, const State* state, int action) noexcept nogil:
        """The label of a labelled move; looked up by the dependent if it is a rare one."""
        cdef int32_t head, dependent
        cdef uint64_t wanted
        cdef int low = 0, high = self.rare_count, middle
        if self.class_label[action] >= 0:
            return self.class_label[action]
        self.functions.arc(state, self.class_move[action], &head, &dependent)
        if dependent < 0:
            return 0
        wanted = <uint64_t>action << 32 | context.attributes[self.rare_attribute][dependent]
        while low < high:
            middle = (low + high) // 2
            if self.rare_keys[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        if low == self.rare_count or self.rare_keys[low] != wanted:
            # The label of all other words stands first among those of the class.
            low = 0
            while low < self.rare_count - 1 and self.rare_keys[low] >> 32 != <uint64_t>action:
                low += 1
        return self.rare_labels[low] if self.rare_count else 0

    cdef void advance(self, const Context* context, const State* state, int action, float score,
                      State* out) noexcept nogil:
        """Make the state after a labelled move."""
        self.functions.apply(
            state, self.class_move[action], self.label_of(context, state, action), context.n, out)
        out.action = action
        out.score = score

    cdef void read_tree(self, const State* state, int n, int32_t* heads,
                        int32_t* labels) noexcept nogil:
        """Heads and labels of the words (0-based places, 1-based heads) of a finished parse."""
        cdef int32_t head, dependent
        cdef int i
        for i in range(n):
            # Whoever gets no head by a move is the root.
            heads[i] = 0
            labels[i] = self.root_label
        while state.parent != NULL:
            self.functions.arc(state.parent, state.move, &head, &dependent)
            if head >= 0:
                heads[dependent - 1] = head
                labels[dependent - 1] = state.label
            state = state.parent

    # -- search ----------------------------------------------------------------

    cdef const State* search(self, Space space, const Context* context, int width,
                             int* found) noexcept nogil:
        """The best states after the last move, best first; `found` is their number."""
        cdef int step, steps = self.steps(context.n), beam = 1
        cdef State* now = space.states
        cdef State* after
        self.functions.start(now, context.n)
        for step in range(steps):
            after = now + beam
            beam = self.step_beam(space, context, now, beam, width, -1, WAIT, 0, after)
            now = after
            if space.all_wait:
                break
        found[0] = beam
        return now

    cdef bint parse_together(self, Space space, const uint32_t** columns, const int32_t* starts,
                             const int64_t* group, int count, int32_t* heads,
                             int32_t* labels) noexcept nogil:
        """Parse up to LANES sentences greedily, in step: while one waits for memory, others work.

        `lanes` lists those still at work. Scores of trees are not added up: moves without a choice
        have none.
        """
        cdef Context contexts[LANES]
        cdef Decision decisions[LANES]
        cdef float move_scores[LANES][MAX_CLASSES]
        cdef State* states[LANES]
        cdef int lanes[LANES]
        cdef int masks[LANES]
        cdef int lane, n, i, active = count
        cdef int32_t start
        cdef size_t state_room = 0, value_room = 0
        for lane in range(count):
            start = starts[group[lane]]
            n = starts[group[lane] + 1] - start
            state_room += <size_t>self.steps(n) + 1
            value_room += self.value_room(columns, start, n)
        if not space.reserve(state_room, value_room, 1):
            return False
        state_room = value_room = 0
        for lane in range(count):
            start = starts[group[lane]]
            n = starts[group[lane] + 1] - start
            self.place_values(columns, start, n, space.values + value_room, &contexts[lane])
            lanes[lane] = lane
            states[lane] = space.states + state_room
            self.functions.start(states[lane], n)
            state_room += <size_t>self.steps(n) + 1
            value_room += self.value_room(columns, start, n)
        while True:
            i = 0
            while i < active:
                lane = lanes[i]
                masks[i] = self.go_to_choice(&contexts[lane], &states[lane])
                if masks[i]:
                    self.prepare(&contexts[lane], states[lane], &decisions[i], move_scores[i])
                    i += 1
                else:
                    active -= 1
                    lanes[i] = lanes[active]
            if not active:
                break
            score_decisions(&self.scorer, decisions, active)
            for i in range(active):
                lane = lanes[i]
                self.step_greedily(
                    &contexts[lane], states[lane], masks[i], move_scores[i], states[lane] + 1)
                states[lane] += 1
        for lane in range(count):
            start = starts[group[lane]]
            self.read_tree(states[lane], contexts[lane].n, heads + start, labels + start)
        return True

    cdef int go_to_choice(self, const Context* context, State** state) noexcept nogil:
        """Make the moves that need no score, each the only legal one; then the legal moves, or 0
        at the end. So it is in an eighth of the states of long sentences, a third of short ones.
        """
        cdef int mask = self.legal(state[0], context.n)
        while self.legal_count[mask] == 1:
            self.advance(context, state[0], self.legal_classes[mask][0], 0, state[0] + 1)
            state[0] += 1
            mask = self.legal(state[0], context.n)
        return mask

    cdef void step_greedily(self, const Context* context, const State* now, int mask,
                            const float* scores, State* after) noexcept nogil:
        cdef const uint8_t* legal = self.legal_classes[mask]
        cdef int i, best = legal[0]
        for i in range(1, self.legal_count[mask]):
            if scores[legal[i]] > scores[best]:
                best = legal[i]
        self.advance(context, now, best, 0, after)

    cdef int step_beam(self, Space space, const Context* context, const State* now, int beam,
                       int width, int gold_place, int gold_class, float head_start,
                       State* after) noexcept nogil:
        """All moves from all states of the beam; the best `width` results, best first.

        A state that is finished waits, with its score. In learning, moves that leave
        the gold sequence, which stands at `gold_place` and goes on with `gold_class`,
        get a head start; else that place is -1.
        """
        cdef Decision decisions[LANES]
        cdef float scores[LANES][MAX_CLASSES]
        cdef const uint8_t* legal
        cdef Choice* heap = space.heap
        cdef Choice choice
        cdef int count = 0, parent, lane, mask, i
        for parent in range(beam):
            lane = parent % LANES
            if lane == 0:
                for i in range(min(<int>LANES, beam - parent)):
                    self.prepare(context, &now[parent + i], &decisions[i], scores[i])
                score_decisions(&self.scorer, decisions, min(<int>LANES, beam - parent))
            mask = self.legal(&now[parent], context.n)
            legal = self.legal_classes[mask]
            choice.parent = parent
            for i in range(self.legal_count[mask] if mask else 1):
                choice.action = WAIT
                choice.score = now[parent].score
                if mask:
                    choice.action = legal[i]
                    choice.score += scores[lane][choice.action]
                if parent == gold_place and choice.action != gold_class:
                    choice.score += head_start
                keep_best(heap, &count, width, &choice)
        self.advance_all(space, context, now, count, after)
        return count

    cdef void advance_all(self, Space space, const Context* context, const State* now, int count,
                          State* after) noexcept nogil:
        """Make the choices of the heap; the states after them are in order, best first."""
        cdef Choice* heap = space.heap
        cdef int i
        sort_choices(heap, count)
        space.all_wait = True
        for i in range(count):
            if heap[i].action == WAIT:
                after[i] = now[heap[i].parent]
                after[i].score = heap[i].score
            else:
                space.all_wait = False
                self.advance(context, &now[heap[i].parent], heap[i].action, heap[i].score, &after[i])

    def parse(self, Batch batch not None, list attributes not None, int width=1):
        """Heads and labels of the best trees of all sentences."""
        heads = np.empty(batch.words, dtype=np.int32)
        labels = np.empty(batch.words, dtype=np.int32)
        order = np.argsort(-np.asarray(batch.lengths, dtype=np.int64), kind="stable")
        # Empty sentences come last, and there is nothing to do for them.
        order = order[:np.count_nonzero(batch.lengths)]
        cdef int32_t[::1] heads_view = heads, labels_view = labels
        cdef const int64_t[::1] order_view = order
        cdef Columns columns = Columns(attributes, self.program.attribute_count, batch.words)
        cdef Space space = self.space()
        cdef Py_ssize_t i = 0, count = order_view.shape[0]
        cdef int together
        cdef bint fits = True
        if width < 1:
            raise ValueError("a beam has at least one state")
        with nogil:
            if width == 1:
                while i < count and fits:
                    together = min(<int>LANES, <int>(count - i))
                    fits = self.parse_together(
                        space, columns.pointers, batch.starts, &order_view[i], together,
                        &heads_view[0], &labels_view[0])
                    i += together
            else:
                for i in range(count):
                    fits = fits and self.parse_with_beam(
                        space, columns.pointers, batch.starts, order_view[i], width,
                        &heads_view[0], &labels_view[0])
        if not fits:
            raise MemoryError()
        self.idle.append(space)
        return heads, labels

    cdef bint parse_with_beam(self, Space space, const uint32_t** columns, const int32_t* starts,
                              int64_t s, int width, int32_t* heads,
                              int32_t* labels) noexcept nogil:
        cdef Context context
        cdef int32_t start = starts[s]
        cdef int n = starts[s + 1] - start, found
        cdef const State* best
        if not self.open_sentence(space, columns, start, n, width, &context):
            return False
        best = self.search(space, &context, width, &found)
        self.read_tree(best, n, heads + start, labels + start)
        return True

    def kbest(self, Batch batch not None, Py_ssize_t s, list attributes not None, int k, int width):
        """The k best distinct trees of a sentence that a beam finds, best first.

        Returns their heads, labels and scores, one row each, and a list of their
        labelled moves. A beam narrower than k is widened to k.
        """
        cdef Columns columns = Columns(attributes, self.program.attribute_count, batch.words)
        cdef Space space = self.space()
        cdef Context context
        cdef const State* states = NULL
        cdef int n, found
        if k < 1 or width < 1:
            raise ValueError("k and the beam are at least 1")
        if not 0 <= s < batch.sentences:
            raise ValueError(f"no sentence {s}")
        n = batch.starts[s + 1] - batch.starts[s]
        if n == 0:
            raise ValueError("a sentence without words has no tree")
        width = max(width, k)
        with nogil:
            if self.open_sentence(space, columns.pointers, batch.starts[s], n, width, &context):
                states = self.search(space, &context, width, &found)
            else:
                found = 0
        if not found:
            raise MemoryError()
        result = self.collect(states, found, n, k)
        self.idle.append(space)
        return result

    cdef tuple collect(self, const State* states, int found, int n, int k):
        """The first k distinct trees among finished states: heads, labels, scores and moves."""
        cdef const State* state
        cdef int i, step, kept = 0
        heads = np.empty((found, n), dtype=np.int32)
        labels = np.empty((found, n), dtype=np.int32)
        scores = np.empty(found, dtype=np.float32)
        moves = []
        cdef int32_t[:, ::1] heads_view = heads, labels_view = labels
        cdef float[::1] scores_view = scores
        cdef uint8_t[::1] moves_view
        seen = set()
        for i in range(found):
            if kept == k:
                break
            self.read_tree(&states[i], n, &heads_view[kept, 0], &labels_view[kept, 0])
            # Two ways to the same tree are one candidate: the better one.
            tree = heads[kept].tobytes() + labels[kept].tobytes()
            if tree in seen:
                continue
            seen.add(tree)
            scores_view[kept] = states[i].score
            moves.append(np.empty(count_moves(&states[i]), dtype=np.uint8))
            moves_view = moves[kept]
            state = &states[i]
            for step in range(moves_view.shape[0] - 1, -1, -1):
                moves_view[step] = state.action
                state = state.parent
            kept += 1
        return heads[:kept], labels[:kept], scores[:kept], moves

    def follow(self, Batch batch not None, Py_ssize_t s, list attributes not None,
               const uint8_t[::1] moves not None):
        """Make labelled moves one after the other; for tests and for those who want to know why.

        Returns the total score of the moves and the feature keys of the state after
        the last one, which need not be a final one.
        """
        cdef Columns columns = Columns(attributes, self.program.attribute_count, batch.words)
        cdef Space space = self.space()
        cdef Context context
        cdef float scores[MAX_CLASSES]
        cdef State* state
        cdef int n, step, action
        if not 0 <= s < batch.sentences:
            raise ValueError(f"no sentence {s}")
        n = batch.starts[s + 1] - batch.starts[s]
        if n == 0:
            raise ValueError("a sentence without words has no tree")
        if not self.open_sentence(space, columns.pointers, batch.starts[s], n, 1, &context):
            raise MemoryError()
        state = space.states
        self.functions.start(state, n)
        for step in range(moves.shape[0]):
            action = moves[step]
            if action >= self.class_count or not (
                    self.legal(state, n) >> self.class_move[action] & 1):
                raise ValueError(f"move {step} is not possible")
            self.score(&context, state, scores)
            self.advance(&context, state, action, state.score + scores[action], state + 1)
            state += 1
        keys = np.empty(self.program.template_count, dtype=np.uint64)
        cdef uint64_t[::1] view = keys
        self.program.keys(&context, state, &view[0])
        score = state.score
        self.idle.append(space)
        return score, keys
