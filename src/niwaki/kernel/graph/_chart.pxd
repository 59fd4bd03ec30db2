"""The charts of projective trees, for the decoders that fill or read them.

Places are 0 (the root) and 1 to n (words). With h the head, both directions in one matrix:

    half[h, d]    h has just taken d: all between them is settled
    whole[h, x]   h with all that it takes up to x

so h < d is an arc to the right and h > d one to the left. `across` is the transpose of
`whole`, so that every maximum runs along two rows. With scores of siblings,

    between[a, b]  two neighbours that will hang on the same head, and all between them

is kept both ways. Scores are (n + 1) x (n + 1), those of siblings (n + 1) x n x (n + 1):
siblings[h, d - 1, m] for d behind its sibling m, counted from h, or m = 0 if d is first.
"""

from libc.stdint cimport int32_t


cdef struct Chart:
    int n
    int size
    # The first place: 0 if the root may have many words, 1 if it gets one at the end.
    int first
    double* scores
    double* half
    double* whole
    double* across
    # With siblings only; NULL otherwise.
    double* between
    const double* siblings


cdef Chart* new_chart(int n, bint siblings) noexcept nogil
cdef void free_chart(Chart* c) noexcept nogil
cdef void fill(Chart* c, const double* arcs, const double* siblings, int n,
               bint single) noexcept nogil
cdef bint read_best(const Chart* c, int32_t* heads, int32_t* todo) noexcept nogil


cdef inline double sibling_score(const Chart* c, int h, int d, int m) noexcept nogil:
    return c.siblings[(h * <Py_ssize_t>c.n + d - 1) * c.size + m]


cdef inline double root_score(const Chart* c, int word) noexcept nogil:
    """What a single root gives for its word."""
    cdef double score = c.scores[word]
    if c.siblings:
        score += sibling_score(c, 0, word, 0)
    return score
