"""Runs every benchmark below a folder: python -m benchmarks.run speed [--profile fast]."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.common import ROOT, parser


def main() -> None:
    made = parser(__doc__)
    made.add_argument("folders", nargs="*", default=["speed"])
    arguments = made.parse_args()
    for folder in arguments.folders:
        for path in sorted((ROOT / "benchmarks" / folder).glob("[a-z]*.py")):
            module = f"benchmarks.{folder}.{path.stem}"
            command = [sys.executable, "-m", module, "--profile", arguments.profile]
            subprocess.run(command, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
