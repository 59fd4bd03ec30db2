"""The k best projective trees, found lazily (Huang and Chiang 2005, their third algorithm).

The chart (see _chart.pyx) already knows the best way to build each of its items. The
next best tree asks the item at the top for its next best way, and that asks one of the
items it is made of, and so on; few items are ever asked. Each tree is built in one way
only, so different ways are different trees.

A way is an edge (how an item is put together from two others) and the ranks of the two
in their own lists. The way (i, j) is followed by (i, j + 1) and, if j = 0, by (i + 1, 0):
each is reached once, and never before a better one.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc, realloc

from niwaki.kernel.graph._chart cimport (
    Chart, fill, free_chart, new_chart, root_score, sibling_score,
)
from niwaki.kernel.graph._heap cimport Heap, Waiting, pop, push

cdef enum:
    HALF = 0
    WHOLE = 1
    BETWEEN = 2
    TOP = 3


cdef struct Way:
    double score
    int32_t edge
    int32_t rank
    int32_t other_rank

cdef struct Item:
    # Ways in order of score, those waiting, and whether the last one found has still to
    # name its followers.
    Way* ways
    int32_t count
    int32_t room
    Heap waiting
    int32_t kind
    int32_t a
    int32_t b
    bint unfollowed

cdef struct Edge:
    double score
    int64_t one
    int64_t other

cdef struct Lazy:
    Chart* chart
    # numbers[place] is one more than the number of an item that was asked, or 0.
    int32_t* numbers
    Item* items
    int32_t item_count
    int32_t item_room
    # What is still to be asked for: item and rank, in pairs.
    int32_t* asked
    Py_ssize_t asked_room
    bint out_of_memory


cdef inline int64_t place_of(const Chart* c, int kind, int a, int b) noexcept nogil:
    return (kind * <int64_t>c.size + a) * c.size + b


cdef double best_of(const Chart* c, int64_t place) noexcept nogil:
    """The score of the best way to build an item."""
    cdef int64_t square = c.size * <int64_t>c.size
    if place < square:
        return c.half[place]
    if place < 2 * square:
        return c.whole[place - square]
    return c.between[place - 2 * square]


cdef int edge_count(const Chart* c, const Item* item) noexcept nogil:
    if item.kind == TOP:
        return c.n if c.first else 1
    return max(item.a, item.b) - min(item.a, item.b)


cdef Edge edge_of(const Chart* c, const Item* item, int number) noexcept nogil:
    """The number-th way to put an item together, and what it scores beyond its two parts."""
    cdef int a = item.a, b = item.b, low = min(a, b), high = max(a, b), m
    cdef Edge edge
    edge.score = 0
    if item.kind == TOP:
        if c.first:
            edge.score = root_score(c, number + 1)
            edge.one = place_of(c, WHOLE, number + 1, 1)
            edge.other = place_of(c, WHOLE, number + 1, c.n)
        else:
            edge.one = place_of(c, WHOLE, 0, 0)
            edge.other = place_of(c, WHOLE, 0, c.n)
    elif item.kind == WHOLE:
        m = low + number + (1 if a < b else 0)
        edge.one = place_of(c, HALF, a, m)
        edge.other = place_of(c, WHOLE, m, b)
    elif item.kind == HALF and c.siblings:
        edge.score = c.scores[a * c.size + b]
        if number == 0:
            edge.score += sibling_score(c, a, b, 0)
            edge.one = place_of(c, WHOLE, b, a + 1 if a < b else a - 1)
            edge.other = place_of(c, WHOLE, a, a)
        else:
            m = low + number
            edge.score += sibling_score(c, a, b, m)
            edge.one = place_of(c, HALF, a, m)
            edge.other = place_of(c, BETWEEN, min(m, b), max(m, b))
    else:
        m = low + number
        if item.kind == HALF:
            edge.score = c.scores[a * c.size + b]
        edge.one = place_of(c, WHOLE, low, m)
        edge.other = place_of(c, WHOLE, high, m + 1)
    return edge


# -- items ----------------------------------------------------------------------

cdef inline void wait(Lazy* lazy, Item* item, Way way) noexcept nogil:
    """Put a way into the heap of an item."""
    if not push(&item.waiting, Waiting(way.score, way.edge, way.rank, way.other_rank)):
        lazy.out_of_memory = True


cdef inline Way take(Item* item) noexcept nogil:
    """The best way of the heap."""
    cdef Waiting taken = pop(&item.waiting)
    return Way(taken.score, taken.first, taken.second, taken.third)


cdef int32_t item_at(Lazy* lazy, int64_t place) noexcept nogil:
    """The number of an item, with one way for each edge waiting; -1 without memory."""
    cdef const Chart* c = lazy.chart
    cdef int32_t number = lazy.numbers[place] - 1
    cdef int i
    cdef Item* item
    cdef void* grown
    cdef Edge edge
    cdef Way way
    if number >= 0:
        return number
    if lazy.item_count == lazy.item_room:
        lazy.item_room = 2 * lazy.item_room + 64
        grown = realloc(lazy.items, lazy.item_room * sizeof(Item))
        if grown == NULL:
            lazy.out_of_memory = True
            return -1
        lazy.items = <Item*>grown
    number = lazy.item_count
    lazy.item_count += 1
    lazy.numbers[place] = number + 1
    item = &lazy.items[number]
    item[0] = Item(NULL, 0, 0, Heap(NULL, 0, 0), 0, 0, 0, False)
    item.b = <int32_t>(place % c.size)
    item.a = <int32_t>(place // c.size % c.size)
    item.kind = <int32_t>(place // c.size // c.size)
    if item.kind == WHOLE and item.a == item.b:
        wait(lazy, item, Way(0, -1, 0, 0))
    else:
        for i in range(edge_count(c, item)):
            edge = edge_of(c, item, i)
            way = Way(edge.score + best_of(c, edge.one) + best_of(c, edge.other), i, 0, 0)
            if way.score > -INFINITY:
                wait(lazy, item, way)
    return number


cdef void ask(Lazy* lazy, Py_ssize_t* count, int32_t number, int32_t rank) noexcept nogil:
    cdef void* grown
    if 2 * count[0] + 2 > lazy.asked_room:
        lazy.asked_room = 2 * lazy.asked_room + 64
        grown = realloc(lazy.asked, lazy.asked_room * sizeof(int32_t))
        if grown == NULL:
            lazy.out_of_memory = True
            return
        lazy.asked = <int32_t*>grown
    lazy.asked[2 * count[0]] = number
    lazy.asked[2 * count[0] + 1] = rank
    count[0] += 1


cdef bint is_ready(const Item* item, int32_t rank) noexcept nogil:
    """Whether the way at a rank is known, or known not to exist."""
    return item.count > rank or (item.waiting.count == 0 and not item.unfollowed)


cdef bint follow(Lazy* lazy, int32_t number, Py_ssize_t* count) noexcept nogil:
    """Put the followers of the last way into the heap; False if something must be asked first."""
    cdef Item* item = &lazy.items[number]
    cdef Way last = item.ways[item.count - 1], new
    cdef Edge edge
    cdef int32_t one, other
    if last.edge < 0:
        item.unfollowed = False
        return True
    edge = edge_of(lazy.chart, item, last.edge)
    one = item_at(lazy, edge.one)
    other = item_at(lazy, edge.other)
    if lazy.out_of_memory:
        return False
    if not is_ready(&lazy.items[other], last.other_rank + 1):
        ask(lazy, count, other, last.other_rank + 1)
        return False
    # The way itself was first met with the best scores of the chart; its rank must be there.
    if not is_ready(&lazy.items[one], last.rank + (1 if last.other_rank == 0 else 0)):
        ask(lazy, count, one, last.rank + (1 if last.other_rank == 0 else 0))
        return False
    item = &lazy.items[number]
    if lazy.items[other].count > last.other_rank + 1:
        new = Way(edge.score + lazy.items[one].ways[last.rank].score
                  + lazy.items[other].ways[last.other_rank + 1].score,
                  last.edge, last.rank, last.other_rank + 1)
        wait(lazy, item, new)
    if last.other_rank == 0 and lazy.items[one].count > last.rank + 1:
        new = Way(edge.score + lazy.items[one].ways[last.rank + 1].score
                  + lazy.items[other].ways[0].score, last.edge, last.rank + 1, 0)
        wait(lazy, item, new)
    item.unfollowed = False
    return not lazy.out_of_memory


cdef bint find(Lazy* lazy, int32_t number, int32_t rank) noexcept nogil:
    """Make an item know its ways up to a rank; False if it has fewer."""
    cdef Py_ssize_t count = 0
    cdef int32_t asked, wanted
    cdef Item* item
    cdef void* grown
    ask(lazy, &count, number, rank)
    while count > 0 and not lazy.out_of_memory:
        asked = lazy.asked[2 * count - 2]
        wanted = lazy.asked[2 * count - 1]
        item = &lazy.items[asked]
        if is_ready(item, wanted):
            count -= 1
            continue
        if item.unfollowed:
            follow(lazy, asked, &count)
            continue
        if item.count == item.room:
            item.room = 2 * item.room + 2
            grown = realloc(item.ways, item.room * sizeof(Way))
            if grown == NULL:
                lazy.out_of_memory = True
                break
            item.ways = <Way*>grown
        item.ways[item.count] = take(item)
        item.count += 1
        item.unfollowed = True
    return lazy.items[number].count > rank


cdef bint find_first(Lazy* lazy, Item* item) noexcept nogil:
    """Make an item know its best way, which needs no other item."""
    item.ways = <Way*>malloc(2 * sizeof(Way))
    if item.ways == NULL:
        lazy.out_of_memory = True
        return False
    item.room = 2
    item.ways[0] = take(item)
    item.count = 1
    item.unfollowed = True
    return True


cdef void read_tree(Lazy* lazy, int32_t number, int32_t rank, int32_t* heads) noexcept nogil:
    """The heads of the tree that is built in a given way."""
    cdef Py_ssize_t count = 0
    cdef int32_t one, other
    cdef Item* item
    cdef Way way
    cdef Edge edge
    ask(lazy, &count, number, rank)
    while count > 0 and not lazy.out_of_memory:
        count -= 1
        number = lazy.asked[2 * count]
        rank = lazy.asked[2 * count + 1]
        item = &lazy.items[number]
        # Of the items it is made of, a way is sure to know only those it asked.
        if item.count == 0 and not find_first(lazy, item):
            return
        way = item.ways[rank]
        if way.edge < 0:
            continue
        if item.kind == HALF:
            heads[item.b - 1] = item.a
        elif item.kind == TOP and lazy.chart.first:
            heads[way.edge] = 0
        edge = edge_of(lazy.chart, item, way.edge)
        one = item_at(lazy, edge.one)
        other = item_at(lazy, edge.other)
        ask(lazy, &count, one, way.rank)
        ask(lazy, &count, other, way.other_rank)


def kbest(const double[::1] arcs, siblings, int n, bint single_root, int32_t[:, ::1] trees,
          double[::1] scores):
    """Fill in the best trees of one sentence, as many as there is room for; how many there are."""
    cdef const double[::1] sibling_view
    cdef const double* second = NULL
    cdef Py_ssize_t k = trees.shape[0], found = 0
    cdef size_t size = n + 1
    cdef int32_t top, i
    cdef Lazy lazy
    if k == 0:
        return 0
    if siblings is not None:
        sibling_view = siblings
        second = &sibling_view[0]
    lazy = Lazy(new_chart(n, second != NULL), NULL, NULL, 0, 0, NULL, 0, False)
    lazy.numbers = <int32_t*>calloc((TOP * size) * size + 1, sizeof(int32_t))
    lazy.out_of_memory = lazy.chart == NULL or lazy.numbers == NULL
    if not lazy.out_of_memory:
        with nogil:
            fill(lazy.chart, &arcs[0], second, n, single_root)
            top = item_at(&lazy, place_of(lazy.chart, TOP, 0, 0))
            while found < k and not lazy.out_of_memory:
                if not find(&lazy, top, <int32_t>found):
                    break
                read_tree(&lazy, top, <int32_t>found, &trees[found, 0])
                scores[found] = lazy.items[top].ways[found].score
                # Adding in another order may make a later tree better by its last digit.
                if found:
                    scores[found] = min(scores[found], scores[found - 1])
                found += 1
    for i in range(lazy.item_count):
        free(lazy.items[i].ways)
        free(lazy.items[i].waiting.items)
    free(lazy.items)
    free(lazy.numbers)
    free(lazy.asked)
    free_chart(lazy.chart)
    if lazy.out_of_memory:
        raise MemoryError()
    return found
