"""Teaches a transition parser: greedily with a dynamic oracle, or with a beam.

Every update moves the weights towards one sequence of labelled moves and away from
another, from where they part. Features are found again from the states, so nothing
of a sequence needs to be kept but the moves.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.transition.features cimport Context
from niwaki.kernel.hashing cimport mix
from niwaki.kernel.linear cimport learn_add
from niwaki.kernel.scoring cimport MAX_KEYS
from niwaki.kernel.features.columns cimport Columns
from niwaki.kernel.transition.parser cimport MAX_CLASSES, WAIT, Parser, Space, count_moves
from niwaki.kernel.transition.systems._system cimport MOVES, NOTES, Gold, State

cdef enum:
    MAX_COST = 1 << 20
    # Longer sentences than such tables allow (about 600 words) are taught without exploring.
    MAX_SCRATCH = 1 << 26

# The share of the step that would be enough which good weights take: one sentence is not all.
cdef double CAREFUL = 0.25


cdef inline double uniform(uint64_t* random) noexcept nogil:
    """A number in [0, 1) from a counter; the counter is all there is to keep."""
    random[0] += 0x9E3779B97F4A7C15ULL
    return <double>(mix(random[0]) >> 11) / <double>(1ULL << 53)


cdef int common_moves(const State* one, int ones, const State* other, int others) noexcept nogil:
    """How many moves two sequences have in common: those before the first that differs."""
    cdef int common = min(ones, others), place
    for place in range(others, ones):
        one = one.parent
    for place in range(ones, others):
        other = other.parent
    for place in range(common - 1, -1, -1):
        if one.action != other.action:
            common = place
        one = one.parent
        other = other.parent
    return common


cdef class TransitionLearner:
    """Holds a parser whose model is a SparseWeights, and what teaching needs.

    `class_of` maps a move and a label to the number of the labelled move. With `just_enough`,
    steps of the perceptron are no longer than they need to be (Crammer et al. 2006), and a share
    of that: weights that are good already are not thrown over.
    """

    def __cinit__(self, Parser parser not None, dict class_of not None, bint just_enough=False):
        cdef int move, label
        self.just_enough = just_enough
        self.parser = parser
        self.learner = <SparseWeights?>parser.model
        self.space = Space()
        for move in range(MOVES):
            for label in range(256):
                self.class_of[move][label] = class_of.get((move, label), -1)

    def __dealloc__(self):
        free(self.numbers)
        free(self.path)

    cdef bint open_gold(self, const int32_t* heads, const int32_t* labels, int n,
                        Gold* gold) noexcept nogil:
        """Lay out a tree for the oracles: 1-based, with the last child of each word."""
        cdef size_t scratch = self.parser.functions.scratch(n)
        cdef size_t need, states = self.parser.steps(n) + 1
        cdef int32_t* base
        cdef int i
        if scratch > MAX_SCRATCH:
            scratch = 0
        need = (3 + <size_t>NOTES) * (<size_t>n + 2) + scratch
        if need > self.number_capacity:
            free(self.numbers)
            self.numbers = <int32_t*>malloc(need * sizeof(int32_t))
            self.number_capacity = need if self.numbers != NULL else 0
        if states > self.path_capacity:
            free(self.path)
            self.path = <State*>malloc(states * sizeof(State))
            self.path_capacity = states if self.path != NULL else 0
        if self.numbers == NULL or self.path == NULL:
            self.learner.table.failed = True
            return False
        base = self.numbers
        base[0] = base[n + 2] = -1
        memset(base + 2 * (n + 2), 0, (n + 2) * sizeof(int32_t))
        for i in range(n):
            base[1 + i] = heads[i]
            base[n + 3 + i] = labels[i]
            if heads[i] >= 0 and i + 1 > base[2 * (n + 2) + heads[i]]:
                base[2 * (n + 2) + heads[i]] = i + 1
        gold.heads = base
        gold.labels = base + n + 2
        gold.last_child = base + 2 * (n + 2)
        gold.notes = base + 3 * (n + 2)
        gold.scratch = base + (3 + NOTES) * (n + 2) if scratch else NULL
        gold.n = n
        self.parser.functions.prepare_oracle(gold)
        return True

    # -- greedy ----------------------------------------------------------------

    def learn_greedily(self, Batch batch not None, list attributes not None,
                       const int32_t[::1] heads not None, const int32_t[::1] labels not None,
                       const int32_t[::1] order not None, float margin, float explore,
                       uint64_t[::1] random not None):
        """Learn move by move; returns moves made and updates.

        A move is right if it costs no more gold arcs than the cheapest one
        (and has the gold label, if it makes a gold arc). The best right move must
        lead the best wrong one by `margin`. With probability `explore` the parser
        then follows its own choice, so that it learns to go on from mistakes.
        """
        cdef Columns columns = Columns(attributes, self.parser.program.attribute_count, batch.words)
        cdef Py_ssize_t k
        cdef long moves = 0, updates = 0
        cdef int found
        self._check(batch, heads, labels, order)
        if batch.words:
            with nogil:
                for k in range(order.shape[0]):
                    found = self.walk(batch, order[k], columns.pointers, &heads[0], &labels[0],
                                      margin, explore, &random[0], &moves)
                    if found < 0:
                        break
                    updates += found
        self.learner.check_memory()
        return moves, updates

    cdef int walk(self, Batch batch, Py_ssize_t s, const uint32_t** columns,
                  const int32_t* heads, const int32_t* labels, float margin, float explore,
                  uint64_t* random, long* moves) noexcept nogil:
        cdef int32_t start = batch.starts[s]
        cdef int n = batch.starts[s + 1] - start, updates = 0, right, wrong, count, chosen
        cdef uint64_t keys[MAX_KEYS]
        cdef float scores[MAX_CLASSES]
        cdef float step
        cdef Context context
        cdef Gold gold
        cdef State* state
        cdef bint can_explore
        if not self.parser.open_sentence(self.space, columns, start, n, 1, &context):
            self.learner.table.failed = True
            return -1
        if not self.open_gold(heads + start, labels + start, n, &gold):
            return -1
        # Without the room that they need, costs off the oracle's way are not known.
        can_explore = gold.scratch != NULL or self.parser.functions.scratch(n) == 0
        state = self.space.states
        self.parser.functions.start(state, n)
        while self.parser.legal(state, n):
            memset(scores, 0, self.parser.class_count * sizeof(float))
            count = self.parser.program.keys(&context, state, keys)
            self.parser.scorer.score(self.parser.scorer.table, keys, count, scores)
            self.judge(state, &gold, scores, &right, &wrong)
            chosen = right
            if wrong >= 0:
                if right >= 0 and scores[wrong] + margin >= scores[right]:
                    step = 1
                    if self.just_enough:  # each of the features counts for both moves
                        step = <float>CAREFUL * min(
                            1, (scores[wrong] + margin - scores[right]) / (2 * count)
                        )
                    learn_add(&self.learner.table, keys, count, right, step)
                    learn_add(&self.learner.table, keys, count, wrong, -step)
                    updates += 1
                if right < 0 or (scores[wrong] > scores[right] and can_explore
                                 and uniform(random) < explore):
                    chosen = wrong
            self.learner.table.clock += 1
            self.parser.advance(&context, state, chosen, 0, state + 1)
            state += 1
        moves[0] += state - self.space.states
        return -1 if self.learner.table.failed else updates

    cdef void judge(self, const State* state, const Gold* gold, const float* scores,
                    int* right, int* wrong) noexcept nogil:
        """The best labelled move among the right ones and among the wrong ones (-1: none)."""
        cdef int mask = self.parser.legal(state, gold.n), move, least = MAX_COST, i, action
        cdef int costs[MOVES]
        cdef int wanted[MOVES]      # the class that a gold arc needs; -1: any
        cdef int32_t head, dependent
        cdef bint good
        for move in range(MOVES):
            if mask >> move & 1:
                costs[move] = self.parser.functions.cost(state, move, gold)
                least = min(least, costs[move])
                self.parser.functions.arc(state, move, &head, &dependent)
                wanted[move] = -1
                if head >= 0 and gold.heads[dependent] == head and gold.labels[dependent] >= 0:
                    wanted[move] = self.class_of[move][gold.labels[dependent]]
        right[0] = wrong[0] = -1
        for i in range(self.parser.legal_count[mask]):
            action = self.parser.legal_classes[mask][i]
            move = self.parser.class_move[action]
            good = costs[move] == least and (wanted[move] < 0 or wanted[move] == action)
            if good and (right[0] < 0 or scores[action] > scores[right[0]]):
                right[0] = action
            elif not good and (wrong[0] < 0 or scores[action] > scores[wrong[0]]):
                wrong[0] = action

    # -- beam ------------------------------------------------------------------

    def learn_with_beam(self, Batch batch not None, list attributes not None,
                        const int32_t[::1] heads not None, const int32_t[::1] labels not None,
                        const int32_t[::1] order not None, int width, bint max_violation,
                        float margin):
        """Learn sentence by sentence; returns sentences, updates and unreachable trees.

        The update is made where the gold sequence falls out of the beam (early), or
        where it trails the best state by most (max-violation). Candidates that leave
        the gold sequence get a head start of `margin`.
        """
        cdef Columns columns = Columns(attributes, self.parser.program.attribute_count, batch.words)
        cdef Py_ssize_t k
        cdef long updates = 0, unreachable = 0
        cdef int found
        self._check(batch, heads, labels, order)
        if width < 1:
            raise ValueError("a beam has at least one state")
        if batch.words:
            with nogil:
                for k in range(order.shape[0]):
                    found = self.violate(batch, order[k], columns.pointers, &heads[0], &labels[0],
                                         width, max_violation, margin)
                    if self.learner.table.failed:
                        break
                    if found < 0:
                        unreachable += 1
                    else:
                        updates += found
                    self.learner.table.clock += 1
        self.learner.check_memory()
        return order.shape[0], updates, unreachable

    cdef int gold_class(self, const State* state, const Gold* gold) noexcept nogil:
        """The labelled move of the oracle, or -1 if it is not possible here."""
        cdef int move = self.parser.functions.oracle(state, gold), label = 0
        cdef int32_t head, dependent
        if not self.parser.legal(state, gold.n) >> move & 1:
            return -1
        self.parser.functions.arc(state, move, &head, &dependent)
        if head >= 0:
            label = gold.labels[dependent]
            if label < 0:
                return -1
        return self.class_of[move][label]

    cdef int violate(self, Batch batch, Py_ssize_t s, const uint32_t** columns,
                     const int32_t* heads, const int32_t* labels, int width, bint max_violation,
                     float margin) noexcept nogil:
        cdef int32_t start = batch.starts[s]
        cdef int n = batch.starts[s + 1] - start, step, beam = 1, action, i, length = 0
        cdef int steps = self.parser.steps(n)
        cdef float scores[MAX_CLASSES]
        cdef float violation, largest = 0
        cdef Context context
        cdef Gold gold
        cdef State* now
        cdef State* after
        cdef const State* rival = NULL
        cdef const State* parent
        cdef State* gold_state
        cdef const State* better = NULL     # where the gold sequence is to gain, and its rival
        cdef bint is_last
        cdef int gold_place = 0         # of the gold state in the beam; -1 when it fell out
        if not self.parser.open_sentence(self.space, columns, start, n, width, &context):
            self.learner.table.failed = True
            return -1
        if not self.open_gold(heads + start, labels + start, n, &gold):
            return -1
        self.parser.functions.start(self.path, n)
        while self.parser.legal(self.path + length, n):
            action = self.gold_class(self.path + length, &gold)
            if action < 0:
                return -1
            self.parser.advance(&context, self.path + length, action, 0, self.path + length + 1)
            length += 1
        now = self.space.states
        self.parser.functions.start(now, n)
        self.path[0].score = 0
        for step in range(steps):
            # A finished gold sequence waits for the others, as in the beam.
            gold_state = self.path + min(step + 1, length)
            action = WAIT
            if step < length:
                action = gold_state.action
                self.parser.score(&context, self.path + step, scores)
                gold_state.score = self.path[step].score + scores[action]
            after = now + beam
            beam = self.parser.step_beam(
                self.space, &context, now, beam, width, gold_place, action, margin, after)
            i = gold_place
            gold_place = -1
            if i >= 0:
                parent = now[i].parent
                if step < length:
                    parent = now + i
                for action in range(beam):
                    if after[action].parent == parent and after[action].action == gold_state.action:
                        gold_place = action
                        break
            is_last = step == steps - 1 or self.space.all_wait
            # The best state that is not the gold one.
            i = 1 if gold_place == 0 else 0
            if i < beam:
                violation = after[i].score - gold_state.score
                if gold_place < 0 and not max_violation:
                    better = gold_state
                    rival = &after[i]
                    break
                if violation > largest or (violation >= largest and better == NULL):
                    if max_violation or is_last:
                        largest = violation
                        better = gold_state
                        rival = &after[i]
            if is_last:
                break
            now = after
        if better == NULL:
            return 0
        self.update_paths(&context, better, rival, self.length(&context, better, rival))
        return 1

    cdef float length(self, const Context* context, const State* better,
                      const State* rival) noexcept nogil:
        """1; where weights are good already, a share of what would make up for the violation."""
        cdef double distance
        if not self.just_enough:
            return 1
        distance = self.path_distance(context, better, rival)
        if distance < 0:
            self.learner.table.failed = True
        if distance <= 0:
            return 0
        return <float>(CAREFUL * min(1.0, (rival.score - better.score) / distance))

    cdef void update_paths(self, const Context* context, const State* better,
                           const State* worse, float step) noexcept nogil:
        """A step towards a sequence and away from another, from where they part."""
        cdef int ones = count_moves(better), others = count_moves(worse)
        cdef int common = common_moves(better, ones, worse, others)
        while ones > common or others > common:
            if ones > common:
                self.learn_move(context, better, step)
                better = better.parent
                ones -= 1
            if others > common:
                self.learn_move(context, worse, -step)
                worse = worse.parent
                others -= 1

    cdef void learn_move(self, const Context* context, const State* made, float step) noexcept nogil:
        cdef uint64_t keys[MAX_KEYS]
        cdef int count = self.parser.program.keys(context, made.parent, keys)
        learn_add(&self.learner.table, keys, count, made.action, step)

    # -- given sequences ---------------------------------------------------------

    def update(self, Batch batch not None, Py_ssize_t s, list attributes not None,
               const uint8_t[::1] better not None, const uint8_t[::1] worse not None,
               float step=1):
        """A step towards a sequence of labelled moves and away from another.

        Whoever chose them: the sequences are those of `kbest`. The clock of averaging
        stands still, because an example may ask for several steps.
        """
        cdef Columns columns = Columns(attributes, self.parser.program.attribute_count, batch.words)
        cdef Context context
        cdef State* other = self._replay_both(batch, s, columns, better, worse, &context)
        self.update_paths(
            &context, self.space.states + better.shape[0], other + worse.shape[0], step)
        self.learner.check_memory()

    def distance(self, Batch batch not None, Py_ssize_t s, list attributes not None,
                 const uint8_t[::1] better not None, const uint8_t[::1] worse not None):
        """|f(better) - f(worse)|^2, where f counts the features of a sequence: by so much does
        an `update` with a step of 1 raise the lead of the one over the other.
        """
        cdef Columns columns = Columns(attributes, self.parser.program.attribute_count, batch.words)
        cdef Context context
        cdef State* other = self._replay_both(batch, s, columns, better, worse, &context)
        cdef double found
        with nogil:
            found = self.path_distance(
                &context, self.space.states + better.shape[0], other + worse.shape[0])
        if found < 0:
            raise MemoryError()
        return found

    cdef double path_distance(self, const Context* context, const State* one,
                              const State* other) noexcept nogil:
        """The same for the last states of two sequences; -1 when memory is out."""
        cdef int ones = count_moves(one), others = count_moves(other)
        cdef int common = common_moves(one, ones, other, others)
        cdef uint64_t size = 64, place
        cdef double total = -1
        cdef Counts counts
        while size < 2 * <uint64_t>MAX_KEYS * (ones + others - 2 * common):
            size *= 2
        counts.mask = size - 1
        counts.keys = <uint64_t*>calloc(size, sizeof(uint64_t))
        counts.values = <int32_t*>calloc(size, sizeof(int32_t))
        if counts.keys != NULL and counts.values != NULL:
            total = 0
            self.count_features(context, one, ones - common, 1, &counts)
            self.count_features(context, other, others - common, -1, &counts)
            for place in range(size):
                total += <double>counts.values[place] * counts.values[place]
        free(counts.keys)
        free(counts.values)
        return total

    cdef void count_features(self, const Context* context, const State* made, int moves, int sign,
                             Counts* counts) noexcept nogil:
        """Count the features of the last moves of a sequence; a feature goes with a move."""
        cdef uint64_t keys[MAX_KEYS]
        cdef uint64_t key, place
        cdef int count, i
        for _ in range(moves):
            count = self.parser.program.keys(context, made.parent, keys)
            for i in range(count):
                key = mix(keys[i] + <uint64_t>made.action) | 1  # 0 is a free place
                place = key & counts.mask
                while counts.keys[place] != 0 and counts.keys[place] != key:
                    place = (place + 1) & counts.mask
                counts.keys[place] = key
                counts.values[place] += sign
            made = made.parent

    cdef State* _replay_both(self, Batch batch, Py_ssize_t s, Columns columns,
                             const uint8_t[::1] one, const uint8_t[::1] other,
                             Context* context) except NULL:
        """The states of two sequences: the first ones of `space`, and those that are returned."""
        cdef int n
        cdef State* states
        if not 0 <= s < batch.sentences:
            raise ValueError(f"no sentence {s}")
        n = batch.starts[s + 1] - batch.starts[s]
        if not self.parser.open_sentence(self.space, columns.pointers, batch.starts[s], n, 2, context):
            raise MemoryError()
        states = self.space.states + self.parser.steps(n) + 1
        self._replay(context, one, self.space.states)
        self._replay(context, other, states)
        return states

    cdef _replay(self, const Context* context, const uint8_t[::1] moves, State* states):
        cdef int step, action
        self.parser.functions.start(states, context.n)
        for step in range(moves.shape[0]):
            action = moves[step]
            if action >= self.parser.class_count or not (
                    self.parser.legal(states + step, context.n)
                    >> self.parser.class_move[action] & 1):
                raise ValueError(f"move {step} is not possible")
            self.parser.advance(context, states + step, action, 0, states + step + 1)
        if self.parser.legal(states + moves.shape[0], context.n):
            raise ValueError(f"a parse of {context.n} words has more moves than {moves.shape[0]}")

    cdef _check(self, Batch batch, const int32_t[::1] heads, const int32_t[::1] labels,
                const int32_t[::1] order):
        cdef Py_ssize_t i, s
        if heads.shape[0] != batch.words or labels.shape[0] != batch.words:
            raise ValueError("gold trees do not fit the batch")
        for i in range(order.shape[0]):
            if not 0 <= order[i] < batch.sentences:
                raise ValueError(f"no sentence {order[i]}")
        for s in range(batch.sentences):
            for i in range(batch.starts[s], batch.starts[s + 1]):
                if not -1 <= heads[i] <= batch.starts[s + 1] - batch.starts[s]:
                    raise ValueError(f"head {heads[i]} is out of range")
                if not -1 <= labels[i] < 256:
                    raise ValueError(f"no label {labels[i]}")
