"""How many gold arcs two stacks of trees can still give, by the tabular method of Goldberg,
Sartorio and Satta (2014): one tree grows from the top of the stack and takes in the next
tree below it or the next one of the buffer until all are one.
"""

from libc.stdint cimport int32_t

from niwaki.kernel.transition.systems._system cimport Gold

cdef enum:
    # What is known of a word while the buffer is looked at.
    ELSEWHERE
    IN_BUFFER
    WAITING                 # in the buffer, and a dependent below it is on the stack


cdef inline int buffer_trees(const int32_t* stack, int depth, const int32_t* buffer, int length,
                             const Gold* gold, int32_t* places, int32_t* trees) noexcept nogil:
    """The buffer with its complete gold subtrees collapsed to their roots.

    A word waits if a dependent of it, or of a descendant, is still on the stack.
    One that does not wait can be joined to its head in the buffer at any time.
    """
    cdef int i, word, head, count = 0
    for i in range(gold.n + 1):
        places[i] = ELSEWHERE
    for i in range(length):
        places[buffer[i]] = IN_BUFFER
    for i in range(depth):
        word = gold.heads[stack[i]]
        while word > 0 and places[word] == IN_BUFFER:
            places[word] = WAITING
            word = gold.heads[word]
    for i in range(length):
        word = buffer[i]
        head = gold.heads[word]
        if head <= 0 or places[head] == ELSEWHERE or places[word] == WAITING:
            trees[count] = word
            count += 1
    return count


cdef inline void raise_to(int32_t* best, int place, int value) noexcept nogil:
    if value > best[place]:
        best[place] = value


cdef inline int reachable(const int32_t* stack, int depth, const int32_t* buffer, int length,
                          const Gold* gold, int32_t* scratch) noexcept nogil:
    """The most gold arcs that can be had from a stack (top first) and a buffer.

    best[p][q][h]: the tree that has taken in the p topmost of the stack and the q
    foremost of the buffer, with head h (an index into both, stack first).
    """
    cdef int32_t* trees = scratch
    cdef int32_t* best
    cdef const int32_t* heads = gold.heads
    cdef int count, p, q, h, head, next_word, size, value, most = 0, collapsed
    count = buffer_trees(stack, depth, buffer, length, gold, scratch + gold.n + 1, trees)
    collapsed = length - count
    size = depth + count
    if size == 0:
        return collapsed
    best = scratch + 2 * (gold.n + 1)
    for p in range((depth + 1) * (count + 1) * size):
        best[p] = -1
    # One tree to begin with: the top of the stack, or else the front of the buffer.
    if depth:
        best[(1 * (count + 1) + 0) * size + 0] = 0
    else:
        best[(0 * (count + 1) + 1) * size + depth] = 0
    for p in range(depth + 1):
        for q in range(count + 1):
            for h in range(size):
                value = best[(p * (count + 1) + q) * size + h]
                if value < 0:
                    continue
                head = stack[h] if h < depth else trees[h - depth]
                if p < depth:
                    next_word = stack[p]
                    raise_to(best, ((p + 1) * (count + 1) + q) * size + h,
                             value + (heads[next_word] == head))
                    raise_to(best, ((p + 1) * (count + 1) + q) * size + p,
                             value + (heads[head] == next_word))
                if q < count:
                    next_word = trees[q]
                    raise_to(best, (p * (count + 1) + q + 1) * size + h,
                             value + (heads[next_word] == head))
                    raise_to(best, (p * (count + 1) + q + 1) * size + depth + q,
                             value + (heads[head] == next_word))
                if p == depth and q == count and value + (heads[head] == 0) > most:
                    most = value + (heads[head] == 0)
    return most + collapsed


cdef inline size_t table_size(int n) noexcept nogil:
    """The collapsed buffer, the places of words, and the table of `reachable`: with p on the
    stack and q in the buffer it has (p + 1)(q + 1)(p + q) places, at most (n/2 + 2)^2 (n + 1)."""
    return <size_t>2 * (n + 3) + <size_t>(n // 2 + 2) * (n // 2 + 2) * (n + 2)
