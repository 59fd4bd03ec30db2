"""A workbench on a free port of this machine, and a plain client for it."""

from __future__ import annotations

import dataclasses
import http.client
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is missing: pip install niwaki[serve]")
pytest.importorskip("starlette", reason="starlette is missing: pip install niwaki[serve]")

from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.serve.limits import Limits
from niwaki.serve.registry import Registry
from niwaki.serve.server import bind, make_server
from niwaki.verbs.compressing import train_compressor
from niwaki.verbs.translating import translate_train
from tests.conftest import ROOT
from tests.serve.browsing import BROWSER, NASTY
from tests.serve.related import relation_files
from tests.shorter import pairs
from tests.toy import TOY
from tests.translating import write_pairs

HOST = "127.0.0.1"
Arc = dict[str, int | str]
# Machines that run tests may be busy: what is not about time gets plenty of it. To start a process
# takes longer than most tests, so there is one that parses; the server of most tests has two.
PATIENT = Limits(seconds=60.0, slow_seconds=60.0, workers=1)


@dataclasses.dataclass
class Reply:
    status: int
    headers: dict[str, str]
    data: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.data)


@dataclasses.dataclass
class Client:
    port: int
    folder: Path

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=120)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, found, response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.request("GET", path, headers=headers)

    def post(self, path: str, value: Any, **headers: str) -> Reply:
        known = {"Content-Type": "application/json", **headers}
        return self.request("POST", path, json.dumps(value).encode(), known)

    def done(self, job: Reply) -> Any:
        """The job when it has ended."""
        assert job.status == 200, job.data
        while True:
            found = self.get(f"/api/jobs/{job.json['id']}").json
            if found["state"] != "running":
                return found
            time.sleep(0.05)


@contextmanager
def running(
    registry: Registry,
    folder: Path,
    limits: Limits = PATIENT,
    token: str | None = None,
) -> Iterator[Client]:
    listener = bind(HOST, 0)
    server = make_server(listener, HOST, registry, folder, limits, token=token)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        assert server.started, "the server did not start"
        yield Client(listener.getsockname()[1], folder)
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.fixture(scope="session")
def references_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reference orders of three sentences, with groups and words without a link."""
    rows = [
        {
            "id": "a",
            "tokens": ["The", "gardener", "shapes", "old", "pines", "."],
            "order": [0, 1, 3, 4, 2, 5],
            "groups": [],
            "linked": [1, 2, 3, 4, 5],
        },
        {
            "id": "b",
            "tokens": ["Two", "herons", "stand", "in", "the", "water", "."],
            "order": [0, 1, 4, 5, 3, 2, 6],
            "groups": [[0, 1]],
        },
        {"id": "c", "tokens": ["Rain", "falls", "."], "order": [0, 1, 2], "groups": []},
    ]
    path = tmp_path_factory.mktemp("references") / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def broken_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A treebank that can be read but not be learned from: a sentence with two roots."""
    path = tmp_path_factory.mktemp("broken") / "broken.conllu"
    sentence = Sentence.from_words(["a", "b"], heads=[0, 0], deprels=["root", "root"])
    path.write_bytes(sentence.source)
    return path


@pytest.fixture(scope="session")
def make_registry(
    model_path: Path,
    references_file: Path,
    broken_file: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[], Registry]:
    connectives, roles = relation_files(tmp_path_factory.mktemp("relations"))
    compressor = tmp_path_factory.mktemp("shorter") / "shorter.niwaki"
    train_compressor(pairs(), compressor)
    translators = tmp_path_factory.mktemp("translators")
    text = write_pairs(translators)
    translate_train(*text, translators / "plain")
    translate_train(*text, translators / "ordered", preorder="ja", model=str(model_path))

    def make() -> Registry:
        registry = Registry()
        registry.add_model("en", str(model_path))
        registry.add_corpus("toy", "trees", [str(TOY)])
        registry.add_corpus("broken", "trees", [str(broken_file)])
        garden = [str(ROOT / "examples" / f"garden.{end}") for end in ("en", "ja")]
        registry.add_corpus("garden", "bitext", garden)
        registry.add_corpus("pairs", "references", [str(references_file)])
        registry.add_connectives("stories", str(connectives))
        registry.add_roles("stories", str(roles))
        registry.add_compressor("shorter", str(compressor))
        registry.add_translator("ordered", str(translators / "ordered"))
        registry.add_translator("plain", str(translators / "plain"))
        return registry

    return make


@pytest.fixture(scope="session")
def bench(
    make_registry: Callable[[], Registry], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    """One server for all tests that do not change its settings; `en` is the toy model."""
    logging.getLogger("niwaki.serve").setLevel(logging.INFO)
    limits = dataclasses.replace(PATIENT, workers=2)
    with running(make_registry(), tmp_path_factory.mktemp("work"), limits) as client:
        yield client


def annotate(client: Client, name: str, model: str, known: Callable[[int], Arc]) -> str:
    """A project in which one arc of each sentence is known, by its number of words.

    The sentences have another beginning than those of the treebank: nobody has learned them.
    """
    ends = [s.forms for s in read_conllu(TOY) if s.forms[-1] == "."]
    tokens = [[begin, *forms] for forms in ends for begin in ("Now", "Then")]
    request = {"name": name, "tokens": tokens, "model": model}
    made = str(client.post("/api/projects-create", request).json["id"])
    for n, words in enumerate(tokens):
        said = {"version": 0, "heads": [known(len(words))]}
        assert client.post(f"/api/projects/{made}/sentences/{n}/answer", said).status == 200
    return made


def stop_last(words: int) -> Arc:
    """What no treebank says: a full stop hangs from the word before it."""
    return {"word": words, "head": words - 1, "label": "punct"}


@pytest.fixture(scope="session")
def stops(bench: Client) -> str:
    return annotate(bench, "Stops", "en", stop_last)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium; tests that need it are skipped where there is none."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is missing: pip install niwaki[dev]"
    )
    if BROWSER is None:
        pytest.skip("no Chromium found: install it, or name it in NIWAKI_BROWSER")
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def open_page(browser: Any, bench: Client) -> Iterator[Any]:
    """Opens pages of the workbench; whatever goes wrong in them fails the test."""
    contexts, faults = [], []

    def open_one(
        path: str,
        context: Any = None,
        routes: dict[str, Any] | None = None,
        client: Client = bench,
    ) -> Any:
        if context is None:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda m: faults.append(m.text) if "Security Policy" in m.text else None)
        page.on("dialog", lambda dialog: (faults.append("a dialog"), dialog.dismiss()))
        # Before the page loads: a page that is open hears of a route through another pipe than
        # of a key, and its next request may pass.
        for pattern, handler in (routes or {}).items():
            page.route(pattern, handler)
        page.goto(client.url + path)
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not faults


@pytest.fixture
def project(bench: Client) -> str:
    text = "The gardener shapes old pines. Rain falls. Two herons stand in the water."
    made = bench.post("/api/projects-create", {"name": NASTY, "text": text}).json["id"]
    while not bench.get(f"/api/projects/{made}").json["ranked"]:
        time.sleep(0.05)
    return str(made)
