"""Where the extra packages are not installed, the command says what to do."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "httptools"])
def test_one_line_names_the_extra(missing: str) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None; from niwaki.cli import main; "
        "sys.exit(main(['serve', '--port', '0']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("niwaki: the server needs")
    assert done.stderr.endswith("run: pip install niwaki[serve]\n")
