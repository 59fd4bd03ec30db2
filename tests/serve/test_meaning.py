"""Meanings over HTTP: the expression of the tree that is shown, and its parts to be drawn."""

from __future__ import annotations

import io
from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.draw.expressions import outline
from niwaki.serve.work.expressing import shown_meanings
from niwaki.verbs.expressing import meaning
from tests.meant import CHIRPY, CHIRPY_EXPRESSION, CHIRPY_HEADS, CHIRPY_LABELS
from tests.serve.conftest import Client

TEXT = "The gardener shapes old pines. Two herons stand in the water. Rain falls."


def parsed(bench: Client, **given: Any) -> list[Any]:
    reply = bench.post("/api/parse", {"meaning": True, **given})
    assert reply.status == 200, reply.data
    return list(reply.json["sentences"])


def drawn(record: Any) -> list[str]:
    """Each part as `niwaki meaning --to tree` writes it, without the branches before it."""
    return [f"{part['how']} {part['name']}".strip() for part in record["parts"]]


def test_it_is_what_the_library_says(bench: Client) -> None:
    found = [each["meaning"] for each in parsed(bench, text=TEXT)]
    trees = bench.post("/api/parse", {"text": TEXT, "to": "conllu"}).data
    wanted = list(meaning(io.BytesIO(trees)))
    assert len(found) == 3
    for record, each in zip(found, wanted, strict=True):
        assert record["expression"] == str(each)
        assert drawn(record) == [x.lstrip("├╰│─ ") for x in outline(each).splitlines()[1:]]


def test_parts_come_after_what_they_are_part_of(bench: Client) -> None:
    (found,) = parsed(bench, text="The gardener shapes old pines.")
    parts = found["meaning"]["parts"]
    assert parts[0]["of"] is None and parts[0]["how"] == ""
    assert all(0 <= part["of"] < at for at, part in enumerate(parts[1:], start=1))
    words = {part["word"]: part["name"] for part in parts if part["word"]}
    assert words == {word: found["tokens"][word - 1] for word in words} and len(words) == 5


def test_it_follows_what_is_known_of_a_tree(bench: Client) -> None:
    (free,) = parsed(bench, text="Rain falls.")
    said = [[{"word": 1, "head": 0}]]
    (known,) = parsed(bench, conllu=free["conllu"], constraints=said)
    assert known["heads"][0] == 0
    assert known["meaning"]["parts"] != free["meaning"]["parts"]


def test_it_is_there_only_if_it_is_asked_for(bench: Client) -> None:
    (plain,) = bench.post("/api/parse", {"text": "Rain falls."}).json["sentences"]
    (found,) = parsed(bench, text="Rain falls.")
    assert "meaning" not in plain
    assert {key: found[key] for key in plain} == plain


def test_formal_labels_are_decoded_and_their_faults_counted() -> None:
    labels = list(CHIRPY_LABELS)
    tree = {"heads": CHIRPY_HEADS, "deprels": labels}
    (found,) = shown_meanings([Sentence.from_words(CHIRPY.split(), **tree)])
    assert (found["expression"], found["repairs"]) == (CHIRPY_EXPRESSION, 0)
    labels[8] = "-*1"  # two things at one place
    (found,) = shown_meanings([Sentence.from_words(CHIRPY.split(), **tree)])
    assert found["repairs"] == 1


def test_nothing_is_said_by_punctuation_and_what_rules_do_not_cover_is_marked() -> None:
    dots = Sentence.from_words([".", "."], heads=[0, 1], deprels=["root", "punct"])
    stop = Sentence.from_words(["."], upos=["PUNCT"], heads=[0], deprels=["punct"])
    odd = Sentence.from_words(["moss", "oh"], heads=[0, 1], deprels=["root", "no-such-label"])
    one, none, other = shown_meanings([dots, stop, odd])
    assert one["expression"] and one["covered"]
    assert (none["expression"], none["parts"], none["covered"]) == ("", [], True)
    assert "%" in other["expression"] and not other["covered"]
