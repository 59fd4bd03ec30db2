"""Runs a command that must not outlive the server: when standard input ends, it is killed.

python supervise.py COMMAND ...

It is run as a file and imports nothing of the package, so that it is there at once.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading


def main() -> int:
    # A group of its own: whatever the command starts goes with it.
    child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True)

    def watch() -> None:
        # The descriptor itself: a thread that waits in sys.stdin would hold its lock at the end.
        while os.read(0, 1):
            pass
        with contextlib.suppress(ProcessLookupError):
            if sys.platform == "win32":
                child.kill()
            else:
                os.killpg(child.pid, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
    return child.wait()


if __name__ == "__main__":
    sys.exit(main() & 0xFF)
