"""JSON for people and programs: readable, and without characters that drive a terminal."""

from __future__ import annotations

import json
import re
from typing import Any

_NOT_ASCII = re.compile(r"[^\n -~]")


def to_json(value: Any, indent: int | None = None) -> str:
    """Letters of all languages as they are; control and bidirectional characters escaped."""
    return _NOT_ASCII.sub(_escaped, json.dumps(value, ensure_ascii=False, indent=indent))


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]
