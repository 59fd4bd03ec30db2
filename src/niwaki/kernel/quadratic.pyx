"""Quadratic programmes over a simplex: the duals of support vector machines with one slack."""

import numpy as np


def solve_simplex(const double[:, ::1] products, const double[::1] bounds,
                  const double[::1] start, double exact, Py_ssize_t steps):
    """Most a . b - a G a / 2 with a >= 0 and the sum of `start`, which is where it begins.

    A step moves weight from the one that wants it least to the one that wants it most, as much as is
    best for the two. It ends if no two differ by more than `exact`.
    """
    cdef Py_ssize_t n = bounds.shape[0]
    if products.shape[0] != n or products.shape[1] != n or start.shape[0] != n:
        raise ValueError("products, bounds and start do not fit together")
    found = np.array(start)
    cdef double[::1] shares = found
    cdef double[::1] wants = np.empty(n)
    cdef Py_ssize_t at, other, to, of, step
    cdef double gain, bend, moved
    with nogil:
        for at in range(n):
            wants[at] = bounds[at]
            for other in range(n):
                wants[at] -= products[at, other] * shares[other]
        for step in range(steps):
            to, of = 0, -1
            for at in range(n):
                if wants[at] > wants[to]:
                    to = at
                if shares[at] > 0 and (of < 0 or wants[at] < wants[of]):
                    of = at
            if of < 0 or wants[to] - wants[of] <= exact:
                break
            gain = wants[to] - wants[of]
            bend = products[to, to] + products[of, of] - 2 * products[to, of]
            moved = shares[of]
            if bend > 0 and gain / bend < moved:
                moved = gain / bend
            shares[to] += moved
            shares[of] = shares[of] - moved if moved < shares[of] else 0
            for at in range(n):
                wants[at] -= moved * (products[at, to] - products[at, of])
    return found
