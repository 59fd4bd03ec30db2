/* Preloaded when fuzzing: what blocks of the kernel were reached, for libFuzzer to see.

   GCC can call a function at each block (-fsanitize-coverage=trace-pc), but libFuzzer reads
   counters. Here a block's address chooses its counter; some share one. */
#include <stdint.h>

enum { COUNTERS = 1 << 15 };

static uint8_t counters[COUNTERS];
static uintptr_t last = COUNTERS - 1;
/* libFuzzer wants an address and flags for each counter. */
static uintptr_t places[2 * COUNTERS];

void __sanitizer_cov_trace_pc(void) {
    uintptr_t place = (uintptr_t)__builtin_return_address(0);
    counters[(place ^ place >> 15) & last]++;
}

void register_counters(void (*take_counters)(uint8_t *, uint8_t *),
                       void (*take_places)(const uintptr_t *, const uintptr_t *), int count) {
    /* `count` is a power of two: to look through counters takes longer than a small target does. */
    last = (uintptr_t)count - 1;
    for (int i = 0; i < count; i++) places[2 * i] = (uintptr_t)&counters[i];
    take_counters(counters, counters + count);
    take_places(places, places + 2 * count);
}
