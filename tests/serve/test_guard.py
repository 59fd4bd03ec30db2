"""Who may come in, with how much, and what goes out."""

from __future__ import annotations

import argparse
import dataclasses
import json
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from niwaki.cli import main
from niwaki.cli import serve as command
from niwaki.errors import ConfigError
from niwaki.serve.api import ENDPOINTS
from niwaki.serve.registry import Registry
from niwaki.serve.server import allowed_hosts, bind, check_token, is_loopback
from tests.serve.conftest import PATIENT, Client, running

SECRET = "Zyxwv"
TEXT = {"text": f"The gardener shapes {SECRET} pines."}
TOKEN = "a-token-of-enough-letters"


def test_only_this_machine_without_a_token() -> None:
    for host in ("127.0.0.1", "localhost", "::1", "127.3.2.1"):
        assert is_loopback(host)
        check_token(host, None)
    for host in ("0.0.0.0", "192.0.2.1", "::", "example.org"):
        assert not is_loopback(host)
        with pytest.raises(ConfigError, match="token"):
            check_token(host, None)
        check_token(host, TOKEN)
    with pytest.raises(ConfigError, match="short"):
        check_token("127.0.0.1", "short")
    with pytest.raises(ConfigError, match="letters"):
        check_token("127.0.0.1", "a token; with=other signs")


def test_a_port_that_is_taken_is_named() -> None:
    first = bind("127.0.0.1", 0)
    with pytest.raises(ConfigError, match="--port"):
        bind("127.0.0.1", first.getsockname()[1])
    first.close()


def test_the_command_listens_on_this_machine_only(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    assert is_loopback(parser.parse_args([]).host)
    listener = bind(parser.parse_args([]).host, 0)
    assert is_loopback(listener.getsockname()[0])
    listener.close()
    # No port is opened for others before somebody has given a token.
    assert main(["serve", "--host", "0.0.0.0", "--port", "0"]) != 0
    assert "--token-file" in capsys.readouterr().err


def test_a_token_is_read_by_nobody_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "token"
    made = command._token(str(path))
    assert made is not None
    check_token("0.0.0.0", made)
    assert path.stat().st_mode & 0o777 == 0o600
    assert made not in capsys.readouterr().err
    assert command._token(str(path)) == made
    assert capsys.readouterr().err == ""
    path.chmod(0o644)
    assert command._token(str(path)) == made
    assert path.stat().st_mode & 0o777 == 0o600
    assert "others could read" in capsys.readouterr().err

    def refuse(*_: object) -> None:
        raise PermissionError

    path.chmod(0o640)
    monkeypatch.setattr(command.os, "chmod", refuse)
    assert command._token(str(path)) == made
    assert "others can read" in capsys.readouterr().err


def test_a_token_file_of_other_bytes_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "token").write_bytes(bytes(range(128, 256)))
    assert main(["serve", "--token-file", str(tmp_path / "token")]) == 1
    assert "ASCII" in capsys.readouterr().err.splitlines()[-1]
    assert main(["serve", "--token-file", str(tmp_path / "no" / "token")]) == 1


def test_hosts_that_are_allowed() -> None:
    assert "localhost:80" in allowed_hosts("127.0.0.1", 80, [])
    assert "localhost" in allowed_hosts("127.0.0.1", 80, [])
    assert "localhost" not in allowed_hosts("127.0.0.1", 8000, [])
    assert allowed_hosts("0.0.0.0", 8000, ["Trees.example"]) == {"trees.example:8000"}


@pytest.mark.parametrize("path", ["/", "/api/models", "/static/app.js"])
def test_foreign_host_names_are_refused(bench: Client, path: str) -> None:
    reply = bench.get(path, Host=f"evil.example:{bench.port}")
    assert reply.status == 421
    assert "--allow-host" in reply.json["error"]
    assert bench.get(path, Host="localhost").status == 421  # without its port
    assert bench.get(path, Host=f"localhost:{bench.port}").status == 200


def test_pages_of_other_sites_cannot_change_anything(bench: Client) -> None:
    assert bench.post("/api/parse", TEXT, Origin="http://evil.example").status == 403
    assert bench.post("/api/parse", TEXT, Origin="null").status == 403
    assert bench.post("/api/parse", TEXT, **{"Sec-Fetch-Site": "cross-site"}).status == 403
    assert bench.post("/api/parse", TEXT, Origin=bench.url).status == 200
    assert bench.post("/api/parse", TEXT).status == 200  # no browser


POSTS = [each.path.format(id="x", n="0") for each in ENDPOINTS if each.method == "POST"]


@pytest.mark.parametrize("path", [*POSTS, "/api/login", "/", "/static/app.js", "/nothing"])
def test_nothing_but_reading_is_open_to_other_sites(bench: Client, path: str) -> None:
    foreign = {"Origin": "http://evil.example"}
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
        headers = {"Content-Type": "application/json", **foreign}
        reply = bench.request(method, path, b"{}", headers)
        assert reply.status == 403
        assert not [name for name in reply.headers if name.startswith("access-control")]
        plain = bench.request(method, path, b"{}", {"Content-Type": "text/plain"})
        assert plain.status == 415


def test_a_browser_is_not_told_that_it_may_ask(bench: Client) -> None:
    """Without CORS headers in the answer to its question, a browser does not send the request."""
    headers = {
        "Origin": "http://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    reply = bench.request("OPTIONS", "/api/parse", None, headers)
    assert reply.status == 403
    assert not [name for name in reply.headers if name.startswith("access-control")]


def test_every_body_is_declared_as_json(bench: Client) -> None:
    body = json.dumps(TEXT).encode()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        reply = bench.request("POST", "/api/parse", body, {"Content-Type": kind})
        assert reply.status == 415
    kind = {"Content-Type": "application/json; charset=utf-8"}
    assert bench.request("POST", "/api/parse", body, kind).status == 200


def test_headers_of_every_answer(bench: Client) -> None:
    for path in ("/", "/static/app.js", "/api/models", "/api/nothing", "/nothing"):
        headers = bench.get(path).headers
        policy = headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


def test_large_bodies_are_refused_before_they_are_read(bench: Client) -> None:
    headers = {"Content-Type": "application/json", "Content-Length": str(4 * 2**20 + 1)}
    reply = bench.request("POST", "/api/parse", None, headers)
    assert reply.status == 413
    assert "parts" in reply.json["error"]
    # The answer also reaches a client who sends all of it first.
    for _ in range(5):
        assert bench.post("/api/parse", {"text": "a" * (6 << 20)}).status == 413


def test_large_bodies_without_a_length_are_cut(bench: Client) -> None:
    def pieces() -> object:
        yield b'{"text": "'
        for _ in range(80):
            yield b"a" * 2**16
        yield b'"}'

    headers = {"Content-Type": "application/json"}
    reply = bench.request("POST", "/api/parse", pieces(), headers)  # type: ignore[arg-type]
    assert reply.status == 413
    assert bench.post("/api/parse", TEXT).status == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"NaN", 400),
        (b"[" * 100_000, 400),
        (b"[]", 422),
        (b"{}", 422),
        (b'{"text": 1}', 422),
        (b'{"text": "a", "tokens": [["a"]]}', 422),
        (b'{"text": "\\ud800"}', 422),
        (b'{"text": "a", "txet": 1}', 422),
        (b'{"text": "a", "beam": 0}', 422),
        (b'{"text": "a", "beam": true}', 422),
        (b'{"tokens": [["a\\tb"]]}', 422),
        (b'{"tokens": [[]]}', 422),
        (b'{"conllu": "1\\tx"}', 422),
        (b'{"text": "a", "model": "/etc/passwd"}', 422),
        (b'{"text": "a", "model": "..%2f"}', 422),
        (b'{"text": "a", "model": "nobody"}', 404),
    ],
)
def test_bad_requests_get_one_line(bench: Client, body: bytes, status: int) -> None:
    reply = bench.request("POST", "/api/parse", body, {"Content-Type": "application/json"})
    assert reply.status == status
    assert set(reply.json) == {"error"}
    assert "\n" not in reply.json["error"]


def test_no_path_leads_out_of_the_folder(bench: Client) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/"):
        assert bench.get(path).status == 404
    for name in ("../../project.json", "journal.jsonl", "project.json"):
        assert bench.get(f"/api/projects/x/files/{name}").status == 404


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../toy", "toy.conllu/..", "C:\\x", "a\u0000b", "toy\n"]
)
def test_requests_name_things_and_never_files(bench: Client, name: str) -> None:
    systems, pairs = [{"model": "en", "rules": "ja"}] * 2, [{"corpus": "pairs"}]
    requests = [
        ("/api/parse", {"text": "a", "model": name}),
        ("/api/reorder", {"text": "a", "rules": name}),
        ("/api/align", {"pairs": [{"source": ["a"], "target": ["b"]}], "with": name}),
        ("/api/rules-save", {"id": name, "text": ""}),
        ("/api/projects-create", {"name": "x", "corpus": name}),
        ("/api/projects-create", {"name": "x", "bitext": name}),
        ("/api/compare", {"corpus": name, "systems": systems}),
        ("/api/compare", {"corpus": "toy", "systems": [{"model": name}] * 2}),
        ("/api/compare-sentence", {"corpus": name, "systems": systems, "n": 0}),
        ("/api/analyze", {"corpus": name, "systems": systems}),
        ("/api/trade-off", {"models": [name, "en"], "tasks": pairs}),
        ("/api/trade-off", {"models": ["en", "en"], "tasks": [{"corpus": name}]}),
        (
            "/api/trade-off",
            {"models": ["en", "en"], "tasks": pairs, "treebank": name},
        ),
        ("/api/adapt-start", {"projects": [name]}),
        ("/api/adapt-start", {"projects": ["x"], "treebank": name}),
        ("/api/adapt-start", {"projects": ["x"], "rules": name}),
    ]
    for path, body in requests:
        reply = bench.post(path, body)
        assert reply.status == 422, (path, body)
        assert "must fit" in reply.json["error"]


def test_words_of_a_request_are_limited(bench: Client) -> None:
    assert bench.post("/api/parse", {"tokens": [["a"] * 1000]}).status == 200
    reply = bench.post("/api/parse", {"text": "a " * 1001})
    assert (reply.status, "1001 words" in reply.json["error"]) == (413, True)
    many = {"tokens": [["a"] * 100] * 201}
    assert bench.post("/api/parse", many).status == 413
    assert bench.post("/api/kbest", {**many, "k": 1}).status == 413
    assert bench.post("/api/reorder", many).status == 413
    pair = {"source": ["a"] * 600, "target": ["b"] * 600}
    assert bench.post("/api/align", {"pairs": [pair] * 20}).status == 413


def test_what_was_sent_is_not_logged(bench: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    assert bench.post("/api/parse", TEXT).status == 200
    assert bench.post("/api/parse", {**TEXT, SECRET: 1}).status == 422
    assert bench.post("/api/parse", {"conllu": f"1\t{SECRET}"}).status == 422
    assert bench.post("/api/reorder", {**TEXT, "rules_text": f"{SECRET} ="}).status == 422
    assert bench.get(f"/{SECRET}").status == 404
    assert bench.get(f"/api/jobs/{SECRET}").status == 404
    assert bench.get(f"/api/references/pairs?{SECRET}=1").status == 422
    assert "POST /api/parse 200" in caplog.text
    assert SECRET not in caplog.text


def test_a_failure_is_logged_by_its_place_alone(
    bench: Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from niwaki.serve import endpoint

    def fail(*_: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(endpoint, "check", fail)
    caplog.set_level(logging.DEBUG)
    reply = bench.post("/api/parse", TEXT)
    assert reply.status == 500
    assert SECRET not in caplog.text + reply.data.decode()
    assert "RuntimeError at" in caplog.text


def test_a_token_is_needed_where_one_is_set(
    make_registry: Callable[[], Registry], tmp_path: Path
) -> None:
    limits = dataclasses.replace(PATIENT, workers=1)
    with running(make_registry(), tmp_path / "work", limits, token=TOKEN) as client:
        assert client.get("/").status == 200  # the page that asks for it
        assert client.get("/api/health").status == 401
        assert client.post("/api/parse", TEXT).status == 401
        assert client.get("/api/health", Authorization="Bearer wrong").status == 401
        assert client.get("/api/health", Authorization=f"Bearer {TOKEN}").status == 200
        assert client.post("/api/login", {"token": "wrong"}).status == 401
        cookie = client.post("/api/login", {"token": TOKEN}).headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
        assert client.get("/api/health", Cookie=cookie.partition(";")[0]).status == 200
        # What other servers of this host have left in the browser is not for us to judge.
        assert (
            client.get("/api/health", Cookie=f"a,b=c; {cookie.partition(';')[0]}; =").status == 200
        )
        assert client.get("/api/health", Cookie="a,b=c; niwaki-token=x").status == 401
