"""Time limits that really stop work, queues that end, clients that are too slow."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from niwaki.serve.registry import Registry
from tests.serve.conftest import HOST, PATIENT, Client, Reply, running

pytestmark = pytest.mark.slow

QUICK = {"tokens": [["Rain", "falls", "."]]}
# Some seconds of work for one process.
LONG = {"tokens": [["pine", "tree"] * 499] * 20, "k": 64, "beam": 128}


def workers() -> set[int]:
    """Worker processes of this process."""
    command = ["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {int(line.split()[0]) for line in lines if "niwaki.serve.worker" in line}


@pytest.fixture
def serve(make_registry: Callable[[], Registry], tmp_path: Path) -> Callable[..., object]:
    def make(**changes: object) -> object:
        limits = dataclasses.replace(PATIENT, **changes)  # type: ignore[arg-type]
        return running(make_registry(), tmp_path / "work", limits)

    return make


def test_work_that_takes_too_long_is_killed(serve: Callable[..., object]) -> None:
    before = workers()
    with serve(workers=1, seconds=2.0) as client:  # type: ignore[attr-defined]
        old = workers() - before
        reply = client.post("/api/kbest", LONG)
        assert reply.status == 504
        assert "2 s" in reply.json["error"]
        assert client.get("/api/health").json["stopped"] == 1
        while client.post("/api/parse", QUICK).status != 200:
            pass  # another process is being started
        killed = old - workers()
        assert len(killed) == 1
        for pid in killed:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)
    assert workers() <= before


@pytest.mark.parametrize("count", [1, 2])
def test_workers_that_die_while_idle_cost_nobody_anything(
    serve: Callable[..., object], count: int
) -> None:
    before = workers()
    with serve(workers=count) as client:  # type: ignore[attr-defined]
        for _ in range(3):
            for pid in workers() - before:
                os.kill(pid, signal.SIGKILL)
            found = [client.post("/api/parse", QUICK).status for _ in range(count + 1)]
            assert found == [200] * (count + 1)


def test_work_that_kills_its_worker_is_not_tried_again(
    serve: Callable[..., object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hook = (
        "import os, sys\n"
        "if 'niwaki.serve.worker' in sys.orig_argv:\n"
        "    from niwaki.serve.work import TASKS\n"
        "    TASKS['check_rules'] = lambda **_: os._exit(1)\n"
    )
    (tmp_path / "sitecustomize.py").write_text(hook)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    with serve(workers=1) as client:  # type: ignore[attr-defined]
        assert client.post("/api/rules-check", {"text": ""}).status == 500
        assert client.get("/api/health").json["stopped"] == 1
        assert client.post("/api/parse", QUICK).status == 200


def test_a_full_queue_sends_away_and_recovers(serve: Callable[..., object]) -> None:
    with serve(workers=1, waiting=2, seconds=30.0) as client:  # type: ignore[attr-defined]
        request = {**LONG, "tokens": LONG["tokens"][:3]}  # type: ignore[index]
        with ThreadPoolExecutor(12) as pool:
            replies: list[Reply] = list(
                pool.map(lambda _: client.post("/api/kbest", request), range(12))
            )
        statuses = [reply.status for reply in replies]
        assert set(statuses) == {200, 503}
        # One is worked on and two wait; while the first ones end, others may come in.
        assert statuses.count(503) >= 4
        for reply in replies:
            if reply.status == 503:
                assert 1 <= int(reply.headers["retry-after"]) <= 60
        assert client.post("/api/parse", QUICK).status == 200
        assert client.get("/api/health").json["waiting"] == 0


def _sent(client: Client, path: str, value: object) -> socket.socket:
    """A connection on which a request was sent, and whose answer nobody has read."""
    body = json.dumps(value).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {HOST}:{client.port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection = socket.create_connection((HOST, client.port))
    connection.sendall(head.encode() + body)
    return connection


def _occupied(client: Client, request: object) -> tuple[socket.socket, socket.socket]:
    """Connections of a long request that is being worked on, and of a short one behind it."""
    long = _sent(client, "/api/kbest", request)
    while True:
        short = _sent(client, "/api/parse", QUICK)
        short.settimeout(0.5)
        try:
            short.recv(1 << 16)  # it came before the long one
            short.close()
        except TimeoutError:
            return long, short


def _until(condition: Callable[[], bool]) -> None:
    for _ in range(1200):
        if done := condition():
            break
        time.sleep(0.05)
    assert done, "it did not come about"


def _until_waiting(client: Client, count: int) -> None:
    _until(lambda: client.get("/api/health").json["waiting"] == count)


def test_a_request_that_nobody_waits_for_leaves_the_queue(serve: Callable[..., object]) -> None:
    with serve(workers=1) as client:  # type: ignore[attr-defined]
        busy, first = _occupied(client, LONG)
        second = _sent(client, "/api/parse", QUICK)
        _until_waiting(client, 2)
        first.close()
        _until_waiting(client, 1)
        second.close()
        _until_waiting(client, 0)
        # The first one is still being worked on: no answer has come.
        busy.setblocking(False)
        with busy, pytest.raises(BlockingIOError):
            busy.recv(1)


def test_work_that_was_begun_is_finished_for_nobody(serve: Callable[..., object]) -> None:
    """To kill and to start a process takes longer than most requests do."""
    before = workers()
    with serve(workers=1) as client:  # type: ignore[attr-defined]
        old = workers() - before
        for connection in _occupied(client, {**LONG, "tokens": LONG["tokens"][:6]}):  # type: ignore[index]
            connection.close()
        assert client.post("/api/parse", QUICK).status == 200
        assert workers() - before == old
        assert client.get("/api/health").json["stopped"] == 0


def test_an_answer_of_a_tab_that_was_closed_is_kept(serve: Callable[..., object]) -> None:
    with serve(workers=1) as client:  # type: ignore[attr-defined]
        made = client.post("/api/projects-create", {"name": "x", "text": "Rain falls."}).json
        path = f"/api/projects/{made['id']}/sentences/0/answer"
        long, short = _occupied(client, {**LONG, "tokens": LONG["tokens"][:6]})  # type: ignore[index]
        short.close()
        _until_waiting(client, 0)
        said = {"version": 0, "heads": [{"word": 2, "head": 0, "label": "root"}]}
        connection = _sent(client, path, said)
        _until_waiting(client, 1)
        connection.close()
        _until(lambda: client.get(f"/api/projects/{made['id']}").json["annotated"] == 1)
        long.close()


@pytest.fixture(scope="module")
def impatient(
    make_registry: Callable[[], Registry], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    """A server that waits for nobody longer than half a second."""
    limits = dataclasses.replace(PATIENT, workers=1, slow_seconds=0.5)
    with running(make_registry(), tmp_path_factory.mktemp("work"), limits) as client:
        yield client


def _ended(connection: socket.socket) -> bool:
    connection.settimeout(60)
    try:
        while connection.recv(1 << 16):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


def test_clients_that_send_slowly_are_cut(impatient: Client) -> None:
    client = impatient
    head = f"POST /api/parse HTTP/1.1\r\nHost: {HOST}:{client.port}\r\n"
    starts = [
        b"",
        b"POST /api/pa",
        head.encode(),
        (head + "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{").encode(),
    ]
    for start in starts:
        with socket.create_connection((HOST, client.port)) as connection:
            connection.sendall(start)
            assert _ended(connection), start
    assert client.post("/api/parse", QUICK).status == 200


def test_a_drop_now_and_then_does_not_keep_a_connection(impatient: Client) -> None:
    with socket.create_connection((HOST, impatient.port)) as connection:
        stop = threading.Event()

        def drip() -> None:
            with contextlib.suppress(OSError):
                while not stop.wait(0.1):
                    connection.sendall(b"X")

        thread = threading.Thread(target=drip)
        thread.start()
        assert _ended(connection)
        stop.set()
        thread.join()


def test_clients_that_read_slowly_are_cut(impatient: Client) -> None:
    client = impatient
    body = json.dumps({"tokens": [["pine"] * 500] * 30}).encode()
    head = (
        f"POST /api/parse HTTP/1.1\r\nHost: {HOST}:{client.port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((HOST, client.port))
    connection.sendall(head.encode() + body)
    # Nothing is read until the server has given up.
    for _ in range(600):
        if "ESTAB" not in _state(connection):
            break
        time.sleep(0.1)
    size = 0
    connection.settimeout(60)
    try:
        while piece := connection.recv(1 << 16):
            size += len(piece)
    except ConnectionResetError:
        pass
    connection.close()
    assert size < len(client.request("POST", "/api/parse", body, _JSON).data)


_JSON = {"Content-Type": "application/json"}


def _state(connection: socket.socket) -> str:
    """The server's end of a connection, as the system sees it."""
    port = connection.getsockname()[1]
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    rows = [line.split() for line in lines]
    found = [row[3] for row in rows if row[2].endswith(f":{port:04X}")]
    return "ESTAB" if "01" in found else "gone"
