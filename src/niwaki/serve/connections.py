"""The HTTP protocol with a watch on it: clients that send or read too slowly are cut off."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from niwaki.errors import ExtraMissingError
from niwaki.serve.limits import Limits

try:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError as error:
    raise ExtraMissingError(
        "the server needs uvicorn and httptools; run: pip install niwaki[serve]"
    ) from error

_SEND_BUFFER = 1 << 17


class Watched(HttpToolsProtocol):  # type: ignore[misc]
    """uvicorn's protocol, which has no time limits of its own for slow clients, with some.

    A request must have come whole so many seconds after its first byte (the first one
    after the connection was made), and the answer must have been taken so many seconds
    after it was written. Whoever is slower is cut off, whatever else is going on.
    """

    limits = Limits()
    _watch: asyncio.TimerHandle | None = None

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
        super().data_received(data)

    def on_message_complete(self) -> None:
        self._stop()
        super().on_message_complete()

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


def watched_protocol(limits: Limits) -> type[Watched]:
    """A protocol class for uvicorn, which makes the objects itself."""
    return type("WatchedWithin", (Watched,), {"limits": limits})
