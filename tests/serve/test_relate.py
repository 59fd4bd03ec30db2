"""Relations over HTTP: what the library finds, with the paths that it looked at."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.conllu import read_conllu
from niwaki.data.connectives import documents
from niwaki.data.roles import predicates_of
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, ModelError
from niwaki.serve import registry as registering
from niwaki.serve.registry import Registry
from niwaki.serve.work.relating import relate
from niwaki.tasks.connectives.candidates import DocumentView, TreeView, candidates
from niwaki.tasks.trees import path_between
from niwaki.verbs.connecting import connectives
from niwaki.verbs.labelling import facts
from tests.serve.conftest import Client, running
from tests.serve.related import plain_story

STORY = plain_story(3)
NAMES = {"connectives": "stories", "roles": "stories"}
MakeRegistry = Callable[[], Registry]


def related(bench: Client, **given: Any) -> list[Any]:
    reply = bench.post("/api/relate", {**NAMES, **given})
    assert reply.status == 200, reply.data
    return list(reply.json["sentences"])


def read(conllu: str) -> list[Sentence]:
    return list(read_conllu(io.BytesIO(conllu.encode())))


def steps(path: list[Any]) -> tuple[str, ...]:
    """A path as rankers write it."""
    ends = {"up": "^", "down": "v"}
    return tuple(
        step["relation"] + ends[step["way"]] if step["way"] in ends else "SENT" for step in path
    )


# -- what is found -------------------------------------------------------------------------


def test_connectives_and_their_arguments(bench: Client) -> None:
    _, second, third = related(bench, conllu=STORY)
    (joined,) = second["connectives"]
    assert (joined["text"], joined["words"]) == ("and", [4])
    assert [each["text"] for each in joined["arguments"]] == [
        "Ono paints lanterns",
        "plants bridges",
    ]
    (looks_back,) = third["connectives"]
    first, other = looks_back["arguments"]
    assert (first["role"], first["sentence"], first["head"]) == ("Arg1", 1, 2)
    assert first["words"] == [1, 2, 3, 4, 5, 6]
    assert first["path"] == [
        {"sentence": 2, "word": 1, "relation": "advmod", "way": "up"},
        {"sentence": 1, "word": 2, "relation": "root", "way": "before"},
    ]
    assert (other["role"], other["sentence"], other["text"]) == ("Arg2", 2, "Abe sweeps")


def test_predicates_and_their_roles(bench: Client) -> None:
    _, second, _ = related(bench, conllu=STORY)
    one, other = second["predicates"]
    assert (one["predicate"], one["roleset"]) == ("paints", "paints.01")
    assert [(each["role"], each["text"]) for each in other["roles"]] == [
        ("ARG0", "Ono"),
        ("ARG1", "bridges"),
    ]
    assert other["roles"][0]["path"] == [
        {"sentence": 1, "word": 1, "relation": "nsubj", "way": "up"},
        {"sentence": 1, "word": 5, "relation": "conj", "way": "down"},
    ]


def test_it_is_what_the_library_finds(bench: Client, make_registry: MakeRegistry) -> None:
    text = STORY + plain_story(8)
    found = related(bench, conllu=text)
    registry = make_registry()
    joined = list(connectives(io.BytesIO(text.encode()), registry.connectives["stories"]))
    marked = read("".join(each["conllu"] for each in found))
    assert [d.connectives for d in documents(marked)] == [d.connectives for d in documents(joined)]
    told = list(facts(io.BytesIO(text.encode()), registry.roles["stories"]))
    assert told == [
        {**fact, "roles": [{k: role[k] for k in role if k != "path"} for role in fact["roles"]]}
        for each in found
        for fact in each["predicates"]
    ]
    assert [bool(predicates_of(each)) for each in marked] == [True] * 6


def test_paths_are_those_that_decided(bench: Client) -> None:
    found = related(bench, conllu=STORY)
    marked = read("".join(each["conllu"] for each in found))
    (document,) = documents(marked)
    view = DocumentView(document)
    shown = [each for sentence in found for each in sentence["connectives"]]
    for connective, record in zip(document.connectives, shown, strict=True):
        for number, argument in enumerate(record["arguments"]):
            place = (argument["sentence"], argument["head"])
            (wanted,) = (c for c in candidates(view, connective, number) if c.place == place)
            assert steps(argument["path"]) == wanted.path
    for sentence, record in zip(marked, found, strict=True):
        for fact in record["predicates"]:
            for role in fact["roles"]:
                wanted_path = path_between(TreeView(sentence), role["head"], fact["word"])
                assert steps(role["path"]) == wanted_path


def test_an_argument_has_neither_the_other_nor_the_connective(bench: Client) -> None:
    """ "If it rains , then moss grows ." with a connective of two words that stand apart."""
    words = "If it rains , then moss grows .".split()
    heads, labels = [3, 3, 7, 3, 7, 7, 0, 7], "mark nsubj advcl punct advmod nsubj root punct"
    sentence = Sentence.from_words(
        words,
        upos="SCONJ PRON VERB PUNCT ADV NOUN VERB PUNCT".split(),
        heads=heads,
        deprels=labels.split(),
        misc=["Connective=1,5", *["_"] * 7],
    )
    (found,) = related(bench, conllu=str(sentence))
    (connective,) = found["connectives"]
    assert connective["words"] == [1, 5]
    covered = {each["head"]: each["words"] for each in connective["arguments"]}
    assert covered == {3: [2, 3], 7: [6, 7]}


def test_marks_that_are_given_are_kept(bench: Client) -> None:
    """A list whose "and" is no connective, and a verb that would be a predicate, told otherwise."""
    first = STORY.split("\n\n")[0]
    marked = first.replace("CCONJ\t_\t_\t5\tcc\t_\t_", "CCONJ\t_\t_\t5\tcc\t_\tConnective=4")
    assert marked != first
    (found,) = related(bench, conllu=marked + "\n\n")
    assert [each["words"] for each in found["connectives"]] == [[4]]
    marked = first.replace("root\t_\t_", "root\t_\tRoleset=rakes.01")
    (found,) = related(bench, conllu=marked + "\n\n")
    assert [each["roleset"] for each in found["predicates"]] == ["rakes.01"]


def test_text_is_parsed_and_trees_are_kept_unless_told_otherwise(bench: Client) -> None:
    text = "The gardener shapes old pines. Rain falls."
    parsed = bench.post("/api/parse", {"text": text}).json["sentences"]
    found = related(bench, text=text)
    for key in ("tokens", "upos", "heads", "deprels"):
        assert [each[key] for each in found] == [each[key] for each in parsed]
    flat = Sentence.from_words(
        ["Rain", "falls", "."],
        upos=["NOUN", "VERB", "PUNCT"],
        heads=[0, 1, 1],
        deprels=["root", "dep", "punct"],
    )
    assert related(bench, conllu=str(flat))[0]["heads"] == [0, 1, 1]
    assert related(bench, conllu=str(flat), reparse=True)[0]["heads"] == parsed[1]["heads"]


def test_an_empty_text_has_no_relations(bench: Client) -> None:
    assert related(bench, text=" ") == []


# -- what is refused -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"conllu": STORY, "connectives": "other"}, 404, "no model of connectives 'other'"),
        ({"conllu": STORY, "roles": "other"}, 404, "no labeller of roles 'other'"),
        ({"conllu": STORY, "roles": "../roles.niwaki"}, 422, "roles: found"),
        ({"conllu": STORY, "text": "Rain falls."}, 422, "give exactly one of"),
        ({"tokens": [["a"] * 1000] * 21}, 413, "more than 20000 words"),
        (
            {"conllu": STORY.replace("cc\t_\t_", "cc\t_\tConnective=9")},
            422,
            "Connective='9' of word 4",
        ),
        (
            {"conllu": STORY.replace("root\t_\t_", "root\t_\tRoleset=fly.09")},
            422,
            "sentence 1, word 2: the labeller does not know the roleset fly.09",
        ),
    ],
)
def test_what_is_wrong_is_said(
    bench: Client, body: dict[str, Any], status: int, message: str
) -> None:
    reply = bench.post("/api/relate", {**NAMES, **body})
    assert reply.status == status
    assert message in reply.json["error"]
    assert "\n" not in reply.json["error"]


def test_without_a_model_there_is_advice(make_registry: MakeRegistry, tmp_path: Path) -> None:
    registry = make_registry()
    registry.connectives.clear()
    with running(registry, tmp_path / "one") as client:
        found = client.get("/api/relations").json
        assert found["connectives"] == [] and list(found["missing"]) == ["connectives"]
        reply = client.post("/api/relate", {"conllu": STORY, "roles": "stories"})
        first, *_ = reply.json["sentences"]
        assert first["connectives"] is None and first["predicates"]
        reply = client.post("/api/relate", {"conllu": STORY, **NAMES})
        assert (reply.status, reply.json["error"]) == (404, found["missing"]["connectives"])
    registry.roles.clear()
    with running(registry, tmp_path / "none") as client:
        reply = client.post("/api/relate", {"conllu": STORY})
        assert reply.status == 404
        for part in ("niwaki train-connectives", "serve --connectives", "serve --roles"):
            assert part in reply.json["error"]


# -- what is registered --------------------------------------------------------------------


def test_names_are_registered(bench: Client) -> None:
    found = bench.get("/api/relations").json
    assert found["connectives"] == ["stories"] and "stories" in found["roles"]
    assert found["missing"] == {}


def test_only_models_of_their_kind_are_registered(make_registry: MakeRegistry) -> None:
    registry = make_registry()
    made = registry.connectives["stories"], registry.roles["stories"]
    with pytest.raises(ModelError, match="no model of connectives"):
        registry.add_connectives("wrong", made[1])
    with pytest.raises(ModelError, match="no labeller of roles"):
        registry.add_roles("wrong", made[0])
    with pytest.raises(ConfigError, match="two things are called 'stories'"):
        registry.add_roles("stories", made[1])


def test_a_labeller_in_the_box_is_registered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(registering, "labeller_names", lambda: ["en-roles"])
    monkeypatch.setattr(registering, "find_labeller", lambda name: tmp_path / name)
    assert Registry().roles == {}
    (tmp_path / "en-roles").touch()
    assert Registry().roles == {"en-roles": str(tmp_path / "en-roles")}


def test_each_kind_is_looked_for_only_if_it_is_named(
    make_registry: MakeRegistry, model_path: Path
) -> None:
    limits = {"sentence_words": 1_000, "request_words": 20_000}
    given = {"conllu": STORY.replace("root\t_\t_", "root\t_\tRoleset=fly.09")}
    (first, *_) = relate(str(model_path), given, limits)["sentences"]
    assert first["connectives"] is None and first["predicates"] is None
    path = make_registry().connectives["stories"]
    (_, second, _) = relate(str(model_path), given, limits, connectives=path)["sentences"]
    assert second["connectives"] and second["predicates"] is None
    assert "Roleset=fly.09" in second["conllu"]
