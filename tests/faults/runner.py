"""Runs a command line again and again, each time in a fork: to import it takes longer than it.

Its argument is the command. Each line that comes in is a JSON object: `words` of the command
line, the `environment` for the shim, the file for `stderr`. Each line that goes out is a status
as `os.waitpid` gives it.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any, NoReturn

from niwaki import cli


def run(order: dict[str, Any]) -> NoReturn:
    status = 1
    try:
        os.environ.update(order["environment"])
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(os.open(order["stderr"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        status = cli.main(order["words"])
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def main() -> None:
    cli.load_command(sys.argv[1])
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            run(json.loads(line))
        print(os.waitpid(child, 0)[1], flush=True)


if __name__ == "__main__":
    main()
