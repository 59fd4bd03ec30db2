"""A path of the API: what it takes, what it does, and how it is described."""

from __future__ import annotations

import urllib.parse
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from niwaki.serve.errors import RequestError
from niwaki.serve.schema import Schema, check, load_json

if TYPE_CHECKING:
    from niwaki.serve.state import AppState


@dataclass(frozen=True)
class Call:
    """One checked request."""

    body: dict[str, Any]
    path: dict[str, str]
    query: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """Bytes of some kind, where an answer is not just JSON."""

    content: bytes
    media: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


# What an endpoint gives: JSON as bytes, or as Python values, or an Answer.
Result = bytes | dict[str, Any] | list[Any] | Answer
Handler = Callable[["AppState", Call], Awaitable[Result]]


@dataclass(frozen=True)
class Endpoint:
    """A GET without `body` or a POST with one."""

    path: str
    summary: str
    run: Handler
    body: Schema | None = None
    query: dict[str, Schema] = field(default_factory=dict)
    description: str = ""
    example: dict[str, Any] | None = None
    texts: bool = False  # whether `"to": "conllu"` gives text
    media: tuple[str, ...] = ()  # what it gives instead of JSON
    lasting: bool = False  # whether it changes something, and is done even if nobody waits

    @property
    def method(self) -> str:
        return "GET" if self.body is None else "POST"


def read_body(data: bytes, schema: Schema) -> dict[str, Any]:
    try:
        value = load_json(data)
    except (ValueError, UnicodeDecodeError):
        raise RequestError(400, "the body is not JSON; check quotes, commas and UTF-8") from None
    check(value, schema)
    found: dict[str, Any] = value
    return found


def read_query(text: bytes, schemas: dict[str, Schema]) -> dict[str, Any]:
    """The query's values, as numbers where numbers are wanted."""
    found: dict[str, Any] = {}
    for key, value in urllib.parse.parse_qsl(text.decode("latin-1"), keep_blank_values=True):
        if key not in schemas:
            raise RequestError(422, f"unknown parameter; known: {', '.join(schemas) or 'none'}")
        schema = schemas[key]
        made: Any = value
        if schema["type"] == "integer":
            if not (value.isdecimal() and value.isascii() and len(value) < 12):
                raise RequestError(422, f"{key}: give a whole number")
            made = int(value)
        check(made, schema, key)
        found[key] = made
    return found
