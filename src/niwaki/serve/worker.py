"""A worker process: does one piece of work at a time, and can be killed at any moment.

Nothing that it is given is kept or written anywhere. When the server goes away, its end
of the pipe closes and the worker stops.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import BinaryIO

from niwaki.errors import NiwakiError
from niwaki.serve.errors import RequestError
from niwaki.serve.frames import BEGUN, DONE, FAILED, LENGTH, REFUSED, dump, frame
from niwaki.serve.schema import load_json
from niwaki.serve.work import TASKS


def answer(data: bytes) -> bytes:
    """The answer to one request, whatever happens."""
    try:
        task, arguments = load_json(data)
        result = TASKS[task](**arguments)
        return DONE + (result if isinstance(result, bytes) else dump(result))
    except RequestError as error:
        return REFUSED + dump({"status": error.status, **error.record})
    except NiwakiError as error:
        return REFUSED + dump({"status": 422, "error": clean(str(error))})
    except MemoryError:
        return REFUSED + dump({"status": 413, "error": "not enough memory; ask for less"})
    except Exception as error:
        # No message: it may quote the text that was sent. The place is what helps.
        frames = traceback.extract_tb(error.__traceback__)[-4:]
        where = [f"{os.path.basename(each.filename)}:{each.lineno}" for each in frames]
        return FAILED + dump({"kind": type(error).__name__, "where": where})


def clean(message: str) -> str:
    """A message without what only this machine knows."""
    for place, shown in (("<memory>:", "sentence, line "), ("<input>:", "line ")):
        message = message.replace(place, shown)
    return message.encode("utf-8", "replace").decode()


def serve(source: BinaryIO, target: BinaryIO) -> None:
    while len(head := source.read(LENGTH.size)) == LENGTH.size:
        (size,) = LENGTH.unpack(head)
        data = source.read(size)
        if len(data) < size:
            return
        target.write(BEGUN)
        target.flush()
        target.write(frame(answer(data)))
        target.flush()


def main() -> None:
    # What some library may print must not get between the frames.
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, target)


if __name__ == "__main__":
    main()
