"""Training configurations: TOML text, and overrides of the command line."""

from __future__ import annotations

import io
import tempfile
from functools import cache
from pathlib import Path
from unittest.mock import patch

from niwaki.errors import NiwakiError
from niwaki.training import config_file as module
from niwaki.training.config import Config
from niwaki.training.config_file import read_config

_SEPARATOR = b"\x1e"


@cache
def folder() -> str:
    """A folder with the file that configurations of the corpus name."""
    made = tempfile.mkdtemp(prefix="niwaki-fuzz-")
    (Path(made) / "a.conllu").touch()
    return made


def check(data: bytes) -> None:
    text, *overrides = data.split(_SEPARATOR)
    words = [override.decode("utf-8", "surrogateescape") for override in overrides]
    # The reader opens a path; no file need be written for each try.
    with patch.object(module, "open", lambda *_: io.BytesIO(text), create=True):
        try:
            config = read_config(f"{folder()}/fuzz.toml", words)
        except NiwakiError:
            return
    assert isinstance(config, Config)
    assert config.to_json()["model"]["beam"] >= 1
