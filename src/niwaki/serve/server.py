"""Runs the application on an address, with the limits that uvicorn does not have."""

from __future__ import annotations

import ipaddress
import logging
import socket
from collections.abc import Callable
from pathlib import Path

from niwaki.errors import ConfigError
from niwaki.serve.app import make_app
from niwaki.serve.connections import watched_protocol
from niwaki.serve.limits import Limits
from niwaki.serve.registry import Registry
from niwaki.serve.state import AppState

# Last, because the modules above say what to do if it is not installed.
import uvicorn  # isort: skip

SHORTEST_TOKEN = 16
BACKLOG = 256


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_token(host: str, token: str | None) -> None:
    """Other machines may come in only with a token that cannot be guessed."""
    if token is None and not is_loopback(host):
        raise ConfigError(
            f"{host} can be reached from other machines; give a token with --token-file FILE"
        )
    if token is not None and (len(token) < SHORTEST_TOKEN or not token.isascii()):
        raise ConfigError(f"the token is too short; use at least {SHORTEST_TOKEN} ASCII characters")
    if token is not None and not all(char.isalnum() or char in "-_.~" for char in token):
        raise ConfigError("the token: use letters, digits and -_.~ only")


def allowed_hosts(host: str, port: int, more: list[str]) -> frozenset[str]:
    """What the Host header may say, so that no foreign name can be pointed at this server."""
    names = {"localhost", "127.0.0.1", "[::1]"} if is_loopback(host) else set()
    if host not in ("0.0.0.0", "::"):
        names.add(f"[{host}]" if ":" in host else host.lower())
    names |= {name.lower() for name in more}
    return frozenset({f"{name}:{port}" for name in names} | (names if port == 80 else set()))


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes one that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        # Whoever comes before the models are loaded waits instead of being turned away.
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        raise ConfigError(
            f"cannot listen on {host} port {port}: {error.strerror}; give another --port"
        ) from error
    return made


class Server(uvicorn.Server):  # type: ignore[misc]
    """uvicorn's server around a state; why it cannot start is raised out of `run`."""

    def __init__(self, config: uvicorn.Config, state: AppState, opened: Callable[[], None]) -> None:
        super().__init__(config)
        self._state, self._opened = state, opened

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await self._state.start()
        except BaseException:
            await self._state.stop()
            raise
        await super().startup(sockets)
        if not self.should_exit:
            self._opened()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        await self._state.stop()


def make_server(
    listener: socket.socket,
    host: str,
    registry: Registry,
    folder: Path,
    limits: Limits,
    *,
    token: str | None = None,
    allow_hosts: list[str] | None = None,
    opened: Callable[[], None] = lambda: None,
) -> Server:
    """A server for a listening socket; `run(sockets=[listener])` serves.

    The work folder is opened here, so that what is wrong with it is raised here.
    """
    check_token(host, token)
    hosts = allowed_hosts(host, listener.getsockname()[1], allow_hosts or [])
    state = AppState(registry, limits, folder)
    state.open()
    config = uvicorn.Config(
        make_app(state, hosts, token),
        http=watched_protocol(limits),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=3,
        backlog=BACKLOG,
    )
    # uvicorn's own lines may quote requests; ours do not.
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    return Server(config, state, opened)
