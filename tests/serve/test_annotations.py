"""What people say is written down as they say it, and nobody overwrites anybody."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.bilingual.bitext import read_bitext, read_links
from niwaki.data.bilingual.references import read_references
from niwaki.data.conllu import read_conllu
from niwaki.errors import ConfigError, CorpusError
from niwaki.serve.folder import WorkFolder
from niwaki.serve.journal import Journal
from niwaki.serve.registry import Registry
from niwaki.training.treebanks import read_treebank
from niwaki.verbs.aligning import align
from tests.conftest import ROOT
from tests.serve.conftest import PATIENT, Client, running

TEXT = "The gardener shapes old pines. Rain falls. Two herons stand in the water."


@pytest.fixture
def project(bench: Client) -> str:
    reply = bench.post("/api/projects-create", {"name": "Letters", "text": TEXT})
    assert reply.status == 200, reply.data
    return str(reply.json["id"])


def say(client: Client, project: str, n: int, **body: Any) -> Any:
    return client.post(f"/api/projects/{project}/sentences/{n}/answer", body)


def root(word: int) -> list[dict[str, Any]]:
    return [{"word": word, "head": 0, "label": "root"}]


def known(client: Client, project: str) -> dict[str, list[int]]:
    """What the plain file says, by sentence."""
    path = client.folder / "projects" / project / "partial.conllu"
    if not path.read_bytes():
        return {}
    return {each.id: list(each.heads) for each in read_conllu(path)}


def test_an_answer_is_in_the_file_at_once(bench: Client, project: str) -> None:
    reply = say(bench, project, 1, version=0, heads=root(2))
    assert reply.status == 200
    assert (reply.json["version"], reply.json["annotated"]) == (1, 1)
    assert known(bench, project) == {"2": [-1, 0, -1]}
    served = bench.get(f"/api/projects/{project}/files/partial.conllu").data
    assert served == (bench.folder / "projects" / project / "partial.conllu").read_bytes()


def test_training_reads_the_file(bench: Client, project: str) -> None:
    say(bench, project, 0, version=0, heads=[*root(3), {"word": 1, "head": 2, "label": "det"}])
    path = str(bench.folder / "projects" / project / "partial.conllu")
    corpus = read_treebank([path], partial={path})
    assert [str(each) for each in corpus.constraints[0].statements] == [
        "the head of word 1 is 2",
        "the label of word 1 is det",
        "word 3 is the root",
        "the label of word 3 is root",
    ]


def test_undo(bench: Client, project: str) -> None:
    say(bench, project, 0, version=0, heads=root(3))
    say(bench, project, 0, version=1, heads=root(2))
    assert say(bench, project, 0, version=2, undo=True).json["state"]["heads"] == {"3": 0}
    assert say(bench, project, 0, version=3, undo=True).json["state"] == {}
    assert known(bench, project) == {}
    assert say(bench, project, 0, version=4, undo=True).status == 409


def test_two_tabs_never_overwrite_each_other(bench: Client, project: str) -> None:
    assert say(bench, project, 0, version=0, heads=root(3)).status == 200
    refused = say(bench, project, 0, version=0, heads=root(5))
    assert refused.status == 409
    assert refused.json["conflict"]["state"]["heads"] == {"3": 0}
    assert refused.json["conflict"]["version"] == 1
    assert say(bench, project, 0, version=0, undo=True).status == 409
    assert known(bench, project)["1"].index(0) == 2
    assert say(bench, project, 0, version=1, heads=root(5)).status == 200


def test_of_many_at_once_one_wins(bench: Client, project: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        replies = list(
            pool.map(lambda w: say(bench, project, 0, version=0, heads=root(w)), [1, 2, 3, 4, 5])
        )
    won = [number for number, reply in enumerate(replies) if reply.status == 200]
    assert len(won) == 1
    assert [reply.status for reply in replies].count(409) == 4
    assert known(bench, project)["1"].index(0) == won[0]


def test_changes_can_be_followed(bench: Client, project: str) -> None:
    before = bench.get(f"/api/projects/{project}").json["serial"]
    say(bench, project, 2, version=0, skipped=True)
    news = bench.get(f"/api/projects/{project}/changes?since={before}").json
    status = {"annotated": False, "answered": [], "skipped": True}
    assert news["changed"] == [{"n": 2, "version": 1, **status}]
    assert news["skipped"] == 1


def test_answers_that_make_no_sense_are_refused(bench: Client, project: str) -> None:
    for wrong in (
        {"heads": [*root(1), *root(2)]},
        {"heads": [{"word": 1, "head": 9}]},
        {"heads": [{"word": 1, "head": 2}, {"word": 2, "head": 1}]},
        {"heads": [{"word": 1, "head": 2, "label": "a b"}]},
        {"links": [[0, 0]]},
    ):
        assert say(bench, project, 0, version=0, **wrong).status == 422, wrong
    assert say(bench, project, 99, version=0, skipped=True).status == 404
    assert say(bench, "nobody", 0, version=0, skipped=True).status == 404
    assert known(bench, project) == {}


def test_the_most_uncertain_come_first(bench: Client, project: str) -> None:
    while not (found := bench.get(f"/api/projects/{project}").json)["ranked"]:
        time.sleep(0.05)
    doubts = [row["doubt"] for row in found["rows"]]
    assert doubts == sorted(doubts, reverse=True)
    first = found["rows"][0]["n"]
    shares = bench.get(f"/api/projects/{project}/sentences/{first}").json["roots"]
    assert doubts[0] == pytest.approx(1 - max(shares), abs=2e-4)
    say(bench, project, first, version=0, skipped=True)
    assert bench.get(f"/api/projects/{project}").json["rows"][-1]["n"] == first


def test_each_question_is_counted_for_itself(bench: Client, project: str) -> None:
    heads = [{"word": 1, "head": 2}]
    found = say(bench, project, 1, version=0, heads=heads).json
    assert (found["annotated"], found["answered"]) == (1, {"root": 0, "tree": 0})
    found = say(bench, project, 1, version=1, heads=[*heads, *root(2)]).json
    assert (found["annotated"], found["answered"]) == (1, {"root": 1, "tree": 0})
    order = {
        by: [row["n"] for row in bench.get(f"/api/projects/{project}?by={by}").json["rows"]]
        for by in ("root", "tree")
    }
    assert order["root"][-1] == 1  # it has an answer
    whole = [*heads, *root(2), {"word": 3, "head": 2}]
    found = say(bench, project, 1, version=2, heads=whole).json
    assert found["answered"] == {"root": 1, "tree": 1}
    assert found["status"]["answered"] == ["root", "tree"]
    rows = bench.get(f"/api/projects/{project}?by=tree").json["rows"]
    assert rows[-1]["n"] == 1
    # Who skips a sentence does not take back what is known of it.
    assert say(bench, project, 1, version=3, heads=whole, skipped=True).json["annotated"] == 1


def test_links_become_pharaoh_and_references(bench: Client) -> None:
    request = {"name": "Pairs", "source": "a old pine\nrain", "target": "古い 松\n雨"}
    made = bench.post("/api/projects-create", request).json
    assert say(bench, made["id"], 0, version=0, links=[[2, 1], [1, 0], [2, 1]]).status == 200
    folder = bench.folder / "projects" / made["id"]
    assert [str(each) for each in read_links(folder / "links.pharaoh")] == ["1-0 2-1", ""]
    (reference,) = read_references(folder / "references.jsonl")
    assert (reference.tokens, reference.linked) == (("a", "old", "pine"), (1, 2))
    assert say(bench, made["id"], 0, version=1, links=[[3, 0]]).status == 422
    # They are references to score against at once.
    name = f"{made['id']}.links"
    assert name in {each["id"] for each in bench.get("/api/corpora").json}
    assert bench.get(f"/api/references/{name}").json["references"][0]["linked"] == [1, 2]
    assert bench.post("/api/projects-create", {**request, "target": "one"}).status == 422


def test_a_registered_text_can_be_linked(bench: Client) -> None:
    made = bench.post("/api/projects-create", {"name": "Garden", "bitext": "garden"}).json
    assert (made["kind"], made["sentences"]) == ("links", 20)
    files = [str(ROOT / "examples" / f"garden.{end}") for end in ("en", "ja")]
    wanted = align([(pair.source, pair.target) for pair in read_bitext(*files)])
    for n in (0, 19):
        path = f"/api/projects/{made['id']}/sentences/{n}/suggestion"
        assert bench.get(path).json["links"] == [list(each) for each in sorted(wanted[n].sure)]


def test_projects_of_a_treebank_forget_its_trees(bench: Client) -> None:
    made = bench.post("/api/projects-create", {"name": "Toy", "corpus": "toy"}).json
    assert made["sentences"] == 33
    path = bench.folder / "projects" / made["id"] / "sentences.conllu"
    assert all(set(each.heads) == {-1} for each in read_conllu(path))
    assert bench.post("/api/projects-create", {"name": "x", "text": "  "}).status == 422
    assert bench.post("/api/projects-create", {"name": "x", "corpus": "pairs"}).status == 404


def test_everything_is_there_after_a_restart(
    make_registry: Callable[[], Registry], tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    with running(make_registry(), folder, PATIENT) as client:
        name = client.post("/api/projects-create", {"name": "Letters", "text": TEXT}).json["id"]
        say(client, name, 0, version=0, heads=root(3))
        say(client, name, 1, version=0, heads=root(2))
        say(client, name, 1, version=1, undo=True)
    # As if the server had been killed between the journal and the plain file.
    (folder / "projects" / name / "partial.conllu").unlink()
    with running(make_registry(), folder, PATIENT) as client:
        assert known(client, name) == {"1": [-1, -1, 0, -1, -1, -1]}
        assert say(client, name, 1, version=1, heads=root(1)).status == 409
        assert say(client, name, 1, version=2, heads=root(1)).status == 200


def test_nothing_is_lost_when_the_server_is_killed(model_path: Path, tmp_path: Path) -> None:
    """Every confirmed answer is on the disk after kill -9, whenever that comes."""

    def start() -> tuple[subprocess.Popen[str], Client]:
        command = [sys.executable, "-m", "niwaki", "serve", "--port", "0", "--quiet"]
        process = subprocess.Popen(
            [*command, "--workers", "1", "-m", f"toy={model_path}", "--work", "work"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdout is not None
        port = int(process.stdout.readline().strip().rstrip("/").rpartition(":")[2])
        return process, Client(port, tmp_path / "work")

    process, client = start()
    try:
        request = {"name": "Letters", "text": TEXT, "model": "toy"}
        name = client.post("/api/projects-create", request).json["id"]
        confirmed = 0
        for word in (1, 2, 3, 2, 1, 3):
            reply = say(client, name, 1, version=confirmed, heads=root(word))
            assert reply.status == 200
            confirmed = reply.json["version"]
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert process.stdout is not None
    process.stdout.close()
    assert known(client, name) == {"2": [-1, -1, 0]}
    process, client = start()
    try:
        found = client.get(f"/api/projects/{name}/sentences/1").json
        assert (found["version"], found["state"]["heads"]) == (confirmed, {"3": 0})
    finally:
        process.terminate()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_a_torn_last_line_is_cut_and_others_are_errors(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    assert journal.read() == []
    journal.append({"a": 1})
    journal.append({"a": 2})
    whole = path.read_bytes()
    for size in range(len(whole) - 1, len(whole) // 2, -1):
        path.write_bytes(whole[:size])
        assert Journal(path).read() == [{"a": 1}]
        assert path.read_bytes() == whole[: len(whole) // 2]
    path.write_bytes(b"{}\nnonsense\n{}\n")
    with pytest.raises(CorpusError, match=":2:"):
        Journal(path).read()


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append({"a": 1})
    real = os.write

    def half(file: int, data: bytes) -> int:
        if len(data) > 3:
            return real(file, data[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(OSError, match="space"):
        journal.append({"b": 2})
    monkeypatch.undo()
    journal.append({"c": 3})
    assert journal.read() == [{"a": 1}, {"c": 3}]


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    first, second = WorkFolder(tmp_path / "work"), WorkFolder(tmp_path / "work")
    first.open()
    assert not first.path.exists()  # nothing is made before it is needed
    first.ensure()
    with pytest.raises(ConfigError, match="another server"):
        second.open()
    first.close()
    second.open()
    second.close()


def test_a_project_record_is_plain(bench: Client, project: str) -> None:
    record = json.loads((bench.folder / "projects" / project / "project.json").read_text())
    assert record == {"name": "Letters", "kind": "trees", "model": "en"}
