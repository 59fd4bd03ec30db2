"""The k best spanning trees (Camerini, Fratta and Maffioli 1980; Hall 2007).

A set of trees is given by arcs that each must have (they come from `require`) and arcs
that none may have (`forbid`). Say A is its best tree. The second best differs from A in
some arc e, and one more run of the contraction finds which: whenever a slot takes its
arc of A, the best arc that could stand in for it is one that does not start below the
slot in A, and the loss is the difference of the two. With the e of the smallest loss,
the set falls apart into the trees without e, whose best is the second best, and the
trees with e, whose best is A again. Each tree costs three contractions, O(k n^2) in all.

With a single root, an arc of the root can only be replaced by one of the root and any
other arc only by one that is not.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from niwaki.kernel.graph._heap cimport Heap, Waiting, pop, push
from niwaki.kernel.graph.spanning cimport (
    UNSEEN, Contraction, begin, best_source, contract, extend_path, free_contraction, load,
    new_contraction, solve, start_path, tree_score,
)

# Two sums of the same scores in another order differ by less than this share of them.
cdef double ROUNDING = 2.0 ** -44


cdef struct Choice:
    # One arc that is required or forbidden, and the choices made before it.
    int32_t before
    int32_t arc
    bint required

cdef struct Part:
    # A set of trees: its best tree is known, its second best is without `arc`.
    int32_t choices
    int32_t tree
    int32_t arc

cdef struct Search:
    Contraction* c
    const double* arcs
    double* base
    int n
    bint single
    Choice* choices
    int32_t choice_count
    Part* parts
    int32_t part_count
    Heap heap               # of numbers of parts, the one with the best second tree first
    # Of the tree at hand: when each word is entered and left, walking down from the root.
    int32_t* entered
    int32_t* left
    int32_t* slot_of
    int32_t* known
    double* known_score


cdef void apply_choices(Search* s, int32_t choice) noexcept nogil:
    cdef int size = s.n + 1, d, h, i
    cdef double* row
    cdef double kept
    memcpy(s.c.in_scores, s.base, size * size * sizeof(double))
    while choice >= 0:
        d = s.choices[choice].arc % size
        h = s.choices[choice].arc // size
        row = s.c.in_scores + d * size
        if s.choices[choice].required:
            kept = row[h]
            for i in range(size):
                row[i] = -INFINITY
            row[h] = kept
        else:
            row[h] = -INFINITY
        choice = s.choices[choice].before


cdef void walk(Search* s, const int32_t* heads) noexcept nogil:
    """Number the words so that those below word w have numbers from entered[w] to left[w]."""
    cdef int n = s.n, size = s.n + 1, word, clock = 0, top
    cdef int32_t* first = s.slot_of
    cdef int32_t* following = s.known
    for word in range(size):
        first[word] = 0
    for word in range(n, 0, -1):
        following[word] = first[heads[word - 1]]
        first[heads[word - 1]] = word
    # `first` is used up as children are visited; the way back up is in `heads`.
    word = 0
    s.entered[0] = 0
    while True:
        top = first[word]
        if top:
            first[word] = following[top]
            clock += 1
            s.entered[top] = clock
            word = top
        else:
            s.left[word] = clock
            if word == 0:
                break
            word = heads[word - 1]


cdef inline bint is_below(const Search* s, int word, int above) noexcept nogil:
    return s.entered[above] <= s.entered[word] <= s.left[above]


cdef double best_replacement(const Search* s, int slot, int32_t arc) noexcept nogil:
    """The score of the best arc into a slot that keeps a tree a tree without `arc`."""
    cdef const Contraction* c = s.c
    cdef int size = c.size, i, other, dependent = arc % size
    cdef bint from_root = arc < size
    cdef double best = -INFINITY, score
    cdef size_t place
    for i in range(-1, c.count):
        other = c.active[i] if i >= 0 else 0
        if other == slot or (c.single and (other == 0) != from_root):
            continue
        place = slot * size + other
        score = c.in_scores[place]
        if score > best and c.in_arcs[place] == arc:
            score = c.second_scores[place]
        if score > best and (other == 0 or not is_below(s, c.in_arcs[place] // size, dependent)):
            best = score
    return best


cdef int choose_source(Search* s, int slot, double magnitude, bint* keeps) noexcept nogil:
    """The slot that a slot takes its arc from: as in the tree at hand, unless one is better.

    "Better" must not be rounding: the tree at hand is a best one, and the loss of its
    arcs is wanted.
    """
    cdef const Contraction* c = s.c
    cdef int node = c.node[slot], source = best_source(c, slot)
    cdef int known_source = s.slot_of[s.known[node] // c.size]
    cdef double best = c.in_scores[slot * c.size + source]
    keeps[0] = best - s.known_score[node] <= ROUNDING * (magnitude + fabs(best))
    if c.single and (source == 0) != (known_source == 0):
        keeps[0] = False
    return known_source if keeps[0] else source


cdef void follow_contraction(Search* s, int start, int stop) noexcept nogil:
    """Contract path[start:stop] and find the arc of the tree at hand into the new slot."""
    cdef Contraction* c = s.c
    cdef int target = c.path[start], size = c.size, word, node
    cdef int new = c.nodes
    contract(c, start, stop)
    for word in range(1, size):
        if c.state[s.slot_of[word]] < 0:
            s.slot_of[word] = target
    for node in range(1, new):
        if c.parent[node] == new and s.slot_of[s.known[node] // size] != target:
            s.known[new] = s.known[node]
            s.known_score[new] = s.known_score[node] - c.offset[node]


cdef double smallest_loss(Search* s, int32_t choices, const int32_t* heads,
                          int32_t* lost) noexcept nogil:
    """By how much the second best tree of a set is worse, and the arc it does without.

    `heads` is the best tree of the set. Infinity if it is the only one.
    """
    cdef Contraction* c = s.c
    cdef int size = c.size, start, length, slot, source, node, i
    cdef double smallest = INFINITY, magnitude = 0, score
    cdef bint keeps
    walk(s, heads)
    apply_choices(s, choices)
    begin(c)
    s.slot_of[0] = 0
    for i in range(1, size):
        s.slot_of[i] = i
        s.known[i] = heads[i - 1] * size + i
        s.known_score[i] = c.in_scores[i * size + heads[i - 1]]
    for start in range(1, size):
        if c.state[start] != UNSEEN:
            continue
        length = start_path(c, start)
        while length:
            slot = c.path[length - 1]
            node = c.node[slot]
            source = choose_source(s, slot, magnitude, &keeps)
            if keeps:
                c.offset[node] = s.known_score[node]
                score = s.known_score[node] - best_replacement(s, slot, s.known[node])
                if score < smallest:
                    smallest = score
                    lost[0] = s.known[node]
            else:
                c.offset[node] = c.in_scores[slot * size + source]
            magnitude += fabs(c.offset[node])
            i = extend_path(c, &length, source)
            if i >= 0:
                follow_contraction(s, i, length)
                length = i + 1
    return smallest


# -- the parts, best first -----------------------------------------------------

cdef bint add_part(Search* s, int32_t choices, const int32_t* trees, int32_t tree,
                   double score) noexcept nogil:
    """Find the second best tree of a set and queue the set, if it has another tree.

    False without memory.
    """
    cdef int32_t arc = 0, new = s.part_count
    cdef double loss = smallest_loss(s, choices, trees + <Py_ssize_t>tree * s.n, &arc)
    if loss == INFINITY:
        return True
    s.parts[new] = Part(choices, tree, arc)
    s.part_count += 1
    return push(&s.heap, Waiting(score - loss, new, 0, 0))


cdef int32_t choose(Search* s, int32_t before, int32_t arc, bint required) noexcept nogil:
    s.choices[s.choice_count] = Choice(before, arc, required)
    s.choice_count += 1
    return s.choice_count - 1


cdef Py_ssize_t search(Search* s, Py_ssize_t k, int32_t* trees, double* scores) noexcept nogil:
    """Fill in up to k trees; how many there are, -1 without memory."""
    cdef Py_ssize_t found = 0
    cdef int32_t with_arc, without_arc
    cdef Part part
    load(s.c, s.arcs, s.n, s.single)
    memcpy(s.base, s.c.in_scores, (s.n + 1) * (s.n + 1) * sizeof(double))
    if not solve(s.c, trees):
        return 0
    scores[0] = tree_score(s.arcs, trees, s.n)
    found = 1
    if k > 1 and not add_part(s, -1, trees, 0, scores[0]):
        return -1
    while found < k and s.heap.count > 0:
        part = s.parts[pop(&s.heap).first]
        without_arc = choose(s, part.choices, part.arc, False)
        with_arc = choose(s, part.choices, part.arc, True)
        apply_choices(s, without_arc)
        if not solve(s.c, trees + found * s.n):
            continue
        # Adding in another order may make a later tree better by its last digit.
        scores[found] = min(scores[found - 1], tree_score(s.arcs, trees + found * s.n, s.n))
        found += 1
        if found < k and not (
                add_part(s, without_arc, trees, <int32_t>(found - 1), scores[found - 1])
                and add_part(s, with_arc, trees, part.tree, scores[part.tree])):
            return -1
    return found


def kbest(const double[::1] arcs, int n, bint single_root, int32_t[:, ::1] trees,
          double[::1] scores):
    """Fill in the best trees of one sentence, as many as there is room for; how many there are."""
    cdef Py_ssize_t k = trees.shape[0], found = 0
    cdef size_t size = n + 1
    cdef Search s
    if k == 0:
        return 0
    s.n = n
    s.single = single_root
    s.arcs = &arcs[0]
    s.choice_count = s.part_count = 0
    s.heap = Heap(NULL, 0, 0)
    s.c = new_contraction(n, True)
    s.base = <double*>malloc((size * size + 2 * size) * sizeof(double))
    s.choices = <Choice*>malloc(2 * k * sizeof(Choice))
    s.parts = <Part*>malloc(2 * k * sizeof(Part))
    s.entered = <int32_t*>malloc(5 * size * sizeof(int32_t))
    if s.c and s.base and s.choices and s.parts and s.entered:
        s.known_score = s.base + size * size
        s.left = s.entered + size
        s.slot_of = s.left + size
        s.known = s.slot_of + size
        with nogil:
            found = search(&s, k, &trees[0, 0], &scores[0])
    else:
        found = -1
    free_contraction(s.c)
    free(s.base)
    free(s.choices)
    free(s.parts)
    free(s.heap.items)
    free(s.entered)
    if found < 0:
        raise MemoryError()
    return found
