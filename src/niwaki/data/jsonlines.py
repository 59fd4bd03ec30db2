"""JSON Lines: an object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from niwaki.data.files import Input
from niwaki.errors import CorpusError, shown


def objects(stream: Input) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file and the numbers of their lines; blank lines are passed over."""
    for number, line in stream.lines():
        if line.strip():
            yield number, _object(stream.name, number, line)


def _object(file: str, number: int, line: str) -> dict[str, Any]:
    advice = "write one object a line"
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CorpusError(file, number, "LINE", f"not JSON ({error})", advice) from error
    if not isinstance(record, dict):
        raise CorpusError(file, number, "LINE", f"found {shown(line)}", advice)
    return record
