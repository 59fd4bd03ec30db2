"""Scores of linear models over hashed features.

A table that grows (`linear`) and a frozen one (`compiled`) answer the same question through a
`Scorer`: the scores of all classes for a list of feature keys. A key is 64 bits that are well
mixed; 0 is not a key.
"""

from libc.stdint cimport uint64_t

cdef enum:
    MAX_KEYS = 256      # features of one decision; more could overflow 16-bit sums
    LANES = 4           # decisions that are taken together
    MAX_CLASSES = 1 << 16


# Adds the scores of all classes for some keys.
ctypedef void (*ScoreFunction)(
    const void* table, const uint64_t* keys, int count, float* scores) noexcept nogil


cdef struct Decision:
    # What one of several decisions looks at, and the scores to be added to.
    uint64_t keys[MAX_KEYS]
    int count
    float* scores


# The same for up to LANES decisions, each of which waits for memory while others are computed.
ctypedef void (*ScoreTogetherFunction)(
    const void* table, const Decision* decisions, int count) noexcept nogil


cdef struct Scorer:
    const void* table
    ScoreFunction score
    ScoreTogetherFunction score_together    # NULL: one after the other
    int classes


cdef inline void score_decisions(const Scorer* scorer, const Decision* decisions,
                                 int count) noexcept nogil:
    cdef int d
    if scorer.score_together != NULL:
        scorer.score_together(scorer.table, decisions, count)
        return
    for d in range(count):
        scorer.score(
            scorer.table, decisions[d].keys, decisions[d].count, decisions[d].scores)
