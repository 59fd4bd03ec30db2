"""The API says what the library says."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.bilingual.references import Reference, read_references
from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.metrics.reordering import evaluate_orders
from niwaki.pipeline.pipeline import Pipeline
from niwaki.serve.registry import Registry, named
from niwaki.serve.work.ordering import chunks
from niwaki.tasks.reorder.reorderer import Reorderer
from niwaki.tasks.reorder.rulefile import load_rules, rule_set_names
from niwaki.verbs.aligning import align
from tests.conftest import ROOT
from tests.serve.conftest import Client

WORDS = [["The", "gardener", "shapes", "old", "pines", "."], ["Rain", "falls", "."]]


def sentences() -> list[Sentence]:
    return [Sentence.from_words(words) for words in WORDS]


def test_parse(bench: Client, model: Pipeline) -> None:
    found = bench.post("/api/parse", {"tokens": WORDS}).json["sentences"]
    assert len(found) == len(WORDS)
    for record, parsed in zip(found, model.parse(sentences()), strict=True):
        assert record["tokens"] == list(parsed.forms)
        assert record["upos"] == list(parsed.upos)
        assert record["heads"] == list(parsed.heads)
        assert record["deprels"] == list(parsed.deprels)


def test_parse_as_conllu_is_what_the_library_writes(bench: Client, model: Pipeline) -> None:
    reply = bench.post("/api/parse", {"tokens": WORDS, "to": "conllu", "beam": 1})
    assert reply.headers["content-type"].startswith("text/plain")
    wanted = b"".join(each.source for each in model.parse(sentences(), beam=1))
    assert reply.data == wanted


def test_text_without_a_segmenter_is_refused_in_words(bench: Client) -> None:
    reply = bench.post("/api/parse", {"text": "Rain falls."})
    # The toy model has one; lines and text differ.
    assert reply.status == 200
    lines = bench.post("/api/parse", {"lines": "Rain falls.\nSnow falls."}).json["sentences"]
    assert len(lines) == 2


def test_an_empty_text_has_no_sentences(bench: Client) -> None:
    for kind in ("text", "lines", "conllu"):
        assert bench.post("/api/parse", {kind: " \n"}).json == {"sentences": []}
    assert bench.post("/api/parse", {"tokens": []}).json == {"sentences": []}


def test_tags_that_are_given_stay(bench: Client) -> None:
    conllu = "1\tRain\t_\tVERB\t_\t_\t_\t_\t_\t_\n2\tfalls\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n"
    (kept,) = bench.post("/api/parse", {"conllu": conllu}).json["sentences"]
    assert kept["upos"] == ["VERB", "NOUN"]
    (made,) = bench.post("/api/parse", {"conllu": conllu, "retag": True}).json["sentences"]
    assert made["upos"] != ["VERB", "NOUN"]


def test_kbest(bench: Client, model: Pipeline) -> None:
    (record,) = bench.post("/api/kbest", {"tokens": WORDS[:1], "k": 4}).json["sentences"]
    wanted = model.kbest(sentences()[0], 4)
    assert [tuple(each["heads"]) for each in record["parses"]] == [t.heads for t in wanted.trees]
    assert [each["probability"] for each in record["parses"]] == pytest.approx(wanted.probabilities)
    text = bench.post("/api/kbest", {"tokens": WORDS[:1], "k": 4, "to": "conllu"}).data
    again = list(read_conllu(io.BytesIO(text)))
    assert [each.tree for each in again] == list(wanted.trees)


def test_constraints_are_obeyed(bench: Client, model: Pipeline) -> None:
    known = [[{"word": 1, "head": 0}, {"word": 3, "forbid": [1]}], []]
    request = {"tokens": WORDS, "constraints": known}
    first, second = bench.post("/api/parse", request).json["sentences"]
    said = Constraints.make(6, root=1, forbidden={3: [1]})
    best = model.kbest(sentences()[0], 1, constraints=said).trees[0]
    assert (first["heads"], first["deprels"]) == (list(best.heads), list(best.deprels))
    assert second["heads"] == list(next(iter(model.parse(sentences()[1:]))).heads)
    trees = bench.post("/api/kbest", {**request, "k": 5}).json["sentences"][0]["parses"]
    assert len(trees) > 1
    assert all(each["heads"][0] == 0 and each["heads"][2] != 1 for each in trees)


def test_contradictions_are_named(bench: Client) -> None:
    known = [[{"word": 1, "head": 0}, {"word": 2, "head": 0}]]
    reply = bench.post("/api/parse", {"tokens": WORDS[:1], "constraints": known})
    assert reply.status == 422
    assert "word 1 is the root; word 2 is the root" in reply.json["error"]
    for wrong in ([], [[{"word": 99}]], [[{"word": 1, "head": 7}]], [[], []]):
        reply = bench.post("/api/parse", {"tokens": WORDS[:1], "constraints": wrong})
        assert reply.status == 422 or wrong == [[{"word": 99}]]


def test_a_sentence_can_be_asked_about_again(bench: Client) -> None:
    (first,) = bench.post("/api/parse", {"text": "Don't touch the roots!"}).json["sentences"]
    (again,) = bench.post("/api/parse", {"conllu": first["conllu"]}).json["sentences"]
    assert {k: v for k, v in again.items() if k != "conllu"} == {
        k: v for k, v in first.items() if k != "conllu"
    }


def test_align(bench: Client) -> None:
    pairs = [("a pine", "松"), ("a pond", "池"), ("the pine", "松"), ("the pond", "池")]
    split = [(source.split(), target.split()) for source, target in pairs]
    request = {"pairs": [{"source": s, "target": t} for s, t in split], "probabilities": True}
    found = bench.post("/api/align", request).json["pairs"]
    assert [each["pharaoh"] for each in found] == [str(each) for each in align(split)]
    assert all(0 < p <= 1 for each in found for _, _, p in each["probabilities"])


@pytest.mark.parametrize("rules", ["ja", "none", "reverse"])
def test_reorder(bench: Client, model: Pipeline, rules: str) -> None:
    found = bench.post("/api/reorder", {"tokens": WORDS, "rules": rules}).json["sentences"]
    wanted = list(Reorderer(load_rules(rules)).reorder(model.parse(sentences())))
    assert [each["order"] for each in found] == [list(each.order) for each in wanted]
    assert [each["reordered"] for each in found] == [list(each.tokens) for each in wanted]
    for record, one in zip(found, wanted, strict=True):
        assert [m["rule"] for m in record["moves"]] == [m.rule.name for m in one.moves()]


def test_edited_rules(bench: Client) -> None:
    text = bench.get("/api/rules/ja").json["text"]
    own = bench.post("/api/reorder", {"tokens": WORDS, "rules_text": text}).json["sentences"]
    assert own == bench.post("/api/reorder", {"tokens": WORDS, "rules": "ja"}).json["sentences"]
    reply = bench.post(
        "/api/rules-check", {"text": text.replace('upos = ["VERB"', 'upos = ["VREB"')}
    )
    assert reply.status == 422
    assert reply.json["error"].startswith("rules:") and "VERB" in reply.json["error"]
    gives = re.search(r'^gives = "(.+)"$', text, re.MULTILINE)
    assert gives is not None
    other = text.replace(gives[0], f'gives = "{" ".join(reversed(gives[1].split()))}"')
    shown = bench.post("/api/rules-check", {"text": other}).json["examples"]
    assert sum(not each["right"] for each in shown) == 1
    reply = bench.post("/api/rules-save", {"id": "mine", "text": other})
    assert reply.status == 422 and "correct the rules or the example" in reply.json["error"]
    saved = bench.post("/api/rules-save", {"id": "mine", "text": text})
    assert saved.status == 200
    assert (bench.folder / "rules" / "mine.toml").read_text(encoding="utf-8") == text
    assert bench.get("/api/rules/mine").json["text"] == text
    assert bench.post("/api/rules-save", {"id": "ja", "text": text}).status == 409
    assert bench.post("/api/rules-save", {"id": "../x", "text": text}).status == 422
    assert {each["id"] for each in bench.get("/api/rules").json} >= {"mine", *rule_set_names()}


def test_the_examples_of_every_set_come_out_right(bench: Client) -> None:
    found = {name: bench.get(f"/api/rules/{name}").json["examples"] for name in rule_set_names()}
    assert found["ja"]
    wrong = [(name, each) for name, all_ in found.items() for each in all_ if not each["right"]]
    assert wrong == []


def test_scores_against_references(bench: Client, references_file: Path) -> None:
    page = bench.get("/api/references/pairs?start=0&count=2").json
    assert page["total"] == 3 and len(page["references"]) == 2
    kept = ("id", "order", "groups", "linked")
    rows = [{k: r[k] for k in kept if r[k] is not None} for r in page["references"]]
    tokens = [each["tokens"] for each in page["references"]]
    found = bench.post("/api/reorder", {"tokens": tokens, "references": rows}).json["sentences"]
    wanted = list(read_references(references_file))[:2]
    scores = evaluate_orders(wanted, [each["order"] for each in found])
    for number, record in enumerate(found):
        got = record["reference"]
        assert got["scores"]["frs_linked"] == scores.of("frs_linked")[number]
        assert len(got["chunks"]) == scores.of("chunks_linked")[number]
    bad = [{"order": [0, 0]}, rows[1]]
    assert bench.post("/api/reorder", {"tokens": tokens, "references": bad}).status == 422
    assert bench.post("/api/reorder", {"tokens": tokens, "references": rows[:1]}).status == 422


@st.composite
def scored_orders(draw: Any) -> tuple[Reference, list[int]]:
    size = draw(st.integers(1, 7))
    positions = list(range(size))
    order = draw(st.permutations(positions))
    linked = draw(st.none() | st.sets(st.sampled_from(positions)).map(sorted))
    members = draw(st.sets(st.sampled_from(positions)).map(sorted))
    cut = draw(st.integers(0, len(members)))
    groups = tuple(tuple(group) for group in (members[:cut], members[cut:]) if group)
    reference = Reference(
        "x",
        tuple(map(str, positions)),
        tuple(order),
        groups,
        None if linked is None else tuple(linked),
    )
    return reference, draw(st.permutations(positions))


@given(scored_orders())
def test_chunks_are_those_that_are_counted(case: tuple[Reference, list[int]]) -> None:
    reference, order = case
    found = chunks(reference, order)
    scores = evaluate_orders([reference], [order]).scores
    assert len(found) == scores["chunks_linked"]
    everything = range(len(order)) if reference.linked is None else reference.linked
    assert sorted(position for run in found for position in run) == sorted(everything)


def test_lists_of_what_is_registered(bench: Client, model: Pipeline) -> None:
    (card,) = [each for each in bench.get("/api/models").json if each["id"] == "en"]
    assert (card["kind"], card["options"]) == ("transition", ["beam"])
    assert card["facts"] == model.parser.facts
    assert card["labels"] == model.parser.label_names
    assert set(card["upos"]) == set(model.tagger.upos.names)  # type: ignore[union-attr]
    corpora = {each["id"]: each for each in bench.get("/api/corpora").json}
    assert corpora["toy"]["sentences"] == 33
    assert corpora["pairs"]["kind"] == "references"
    assert str(Path.home()) not in json.dumps([card, corpora])


def test_the_examples_with_curl(bench: Client) -> None:
    if shutil.which("curl") is None:
        pytest.skip("curl is missing")
    command = ["sh", str(ROOT / "examples" / "serve.sh"), bench.url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("# ") >= 7
    assert "did you mean 'text'?" in done.stdout


def test_what_is_registered_must_be_there(tmp_path: Path) -> None:
    registry = Registry()
    for add in (
        lambda: registry.add_model("x", str(tmp_path / "none.niwaki")),
        lambda: registry.add_corpus("x", "trees", [str(tmp_path / "none.conllu")]),
        lambda: registry.add_model("a/b", "en"),
    ):
        with pytest.raises(ConfigError):
            add()
    registry.add_model("en", "en")
    with pytest.raises(ConfigError, match="NAME=PATH"):
        registry.add_model("en", "en")
    assert named("dev=data/x.conllu") == ("dev", "data/x.conllu")
    assert named("data/x y.conllu.gz") == ("x-y", "data/x y.conllu.gz")
    assert named("a.en,a.ja") == ("a", "a.en,a.ja")
