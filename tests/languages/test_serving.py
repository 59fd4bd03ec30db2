"""The HTTP API with models of many scripts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.languages.conftest import Trained, text_of

pytest.importorskip("uvicorn", reason="uvicorn is missing: pip install niwaki[serve]")
pytest.importorskip("starlette", reason="starlette is missing: pip install niwaki[serve]")

from niwaki.serve.registry import Registry
from tests.serve.conftest import Client, running


@pytest.fixture
def client(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    registry = Registry()
    registry.add_model(trained.script.code, str(trained.path))
    with running(registry, tmp_path_factory.mktemp("work")) as found:
        yield found


def test_it_parses_text(trained: Trained, client: Client) -> None:
    text = text_of(trained.script)
    reply = client.post("/api/parse", {"model": trained.script.code, "text": text})
    assert reply.status == 200, reply.data
    found = reply.json["sentences"]
    known = list(trained.model(text))
    assert [x["tokens"] for x in found] == [list(sentence.forms) for sentence in known]
    assert [x["heads"] for x in found] == [list(sentence.heads) for sentence in known]
    # What is sent is the text itself, in UTF-8.
    assert trained.script.verbs[0].split()[0].encode() in reply.data
