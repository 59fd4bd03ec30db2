"""Teaches a greedy parser as a classifier: each move of the oracle's way is one example.

At a state on the way to the gold tree, with scores s of the legal labelled moves and y the
oracle's move, the loss is one of

    maximum entropy   log sum over k of exp(s[k])  -  s[y]
    support vectors   max(0, 1 + max over k != y of s[k]  -  s[y])      (Crammer and Singer)

Steps are AdaGrad's on one example at a time; weights that a step meets are also drawn
towards 0 (`decay`). Gradients smaller than `least` are left out, because every class that is
touched once costs memory in every row of the state's features.
"""

from libc.math cimport expf, logf
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.transition.features cimport Context
from niwaki.kernel.linear cimport learn_gradients
from niwaki.kernel.scoring cimport MAX_KEYS
from niwaki.kernel.features.columns cimport Columns
from niwaki.kernel.transition.parser cimport MAX_CLASSES
from niwaki.kernel.transition.learning cimport TransitionLearner
from niwaki.kernel.transition.systems._system cimport Gold, State


cdef struct Loss:
    double total
    long moves
    long mistakes       # moves for which another had the best score
    long unreachable    # sentences whose tree the oracle cannot reach


cdef struct Steps:
    # How a step is made.
    bint hinge
    float rate
    float damping
    float decay
    float least


cdef class LocalLearner(TransitionLearner):
    """A TransitionLearner that also teaches move by move, from the states of the oracle's way."""

    def learn_locally(self, Batch batch not None, list attributes not None,
                      const int32_t[::1] heads not None, const int32_t[::1] labels not None,
                      const int32_t[::1] order not None, bint hinge, float rate, float damping,
                      float decay, float least):
        """Learn from some sentences; returns moves, mistakes, the loss and unreachable trees.

        `hinge` chooses support vectors instead of maximum entropy. With a rate of 0 nothing
        is learned: the loss is that of the weights as they are.
        """
        cdef Columns columns = Columns(attributes, self.parser.program.attribute_count, batch.words)
        cdef Steps steps = Steps(hinge, rate, damping, decay, least)
        cdef Loss loss = Loss(0, 0, 0, 0)
        cdef Py_ssize_t k
        self._check(batch, heads, labels, order)
        if batch.words:
            with nogil:
                for k in range(order.shape[0]):
                    self.follow_oracle(
                        batch, order[k], columns.pointers, &heads[0], &labels[0], &steps, &loss)
                    if self.learner.table.failed:
                        break
        self.learner.check_memory()
        return loss.moves, loss.mistakes, loss.total, loss.unreachable

    cdef void follow_oracle(self, Batch batch, Py_ssize_t s, const uint32_t** columns,
                            const int32_t* heads, const int32_t* labels, const Steps* steps,
                            Loss* loss) noexcept nogil:
        cdef int32_t start = batch.starts[s]
        cdef int n = batch.starts[s + 1] - start, count, right
        cdef uint64_t keys[MAX_KEYS]
        cdef float scores[MAX_CLASSES]
        cdef Context context
        cdef Gold gold
        cdef State* state
        if not self.parser.open_sentence(self.space, columns, start, n, 1, &context):
            self.learner.table.failed = True
            return
        if not self.open_gold(heads + start, labels + start, n, &gold):
            return
        state = self.space.states
        self.parser.functions.start(state, n)
        while self.parser.legal(state, n):
            right = self.gold_class(state, &gold)
            if right < 0:
                loss.unreachable += 1
                return
            memset(scores, 0, self.parser.class_count * sizeof(float))
            count = self.parser.program.keys(&context, state, keys)
            self.parser.scorer.score(self.parser.scorer.table, keys, count, scores)
            self.learn_class(keys, count, scores, self.parser.legal(state, n), right,
                             steps, loss)
            self.parser.advance(&context, state, right, 0, state + 1)
            state += 1

    cdef void learn_class(self, const uint64_t* keys, int count, const float* scores, int mask,
                          int right, const Steps* steps, Loss* loss) noexcept nogil:
        """One example: add its loss, and make a step."""
        cdef const uint8_t* legal = self.parser.legal_classes[mask]
        cdef int many = self.parser.legal_count[mask], i, wrong = -1, touched = 0
        cdef int classes[MAX_CLASSES]
        cdef float gradients[MAX_CLASSES]
        cdef float gradient, top, total = 0
        for i in range(many):
            if legal[i] != right and (wrong < 0 or scores[legal[i]] > scores[wrong]):
                wrong = legal[i]
        loss.moves += 1
        if wrong >= 0:
            loss.mistakes += scores[wrong] >= scores[right]
            if steps.hinge:
                if 1 + scores[wrong] > scores[right]:
                    loss.total += 1 + scores[wrong] - scores[right]
                    classes[0] = right
                    classes[1] = wrong
                    gradients[0] = 1
                    gradients[1] = -1
                    touched = 2
            else:
                top = max(scores[wrong], scores[right])
                for i in range(many):
                    total += expf(scores[legal[i]] - top)
                loss.total += logf(total) + top - scores[right]
                for i in range(many):
                    gradient = (<float>(legal[i] == right)
                                - expf(scores[legal[i]] - top) / total)
                    if gradient > steps.least or gradient < -steps.least:
                        classes[touched] = legal[i]
                        gradients[touched] = gradient
                        touched += 1
        if touched and steps.rate > 0:
            learn_gradients(&self.learner.table, keys, count, classes, gradients, touched,
                            steps.rate, steps.damping, steps.decay)
        self.learner.table.clock += steps.rate > 0
