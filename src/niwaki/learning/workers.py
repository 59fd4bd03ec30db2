"""Work on several threads that ends soon when a piece of it fails or the user interrupts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Stopped(Exception):  # noqa: N818 - it is no error, and nobody but workers sees it
    """Raised within a piece of work because of what happened elsewhere."""


def run_all(
    work: Callable[[Item, Callable[[], None]], Result],
    items: Iterable[Item],
    threads: int,
    finished: Callable[[], None] = lambda: None,
) -> dict[Item, Result]:
    """The results of `work(item, check)` by item; after each one, `finished` is called here.

    When one piece raises, or this thread is interrupted, `check` raises Stopped in the
    others. All have come to an end when the error goes on from here.
    """
    stop = threading.Event()

    def check() -> None:
        if stop.is_set():
            raise Stopped

    results = {}
    with ThreadPoolExecutor(threads) as pool:
        waiting = {pool.submit(work, item, check): item for item in items}
        try:
            while waiting:
                for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                    results[waiting.pop(done)] = done.result()
                    finished()
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results


def checked_first(
    advance: Callable[[int], None], check: Callable[[], None]
) -> Callable[[int], None]:
    """Tells how work goes on, unless it should not."""

    def checked(count: int) -> None:
        check()
        advance(count)

    return checked
