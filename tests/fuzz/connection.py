"""A workbench without a network: bytes go into its protocol, and what it answers is checked."""

from __future__ import annotations

import asyncio
import atexit
import json
import logging
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

from niwaki.serve import adapt, pool
from niwaki.serve.annotations import Project
from niwaki.serve.guard import HEADERS
from niwaki.serve.limits import Limits
from niwaki.serve.registry import Registry
from niwaki.serve.server import Server, make_server
from niwaki.serve.worker import answer
from tests.fuzz.projects import SOUND, place, write_project
from tests.toy import TOY, quick_model

TOKEN = "0123456789abcdef"
# As niwaki has them, but that nobody waits for slow clients and large corpora.
_LIMITS = Limits(slow_seconds=3600.0, seconds=3600.0)
_FAILED = "this should not have happened"


class _Worker:
    """A worker process that is none."""

    is_dead = False

    @classmethod
    async def start(cls, nice: int = 0) -> _Worker:
        return cls()

    async def ask(self, data: bytes) -> bytes:
        return answer(data)

    def kill(self) -> None:
        pass

    async def wait(self) -> None:
        pass


class _Listener:
    def getsockname(self) -> tuple[str, int]:
        return "127.0.0.1", 80


class _Transport:
    """What a protocol writes to; `open` as long as it wants to hear more."""

    def __init__(self) -> None:
        self.written, self.open = bytearray(), True

    def get_extra_info(self, name: str) -> Any:
        return self if name == "socket" else None

    def getsockname(self) -> tuple[str, int]:
        return "127.0.0.1", 80

    getpeername = getsockname

    def setsockopt(self, *_: int) -> None:
        pass

    def write(self, data: bytes) -> None:
        self.written += data

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return not self.open

    def close(self) -> None:
        self.open = False

    abort = close

    def pause_reading(self) -> None:
        pass

    resume_reading = pause_reading


@cache
def files() -> Path:
    """A model and corpora, as the tests of the server have them, but small."""
    folder = place() / "files"
    folder.mkdir()
    quick_model(
        folder / "en.niwaki",
        model={"beam": 2, "features": "lean", "max_rows": 500},
        tagger={"folds": 2, "epochs": 1},
        segmenter={"epochs": 2},
        training={"epochs": 1, "greedy_epochs": 1},
    )
    toy = TOY.read_bytes().split(b"\n\n")[:4]
    (folder / "toy.conllu").write_bytes(b"\n\n".join(toy) + b"\n\n")
    (folder / "a.txt").write_text("a pine\nthe old pond\n")
    (folder / "b.txt").write_text("matsu\nfurui ike\n")
    rows = [
        {"id": "a", "tokens": ["Rain", "falls", "."], "order": [1, 0, 2], "groups": []},
        {"id": "b", "tokens": ["Two", "herons"], "order": [0, 1], "groups": [[0, 1]]},
    ]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def registry() -> Registry:
    made, folder = Registry(), files()
    made.add_model("en", str(folder / "en.niwaki"))
    made.add_corpus("toy", "trees", [str(folder / "toy.conllu")])
    made.add_corpus("pairs", "references", [str(folder / "pairs.jsonl")])
    made.add_corpus("garden", "bitext", [str(folder / "a.txt"), str(folder / "b.txt")])
    return made


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    atexit.register(loop.close)
    return loop


class Bench:
    """A server on a work folder of its own; another one takes its place when something changed."""

    _opened: ClassVar[dict[bool, Bench]] = {}

    def __init__(self, guarded: bool) -> None:
        self.folder = place() / ("guarded" if guarded else "free")
        shutil.rmtree(self.folder, ignore_errors=True)
        for name, sound in SOUND.items():
            write_project(self.folder / "projects" / name, sound)
        self._server: Server = make_server(
            _Listener(),  # type: ignore[arg-type]
            "127.0.0.1",
            registry(),
            self.folder,
            _LIMITS,
            token=TOKEN if guarded else None,
        )
        self._answers: list[tuple[int, dict[str, str], bytes]] = []
        config = self._server.config
        config.load()
        config.loaded_app = self._recorded(config.loaded_app)
        self._state = self._server._state
        self._before = self._seen()

    @classmethod
    def open(cls, guarded: bool) -> Bench:
        if guarded not in cls._opened:
            cls._opened[guarded] = cls(guarded)
        return cls._opened[guarded]

    def send(self, pieces: list[bytes], *, failing: bool = False) -> None:
        """Give a connection these bytes and check all that comes of it."""
        self._answers.clear()
        with (
            patch.object(pool, "Worker", _Worker),
            patch.object(adapt, "adapt", _no_training),
            patch.object(logging.getLogger("niwaki.serve"), "disabled", True),
        ):
            written = _loop().run_until_complete(self._exchange(pieces))
        try:
            assert not written or written.startswith(b"HTTP/1.1 ")
            for status, headers, body in self._answers:
                self._check(status, headers, body, failing)
            for job in self._state.jobs.list():
                assert failing or not job.error.startswith(_FAILED), job.record()
            self._check_projects()
        finally:
            if self._state.jobs.list() or self._seen() != self._before:
                self._state.work.close()
                Bench._opened = {
                    key: each for key, each in self._opened.items() if each is not self
                }

    def _recorded(self, app: Any) -> Any:
        async def recorded(scope: Any, receive: Any, send: Any) -> None:
            async def sent(message: Any) -> None:
                if message["type"] == "http.response.start":
                    pairs = (
                        (k.decode("latin-1"), v.decode("latin-1")) for k, v in message["headers"]
                    )
                    self._answers.append((message["status"], dict(pairs), b""))
                else:
                    status, headers, body = self._answers[-1]
                    self._answers[-1] = status, headers, body + message.get("body", b"")
                await send(message)

            await app(scope, receive, sent)

        return recorded

    async def _exchange(self, pieces: list[bytes]) -> bytes:
        loop, server = asyncio.get_running_loop(), self._server
        protocol = server.config.http_protocol_class(
            config=server.config, server_state=server.server_state, app_state={}, _loop=loop
        )
        transport = _Transport()
        protocol.connection_made(transport)
        for piece in pieces:
            if not transport.open:
                break
            protocol.data_received(piece)
            await self._settle(protocol)
        protocol.connection_lost(None)
        await self._settle(None)
        while running := [each.task for each in self._state.jobs.list() if each.state == "running"]:
            await asyncio.wait(running)
        return bytes(transport.written)

    async def _settle(self, protocol: Any) -> None:
        """Until all is answered, or what a request still lacks is waited for."""
        tasks = self._server.server_state.tasks
        while tasks and not (protocol and protocol.cycle.more_body):
            await asyncio.wait(set(tasks))

    def _check(self, status: int, headers: dict[str, str], body: bytes, failing: bool) -> None:
        assert failing or status != 500, body
        assert HEADERS.items() <= headers.items()
        assert str(self.folder).encode() not in body, "no path of this machine"
        if status >= 400:
            error = json.loads(body)["error"]
            assert failing or ("\n" not in error and len(error) < 2000)
        elif headers.get("content-type") == "application/json":
            json.loads(body)

    def _seen(self) -> list[tuple[str, int, int]]:
        """The files of the folder, and when they were written."""
        found = []
        for folder, _, names in os.walk(self.folder):
            for name in names:
                status = os.stat(os.path.join(folder, name))
                found.append((os.path.join(folder, name), status.st_size, status.st_mtime_ns))
        return sorted(found)

    def _check_projects(self) -> None:
        """What is on the disk is what the server says, and no more."""
        if self._seen() == self._before:
            return
        known = {each.id: each for each in self._state.projects.list()}
        folders = [path for path in (self.folder / "projects").iterdir() if path.name[0] != "."]
        assert {path.name for path in folders} == set(known)
        for path in folders:
            again, project = Project(path), known[path.name]
            assert again.serial == project.serial
            for number in range(len(project)):
                assert again.state(number) == json.loads(json.dumps(project.state(number)))
                assert again.version(number) == project.version(number)


async def _no_training(*_: Any) -> None:
    raise OSError("no processes are started here")
