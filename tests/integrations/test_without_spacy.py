"""Where spaCy is not installed, the rest works and the component says what to do."""

from __future__ import annotations

import subprocess
import sys


def test_without_spacy_one_line_names_the_extra() -> None:
    code = "import sys; sys.modules['spacy'] = None; import niwaki.integrations.spacy"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "ExtraMissingError: spaCy is not installed; run: pip install niwaki[spacy]"
    )
