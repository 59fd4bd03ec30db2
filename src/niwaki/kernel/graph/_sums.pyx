"""What all sums over trees share: sentence after sentence, fast, and in logarithms if need be."""

from libc.stdlib cimport free, malloc


cdef struct Space:
    void* numbers
    double* shifts
    int32_t* places


cdef reserve(TreeSums kind, size_t size, size_t bytes_each, Space* space):
    space.numbers = malloc(kind.methods.room(size) * bytes_each)
    space.shifts = <double*>malloc(3 * size * sizeof(double))
    space.places = <int32_t*>malloc((9 * size + 9) * sizeof(int32_t))
    if space.numbers == NULL or space.shifts == NULL or space.places == NULL:
        release(space)
        raise MemoryError()


cdef void release(Space* space) noexcept nogil:
    free(space.numbers)
    free(space.shifts)
    free(space.places)


cdef class TreeSums:
    cdef bint solve(self, const Problem* problem, void* space, bint in_logs,
                    Answer* out) noexcept nogil:
        if problem.costs == NULL:
            if in_logs:
                return self.methods.sum_logs(<Log*>space, problem, out)
            return self.methods.sum(<double*>space, problem, out)
        if in_logs:
            return self.methods.sum_log_duals(<LogDual*>space, problem, out)
        return self.methods.sum_duals(<Dual*>space, problem, out)

    def sums(self, const double[::1] arcs not None, costs, const int32_t[::1] lengths not None,
             bint single_root, double[::1] marginals not None, slopes,
             double[::1] log_sums not None, double[::1] expected not None,
             double[::1] entropies not None):
        """Fill the outputs for all sentences; the number of one that has no tree, or -1.

        `costs` and `slopes` are arrays like `arcs`, or both None.
        """
        cdef const double[::1] cost_view
        cdef double[::1] slope_view
        cdef const double* cost_at = NULL
        cdef double* slope_at = NULL
        cdef Py_ssize_t s, at = 0, sentences = lengths.shape[0]
        cdef int size = 1, failed = -1
        cdef Problem problem
        cdef Answer out
        cdef Space space
        for s in range(sentences):
            size = max(size, lengths[s] + 1)
        if costs is not None and arcs.shape[0] > 0:
            cost_view = costs
            slope_view = slopes
            cost_at = &cost_view[0]
            slope_at = &slope_view[0]
        reserve(self, size, sizeof(double) if cost_at == NULL else sizeof(Dual), &space)
        problem.single = single_root
        problem.shifts = space.shifts
        problem.places = space.places
        with nogil:
            for s in range(sentences):
                problem.n = lengths[s]
                problem.arcs = &arcs[at]
                problem.costs = cost_at + at if cost_at else NULL
                out.marginals = &marginals[at]
                out.slopes = slope_at + at if slope_at else NULL
                if not (self.solve(&problem, space.numbers, False, &out)
                        or self.solve(&problem, space.numbers, True, &out)):
                    failed = <int>s
                    break
                log_sums[s] = out.log_sum
                expected[s] = out.expected
                entropies[s] = out.entropy
                at += <Py_ssize_t>(problem.n + 1) * problem.n
        release(&space)
        return failed

    def samples(self, const double[::1] arcs not None, int n, bint single_root,
                const double[:, ::1] uniforms not None, int32_t[:, ::1] heads not None):
        """Trees of one sentence, one for each row of numbers between 0 and 1; False if it has
        none.
        """
        cdef bint done = True
        cdef Problem problem
        cdef Space space
        if heads.shape[0] == 0:
            return True
        reserve(self, n + 1, sizeof(double), &space)
        problem.arcs = &arcs[0]
        problem.costs = NULL
        problem.n = n
        problem.single = single_root
        problem.shifts = space.shifts
        problem.places = space.places
        with nogil:
            done = (self.methods.draw(<double*>space.numbers, &problem, &uniforms[0, 0],
                                      uniforms.shape[1], heads.shape[0], &heads[0, 0])
                    or self.methods.draw_by_logs(<Log*>space.numbers, &problem, &uniforms[0, 0],
                                                 uniforms.shape[1], heads.shape[0], &heads[0, 0]))
        release(&space)
        return done
