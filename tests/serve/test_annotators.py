"""Several annotators over HTTP: what they agree on, decisions, and files begun elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from niwaki.serve.annotations import Project
from niwaki.serve.layers import agreement_of, disputed
from tests.serve.conftest import Client

TEXT = "The gardener shapes old pines. Rain falls."
HALF = (
    "# sent_id = a\n1\tRain\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n"
    "2\tfalls\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    "# sent_id = b\n1\tOld\t_\tADJ\t_\t_\t2\tamod\t_\t_\n2\tpines\t_\tNOUN\t_\t_\t_\t_\t_\t_\n"
    "3\tlean\t_\tVERB\t_\t_\t_\t_\t_\tForbid=1,2|LabelSet=root,obl\n\n"
    "# sent_id = c\n1\tSnow\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tmelts\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"
)


def begin(bench: Client, **more: Any) -> str:
    request = {"name": "People", **(more or {"text": TEXT})}
    return str(bench.post("/api/projects-create", request).json["id"])


def say(bench: Client, project: str, n: int, who: str, *arcs: tuple[int, int, str]) -> Any:
    """Answer in somebody's name: (word, head, label) each."""
    path = f"/api/projects/{project}/sentences/{n}"
    version = bench.get(f"{path}?who={who}").json["version"]
    heads = [{"word": word, "head": head, "label": label} for word, head, label in arcs]
    reply = bench.post(f"{path}/answer", {"who": who, "version": version, "heads": heads})
    assert reply.status == 200, reply.data
    return reply.json


def partial(bench: Client, project: str) -> list[tuple[str, str]]:
    """Heads and labels of the file that training reads."""
    data = bench.get(f"/api/projects/{project}/files/partial.conllu").data.decode()
    rows = [line.split("\t") for line in data.splitlines() if line and line[0].isdigit()]
    return [(row[6], row[7]) for row in rows]


def test_everybody_has_answers_of_their_own(bench: Client) -> None:
    project = begin(bench)
    say(bench, project, 1, "Mori", (2, 0, "root"), (1, 2, "nsubj"), (3, 2, "punct"))
    assert bench.get(f"/api/projects/{project}?who=Mori").json["answered"] == {"root": 1, "tree": 1}
    assert bench.get(f"/api/projects/{project}?who=Sato").json["annotated"] == 0
    assert bench.get(f"/api/projects/{project}/sentences/1?who=Sato").json["state"] == {}
    # Two people never stand in each other's way.
    answer = say(bench, project, 1, "Sato", (1, 0, "root"))
    assert answer["version"] == 1
    path = f"/api/projects/{project}/changes?since=0"
    assert [each["n"] for each in bench.get(f"{path}&who=Sato").json["changed"]] == [1]
    assert bench.get(path).json["changed"] == []
    (listed,) = [each for each in bench.get("/api/projects").json if each["id"] == project]
    assert listed["people"] == [
        {"name": "Mori", "annotated": 1},
        {"name": "Sato", "annotated": 1},
    ]


def test_agreement_and_decisions(bench: Client) -> None:
    project = begin(bench)
    say(bench, project, 1, "Mori", (1, 2, "nsubj"), (2, 0, "root"), (3, 2, "punct"))
    assert partial(bench, project) == [("2", "nsubj"), ("0", "root"), ("2", "punct")]
    say(bench, project, 1, "Sato", (1, 0, "root"), (2, 1, "obj"), (3, 2, "punct"))
    found = bench.get(f"/api/projects/{project}/agreement").json
    (pair,) = found["pairs"]
    assert pair["people"] == ["Mori", "Sato"]
    assert (pair["sentences"], pair["words"], pair["labelled"]) == (1, 3, 3)
    assert pair["uas"] == pytest.approx(100 / 3)
    assert pair["las"] == pytest.approx(100 / 3)
    # 1 of 3 labels is the same; by chance (root, punct) 2 of 9.
    assert pair["kappa"] == pytest.approx((1 / 3 - 2 / 9) / (7 / 9))
    (differ,) = found["differ"]
    assert (differ["n"], differ["words"], differ["decided"]) == (1, [1, 2], False)
    # What is contradicted is known to nobody; the rest is.
    assert partial(bench, project) == [("_", "_"), ("_", "_"), ("2", "punct")]
    path = f"/api/projects/{project}/sentences/1/answers"
    answers = bench.get(path).json
    assert [each["name"] for each in answers["said"]] == ["Mori", "Sato"]
    assert answers["state"]["heads"] == {"3": 2}
    decision = [(1, 2, "nsubj"), (2, 0, "root"), (3, 2, "punct")]
    say(bench, project, 1, "adjudicated", *decision)
    assert partial(bench, project) == [("2", "nsubj"), ("0", "root"), ("2", "punct")]
    found = bench.get(f"/api/projects/{project}/agreement").json
    assert found["differ"][0]["decided"] and len(found["pairs"]) == 1
    undo = {"who": "adjudicated", "version": 1, "undo": True}
    assert bench.post(path.removesuffix("s"), undo).status == 200
    assert partial(bench, project) == [("_", "_"), ("_", "_"), ("2", "punct")]


def test_everything_is_there_after_a_restart(bench: Client) -> None:
    project = begin(bench)
    say(bench, project, 1, "Mori", (1, 2, "nsubj"))
    say(bench, project, 1, "Sato", (2, 0, "root"))
    again = Project(bench.folder / "projects" / project)
    assert again.layers.people == ["Mori", "Sato"]
    assert again.layers.result(1)["heads"] == {"1": 2, "2": 0}
    assert again.version(1, "Sato") == 1


def test_heads_that_close_a_circle_are_not_put_together() -> None:
    one, other = {"heads": {"1": 2}, "labels": {}}, {"heads": {"2": 1}, "labels": {}}
    assert agreement_of([one, other]) == {}
    roots = [{"heads": {"1": 0, "3": 1}}, {"heads": {"2": 0, "3": 1}}]
    assert agreement_of(roots) == {"heads": {"3": 1}, "labels": {}}
    assert agreement_of([{"links": [[0, 0], [1, 1]]}, {"links": [[1, 1]]}]) == {"links": [[1, 1]]}
    assert agreement_of([{"skipped": True}, {"skipped": True}]) == {"skipped": True}
    assert disputed([one, {"heads": {"1": 3}}]) == [1]
    assert disputed([one, other]) == []


def test_linked_pairs_have_an_f1(bench: Client) -> None:
    request = {"name": "Pairs", "source": "old pine\nrain", "target": "古い 松\n雨"}
    project = bench.post("/api/projects-create", request).json["id"]
    path = f"/api/projects/{project}/sentences/0/answer"
    for who, links in (("Mori", [[0, 0], [1, 1]]), ("Sato", [[1, 1]])):
        assert bench.post(path, {"who": who, "version": 0, "links": links}).status == 200
    found = bench.get(f"/api/projects/{project}/agreement").json
    assert found["pairs"][0]["f1"] == pytest.approx(200 / 3)
    assert found["differ"][0]["words"] == [1]
    assert bench.get(f"/api/projects/{project}/files/links.pharaoh").data == b"1-1\n\n"


def test_names_are_checked(bench: Client) -> None:
    project = begin(bench)
    path = f"/api/projects/{project}/sentences/0/answer"
    said = {"version": 0, "heads": [{"word": 1, "head": 0}]}
    for who in ("a" * 41, "a\nb"):
        assert bench.post(path, {**said, "who": who}).status == 422
    assert bench.get(f"/api/projects/{project}/sentences/9/answers").status == 404


def test_a_half_annotated_file_is_gone_on_with(bench: Client) -> None:
    project = begin(bench, conllu=HALF, start=True)
    found = bench.get(f"/api/projects/{project}?who=Mori&by=tree").json
    # One sentence has its tree, one a part of it.
    assert (found["annotated"], found["answered"]) == (2, {"root": 1, "tree": 1})
    assert found["rows"][-1]["answered"] == ["root", "tree"]
    item = bench.get(f"/api/projects/{project}/sentences/1").json
    assert (item["state"]["heads"], item["state"]["labels"]) == ({"1": 2}, {"1": "amod"})
    assert {"word": 3, "forbid": [1, 2], "labels": ["root", "obl"]} in item["marks"]
    assert len(partial(bench, project)) == 5
    # What somebody says replaces the start, and undoing it brings that back.
    say(bench, project, 1, "Mori", (1, 2, "amod"), (2, 3, "nsubj"), (3, 0, "root"))
    path = f"/api/projects/{project}/sentences/1"
    assert len(bench.get(f"{path}?who=Mori").json["state"]["heads"]) == 3
    assert bench.get(f"{path}?who=Sato").json["state"]["heads"] == {"1": 2}
    undo = {"who": "Mori", "version": 1, "undo": True}
    assert bench.post(f"{path}/answer", undo).json["state"]["heads"] == {"1": 2}


def test_a_start_must_be_possible(bench: Client) -> None:
    request = {"name": "Circle", "start": True, "text": "Rain falls."}
    assert bench.post("/api/projects-create", request).status == 422
    crossed = HALF.replace("Forbid=1,2|LabelSet=root,obl", "Forbid=0,1,2")
    reply = bench.post("/api/projects-create", {"name": "C", "conllu": crossed, "start": True})
    assert reply.status == 422 and "word 3" in reply.json["error"]
    # Without `start`, a file gives its words alone.
    project = begin(bench, conllu=HALF)
    assert bench.get(f"/api/projects/{project}").json["annotated"] == 0
