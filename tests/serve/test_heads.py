"""The head of a request is small, and it says each thing once."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from niwaki.errors import nearest
from niwaki.serve.limits import Limits
from niwaki.serve.registry import Registry
from tests.serve.conftest import HOST, Client, running

LIMITS = Limits()
BODY = json.dumps({"tokens": [["Rain", "falls", "."]]}).encode()


def connected(client: Client) -> socket.socket:
    connection = socket.create_connection((HOST, client.port))
    connection.settimeout(60)
    return connection


def status(file: Any) -> int:
    """The status of the next answer, of which all is read; 0 if there is none."""
    first = file.readline()
    if not first:
        return 0
    size = 0
    while (line := file.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        size = int(value) if name.lower() == b"content-length" else size
    file.read(size)
    return int(first.split()[1])


def head(client: Client, *lines: str, start: str = "GET /api/health HTTP/1.1") -> bytes:
    rows = [start, f"Host: {HOST}:{client.port}", *lines, "", ""]
    return "\r\n".join(rows).encode()


def asked(client: Client, data: bytes) -> int:
    with connected(client) as connection, connection.makefile("rb") as file:
        connection.sendall(data)
        return status(file)


def padding(count: int, size: int) -> list[str]:
    return [f"X-{number}: {'x' * size}" for number in range(count)]


def test_a_head_of_ordinary_size_is_read(bench: Client) -> None:
    assert asked(bench, head(bench, *padding(LIMITS.headers - 1, 10))) == 200
    assert asked(bench, head(bench, *padding(60, 1_000))) == 200


@pytest.mark.parametrize(
    "lines",
    [padding(LIMITS.headers, 10), padding(5_000, 1), padding(70, 1_000), padding(1, LIMITS.head)],
)
def test_a_long_head_is_refused(bench: Client, lines: list[str]) -> None:
    assert asked(bench, head(bench, *lines)) == 431
    assert bench.get("/api/health").status == 200


def test_a_long_address_is_refused(bench: Client) -> None:
    long = f"GET /api/health?{'x' * LIMITS.head} HTTP/1.1"
    assert asked(bench, head(bench, start=long)) == 431


@pytest.mark.parametrize("end", [b"", b"X: ", b"X: 1\r\n", b"X: 1\r\nY"])
def test_a_head_without_an_end_is_refused(bench: Client, end: bytes) -> None:
    """Before it has come whole: no token is asked for, and nothing more is kept of it."""
    start = b"GET / HTTP/1.1\r\n" + end
    assert asked(bench, start + b"a" * (LIMITS.head + 1)) == 431


def test_endless_heads_take_no_memory(bench: Client) -> None:
    """A client that goes on after the refusal is not listened to."""
    piece = b"X: " + b"a" * 10_000 + b"\r\n"
    with connected(bench) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        for _ in range(2_000):
            connection.sendall(piece)
        before = memory()
        for _ in range(2_000):
            connection.sendall(piece)
        assert memory() - before < 8 << 20
        with connection.makefile("rb") as file:
            assert status(file) == 431


def memory() -> int:
    """Bytes of this process, in which the server runs."""
    rows = Path("/proc/self/status").read_text().splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("VmRSS")) << 10


def test_headers_after_a_body_count(bench: Client) -> None:
    lines = ("Content-Type: application/json", "Transfer-Encoding: chunked")
    start = head(bench, *lines, start="POST /api/parse HTTP/1.1")
    chunk = b"%x\r\n%s\r\n0\r\n" % (len(BODY), BODY)
    assert asked(bench, start + chunk + b"\r\n") == 200
    trailers = "".join(f"{line}\r\n" for line in padding(70, 1_000)).encode()
    for data in (start + chunk + trailers, start + chunk + b"X: " + b"a" * (1 << 20)):
        # An answer that is under way can only be broken off, by an end or by a reset.
        with contextlib.suppress(ConnectionError):
            assert asked(bench, data) in (0, 431)


def test_a_body_in_many_small_chunks_is_read(bench: Client) -> None:
    lines = ("Content-Type: application/json", "Transfer-Encoding: chunked")
    start = head(bench, *lines, start="POST /api/parse HTTP/1.1")
    long = BODY + b" " * 200_000
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in long)
    assert asked(bench, start + chunks + b"0\r\n\r\n") == 200


def test_many_requests_on_one_connection_are_read(bench: Client) -> None:
    one = head(bench, *padding(30, 1_000))
    with connected(bench) as connection, connection.makefile("rb") as file:
        for _ in range(8):
            connection.sendall(one)
            assert status(file) == 200
        connection.sendall(one * 4)
        assert [status(file) for _ in range(4)] == [200] * 4


def test_the_refusal_comes_before_the_token(
    make_registry: Callable[[], Registry], tmp_path: Path
) -> None:
    with running(make_registry(), tmp_path / "work", token="a-token-of-enough-letters") as client:
        assert asked(client, head(client, *padding(1, LIMITS.head))) == 431
        assert asked(client, head(client)) == 401


@pytest.mark.parametrize(
    "name", ["Host", "Origin", "Content-Type", "Authorization", "Cookie", "Sec-Fetch-Site"]
)
def test_what_decides_is_said_once(bench: Client, name: str) -> None:
    values = {
        "Host": f"{HOST}:{bench.port}",
        "Origin": bench.url,
        "Content-Type": "application/json",
        "Sec-Fetch-Site": "same-origin",
    }
    good = values.get(name, "x")
    basic = ["Content-Type: application/json", f"Content-Length: {len(BODY)}"]
    basic = [line for line in basic if not line.startswith(name)]
    once = [] if name == "Host" else [f"{name}: {good}"]
    start = "POST /api/parse HTTP/1.1"
    assert asked(bench, head(bench, *basic, *once, start=start) + BODY) == 200
    for other in (good, "evil.example", "text/plain"):
        for pair in ((good, other), (other, good)):
            lines = [f"{name}: {value}" for value in pair][len(pair) - len(once) - 1 :]
            assert asked(bench, head(bench, *basic, *lines, start=start) + BODY) == 400


# -- names that nobody meant --------------------------------------------------------------


def test_a_name_as_long_as_a_book_is_not_compared(
    bench: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    from niwaki import errors

    real = errors.difflib.get_close_matches

    def count(name: str, *more: Any, **options: Any) -> list[str]:
        seen.append(len(name))
        return real(name, *more, **options)

    monkeypatch.setattr(errors.difflib, "get_close_matches", count)
    assert "did you mean 'tokens'" in bench.post("/api/parse", {"token": 1}).json["error"]
    for body in ({"x" * (1 << 20): 1}, {"text": "a", "to": "x" * (1 << 20)}):
        reply = bench.post("/api/parse", body)
        assert (reply.status, len(reply.data) < 1_000) == (422, True)
    assert seen and max(seen) < 1_000
    assert "did you mean" in nearest("tokns", ["tokens"])


def test_a_large_request_is_checked_beside_the_others(
    bench: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from niwaki.serve import app

    beside: list[bool] = []
    real = app.read_body

    def watched(*values: Any) -> Any:
        try:
            asyncio.get_running_loop()
            beside.append(False)
        except RuntimeError:
            beside.append(True)
        return real(*values)

    monkeypatch.setattr(app, "read_body", watched)
    assert bench.post("/api/parse", {"tokens": [["a"]]}).status == 200
    assert bench.post("/api/parse", {"tokens": [["a"] * 1_000] * 100}).status == 413
    assert beside == [False, True]
