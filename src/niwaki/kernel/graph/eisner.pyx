"""Best projective trees of many sentences; the chart and its equations are in _chart.pyx."""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from niwaki.kernel.graph._chart cimport Chart, fill, free_chart, new_chart, read_best


def decode(const double[::1] arcs, siblings, const int32_t[::1] lengths, bint single_root,
           int32_t[::1] heads):
    """Fill in the heads of the best trees; the number of a sentence that has none, or -1.

    `siblings` may be None.
    """
    cdef const double[::1] sibling_view
    cdef const double* second = NULL
    cdef Py_ssize_t s, at = 0, word = 0, sentences = lengths.shape[0]
    cdef int longest = 0, failed = -1, n
    for s in range(sentences):
        longest = max(longest, lengths[s])
    if siblings is not None and sentences > 0:
        sibling_view = siblings
        second = &sibling_view[0]
    cdef Chart* c = new_chart(longest, second != NULL)
    cdef int32_t* todo = <int32_t*>malloc((9 * <size_t>longest + 18) * sizeof(int32_t))
    if c == NULL or todo == NULL:
        free_chart(c)
        free(todo)
        raise MemoryError()
    with nogil:
        for s in range(sentences):
            n = lengths[s]
            fill(c, &arcs[at], second, n, single_root)
            if not read_best(c, &heads[word], todo):
                failed = <int>s
                break
            at += <Py_ssize_t>(n + 1) * n
            word += n
            if second:
                second += <Py_ssize_t>(n + 1) * n * (n + 1)
    free_chart(c)
    free(todo)
    return failed
