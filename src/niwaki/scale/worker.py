"""A worker process of the local engine: makes its function, then answers one item at a time.

It talks over a socket whose number it is given; the second number is that of a file with large
arrays. When the other end closes, or the process that started it ends, it ends too.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection
from typing import Any

from niwaki.errors import NiwakiError
from niwaki.scale.engine import make_worker

# How often it is looked whether the head is alive, in seconds.
_LOOK = 1.0


def main(pipe: str, file: str) -> None:
    # Ctrl-C is for the head, which then ends its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=[os.getppid()], daemon=True).start()
    with contextlib.suppress(EOFError, ConnectionError):
        _serve(Connection(int(pipe)), int(file))


def _serve(pipe: Connection, file: int) -> None:
    try:
        work = make_worker(*_unpacked(pipe.recv_bytes(), file))
    except Exception as error:
        pipe.send_bytes(answer(None, error))
        return
    pipe.send_bytes(answer(None, None))
    while True:
        item = pickle.loads(pipe.recv_bytes())
        try:
            found = answer(work(item), None)
        except Exception as error:
            found = answer(None, error)
        pipe.send_bytes(found)


def _unpacked(parcel: bytes, file: int) -> Any:
    """What the head has pickled; its large arrays are views of a file that workers share."""
    whole, places = pickle.loads(parcel)
    if not places:
        return pickle.loads(whole)
    shared = memoryview(mmap.mmap(file, 0, prot=mmap.PROT_READ))
    os.close(file)
    return pickle.loads(whole, buffers=[shared[at : at + size] for at, size in places])


def answer(value: Any, error: Exception | None) -> bytes:
    """A value or an error, as bytes that the head can read."""
    if error is not None:
        error = portable(error)
    return pickle.dumps((value, error), protocol=pickle.HIGHEST_PROTOCOL)


def portable(error: Exception) -> Exception:
    """The error itself if another process can read it, else one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return NiwakiError(f"{type(error).__name__}: {error}")
    return error


def _end_with(head: int) -> None:
    while os.getppid() == head:
        time.sleep(_LOOK)
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
