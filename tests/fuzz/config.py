"""Training configurations: TOML text or JSON, and overrides of the command line."""

from __future__ import annotations

import json
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from unittest.mock import patch

from niwaki.data.toml import key_lines
from niwaki.errors import NiwakiError
from niwaki.training import config_file as module
from niwaki.training.card import card_of, upgraded
from niwaki.training.config import Config
from niwaki.training.config_file import read_config
from tests.reference.toml import ways

_SEPARATOR = b"\x1e"


@cache
def folder() -> str:
    """A folder with the file that configurations of the corpus name."""
    made = tempfile.mkdtemp(prefix="niwaki-fuzz-")
    (Path(made) / "a.conllu").touch()
    return made


def check(data: bytes) -> None:
    text, *overrides = data.split(_SEPARATOR)
    _check_lines(text)
    words = [override.decode("utf-8", "surrogateescape") for override in overrides]
    name = "fuzz.json" if text[:1] == b"{" else "fuzz.toml"
    # The reader opens a path; no file need be written for each try.
    with patch.object(module, "read_whole", lambda _: text):
        try:
            config = read_config(f"{folder()}/{name}", words)
        except NiwakiError:
            return
    assert isinstance(config, Config)
    assert config.to_json()["training"]["epochs"] >= 1
    assert upgraded(card_of(config)) == card_of(config)
    json.dumps(card_of(config), ensure_ascii=False).encode("utf-8")


def _check_lines(text: bytes) -> None:
    """Every key is found where it stands, whatever the text looks like."""
    try:
        decoded = text.decode("utf-8").replace("\r\n", "\n")
        record = tomllib.loads(decoded)
        lines = key_lines(decoded)
    except (ValueError, RecursionError):
        return
    assert set(lines) == set(ways(record))
