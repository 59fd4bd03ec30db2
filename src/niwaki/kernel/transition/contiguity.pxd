"""Whether spans of a sentence stay together in its translation, in constant time."""

from libc.stdint cimport int32_t, uint32_t


cdef extern from "portable.h" nogil:
    int niwaki_highest_bit(uint32_t bits)


cdef struct LinkTables:
    # The links of one sentence. Words are counted from 1; targets are the linked words of the
    # translation, numbered from 0 in its order: those without links make no difference.
    #
    # A table of ranges holds at [k][i] what is least (or most) in the 2^k places from i on, so
    # that two of its entries cover any range.
    int targets             # 0: the sentence has no links
    int words
    const int32_t* lowest   # ranges: least target linked to a word; `targets` if there is none
    const int32_t* highest  # ranges: most target linked to a word; -1 if there is none
    const int32_t* earliest # ranges: least word linked to a target
    const int32_t* linked   # sums: links of the words 1..i
    const int32_t* reached  # sums: links to the targets before t


cdef inline int log2_of(int count) noexcept nogil:
    """The largest k with 2^k <= count, which is at least 1."""
    return niwaki_highest_bit(<uint32_t>count)


cdef inline int32_t least_of(const int32_t* table, int side, int first, int last) noexcept nogil:
    cdef int k = log2_of(last - first + 1)
    cdef const int32_t* row = table + k * side
    return min(row[first], row[last - (1 << k) + 1])


cdef inline int32_t most_of(const int32_t* table, int side, int first, int last) noexcept nogil:
    cdef int k = log2_of(last - first + 1)
    cdef const int32_t* row = table + k * side
    return max(row[first], row[last - (1 << k) + 1])


cdef inline bint is_contiguous(const LinkTables* tables, int first, int last) noexcept nogil:
    """Whether no word outside is linked into the hull of the targets of first..last.

    All links of these words end in the hull, so it is a matter of counting: are there others?
    """
    cdef int low = least_of(tables.lowest, tables.words + 1, first, last)
    cdef int high = most_of(tables.highest, tables.words + 1, first, last)
    if low > high:
        return True
    return (tables.reached[high + 1] - tables.reached[low]
            == tables.linked[last] - tables.linked[first - 1])


cdef inline bint is_right_contiguous(const LinkTables* tables, int first,
                                     int last) noexcept nogil:
    """The same, but words behind the last may be linked into the hull: none before the first is."""
    cdef int low = least_of(tables.lowest, tables.words + 1, first, last)
    cdef int high = most_of(tables.highest, tables.words + 1, first, last)
    return low > high or least_of(tables.earliest, tables.targets, low, high) >= first


cdef size_t tables_room(int words, int targets) noexcept nogil
cdef int count_targets(const uint32_t* ends, const uint32_t* ranks, int words) noexcept nogil
cdef void fill_tables(const uint32_t* ends, const uint32_t* ranks, int words, int32_t* room,
                      LinkTables* tables) noexcept nogil
