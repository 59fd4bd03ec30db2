"""How sure a parser is of its best trees: what its beam and its own choices say.

Two kinds of evidence for each arc of the best tree. Its *share* is the weight of those
trees of the beam that have the arc, each weighing exp(score / temperature). Its *gap* is
the lead in score that the move which made the arc had over the best other move; so arcs
on which all trees of the beam agree can still be told apart. Labels have both, too: the
share of trees that have arc and label, and the lead over the same move with another label.
"""

import numpy as np

from libc.math cimport INFINITY, expf
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from niwaki.kernel.batch cimport Batch
from niwaki.kernel.transition.features cimport Context
from niwaki.kernel.hashing cimport hash_bytes
from niwaki.kernel.features.columns cimport Columns
from niwaki.kernel.transition.parser cimport MAX_CLASSES, Parser, Space
from niwaki.kernel.transition.systems._system cimport State


cdef struct Evidence:
    # Of all words of a batch, and of all sentences.
    int32_t* heads
    int32_t* labels
    float* arc_shares
    float* label_shares
    float* arc_gaps
    float* label_gaps
    float* tree_shares


def weigh(Parser parser not None, Batch batch not None, list attributes not None, int width,
          float temperature):
    """The best trees of all sentences, with the evidence for them.

    Returns heads, labels, arc shares, label shares, arc gaps and label gaps of the
    words, and the share of each sentence's best tree.
    """
    cdef Columns columns = Columns(attributes, parser.program.attribute_count, batch.words)
    cdef Space space = parser.space()
    cdef Evidence evidence
    cdef Py_ssize_t s
    cdef bint fits = True
    heads = np.empty(batch.words, dtype=np.int32)
    labels = np.empty(batch.words, dtype=np.int32)
    measures = [np.empty(batch.words, dtype=np.float32) for _ in range(4)]
    trees = np.ones(batch.sentences, dtype=np.float32)
    cdef int32_t[::1] heads_view = heads, labels_view = labels
    cdef float[::1] arc_shares = measures[0], label_shares = measures[1]
    cdef float[::1] arc_gaps = measures[2], label_gaps = measures[3], tree_shares = trees
    if width < 1 or not temperature > 0:
        raise ValueError("the beam has at least one state, and the temperature is above 0")
    if batch.words:
        evidence.heads = &heads_view[0]
        evidence.labels = &labels_view[0]
        evidence.arc_shares = &arc_shares[0]
        evidence.label_shares = &label_shares[0]
        evidence.arc_gaps = &arc_gaps[0]
        evidence.label_gaps = &label_gaps[0]
        evidence.tree_shares = &tree_shares[0]
        with nogil:
            for s in range(batch.sentences):
                if batch.starts[s + 1] > batch.starts[s]:
                    fits = fits and weigh_sentence(
                        parser, space, columns.pointers, batch.starts[s],
                        batch.starts[s + 1] - batch.starts[s], s, width, temperature, &evidence)
    if not fits:
        raise MemoryError()
    parser.idle.append(space)
    return heads, labels, *measures, trees


cdef bint weigh_sentence(Parser parser, Space space, const unsigned int** columns, int32_t start,
                         int n, Py_ssize_t s, int width, float temperature,
                         const Evidence* evidence) noexcept nogil:
    cdef Context context
    cdef const State* states
    cdef int32_t* others = <int32_t*>malloc(2 * n * sizeof(int32_t))
    cdef uint64_t* seen = <uint64_t*>malloc(width * sizeof(uint64_t))
    cdef int32_t* heads = evidence.heads + start
    cdef int32_t* labels = evidence.labels + start
    cdef float* arcs = evidence.arc_shares + start
    cdef float* labelled = evidence.label_shares + start
    cdef int found, i, k, same
    cdef float weight, total = 0, tree = 0
    if others == NULL or seen == NULL or not parser.open_sentence(space, columns, start, n, width, &context):
        free(others)
        free(seen)
        return False
    states = parser.search(space, &context, width, &found)
    parser.read_tree(states, n, heads, labels)
    for i in range(n):
        arcs[i] = labelled[i] = 0
    for k in range(found):
        weight = expf((states[k].score - states[0].score) / temperature)
        parser.read_tree(&states[k], n, others, others + n)
        # Another way to the same tree adds nothing.
        seen[k] = hash_bytes(<const unsigned char*>others, 2 * n * sizeof(int32_t))
        if was_seen(seen, k):
            continue
        total += weight
        same = 0
        for i in range(n):
            if others[i] == heads[i]:
                arcs[i] += weight
                if others[n + i] == labels[i]:
                    labelled[i] += weight
                    same += 1
        if same == n:
            tree += weight
    for i in range(n):
        arcs[i] /= total
        labelled[i] /= total
    evidence.tree_shares[s] = tree / total
    find_gaps(parser, &context, states, evidence.arc_gaps + start, evidence.label_gaps + start)
    free(others)
    free(seen)
    return True


cdef bint was_seen(const uint64_t* hashes, int k) noexcept nogil:
    cdef int i
    for i in range(k):
        if hashes[i] == hashes[k]:
            return True
    return False


cdef void find_gaps(Parser parser, const Context* context, const State* state, float* arc_gaps,
                    float* label_gaps) noexcept nogil:
    """The leads of the moves that made the arcs, on the way back from a final state."""
    cdef float scores[MAX_CLASSES]
    cdef const uint8_t* legal
    cdef int32_t head, dependent
    cdef int i, mask, action
    cdef float arc_gap, label_gap, lead, least = INFINITY
    for i in range(context.n):
        arc_gaps[i] = label_gaps[i] = INFINITY
    while state.parent != NULL:
        parser.score(context, state.parent, scores)
        mask = parser.legal(state.parent, context.n)
        legal = parser.legal_classes[mask]
        arc_gap = label_gap = INFINITY
        for i in range(parser.legal_count[mask]):
            action = legal[i]
            if action == state.action:
                continue
            lead = scores[state.action] - scores[action]
            if parser.class_move[action] == state.move:
                label_gap = min(label_gap, lead)
            else:
                arc_gap = min(arc_gap, lead)
        least = min(least, arc_gap)
        parser.functions.arc(state.parent, state.move, &head, &dependent)
        if head >= 0:
            arc_gaps[dependent - 1] = arc_gap
            label_gaps[dependent - 1] = label_gap
        state = state.parent
    # A root that no move has named is what is left: as sure as the least sure move.
    for i in range(context.n):
        if arc_gaps[i] == INFINITY:
            arc_gaps[i] = least
