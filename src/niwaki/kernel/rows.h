/* Looking up and adding rows of a frozen weight table: the two loops that all
 * speed depends on. This, vectors.h and portable.h are the only C written by hand.
 *
 * A table has buckets of 16 slots. A key's upper 32 bits choose the bucket, 16 of
 * its lower bits are the fingerprint that finds the slot; an absent key costs one
 * read of a bucket (32 bytes) and no read of a row. Two keys meet by chance about
 * once in 65536 / 16 look-ups of absent keys.
 */
#ifndef NIWAKI_ROWS_H
#define NIWAKI_ROWS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#include "portable.h"

enum { NIWAKI_SLOTS = 16, NIWAKI_CHUNK = 16, NIWAKI_LINE = 64 };

typedef struct {
    uint32_t buckets;
    int32_t width;           /* bytes of a row: 16, 32, 64 or 128 */
    const uint16_t *prints;  /* 16 fingerprints a bucket, 0 is an empty slot */
    const int8_t *rows;      /* a row a slot */
} niwaki_table;

static inline uint32_t niwaki_bucket(uint64_t key, uint32_t buckets) {
    return (uint32_t)(((key >> 32) * (uint64_t)buckets) >> 32);
}

static inline uint16_t niwaki_print(uint64_t key) {
    uint16_t print = (uint16_t)(key >> 12);
    return print ? print : 1;
}

/* Which of its bucket's slots hold a key's fingerprint, as bits. */
static inline unsigned niwaki_matches(const uint16_t *prints, uint16_t print) {
#if NIWAKI_SSE2
    const __m128i wanted = _mm_set1_epi16((short)print);
    const __m128i low = _mm_cmpeq_epi16(_mm_load_si128((const __m128i *)prints), wanted);
    const __m128i high = _mm_cmpeq_epi16(_mm_load_si128((const __m128i *)(prints + 8)), wanted);
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
    unsigned matches = 0;
    for (int slot = 0; slot < NIWAKI_SLOTS; slot++)
        matches |= (unsigned)(prints[slot] == print) << slot;
    return matches;
#endif
}

/* Slot of a key in the whole table, or -1. */
static inline int64_t niwaki_slot(const niwaki_table *table, uint64_t key) {
    const uint64_t first = (uint64_t)niwaki_bucket(key, table->buckets) * NIWAKI_SLOTS;
    const unsigned matches = niwaki_matches(table->prints + first, niwaki_print(key));
    return matches ? (int64_t)(first + (uint64_t)niwaki_lowest_bit(matches)) : -1;
}

/* Begin to fetch the buckets of keys that will be looked for. */
static inline void niwaki_fetch(const niwaki_table *table, const uint64_t *keys, int count) {
    for (int i = 0; i < count; i++)
        niwaki_prefetch(table->prints +
                        (uint64_t)niwaki_bucket(keys[i], table->buckets) * NIWAKI_SLOTS);
}

/* Begin to fetch a row that will be added: a cache line of it, or two. */
static inline void niwaki_fetch_row(const int8_t *row, int width) {
    niwaki_prefetch(row);
    if (width > NIWAKI_LINE) niwaki_prefetch(row + NIWAKI_LINE);
}

/* The rows of those keys that are present; returns their number. The rows are fetched
 * ahead of the addition. Whether a key is present cannot be predicted, so there is no
 * branch on it. */
static inline int niwaki_find(const niwaki_table *table, const uint64_t *keys, int count,
                              const int8_t **found) {
    int present = 0;
    for (int i = 0; i < count; i++) {
        const uint64_t first = (uint64_t)niwaki_bucket(keys[i], table->buckets) * NIWAKI_SLOTS;
        const unsigned matches = niwaki_matches(table->prints + first, niwaki_print(keys[i]));
        const uint64_t hit = matches != 0;
        const uint64_t any = (uint64_t)niwaki_lowest_bit(matches | 0x10000u);
        const uint64_t slot = (first + any) & (0 - hit);
        const int8_t *row = table->rows + slot * (uint64_t)table->width;
        found[present] = row;
        niwaki_fetch_row(row, table->width);
        present += (int)hit;
    }
    return present;
}

/* sums[0..width) = sum of the rows; at most 256 rows, so that 16 bits suffice. */
static inline void niwaki_add_plain(const int8_t **rows, int count, int width, int16_t *sums) {
    memset(sums, 0, (size_t)width * sizeof *sums);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < width; j++) sums[j] = (int16_t)(sums[j] + rows[i][j]);
}

#if defined(__x86_64__) && NIWAKI_GNU
#include <immintrin.h>

/* 64 sums stay in four registers while the rows go by. */
__attribute__((target("avx2"))) static void niwaki_add_avx2(const int8_t **rows, int count,
                                                            int width, int16_t *sums) {
    int start = 0;
    for (; start + 64 <= width; start += 64) {
        __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
        for (int i = 0; i < count; i++) {
            const __m128i *row = (const __m128i *)(rows[i] + start);
            a = _mm256_add_epi16(a, _mm256_cvtepi8_epi16(_mm_load_si128(row)));
            b = _mm256_add_epi16(b, _mm256_cvtepi8_epi16(_mm_load_si128(row + 1)));
            c = _mm256_add_epi16(c, _mm256_cvtepi8_epi16(_mm_load_si128(row + 2)));
            d = _mm256_add_epi16(d, _mm256_cvtepi8_epi16(_mm_load_si128(row + 3)));
        }
        _mm256_storeu_si256((__m256i *)(sums + start), a);
        _mm256_storeu_si256((__m256i *)(sums + start + 16), b);
        _mm256_storeu_si256((__m256i *)(sums + start + 32), c);
        _mm256_storeu_si256((__m256i *)(sums + start + 48), d);
    }
    for (; start < width; start += 16) {
        __m256i a = _mm256_setzero_si256();
        for (int i = 0; i < count; i++)
            a = _mm256_add_epi16(
                a, _mm256_cvtepi8_epi16(_mm_load_si128((const __m128i *)(rows[i] + start))));
        _mm256_storeu_si256((__m256i *)(sums + start), a);
    }
}

static inline void niwaki_add(const int8_t **rows, int count, int width, int16_t *sums) {
    if (__builtin_cpu_supports("avx2"))
        niwaki_add_avx2(rows, count, width, sums);
    else
        niwaki_add_plain(rows, count, width, sums);
}
#else
#define niwaki_add niwaki_add_plain
#endif

/* out += in; out += scale * in. The compiler may assume that they do not overlap. */
static inline void niwaki_plus(float *NIWAKI_RESTRICT out, const float *NIWAKI_RESTRICT in,
                               int count) {
    for (int i = 0; i < count; i++) out[i] += in[i];
}

static inline void niwaki_plus_scaled(float *NIWAKI_RESTRICT out,
                                      const int16_t *NIWAKI_RESTRICT in, float scale, int count) {
    for (int i = 0; i < count; i++) out[i] += scale * (float)in[i];
}

/* Zeroed memory, aligned to cache lines; large pieces to huge pages, because a
 * random row of a large table otherwise costs a page-table walk too. Free with free(): which is
 * why Windows, whose aligned memory has its own, takes what malloc gives (16 bytes, enough for
 * what is read here). */
static inline void *niwaki_take(size_t size) {
    const size_t huge = (size_t)2 << 20;
    const size_t alignment = size >= huge ? huge : 64;
    void *memory = NULL;
    size = (size + alignment - 1) / alignment * alignment;
    if (size == 0) size = alignment;
#if defined(_WIN32)
    memory = malloc(size);
#else
    if (posix_memalign(&memory, alignment, size)) return NULL;
#endif
#if defined(MADV_HUGEPAGE)
    if (alignment == huge) madvise(memory, size, MADV_HUGEPAGE);
#endif
    return memory;
}

/* The same, all zeros. */
static inline void *niwaki_allocate(size_t size) {
    void *memory = niwaki_take(size);
    if (memory != NULL) memset(memory, 0, size);
    return memory;
}

/* A larger piece of memory with what was used of the old one, which is freed.
 * NULL: there is none, and the old one is as it was. */
static inline void *niwaki_enlarge(void *old, size_t used, size_t size) {
    void *memory = niwaki_take(size);
    if (memory == NULL) return NULL;
    memcpy(memory, old, used);
    free(old);
    return memory;
}

#endif
