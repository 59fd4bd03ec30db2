/* What GCC and Clang have built in, and what does the same where they are not: MSVC. With
 * NIWAKI_PORTABLE defined it is left out anywhere, so that the rest can be tested on any machine.
 */
#ifndef NIWAKI_PORTABLE_H
#define NIWAKI_PORTABLE_H

#include <stdint.h>

#if defined(__GNUC__) && !defined(NIWAKI_PORTABLE)
#define NIWAKI_GNU 1
#define NIWAKI_RESTRICT __restrict__
#define niwaki_prefetch(address) __builtin_prefetch(address)
#else
#define NIWAKI_GNU 0
#define NIWAKI_RESTRICT
#define niwaki_prefetch(address) ((void)(address))
#endif

#if (defined(__SSE2__) || defined(_M_X64)) && !defined(NIWAKI_PORTABLE)
#define NIWAKI_SSE2 1
#include <emmintrin.h>
#else
#define NIWAKI_SSE2 0
#endif

#if defined(_MSC_VER)
#include <intrin.h>
#endif

/* The place of the lowest bit that is set; there is one. */
static inline int niwaki_lowest_bit(uint64_t bits) {
#if NIWAKI_GNU
    return __builtin_ctzll(bits);
#elif defined(_MSC_VER) && defined(_WIN64)
    unsigned long place;
    _BitScanForward64(&place, bits);
    return (int)place;
#else
    int place = 0;
    for (; !(bits & 1); bits >>= 1) place++;
    return place;
#endif
}

/* The place of the highest bit that is set; there is one. */
static inline int niwaki_highest_bit(uint32_t bits) {
#if NIWAKI_GNU
    return 31 - __builtin_clz(bits);
#elif defined(_MSC_VER)
    unsigned long place;
    _BitScanReverse(&place, bits);
    return (int)place;
#else
    int place = 0;
    for (; bits >>= 1;) place++;
    return place;
#endif
}

/* *at += count, also while other threads add to it. */
static inline void niwaki_add_count(int64_t *at, int64_t count) {
#if defined(_MSC_VER)
    _InterlockedExchangeAdd64((volatile long long *)at, count);
#else
    __atomic_fetch_add(at, count, __ATOMIC_RELAXED);
#endif
}

#endif
