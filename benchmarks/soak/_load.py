"""What the clients of the soak ask for, and who kills the workers meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import random
import signal
import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from benchmarks.soak._watch import children
from benchmarks.speed.serve import Connection, request
from benchmarks.speed.streams import WORDS

TEXT = "We saw a grey heron on the roof. It flew away before you came, and nobody followed it."
LINES = [
    "The monks planted an old pine beside the pond .",
    "Who saw the crow on the tiled roof of the tea house ?",
    "Do not cut the ivy that climbs over the wall .",
    "Lanterns hang from the gate , and moss covers the stones .",
]
_SYSTEMS = [{"model": "en", "beam": 1}, {"model": "en", "beam": 8}]
# What a client may ask for: a name, the path, the body, and how often.
_RIGHT: list[tuple[str, str, Any, int]] = [
    ("parse", "/api/parse", {"tokens": [WORDS], "probabilities": False}, 8),
    ("text", "/api/parse", {"text": TEXT}, 4),
    ("k best", "/api/kbest", {"tokens": [WORDS], "k": 8}, 3),
    ("reorder", "/api/reorder", {"text": TEXT, "rules": "ja"}, 3),
    ("page", "/", None, 1),
]
_WRONG: list[tuple[str, Any]] = [
    ("/api/parse", {"text": TEXT, "model": "nobody"}),
    ("/api/parse", {"txet": TEXT}),
    ("/api/parse", {"conllu": "1\tno\tten\tcolumns\n\n"}),
    ("/api/parse", {"tokens": [["word"] * 1_001]}),
    ("/api/kbest", {"text": TEXT, "k": 10**9}),
    ("/api/reorder", {"text": TEXT, "rules_text": "[[rule]"}),
    ("/api/compare", {"corpus": "garden", "systems": []}),
    ("/api/projects/none/sentences/0", None),
    ("/nothing/here", None),
]


class Asked(NamedTuple):
    """One request: when it was sent, what it was for, how long it took and what came of it."""

    when: float
    kind: str
    seconds: float
    status: int


class Load:
    """Clients that go on until they are cancelled; everything they asked is in `asked`."""

    def __init__(self, port: int, server: int, seed: int) -> None:
        self.asked: list[Asked] = []
        self.kills: list[float] = []
        self._port, self._server, self._seed = port, server, seed
        self._open = 0  # requests that wait for their answer

    def clients(self) -> list[Callable[[], Awaitable[None]]]:
        return [self._mixed(1), self._mixed(2), self._mixed(3), self.compare, self.annotate]

    async def _ask(self, connection: Connection, kind: str, path: str, body: Any = None) -> Any:
        """What the server answers, or None if that is an error."""
        data = request(self._port, path, b"" if body is None else json.dumps(body).encode())
        start = time.perf_counter()
        self._open += 1
        status = await connection.ask(data)
        self._open -= 1
        self.asked.append(Asked(start, kind, time.perf_counter() - start, status))
        return json.loads(connection.answer) if status == 200 and path != "/" else None

    def _mixed(self, number: int) -> Callable[[], Awaitable[None]]:
        random_ = random.Random(f"{self._seed} {number}")

        async def client() -> None:
            connection = Connection(self._port)
            weights = [weight for *_, weight in _RIGHT]
            while True:
                await asyncio.sleep(random_.expovariate(10))
                if random_.random() < 0.1:
                    await self._ask(connection, "wrong", *random_.choice(_WRONG))
                else:
                    kind, path, body, _ = random_.choices(_RIGHT, weights)[0]
                    await self._ask(connection, kind, path, body)

        return client

    async def compare(self) -> None:
        """Starts a comparison every ten seconds and looks how far it is until it ends.

        At fixed times: what is asked for in a minute must not depend on how busy the machine is.
        """
        connection = Connection(self._port)
        for due in itertools.count(time.perf_counter(), 10.0):
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            body = {"corpus": "garden", "systems": _SYSTEMS}
            job = await self._ask(connection, "compare", "/api/compare", body)
            while job and job["state"] == "running":
                await asyncio.sleep(0.5)
                job = await self._ask(connection, "look", f"/api/jobs/{job['id']}")

    async def annotate(self) -> None:
        """Answers one sentence after the other, and takes every fourth answer back."""
        connection = Connection(self._port)
        body = {"name": "soak", "tokens": [line.split() for line in LINES] * 10}
        project = None
        while project is None:
            project = await self._ask(connection, "create", "/api/projects-create", body)
        for turn in itertools.count():
            await asyncio.sleep(1)
            place = f"/api/projects/{project['id']}/sentences/{turn % project['sentences']}"
            found = await self._ask(connection, "question", place)
            if found is None:
                continue
            heads = [{"word": 1 + turn % 9, "head": 0, "label": "root"}]
            given = {"version": found["version"], "heads": heads}
            answer = await self._ask(connection, "answer", f"{place}/answer", given)
            if answer and turn % 4 == 0:
                given = {"version": answer["version"], "undo": True}
                await self._ask(connection, "answer", f"{place}/answer", given)

    async def kill(self, every: float) -> None:
        """Ends a worker now and then, every other time while a request is being answered."""
        random_ = random.Random(f"{self._seed} kill")
        while True:
            await asyncio.sleep(random_.expovariate(1 / every))
            workers = sorted(children(self._server))
            while len(self.kills) % 2 and not self._open:
                await asyncio.sleep(0.001)
            # Found before the wait: to look for them takes longer than most requests.
            if workers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(random_.choice(workers), signal.SIGKILL)
                    self.kills.append(time.perf_counter())
