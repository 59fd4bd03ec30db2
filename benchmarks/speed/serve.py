"""The workbench under load: requests a second, latencies, overload, slow clients.

python -m benchmarks.speed.serve [--profile fast]

Server and clients are on this machine and share its cores; traffic goes to 127.0.0.1 only,
and every phase ends by itself. Latencies count from the moment when a request was due, so
that a client who waits does not hide what it waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.common import parser, report, signature
from benchmarks.speed.streams import WORDS

HOST = "127.0.0.1"
CONNECTIONS = 16  # of the closed loop that finds the most that the server can do
SLOW_CLIENTS = 200
MOST_OPEN = 400  # connections of the open loop


@contextlib.contextmanager
def server(*more: str) -> Iterator[tuple[int, int]]:
    """The port and the process of a server; `more` are options of `niwaki serve`."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "niwaki", "serve", "--port", "0", "--quiet"]
        process = subprocess.Popen(
            [*command, "--workers", "2", "--work", f"{folder}/work", *more],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline().strip()
            yield int(line.rstrip("/").rpartition(":")[2]), process.pid
        finally:
            process.terminate()
            process.wait()


def processor_seconds(server_pid: int) -> tuple[float, float]:
    """What the server has used so far, and what its workers have."""
    tick = os.sysconf("SC_CLK_TCK")
    own = workers = 0.0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(") ")[2].split()
            used = (int(fields[11]) + int(fields[12])) / tick
            if path.parent.name == str(server_pid):
                own += used
            elif fields[1] == str(server_pid):
                workers += used
    return own, workers


def request(port: int, path: str = "/api/parse", body: bytes | None = None) -> bytes:
    """What is sent to have a sentence parsed, or something else; an empty body is a GET."""
    if body is None:
        body = json.dumps({"tokens": [WORDS]}).encode()
    head = (
        f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Connection:
    """Keeps itself open as long as the server does; `answer` is what came last."""

    def __init__(self, port: int) -> None:
        self.answer = b""
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, data: bytes) -> int:
        """The status of the answer; 0 if there was none.

        The server may close an idle connection at the moment when it is used again: as
        every client does, the request is then sent once more on a new one.
        """
        reused = self._streams is not None
        return await self._ask(data) or (await self._ask(data) if reused else 0)

    async def _ask(self, data: bytes) -> int:
        try:
            if self._streams is None:
                self._streams = await asyncio.open_connection(HOST, self._port)
            reader, writer = self._streams
            writer.write(data)
            head = await reader.readuntil(b"\r\n\r\n")
            size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            self.answer = await reader.readexactly(size)
            return int(head[9:12])
        except (OSError, asyncio.IncompleteReadError, ValueError):
            self.close()
            return 0

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def closed_loop(port: int, pid: int, seconds: float) -> dict[str, Any]:
    """As fast as some clients can who each wait for their answer."""
    before, client_before = processor_seconds(pid), time.process_time()
    data, stop = request(port), time.perf_counter() + seconds
    times: list[float] = []

    async def client() -> None:
        connection = Connection(port)
        while time.perf_counter() < stop:
            start = time.perf_counter()
            if await connection.ask(data) == 200:
                times.append(time.perf_counter() - start)
        connection.close()

    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))
    used = [b - a for a, b in zip(before, processor_seconds(pid), strict=True)]
    used.append(time.process_time() - client_before)
    # Processor time hardly depends on what else the machine does.
    shares = [round(1000 * each / max(1, len(times)), 3) for each in used]
    return {
        "requests_per_second": round(len(times) / seconds, 1),
        **quantiles(times),
        "processor_ms_per_request": dict(
            zip(("server", "workers", "clients"), shares, strict=True)
        ),
    }


async def open_loop(port: int, rate: float, seconds: float) -> dict[str, Any]:
    """Requests that come at a rate, whether the server keeps up or not."""
    data = request(port)
    free = [Connection(port) for _ in range(MOST_OPEN)]
    statuses: Counter[int] = Counter()
    times: dict[int, list[float]] = {}
    tasks: set[asyncio.Task[None]] = set()

    async def one(connection: Connection, due: float) -> None:
        status = await connection.ask(data)
        free.append(connection)
        statuses[status] += 1
        times.setdefault(status, []).append(time.perf_counter() - due)

    start = time.perf_counter()
    sent = 0
    while (now := time.perf_counter()) - start < seconds:
        while sent < (now - start) * rate:
            if not free:
                statuses[-1] += 1  # the client itself could not send it
            else:
                task = asyncio.create_task(one(free.pop(), start + sent / rate))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            sent += 1
        await asyncio.sleep(0.001)
    await asyncio.gather(*tasks)
    for connection in free:
        connection.close()
    return {
        "offered_per_second": round(rate, 1),
        "answered": statuses[200],
        "sent_away_503": statuses[503],
        "no_answer": statuses[0],
        "not_sent": statuses[-1],
        **quantiles(times.get(200, [])),
        "p99_ms_of_503": quantiles(times.get(503, [])).get("p99_ms"),
    }


def quantiles(times: list[float]) -> dict[str, float]:
    ranked = sorted(times)
    if not ranked:
        return {}
    return {
        name: round(1000 * ranked[min(len(ranked) - 1, int(share * len(ranked)))], 2)
        for name, share in (("p50_ms", 0.5), ("p99_ms", 0.99))
    }


async def slow_client(port: int, stop: asyncio.Event) -> bool:
    """Sends a byte of its request now and then; whether the server cut it off."""
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        for byte in request(port):
            writer.write(bytes([byte]))
            await writer.drain()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), 1.0)
            if stop.is_set():
                return False
            if reader.at_eof():
                return True
    except OSError:
        return True
    finally:
        writer.close()
    return False


async def with_slow_clients(port: int, rate: float, seconds: float) -> dict[str, Any]:
    stop = asyncio.Event()
    slow = [asyncio.create_task(slow_client(port, stop)) for _ in range(SLOW_CLIENTS)]
    await asyncio.sleep(0.5)
    found = await open_loop(port, rate, seconds)
    await asyncio.sleep(max(0.0, 11.5 - seconds))
    stop.set()
    cut = sum(await asyncio.gather(*slow))
    return {"slow_clients": SLOW_CLIENTS, "slow_clients_cut": cut, **found}


async def measure(port: int, pid: int, seconds: float) -> dict[str, Any]:
    await closed_loop(port, pid, 1.0)
    most = await closed_loop(port, pid, seconds)
    rate = most["requests_per_second"]
    return {
        f"closed loop, {CONNECTIONS} clients": most,
        "half of that": await open_loop(port, rate / 2, seconds),
        "four times that": await open_loop(port, 4 * rate, seconds),
        "half of that, right after": await open_loop(port, rate / 2, seconds),
        "half of that, once more": await open_loop(port, rate / 2, seconds),
        "half of that, beside slow clients": await with_slow_clients(port, rate / 2, seconds),
    }


def main() -> None:
    arguments = parser(__doc__).parse_args()
    seconds = 10.0 if arguments.profile == "full" else 3.0
    with server() as (port, pid):
        results = asyncio.run(measure(port, pid, seconds))
    load = round(os.getloadavg()[0], 1)
    settings = {"profile": arguments.profile, "words": len(WORDS), "workers": 2, "load": load}
    report("serve", {"signature": signature(**settings), **results})


if __name__ == "__main__":
    main()
