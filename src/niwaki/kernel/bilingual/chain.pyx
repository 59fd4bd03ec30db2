"""Posteriors of Model 1 and of the HMM for one sentence pair, in one direction."""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset


cdef int make_room(Room* room, int sources, int targets) noexcept nogil:
    cdef size_t cells = <size_t>sources * targets, longest = max(sources, targets)
    cdef size_t steps = (longest + 1) * (longest + 1)
    cdef int d
    cdef bint whole
    memset(room, 0, sizeof(Room))
    room.entries = <int64_t*>malloc(cells * sizeof(int64_t))
    whole = room.entries != NULL
    for d in range(2):
        room.emission[d] = <double*>malloc(cells * sizeof(double))
        room.posterior[d] = <double*>malloc(cells * sizeof(double))
        room.null[d] = <double*>malloc(longest * sizeof(double))
        room.empty[d] = <double*>malloc(longest * sizeof(double))
        whole = whole and (room.emission[d] != NULL and room.posterior[d] != NULL
                           and room.null[d] != NULL and room.empty[d] != NULL)
    room.before = <double*>malloc(steps * sizeof(double))
    room.move = <double*>malloc(steps * sizeof(double))
    room.moved = <double*>malloc(steps * sizeof(double))
    # The four vectors stand in one block, which `after` owns.
    room.after = <double*>malloc(4 * (longest + 1) * sizeof(double))
    if not (whole and room.before != NULL and room.move != NULL and room.moved != NULL
            and room.after != NULL):
        return -1
    room.next_after = room.after + (longest + 1)
    room.pull = room.next_after + (longest + 1)
    room.end = room.pull + (longest + 1)
    return 0


cdef void free_room(Room* room) noexcept nogil:
    cdef int d
    free(room.entries)
    for d in range(2):
        free(room.emission[d])
        free(room.posterior[d])
        free(room.null[d])
        free(room.empty[d])
    free(room.before)
    free(room.move)
    free(room.moved)
    free(room.after)


cdef double run_bag(Room* room, int d, int states, int steps, double empty) noexcept nogil:
    """Model 1: each step picks a state for itself, the null word with probability `empty`."""
    cdef double share = (1 - empty) / states, total, score = 0
    cdef double* emission = room.emission[d]
    cdef double* posterior = room.posterior[d]
    cdef int i, j
    for j in range(steps):
        total = empty * room.null[d][j]
        room.empty[d][j] = total
        for i in range(states):
            posterior[j * states + i] = share * emission[j * states + i]
            total += posterior[j * states + i]
        for i in range(states):
            posterior[j * states + i] /= total
        room.empty[d][j] /= total
        score += log(total)
    return score


cdef inline int clip(int distance, int limit) noexcept nogil:
    return (limit if distance > limit else -limit if distance < -limit else distance) + limit


cdef void set_moves(Room* room, int states, const Jumps* jump, const int32_t* classes,
                    const int32_t* words) noexcept nogil:
    """Transition probabilities: the weights of the jumps, normalised over what can be reached.

    Line 0 is the place before the first word, line i + 1 is state i.
    """
    cdef int i, k, width = 2 * jump.limit + 1
    cdef double total, last = 0
    cdef const double* weights
    cdef double* line
    for i in range(-1, states):
        weights = jump.weights + (0 if i < 0 else classes[words[i]] + 1) * width
        line = room.move + (i + 1) * states
        total = 0
        for k in range(states):
            line[k] = weights[clip(k - i, jump.limit)]
            total += line[k]
        for k in range(states):
            line[k] /= total
    weights = jump.weights + (jump.rows - 1) * width
    for i in range(-1, states):
        room.end[i + 1] = weights[clip(states - i, jump.limit)]
        last += room.end[i + 1]
    for i in range(-1, states):
        room.end[i + 1] /= last


cdef inline double dot(const double* a, const double* b, int size) noexcept nogil:
    """Four sums at a time, which the compiler cannot do by itself: it may not change the order."""
    cdef double s0 = 0, s1 = 0, s2 = 0, s3 = 0
    cdef int k, whole = size & ~3
    for k in range(0, whole, 4):
        s0 += a[k] * b[k]
        s1 += a[k + 1] * b[k + 1]
        s2 += a[k + 2] * b[k + 2]
        s3 += a[k + 3] * b[k + 3]
    for k in range(whole, size):
        s0 += a[k] * b[k]
    return (s0 + s1) + (s2 + s3)


cdef inline void add_scaled(double* to, double factor, const double* line, int size) noexcept nogil:
    cdef int k
    for k in range(size):
        to[k] += factor * line[k]


cdef double run_chain(Room* room, int d, int states, int steps, double empty, Jumps* jump,
                      const int32_t* classes, const int32_t* words) noexcept nogil:
    """The HMM, by the forward-backward algorithm.

    A step picks a state by a jump from the last one that was picked, or with
    probability `empty` the null word, which leaves the last state as it is. So the
    memory of the chain is the last state m, m = 0 standing for none yet.
    """
    cdef double score
    set_moves(room, states, jump, classes, words)
    score = look_ahead(room, d, states, steps, empty)
    score += look_back(room, d, states, steps, empty, jump)
    if jump.counts != NULL:
        count_moves(room, states, jump, classes, words)
    return score


cdef double look_ahead(Room* room, int d, int states, int steps, double empty) noexcept nogil:
    """The forward pass; returns the log-probability of the steps.

      before[j + 1][m] = empty null(j) before[j][m]
                         + (1 - empty) e(j, m) sum_l before[j][l] move[l][m]

    Each line is divided by its sum, and so is the step's emission, from here on. The
    posterior's place keeps the second term.
    """
    cdef double* emission
    cdef double* posterior
    cdef double* old
    cdef double* new
    cdef double total, inverse, kept, score = 0
    cdef int j, m, k, memory = states + 1
    room.before[0] = 1
    for m in range(1, memory):
        room.before[m] = 0
    for j in range(steps):
        emission, posterior = room.emission[d] + j * states, room.posterior[d] + j * states
        old, new = room.before + j * memory, room.before + (j + 1) * memory
        for m in range(memory):
            new[m] = 0
        for m in range(memory):
            if old[m] > 0:
                add_scaled(new + 1, (1 - empty) * old[m], room.move + m * states, states)
        kept = empty * room.null[d][j]
        total = new[0] = kept * old[0]
        for k in range(states):
            posterior[k] = new[k + 1] * emission[k]
            new[k + 1] = posterior[k] + kept * old[k + 1]
            total += new[k + 1]
        inverse = 1 / total
        new[0] *= inverse
        for k in range(states):
            new[k + 1] *= inverse
            posterior[k] *= inverse
            emission[k] *= inverse
        room.null[d][j] *= inverse
        score += log(total)
    return score


cdef double look_back(Room* room, int d, int states, int steps, double empty, Jumps* jump
                      ) noexcept nogil:
    """The backward pass: posteriors, expected jumps; returns the end's log-probability.

      after[j][m] = empty null(j) after[j + 1][m]
                    + (1 - empty) sum_k move[m][k] e(j, k) after[j + 1][k]
    """
    cdef double* emission
    cdef double* posterior
    cdef double* old
    cdef double* after = room.after
    cdef double* earlier = room.next_after
    cdef double kept, total
    cdef int j, m, k, memory = states + 1
    total = dot(room.before + steps * memory, room.end, memory)
    for m in range(memory):
        after[m] = room.end[m] / total
    if jump.counts != NULL:
        count_ends(room, states, steps, jump)
        memset(room.moved, 0, <size_t>memory * states * sizeof(double))
    for j in range(steps - 1, -1, -1):
        emission, posterior = room.emission[d] + j * states, room.posterior[d] + j * states
        old = room.before + j * memory
        kept = empty * room.null[d][j]
        room.empty[d][j] = kept * dot(old, after, memory)
        for k in range(states):
            posterior[k] *= after[k + 1]
            room.pull[k] = (1 - empty) * emission[k] * after[k + 1]
        for m in range(memory):
            earlier[m] = kept * after[m] + dot(room.move + m * states, room.pull, states)
            if old[m] > 0 and jump.counts != NULL:
                add_scaled(room.moved + m * states, old[m], room.pull, states)
        after, earlier = earlier, after
    return log(total)


cdef void count_ends(Room* room, int states, int steps, Jumps* jump) noexcept nogil:
    cdef int m, memory = states + 1, width = 2 * jump.limit + 1
    for m in range(memory):
        jump.counts[(jump.rows - 1) * width + clip(states - m + 1, jump.limit)] += fixed(
            room.before[steps * memory + m] * room.after[m])


cdef void count_moves(Room* room, int states, Jumps* jump, const int32_t* classes,
                      const int32_t* words) noexcept nogil:
    cdef int i, k, width = 2 * jump.limit + 1
    cdef int64_t* counts
    for i in range(-1, states):
        counts = jump.counts + (0 if i < 0 else classes[words[i]] + 1) * width
        for k in range(states):
            counts[clip(k - i, jump.limit)] += fixed(
                room.move[(i + 1) * states + k] * room.moved[(i + 1) * states + k])
