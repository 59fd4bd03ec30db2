"""Two threads that write the same numbers at the same time: what `make tsan` must report.

A run that finds nothing is worth something only if this is found.
"""

from __future__ import annotations

import threading

import numpy as np

from niwaki.kernel.bilingual.alignment import Table

WORDS, TIMES = 500, 4


def main() -> None:
    words = np.arange(WORDS, dtype=np.int32)
    starts = np.array([0, WORDS], np.int64)
    table = Table(words, starts, words, starts, WORDS, WORDS)
    table.sum_columns(0.1)
    together = threading.Barrier(2)

    def write() -> None:
        for _ in range(TIMES):
            together.wait()
            # Each thread should have words of its own.
            table.maximize(0, WORDS, 0.1)

    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
