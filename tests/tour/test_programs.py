"""The tour, last part: a notebook, spaCy, and whatever speaks HTTP."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from tests.tour.conftest import User


def test_a_notebook(user: User) -> None:
    program = """
import niwaki
found = niwaki.load()("Mori planted a pine. It grows.")
print(found[0]._repr_html_().count("<svg"), found._repr_html_().count("<svg"))
print(len(found[:1]._repr_html_()) < len(found._repr_html_()))
try:
    niwaki.load()(["Mori", "planted"])
except niwaki.NiwakiError as error:
    print(error)
"""
    pictures, part, wrong = user.python(program).splitlines()
    assert (pictures, part) == ("1 2", "True")
    assert wrong.startswith("a list of 2 strings without spaces, which may be words or texts")


@pytest.mark.skipif(not importlib.util.find_spec("spacy"), reason="spaCy is missing")
def test_spacy(user: User) -> None:
    program = """
import niwaki, spacy
nlp = spacy.blank("en")
nlp.add_pipe("niwaki")
print([(token.text, token.dep_) for token in nlp("Mori planted it.")])
print([token.dep_ for token in niwaki.to_spacy(niwaki.load()("Mori planted it."))])
for wrong in (lambda: spacy.blank("en").add_pipe("niwaki", config={"model": "xy"}),
              lambda: niwaki.to_spacy("Mori planted it.")):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)
"""
    component, document, model, text = user.python(program).splitlines()
    assert component.startswith("[('Mori', 'nsubj'), ('planted', 'ROOT')")
    assert document == "['nsubj', 'ROOT', 'obj', 'punct']"
    assert "no model 'xy'" in model and "known: en" in model
    assert "give Sentences" in text


@pytest.fixture
def server(user: User) -> Iterator[str]:
    """The address of a workbench of the user's, which ends by Ctrl-C."""
    pytest.importorskip("uvicorn", reason="the workbench is missing: pip install niwaki[serve]")
    with subprocess.Popen(
        [user.binaries / "niwaki", "serve", "--port", "0", "--workers", "1", "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=user.folder,
        env=user.environment,
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)
            _, said = process.communicate()
    assert process.returncode == 0 and said == "the workbench is open; Ctrl-C closes it\n"


def post(address: str, asked: object) -> tuple[int, str]:
    """The status and the text of an answer."""
    request = urllib.request.Request(
        address, json.dumps(asked).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_http(server: str) -> None:
    assert server.startswith("http://127.0.0.1:")
    status, trees = post(f"{server}api/parse", {"text": "Mori planted it.", "to": "conllu"})
    assert status == 200 and "\n1\tMori\tMori\tPROPN\t" in trees
    status, said = post(f"{server}api/parse", {"txet": "Mori planted it."})
    assert status == 422 and "did you mean 'text'?" in json.loads(said)["error"]
