"""The HTTP protocol with a watch on it: slow clients are cut off, endless heads are refused."""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import Any

from niwaki.errors import ExtraMissingError
from niwaki.serve.frames import dump
from niwaki.serve.guard import HEADERS
from niwaki.serve.limits import Limits

try:
    from httptools import HttpRequestParser
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError as error:
    raise ExtraMissingError(
        "the server needs uvicorn and httptools; run: pip install niwaki[serve]"
    ) from error

log = logging.getLogger("niwaki.serve")

_SEND_BUFFER = 1 << 17


class Watched(HttpToolsProtocol):  # type: ignore[misc]
    """uvicorn's protocol, which has no time limits of its own for slow clients, with some.

    A request must have come whole so many seconds after its first byte (the first one
    after the connection was made), and the answer must have been taken so many seconds
    after it was written. Whoever is slower is cut off, whatever else is going on.

    Nor has it a limit for the head of a request, which is held in memory before anybody can
    say whether the client may come in. Two counts keep it small: that of headers which came
    whole, and that of bytes which the parser took without giving anything for them.
    """

    limits = Limits()
    _watch: asyncio.TimerHandle | None = None
    _size = _count = _held = 0
    _refused = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            transport.abort()
            return
        connected = transport.get_extra_info("socket")
        # Head and body of an answer are two writes; the second must not wait for the client
        # to confirm the first, which takes some 40 ms.
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # What the system would buffer for a client who does not read is memory, too.
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        self._start(self._cut)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self._watch is None:
            self._start(self._cut)
        if self._refused:
            return
        self._held += len(data)
        super().data_received(data)
        if self._held > self.limits.head:
            self._refuse()

    def on_message_begin(self) -> None:
        self._size = self._count = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._add(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        # Those after a body in chunks come here, too.
        self._count += 1
        self._add(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._held = 0
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        self._held = 0

    def on_body(self, body: bytes) -> None:
        self._held = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._held = 0
        self._stop()
        super().on_message_complete()

    def _add(self, size: int) -> None:
        self._size += size
        if self._size > self.limits.head or self._count > self.limits.headers:
            self._refused = True
            # The parser stops, and its protocol answers with what is below.
            raise ValueError("too long a head")

    def send_400_response(self, msg: str) -> None:
        if self._refused:
            self._refuse()
        else:
            super().send_400_response(msg)

    def _refuse(self) -> None:
        """Answer 431, and take nothing more in.

        What still comes is thrown away until the client ends or its time does: to close at
        once would make the system throw away the answer as well.
        """
        nothing: list[tuple[bytes, bytes]] = []
        self._refused, self.headers, self.url = True, nothing, b""
        self.parser = HttpRequestParser(self)
        if self.cycle is not None and not self.cycle.response_complete:
            # Another answer is being written: it can only be broken off.
            self.transport.abort()
            return
        log.info("a head of a request that is too long 431")
        self.transport.write(_too_long(self.limits))

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.get_write_buffer_size():
            self._start(self._cut_if_unread)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start(self._cut_if_unread)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop()

    def _start(self, action: Any) -> None:
        self._stop()
        self._watch = self.loop.call_later(self.limits.slow_seconds, action)

    def _stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def _cut(self) -> None:
        self._watch = None
        # Not close(): that would wait for a reader who may never read.
        self.transport.abort()

    def _cut_if_unread(self) -> None:
        self._watch = None
        if self.transport.get_write_buffer_size():
            self.transport.abort()


def _too_long(limits: Limits) -> bytes:
    most = f"{limits.head} bytes and {limits.headers} headers"
    body = dump({"error": f"the head of the request is too long; send at most {most}"})
    lines = [
        "HTTP/1.1 431 Request Header Fields Too Large",
        "content-type: application/json",
        f"content-length: {len(body)}",
        "connection: close",
        *(f"{name}: {value}" for name, value in HEADERS.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def watched_protocol(limits: Limits) -> type[Watched]:
    """A protocol class for uvicorn, which makes the objects itself."""
    return type("WatchedWithin", (Watched,), {"limits": limits})
