"""The HTTP API from the first byte of a connection on: no answer is 500, no project is damaged.

What stands in for the network and for worker processes is in `connection`; all else is what
`niwaki serve` runs: the protocol with its limits, the guard, the schemas, the endpoints and the
work itself.
"""

from __future__ import annotations

import contextlib
import json
import urllib.parse
from typing import Any
from unittest.mock import patch

from niwaki.serve import endpoint
from niwaki.serve.api import ENDPOINTS
from niwaki.serve.endpoint import Endpoint
from niwaki.serve.schema import Schema
from tests.fuzz.choices import ODD, Choices
from tests.fuzz.connection import TOKEN, Bench

_CUT = b"\x1e"
_NAMES = (
    *("en", "toy", "pairs", "garden", "trees", "links", "ja", "trees.known", "links.links"),
    *("rank-1", "compare-1", "analyze-1", "adapt-1", "partial.conllu", "journal.jsonl", "0", "1"),
    *("..", ".", "", "%", "a/b", "\0", "é", "x" * 70),
)
_TEXTS = (
    *("Rain falls.", "", " ", "a\tb", "a\n", "\0", "\ud800", "\u2028", "\ufeff", "x" * 300),
    "1\tRain\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tfalls\t_\t_\t_\t_\t0\troot\t_\t_\n\n",
    'scheme = "ud"\n[[rule]]\nhead = "NOUN"\n',
)
_ODD = [value for value in ODD if not isinstance(value, bytes)]
_HEADERS = (
    *("Origin: http://localhost", "Origin: null", "Sec-Fetch-Site: cross-site", "Host: localhost"),
    *("Content-Length: 3", "Content-Length: -1", "Content-Length: 99999999999999999999"),
    *("Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: Upgrade", "Upgrade: h2c"),
    *("Content-Type: multipart/form-data; boundary=x", "Content-Type: application/json;charset=x"),
    *("Cookie: niwaki-token=x", "Cookie: a,b=c", 'Cookie: niwaki-token="\\777"', "Cookie: =;=;"),
    *(
        "Authorization: Bearer \xff",
        "Authorization: Basic eA==",
        "Range: bytes=0-1",
        "X: " + "y" * 80,
    ),
)


def check(data: bytes) -> None:
    first, rest = (data[0], data[1:]) if data else (0, b"")
    bench = Bench.open(guarded=bool(first & 4))
    way = first & 3
    if way == 0:
        bench.send(rest.split(_CUT))
    elif way == 1:
        # A path of the API, with whatever bytes for its body.
        number, body = (rest[0], rest[1:]) if rest else (0, b"")
        chosen = ENDPOINTS[number % len(ENDPOINTS)]
        bench.send([_request(chosen.method, _path(chosen, Choices(b"")), body)])
    elif way == 2:
        bench.send(_made(Choices(rest)))
    else:
        # Whatever came past the schemas could do no more than fail.
        with patch.object(endpoint, "check", lambda *_: None):
            bench.send(_made(Choices(rest)), failing=True)


def _made(choices: Choices) -> list[bytes]:
    """Requests in which something may be odd, on one connection."""
    pieces = []
    for _ in range(1 + choices.below(3)):
        chosen = choices.of(ENDPOINTS)
        headers = []
        while choices.below(8) == 1:
            headers.append(choices.of(_HEADERS))
        body = b"" if chosen.body is None else _json(_value(chosen.body, choices))
        method = chosen.method if choices.below(16) else choices.of(["GET", "POST", "HEAD", "PUT"])
        pieces.append(_request(method, _path(chosen, choices), body, headers))
    return pieces


def _path(chosen: Endpoint, choices: Choices) -> str:
    path = chosen.path
    for part in ("id", "file", "n"):
        name = choices.of(_NAMES) if choices else {"id": "trees", "n": "0"}.get(part, "x")
        path = path.replace(f"{{{part}}}", urllib.parse.quote(name))
    query = []
    for key, schema in chosen.query.items():
        if choices and choices.below(2):
            query.append(
                f"{key}={urllib.parse.quote(str(_value(schema, choices)), errors='replace')}"
            )
    if choices and choices.below(16) == 1:
        query.append(choices.of(["", "=", "x=1", "count=%ff", "since=007", "n=1&n=2", "a" * 99]))
    return path + ("?" + "&".join(query) if query else "")


def _request(method: str, path: str, body: bytes, more: list[str] | None = None) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {TOKEN}"]
    if method != "GET" or body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, *(more or []), "", ""]).encode("latin-1") + body


def _json(value: Any) -> bytes:
    try:
        return json.dumps(value).encode()
    except ValueError:
        return b"[" * 5000  # for a number that is too long to be written


def _value(schema: Schema, choices: Choices) -> Any:
    """A value that fits a schema, mostly."""
    if choices.below(24) == 1:
        return choices.of(_ODD)
    kind = schema["type"]
    if kind == "object":
        needed = schema["required"]
        made = {
            key: _value(each, choices)
            for key, each in schema["properties"].items()
            if key in needed or choices.below(3) == 1
        }
        if choices.below(32) == 1:
            made[choices.of(["x", "", "\ud800", "y" * 200])] = None
        return made
    if kind == "array":
        count = schema["minItems"] + choices.below(3)
        return [_value(schema["items"], choices) for _ in range(count)]
    if kind == "string":
        if "enum" in schema and choices.below(16):
            return choices.of(schema["enum"])
        if "pattern" in schema and choices.below(8):
            return choices.of(_NAMES)
        with contextlib.suppress(UnicodeDecodeError):
            return choices.of(_TEXTS) if choices.below(3) else choices.take(20).decode()
        return "x"
    if kind == "boolean":
        return bool(choices.below(2))
    low, high = schema["minimum"], schema["maximum"]
    return choices.of([low, low + 1, low + 2, high, 0.5, 1e999, low - 1, high + 1, 10**400])
