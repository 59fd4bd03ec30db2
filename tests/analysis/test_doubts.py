"""What a parser is least certain of, from probabilities that are given or made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import niwaki
from niwaki.analysis.doubts import KINDS, least_certain
from niwaki.data.sentence import Sentence
from tests.toy import TOY, write
from tests.toy import niwaki as command


def sentence(name: str, forms: str, arcs: list[float], tags: list[float]) -> Sentence:
    words = forms.split()
    return Sentence.from_words(
        words,
        comments=[f"sent_id = {name}"] if name else [],
        upos=["X"] * len(words),
        heads=[0, *[1] * (len(words) - 1)],
        deprels=["root", *["dep"] * (len(words) - 1)],
        misc=[f"TagProb={t}|ArcProb={a}|LabelProb=1" for a, t in zip(arcs, tags, strict=True)],
    )


ONE = sentence("one", "Snow fell .", [0.9, 0.6, 0.9], [0.5, 0.9, 1])
TWO = sentence("two", "a b c d e f g h i j k", [*[0.85] * 10, 0.2], [1] * 11)
BOTH = [ONE, TWO]


def test_the_least_certain_come_first() -> None:
    found = least_certain(BOTH, 2)
    assert found.counts == {"sentences": 2, "arcs": 14, "labels": 14, "tags": 14}
    assert [(x.place, x.word, x.probability) for x in found["arcs"]] == [
        ("two", 11, 0.2),
        ("one", 2, 0.6),
    ]
    assert [(x.place, x.word) for x in found["tags"]] == [("one", 1), ("one", 2)]
    # Of equal ones, those that stand earlier.
    assert [(x.place, x.word) for x in found["labels"]] == [("one", 1), ("one", 2)]


def test_a_sentence_is_as_certain_as_its_arcs_on_average() -> None:
    first, second = least_certain(BOTH, 2, ["sentences"])["sentences"]
    assert (first.place, second.place) == ("two", "one")
    assert second.probability == pytest.approx(0.8)
    assert second.answer == "0.6 of 3 arcs expected wrong"


def test_as_text() -> None:
    assert least_certain(BOTH, 1, ["arcs", "tags"]).to_text() == (
        "arcs: 1 least certain of 14\n"
        "0.2000  two  11 k <- 1 a  … g h i j [k]\n"
        "\n"
        "tags: 1 least certain of 14\n"
        "0.5000  one  1 Snow is X  [Snow] fell .\n"
    )
    assert "one  1 Snow <- root" in least_certain([ONE], 3, ["arcs"]).to_text()
    assert least_certain([], 3, ["arcs"]).to_text() == "arcs: 0 least certain of 0\n"


def test_a_place_without_an_id_is_file_and_line() -> None:
    (found,) = least_certain([sentence("", "a", [0.5], [0.5])], 1, ["sentences"])["sentences"]
    assert found.place == "<memory>:1"


def test_as_json() -> None:
    record = least_certain(BOTH, 1).to_json()
    assert set(record) == set(KINDS)
    (arc,) = record["arcs"]["doubts"]
    assert arc["word"] == 11 and arc["form"] == "k" and arc["head"] == 1 and arc["id"] == "two"
    assert "word" not in record["sentences"]["doubts"][0]
    assert record["arcs"]["of"] == 14


def test_nothing_is_lost_among_many() -> None:
    """More than are kept at once."""
    many = [sentence(str(n), "a", [(n * 37 % 5000 + 1) / 5001], [1]) for n in range(5000)]
    found = least_certain(many, 3, ["arcs"])
    assert [x.probability for x in found["arcs"]] == pytest.approx(
        [1 / 5001, 2 / 5001, 3 / 5001], abs=1e-9
    )
    assert found.counts["arcs"] == 5000


def test_what_has_no_probability_is_left_out() -> None:
    bare = Sentence.from_words(["a", "b"], heads=[0, 1], misc=["_", "ArcProb=0.4"])
    found = least_certain([bare], 5)
    assert [x.word for x in found["arcs"]] == [2]
    assert found.counts == {"sentences": 1, "arcs": 1, "labels": 0, "tags": 0}


# -- the verb and the command ---------------------------------------------------------------


def test_probabilities_of_a_file_are_taken_unless_a_model_is_given(
    tmp_path: Path,
) -> None:
    known = write(tmp_path / "known.conllu", BOTH)
    assert niwaki.doubts(known)["arcs"][0].probability == 0.2
    assert niwaki.doubts(BOTH, of="arcs")["arcs"][0].probability == 0.2
    parsed = list(niwaki.parse(BOTH, "en", probabilities=True))
    again = niwaki.doubts(known, "en")
    assert again.to_json()["arcs"]["doubts"][0]["probability"] == min(
        token.prob or 1.0 for each in parsed for token in each
    )


def test_what_has_none_is_parsed() -> None:
    found = niwaki.doubts(TOY, "en", first=2, of=["sentences", "tags"])
    assert set(found.found) == {"sentences", "tags"}
    assert found.counts == {"sentences": 33, "tags": 236}


def test_what_cannot_be_asked_for() -> None:
    with pytest.raises(niwaki.NiwakiError, match="no doubts of 'arc'; did you mean 'arcs'"):
        niwaki.doubts(BOTH, of=["arc"])
    with pytest.raises(niwaki.NiwakiError, match="first is 0; give at least 1"):
        niwaki.doubts(BOTH, first=0)


def test_the_command(tmp_path: Path) -> None:
    known = write(tmp_path / "known.conllu", BOTH)
    out = tmp_path / "doubts.json"
    done = command("doubts", known, "--first", "1", "--of", "arcs", "--json", "-o", out)
    assert done.returncode == 0, done.stderr
    assert json.loads(out.read_text())["arcs"]["doubts"][0]["form"] == "k"
    refused = command("doubts", known, "--of", "arc")
    assert refused.returncode == 2 and "arcs" in refused.stderr
