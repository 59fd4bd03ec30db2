"""Positive numbers in four forms, so that each sum over trees is written once.

    double    the number itself: fast, but it ends at 1e-308
    Log       its logarithm: slow, and without an end
    Dual      the number and its derivative in one direction
    LogDual   the logarithm and its derivative
"""

from libc.math cimport INFINITY, exp, log, log1p

cdef extern from "vectors.h" nogil:
    double niwaki_dot(const double* a, const double* b, Py_ssize_t count)
    void niwaki_add_scaled(double* out, double factor, const double* row, Py_ssize_t count)


cdef struct Log:
    double log

cdef struct Dual:
    double value
    double slope

cdef struct LogDual:
    double log
    double slope

ctypedef fused Number:
    double
    Log
    Dual
    LogDual


cdef inline void put(Number* out, double value, double logarithm, double slope) noexcept nogil:
    """Store a number given in both forms; `slope` is the derivative of its logarithm."""
    if Number is double:
        out[0] = value
    elif Number is Log:
        out.log = logarithm
    elif Number is Dual:
        out.value = value
        out.slope = value * slope
    else:
        out.log = logarithm
        out.slope = slope


cdef inline double log_of(Number a) noexcept nogil:
    if Number is double:
        return log(a)
    elif Number is Dual:
        return log(a.value)
    else:
        return a.log


cdef inline double log_slope(Number a) noexcept nogil:
    """The derivative of the logarithm; 0 for the forms without one."""
    if Number is Dual:
        return a.slope / a.value if a.value > 0 else 0
    elif Number is LogDual:
        return a.slope
    else:
        return 0


cdef inline double value_of(Number a) noexcept nogil:
    if Number is double:
        return a
    elif Number is Dual:
        return a.value
    else:
        return exp(a.log)


cdef inline double slope_of(Number a) noexcept nogil:
    """The derivative of the number itself."""
    if Number is Dual:
        return a.slope
    elif Number is LogDual:
        return exp(a.log) * a.slope
    else:
        return 0


cdef inline bint is_safe(Number a, double low, double high) noexcept nogil:
    """Whether the number lies well within the reach of its form; NaN does not."""
    if Number is double:
        return low <= a <= high
    elif Number is Dual:
        return low <= a.value <= high
    else:
        return low == 0 or a.log > -INFINITY


cdef inline Number times(Number a, Number b) noexcept nogil:
    cdef Number out
    if Number is double:
        out = a * b
    elif Number is Log:
        out.log = a.log + b.log
    elif Number is Dual:
        out.value = a.value * b.value
        out.slope = a.value * b.slope + a.slope * b.value
    else:
        out.log = a.log + b.log
        out.slope = a.slope + b.slope
    return out


cdef inline Number over(Number a, Number b) noexcept nogil:
    cdef Number out
    if Number is double:
        out = a / b
    elif Number is Log:
        out.log = a.log - b.log
    elif Number is Dual:
        out.value = a.value / b.value
        out.slope = (a.slope - out.value * b.slope) / b.value
    else:
        out.log = a.log - b.log
        out.slope = a.slope - b.slope
    return out


cdef inline Number plus(Number a, Number b) noexcept nogil:
    cdef Number out
    cdef double small
    if Number is double:
        out = a + b
    elif Number is Dual:
        out.value = a.value + b.value
        out.slope = a.slope + b.slope
    else:
        out = a
        if b.log > a.log:
            out = b
            b = a
        if b.log > -INFINITY:
            small = exp(b.log - out.log)
            out.log += log1p(small)
            if Number is LogDual:
                out.slope += (b.slope - out.slope) * small / (1 + small)
    return out


cdef inline Number one_and_more(Number more, Number mean) noexcept nogil:
    """1 + more - mean, which is known to be positive."""
    cdef Number out
    cdef double rest
    if Number is double:
        out = 1 + more - mean
        if out < 0:
            out = 0
    elif Number is Dual:
        out.value = 1 + more.value - mean.value
        if out.value < 0:
            out.value = 0
        out.slope = more.slope - mean.slope
    else:
        if more.log > 30:
            rest = (1 - exp(mean.log)) * exp(-more.log)
            out.log = more.log + log1p(rest)
        else:
            rest = exp(more.log) + (1 - exp(mean.log))
            out.log = log(rest) if rest > 0 else -INFINITY
        if Number is LogDual:
            out.slope = 0
            if out.log > -INFINITY:
                out.slope = (exp(more.log - out.log) * more.slope
                             - exp(mean.log - out.log) * mean.slope)
    return out


cdef inline Number dot(const Number* a, const Number* b, Py_ssize_t count) noexcept nogil:
    """The sum of a[i] b[i]."""
    cdef Number out
    cdef Py_ssize_t i
    cdef double top, term, total
    put(&out, 0, -INFINITY, 0)
    if Number is double:
        out = niwaki_dot(a, b, count)
    elif Number is Dual:
        for i in range(count):
            out.value += a[i].value * b[i].value
            out.slope += a[i].value * b[i].slope + a[i].slope * b[i].value
    else:
        top = -INFINITY
        for i in range(count):
            top = max(top, a[i].log + b[i].log)
        if top > -INFINITY:
            total = 0
            for i in range(count):
                term = exp(a[i].log + b[i].log - top)
                total += term
                if Number is LogDual:
                    out.slope += term * (a[i].slope + b[i].slope)
            out.log = top + log(total)
            if Number is LogDual:
                out.slope /= total
    return out


cdef inline void add_scaled(Number* out, Number factor, const Number* row,
                            Py_ssize_t count) noexcept nogil:
    """out[i] += factor row[i]."""
    cdef Py_ssize_t i
    if Number is double:
        niwaki_add_scaled(out, factor, row, count)
    else:
        for i in range(count):
            out[i] = plus(out[i], times(factor, row[i]))
