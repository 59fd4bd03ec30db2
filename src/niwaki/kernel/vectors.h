/* Sums along two rows of numbers, two numbers at a time: the inner loops of everything
 * that adds up or searches trees. A compiler may not reorder such sums by itself.
 *
 * Pairs are vectors of GCC and Clang, which every target has; with SSE2 a pair is a register.
 * Other compilers get the same sums from single numbers. The order of additions is the same on
 * all machines, and so are the results.
 */
#ifndef NIWAKI_VECTORS_H
#define NIWAKI_VECTORS_H

#include <stddef.h>
#include <string.h>
#include "portable.h"

/* out[i] += factor row[i]; the two do not overlap. */
static inline void niwaki_add_scaled(double *NIWAKI_RESTRICT out, double factor,
                                     const double *NIWAKI_RESTRICT row, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) out[i] += factor * row[i];
}

#if NIWAKI_GNU

typedef double niwaki_pair __attribute__((vector_size(16)));

static inline niwaki_pair niwaki_load(const double *at) {
    niwaki_pair pair;
    memcpy(&pair, at, sizeof pair); /* the compiler makes this one unaligned load */
    return pair;
}

static inline niwaki_pair niwaki_larger(niwaki_pair a, niwaki_pair b) {
#if NIWAKI_SSE2
    return _mm_max_pd(a, b);
#else
    const niwaki_pair larger = {a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
    return larger;
#endif
}

/* The sum of a[i] b[i]. */
static inline double niwaki_dot(const double *a, const double *b, ptrdiff_t count) {
    niwaki_pair one = {0, 0}, two = {0, 0};
    ptrdiff_t i = 0;
    for (; i + 4 <= count; i += 4) {
        one += niwaki_load(a + i) * niwaki_load(b + i);
        two += niwaki_load(a + i + 2) * niwaki_load(b + i + 2);
    }
    if (i + 2 <= count) {
        one += niwaki_load(a + i) * niwaki_load(b + i);
        i += 2;
    }
    one += two;
    double sum = one[0] + one[1];
    return i < count ? sum + a[i] * b[i] : sum;
}

typedef unsigned long long niwaki_words __attribute__((vector_size(16)));

/* exp(x) for x <= 700, and 0 below the normal numbers. With k the whole number nearest to
 * x / ln 2, exp(x) = 2^k exp(x - k ln 2), and the rest is so small that 14 terms of its series
 * are exact. Added to 1.5 * 2^52, k stands in the lowest bits, from where it goes into the
 * exponent. */
static inline niwaki_pair niwaki_exp(niwaki_pair x) {
    static const double factorials[] = {6227020800.0, 479001600.0, 39916800.0, 3628800.0,
                                        362880.0,     40320.0,     5040.0,     720.0,
                                        120.0,        24.0,        6.0,        2.0};
    const niwaki_pair one = {1, 1}, round = one * 6755399441055744.0, least = one * -708.0;
    const niwaki_words is_normal = (niwaki_words)(x >= least);
    const niwaki_pair shifted = x * 1.44269504088896340736 + round, k = shifted - round;
    const niwaki_pair rest = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    niwaki_pair sum = one / factorials[0];
    for (int i = 1; i < 12; i++) sum = sum * rest + one / factorials[i];
    sum = (sum * rest + one) * rest + one;
    return (niwaki_pair)(((niwaki_words)sum + ((niwaki_words)shifted << 52)) & is_normal);
}

/* out[i] = exp(a[i] - b[i]). */
static inline void niwaki_exp_differences(const double *a, const double *b, double *out,
                                          ptrdiff_t count) {
    ptrdiff_t i = 0;
    for (; i + 2 <= count; i += 2) {
        const niwaki_pair pair = niwaki_exp(niwaki_load(a + i) - niwaki_load(b + i));
        memcpy(out + i, &pair, sizeof pair);
    }
    if (i < count) {
        const niwaki_pair last = {a[i] - b[i], 0};
        out[i] = niwaki_exp(last)[0];
    }
}

/* The largest a[i] + b[i], for count > 0. */
static inline double niwaki_best_sum(const double *a, const double *b, ptrdiff_t count) {
    niwaki_pair one, two;
    double best = a[0] + b[0];
    ptrdiff_t i = 1;
    one[0] = one[1] = two[0] = two[1] = best;
    for (; i + 4 <= count; i += 4) {
        one = niwaki_larger(one, niwaki_load(a + i) + niwaki_load(b + i));
        two = niwaki_larger(two, niwaki_load(a + i + 2) + niwaki_load(b + i + 2));
    }
    one = niwaki_larger(one, two);
    best = one[0] > one[1] ? one[0] : one[1];
    for (; i < count; i++) best = a[i] + b[i] > best ? a[i] + b[i] : best;
    return best;
}

/* The largest a[i] + b[i] + c[i] and `best`. */
static inline double niwaki_best_sum3(double best, const double *a, const double *b,
                                      const double *c, ptrdiff_t count) {
    niwaki_pair pair = {best, best};
    ptrdiff_t i = 0;
    for (; i + 2 <= count; i += 2)
        pair = niwaki_larger(pair, niwaki_load(a + i) + niwaki_load(b + i) + niwaki_load(c + i));
    best = pair[0] > pair[1] ? pair[0] : pair[1];
    if (i < count && a[i] + b[i] + c[i] > best) best = a[i] + b[i] + c[i];
    return best;
}

#else /* the same, number by number */

static inline double niwaki_larger(double a, double b) { return a > b ? a : b; }

static inline double niwaki_dot(const double *a, const double *b, ptrdiff_t count) {
    double one[2] = {0, 0}, two[2] = {0, 0};
    ptrdiff_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 2; k++) {
            one[k] += a[i + k] * b[i + k];
            two[k] += a[i + 2 + k] * b[i + 2 + k];
        }
    if (i + 2 <= count) {
        for (int k = 0; k < 2; k++) one[k] += a[i + k] * b[i + k];
        i += 2;
    }
    const double sum = (one[0] + two[0]) + (one[1] + two[1]);
    return i < count ? sum + a[i] * b[i] : sum;
}

static inline double niwaki_exp(double x) {
    static const double factorials[] = {6227020800.0, 479001600.0, 39916800.0, 3628800.0,
                                        362880.0,     40320.0,     5040.0,     720.0,
                                        120.0,        24.0,        6.0,        2.0};
    const double round = 6755399441055744.0;
    if (!(x >= -708.0)) return 0.0;
    const double shifted = x * 1.44269504088896340736 + round, k = shifted - round;
    const double rest = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    double sum = 1.0 / factorials[0];
    uint64_t bits, exponent;
    for (int i = 1; i < 12; i++) sum = sum * rest + 1.0 / factorials[i];
    sum = (sum * rest + 1.0) * rest + 1.0;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&exponent, &shifted, sizeof exponent);
    bits += exponent << 52;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

static inline void niwaki_exp_differences(const double *a, const double *b, double *out,
                                          ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) out[i] = niwaki_exp(a[i] - b[i]);
}

static inline double niwaki_best_sum(const double *a, const double *b, ptrdiff_t count) {
    double best = a[0] + b[0];
    for (ptrdiff_t i = 1; i < count; i++) best = niwaki_larger(a[i] + b[i], best);
    return best;
}

static inline double niwaki_best_sum3(double best, const double *a, const double *b,
                                      const double *c, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) best = niwaki_larger(a[i] + b[i] + c[i], best);
    return best;
}

#endif

#endif
