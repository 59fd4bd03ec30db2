"""Stands before every request: who may come in, with how much, and what goes out with it."""

from __future__ import annotations

import hmac
import logging
import os
import time
import traceback
from collections.abc import Callable
from typing import Any

from niwaki.serve.errors import RequestError
from niwaki.serve.frames import dump
from niwaki.serve.limits import Limits

log = logging.getLogger("niwaki.serve")

COOKIE = "niwaki-token"
LOGIN = "/api/login"
_SAFE = ("GET", "HEAD")
# Of two of these, a proxy in front and this server might each believe another one.
_DECIDING = {
    *("host", "origin", "sec-fetch-site", "content-type", "content-length"),
    *("authorization", "cookie"),
}

# Scripts and styles only from here, nothing inline, nothing from elsewhere, in no frame.
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

Scope = dict[str, Any]


class Guard:
    """An ASGI application around another one."""

    def __init__(
        self,
        app: Callable[..., Any],
        limits: Limits,
        hosts: frozenset[str],
        token: str | None = None,
        is_full: Callable[[], RequestError | None] = lambda: None,
    ) -> None:
        self._app, self._limits, self._hosts = app, limits, hosts
        self._token = token.encode() if token else None
        self._is_full = is_full

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.monotonic()
        exchange = _Exchange(receive, send, self._limits.body)
        try:
            self._check(scope)
            await self._app(scope, exchange.receive, exchange.send)
        except RequestError as error:
            await exchange.fail(error)
        except Exception as error:
            _log_failure(error)
            message = "this should not have happened; the server's log says where it did"
            await exchange.fail(RequestError(500, message))
        # Paths, queries and bodies may hold text of the user: what is written down is which
        # of the known routes was taken.
        log.info(
            "%s %s %s %.1f ms",
            scope["method"],
            scope.get("niwaki.route", "(unknown path)"),
            exchange.status,
            1000 * (time.monotonic() - started),
        )

    def _check(self, scope: Scope) -> None:
        headers = _once(scope["headers"])
        host = headers.get("host", b"").decode("latin-1").lower()
        if host not in self._hosts:
            raise RequestError(
                421, "this host name is not served here; start with --allow-host to add it"
            )
        if scope["method"] not in _SAFE:
            _check_origin(headers, host)
            _check_content(headers, self._limits.body)
            refusal = self._is_full() if scope["path"].startswith("/api/") else None
            if refusal is not None and scope["path"] != LOGIN:
                raise refusal
        if self._token is not None and scope["path"].startswith("/api/"):
            self._check_token(scope, headers)

    def _check_token(self, scope: Scope, headers: dict[str, bytes]) -> None:
        assert self._token is not None
        if scope["path"] == LOGIN:
            return
        given = headers.get("authorization", b"")
        if given.lower().startswith(b"bearer "):
            found = given[7:].strip()
        else:
            found = _cookie(headers.get("cookie", b""))
        if not hmac.compare_digest(found, self._token):
            raise RequestError(
                401,
                "a token is needed: send it as `Authorization: Bearer TOKEN`",
                headers={"www-authenticate": "Bearer"},
            )


def _once(pairs: list[tuple[bytes, bytes]]) -> dict[str, bytes]:
    """The headers by name; of those that decide something there may not be two."""
    headers: dict[str, bytes] = {}
    for key, value in pairs:
        name = key.decode("latin-1")
        if name in headers and name in _DECIDING:
            raise RequestError(400, f"two headers {name}; send one")
        headers[name] = value
    return headers


def _cookie(header: bytes) -> bytes:
    """The token that a browser sends; what else its cookies hold is not ours, broken or not."""
    pairs = (each.strip().partition(b"=") for each in header.split(b";"))
    return {name: value for name, _, value in pairs}.get(COOKIE.encode(), b"")


def _check_origin(headers: dict[str, bytes], host: str) -> None:
    """A page of another site may not make this browser change anything here."""
    origin = headers.get("origin")
    if origin is not None and origin.decode("latin-1").lower() not in (
        f"http://{host}",
        f"https://{host}",
    ):
        raise RequestError(403, "requests from pages of other origins are not answered")
    site = headers.get("sec-fetch-site", b"same-origin")
    if site not in (b"same-origin", b"none"):
        raise RequestError(403, "requests from pages of other sites are not answered")


def _check_content(headers: dict[str, bytes], most: int) -> None:
    kind = headers.get("content-type", b"").decode("latin-1").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestError(415, "send JSON, with `Content-Type: application/json`")
    length = headers.get("content-length", b"0")
    if not length.isdigit() or len(length) > 15 or int(length) > most:
        raise too_large(most)


def too_large(most: int) -> RequestError:
    # The connection stays open: what still comes is thrown away until it ends or takes too
    # long. To close it at once would make the system throw away this answer as well.
    return RequestError(413, f"the request has more than {most} bytes; send it in parts")


class _Exchange:
    """Counts what comes in, adds the headers to what goes out, and remembers the status."""

    def __init__(self, receive: Any, send: Any, most: int) -> None:
        self._receive, self._send, self._most = receive, send, most
        self._size = 0
        self.status = 0

    async def receive(self) -> Any:
        message = await self._receive()
        self._size += len(message.get("body", b""))
        if self._size > self._most:
            raise too_large(self._most)
        return message

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message = {**message, "headers": [*message["headers"], *_HEADERS]}
        await self._send(message)

    async def fail(self, error: RequestError) -> None:
        if self.status:
            return  # an answer has begun: it can only be broken off
        body = dump(error.record)
        headers = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            "cache-control": "no-store",
            **error.headers,
        }
        pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        start = {"type": "http.response.start", "status": error.status, "headers": pairs}
        await self.send(start)
        await self.send({"type": "http.response.body", "body": body})


def _log_failure(error: Exception) -> None:
    """Where it happened, without the message, which may quote what was sent."""
    frames = traceback.extract_tb(error.__traceback__)[-5:]
    where = " ".join(f"{os.path.basename(each.filename)}:{each.lineno}" for each in frames)
    log.error("%s at %s", type(error).__name__, where)
