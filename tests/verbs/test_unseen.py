"""Every score on sentences that a model has learned from says so, and can leave them out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import niwaki
from niwaki.analysis.tradeoff import as_page, as_text
from niwaki.cli import main
from niwaki.data.bilingual.references import Reference, write_references
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from tests.apart import put_together, taken_apart
from tests.toy import TOY, quick_model, write

NINE = 9
NOTE = "note: 9 of 33 sentences were learned by"
QUICK: dict[str, dict[str, Any]] = {
    "model": {"beam": 2},
    "tagger": {"epochs": 1, "folds": 2},
    "training": {"epochs": 1, "greedy_epochs": 1},
}


@pytest.fixture(scope="module")
def nine_path(toy: list[Sentence], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of nine sentences."""
    folder = tmp_path_factory.mktemp("nine")
    assert len(toy) == 33 and len({each.forms for each in toy}) == 33
    quick_model(folder / "nine.niwaki", write(folder / "nine.conllu", toy[:NINE]))
    return folder / "nine.niwaki"


@pytest.fixture(scope="module")
def nine(nine_path: Path) -> Pipeline:
    return load(nine_path)


@pytest.fixture(scope="module")
def old(nine_path: Path) -> Pipeline:
    """The same as it was written before hashes were kept."""
    parts = taken_apart(nine_path)
    del parts["learned.bin"], parts["designs.json"]["learned"]
    return load(put_together(nine_path.with_name("old.niwaki"), parts))


@pytest.fixture
def rest(toy: list[Sentence], tmp_path: Path) -> Path:
    return write(tmp_path / "rest.conllu", toy[NINE:])


@pytest.fixture
def references(toy: list[Sentence], tmp_path: Path) -> Path:
    found = [
        Reference(f"r{n}", each.forms, tuple(reversed(range(len(each)))))
        for n, each in enumerate(toy)
    ]
    write_references(found, tmp_path / "references.jsonl")
    return tmp_path / "references.jsonl"


@pytest.fixture
def task(references: Path) -> Path:
    path = references.with_name("task.toml")
    path.write_text(
        f'[[objective]]\nkind = "reordering"\nrules = "ja"\ndata = "{references}"\n'
        f'[[objective]]\ndata = "{TOY}"\n'
    )
    return path


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*words: object, status: int = 0) -> str:
        capsys.readouterr()
        assert main([str(word) for word in words]) == status
        found = capsys.readouterr()
        return found.err if status else found.out

    return run


# -- trees ---------------------------------------------------------------------------


def test_what_was_learned_flatters_and_is_told(nine: Pipeline, toy: list[Sentence]) -> None:
    learned, new = niwaki.evaluate(toy[:NINE], nine), niwaki.evaluate(toy[NINE:], nine)
    assert learned.scores["LAS"] > new.scores["LAS"] + 20
    assert (learned.learned, new.learned) == (9, 0)
    assert learned.to_json()["learned"] == 9 and new.to_json()["learned"] == 0
    assert niwaki.evaluate(toy, toy).learned is None
    assert "learned" not in niwaki.evaluate(toy, toy).to_json()


@pytest.mark.parametrize("metric", ["attachment", "nonprojective", "segmentation"])
def test_the_rest_is_scored_alone(nine: Pipeline, toy: list[Sentence], metric: str) -> None:
    found = niwaki.evaluate(toy, nine, metric=metric, unseen=True)
    wanted = niwaki.evaluate(toy[NINE:], nine, metric=metric)
    assert found.counts.tolist() == wanted.counts.tolist()
    assert found.learned == 0
    assert found.signature == f"{wanted.signature}|left_out=9 learned"
    assert niwaki.evaluate(toy, nine, metric=metric).learned == 9


def test_the_command_tells_and_leaves_out(
    nine_path: Path, rest: Path, said: Callable[..., str]
) -> None:
    words = ("evaluate", TOY, "-m", nine_path)
    lines = said(*words).splitlines()
    assert lines[-2].startswith(f"{NOTE} this model; scores on them say how well they are rem")
    assert lines[-2].endswith("--unseen leaves them out")
    assert lines[-1].startswith("niwaki=")
    fresh = said("evaluate", rest, "-m", nine_path).splitlines()
    assert said(*words, "--unseen").splitlines() == [
        *fresh[:-1],
        f"{fresh[-1]}|left_out=9 learned",
    ]
    assert json.loads(said(*words, "--json"))["learned"] == 9
    assert json.loads(said(*words, "--json", "--unseen"))["learned"] == 0
    assert f"\n{NOTE} this model" in said(*words, "--raw")
    assert "learned" not in json.loads(said("evaluate", TOY, TOY, "--json"))


def test_probabilities_are_judged_on_the_rest(
    tmp_path: Path, toy: list[Sentence], said: Callable[..., str]
) -> None:
    data, model = write(tmp_path / "nine.conllu", toy[:NINE]), tmp_path / "m.niwaki"
    dev = str(write(tmp_path / "dev.conllu", toy[NINE:]))
    quick_model(model, data, training={"dev": dev})
    words = ("evaluate", TOY, "-m", model, "--calibration")
    assert f"\n{NOTE} this model" in said(*words)
    assert json.loads(said(*words, "--json"))["learned"] == 9
    assert json.loads(said(*words, "--json", "--unseen"))["sentences"] == 24


def test_what_cannot_be_left_out_is_refused_in_one_line(
    nine_path: Path, old: Pipeline, toy: list[Sentence], tmp_path: Path, said: Callable[..., str]
) -> None:
    learned = write(tmp_path / "learned.conllu", toy[:NINE])
    for words, message in (
        (("evaluate", learned, "-m", nine_path), "unseen: none is left of 9, all were learned;"),
        (("evaluate", TOY, TOY), "--unseen is for -m: trees do not tell who learned them; leave"),
    ):
        told = said(*words, "--unseen", status=1)
        assert told.startswith(f"niwaki: {message}") and told.count("\n") == 1
    with pytest.raises(NiwakiError, match=r"^unseen is for models, which know what they learned"):
        niwaki.evaluate(TOY, TOY, unseen=True)
    assert niwaki.evaluate(TOY, old).learned is None
    with pytest.raises(NiwakiError, match=r"^unseen: it is not recorded what was learned from"):
        niwaki.evaluate(TOY, old, unseen=True)


def test_a_model_says_what_it_knows(
    nine_path: Path, nine: Pipeline, old: Pipeline, said: Callable[..., str]
) -> None:
    assert "\nlearned from: 9 sentences (hashes kept)\nparts\n" in said("info", nine_path)
    known = json.loads(said("info", nine_path, "--json"))["learned"]
    assert known == {"sentences": 9, "complete": True}
    old_path = nine_path.with_name("old.niwaki")
    assert "\nlearned from: not recorded\nparts\n" in said("info", old_path)
    assert json.loads(said("info", old_path, "--json"))["learned"] is None
    after = nine_path.with_name("after.niwaki")
    niwaki.train({"objective": [{"data": str(TOY)}]}, after, init=old, overrides=())
    assert "from: 33 sentences (hashes kept), and more that are not rec" in said("info", after)
    assert json.loads(said("evaluate", TOY, "-m", old_path, "--json"))["learned"] is None


def test_two_models_are_compared_on_what_neither_learned(
    nine: Pipeline, old: Pipeline, toy: list[Sentence], tmp_path: Path
) -> None:
    more = quick_model(tmp_path / "m", write(tmp_path / "more.conllu", toy[6:14]))
    assert niwaki.compare(toy, nine, more, samples=20).learned == (9, 8)
    found = niwaki.compare(toy, nine, more, samples=20, unseen=True)
    wanted = niwaki.compare(toy[14:], nine, more, samples=20)
    assert found.differences == wanted.differences and found.learned == (0, 0)
    assert "|left_out=14 learned|" in found.signature
    # Files are cut as the gold trees are; a model that does not know leaves out nothing.
    parsed = list(more.parse(toy, retag=True))
    by_file = niwaki.compare(toy, parsed, nine, samples=20, unseen=True)
    assert by_file["LAS"].a == niwaki.evaluate(toy[NINE:], parsed[NINE:]).scores["LAS"]
    assert by_file.to_json()["learned"] == [None, 0]
    assert niwaki.compare(toy, old, nine, samples=20, unseen=True).learned == (None, 0)
    with pytest.raises(NiwakiError, match="segmentations have sentences of their own"):
        niwaki.compare(toy, parsed, nine, metric="segmentation", unseen=True)
    with pytest.raises(NiwakiError, match="a sentence without a partner"):
        niwaki.compare(toy, parsed[:-1], nine, unseen=True)
    with pytest.raises(NiwakiError, match="unseen is for models"):
        niwaki.compare(toy, parsed, parsed, unseen=True)


# -- tasks ---------------------------------------------------------------------------


def test_prices_of_learned_examples(
    nine: Pipeline, nine_path: Path, model: Pipeline, task: Path, said: Callable[..., str]
) -> None:
    every = niwaki.price(task, [nine, model], samples=20)
    (name,) = every.evaluations
    assert [each.learned for each in every.evaluations[name]] == [9, 33]
    (one,) = niwaki.price(task, nine, samples=20, unseen=True).evaluations[name]
    whole = every.evaluations[name][0]
    assert one.of("cost").tolist() == whole.of("cost").tolist()[NINE:]
    assert (one.learned, one.sentences) == (0, 24) and one.signature.endswith("left_out=9 learned")
    words = ("price", task, "-m", nine_path, "--samples", 20)
    assert f"\n  note: 9 of 33 examples were learned by {nine_path};" in said(*words)
    assert json.loads(said(*words, "--json"))[name]["models"][0]["learned"] == 9
    told = json.loads(said(*words, "--json", "--unseen"))[name]
    assert told["examples"] == 24 and told["models"][0]["learned"] == 0
    with pytest.raises(NiwakiError, match="unseen: none is left of 33"):
        niwaki.price(task, [nine, model], unseen=True)


def test_a_trade_off_on_learned_sentences(
    nine: Pipeline, old: Pipeline, task: Path, toy: list[Sentence], said: Callable[..., str]
) -> None:
    found = niwaki.trade_off(toy, task, old, nine, samples=20, words=["garden"])
    (name,) = [each for each in found.overlaps if each != "treebank"]
    for each in found.overlaps.values():
        assert each.learned == (None, 9) and each.examples == 33
    assert "note: 9 of 33 sentences of the treebank were learned by after;" in as_text(found)
    assert f"note: 9 of 33 examples of {name} were learned by after;" in as_page(found)
    record = found.to_json()["overlaps"]["treebank"]
    assert record == {"examples": 33, "learned": (None, 9), "left_out": 0}
    rest = niwaki.trade_off(toy, task, old, nine, samples=20, words=["garden"], unseen=True)
    assert [each.left_out for each in rest.overlaps.values()] == [9, 9]
    assert not rest.notes and "left_out=9 learned" in rest.signature
    las = next(each for each in rest.trees if each.metric == "LAS")
    assert las.b == niwaki.evaluate(toy[NINE:], nine).scores["LAS"]
    (cost,) = rest.costs
    (evaluation,) = niwaki.price(task, nine, samples=20, unseen=True).evaluations[name]
    assert cost.b == pytest.approx(evaluation.scores["cost"])
    assert [each.sentences for each in rest.imperatives] == [24, 24]


def test_word_orders_of_learned_sentences(
    nine: Pipeline,
    nine_path: Path,
    references: Path,
    toy: list[Sentence],
    tmp_path: Path,
    said: Callable[..., str],
) -> None:
    orders = tmp_path / "orders.txt"
    orders.write_text("".join(" ".join(map(str, range(len(each)))) + "\n" for each in toy))
    ratings = tmp_path / "ratings.txt"
    ratings.write_text("".join(f"{n}\n" for n in range(len(toy))))
    files = {"orders": [orders], "ratings": ratings, "other_references": references, "gold": TOY}
    options: dict[str, Any] = {"samples": 20, "analysis": True, **files}
    found = niwaki.evaluate_reordering(references, [("nine", nine)], **options)
    assert [record.get("learned") for record in found.records] == [9, None]
    assert f"\n{NOTE} nine + ja; " in found.to_text()
    assert "9 of 33 sentences were learned" in found.to_html("Orders")
    rest = niwaki.evaluate_reordering(references, [("nine", nine)], **options, unseen=True)
    assert [record["sentences"] for record in rest.records] == [24, 24]
    for one, other in zip(rest.systems, found.systems, strict=True):
        assert one.evaluation.of("frs").tolist() == other.evaluation.of("frs").tolist()[NINE:]
    assert rest.records[0]["learned"] == 0 and not rest.notes
    assert rest.analysis is not None
    assert not {each.reference.id for each in rest.analysis.worst} & {f"r{n}" for n in range(9)}
    words = ("evaluate-reordering", references, "-m", nine_path, "--beam", 1, "--beam", 2)
    told = json.loads(said(*words, "--samples", 20, "--json", "--unseen"))
    assert [each["system"] for each in told["systems"]] == ["nine beam 1 + ja", "nine beam 2 + ja"]
    assert {each["sentences"] for each in told["systems"]} == {24}
    assert f"\n{NOTE} nine beam 1 + ja, 9 by nine beam 2 + ja;" in said(*words, "--samples", 20)


def test_first_mistakes_on_learned_sentences(
    nine: Pipeline, nine_path: Path, toy: list[Sentence], said: Callable[..., str]
) -> None:
    projective = [each for each in toy if each.tree.is_projective]
    links = [each.replace(misc=["_"] * len(each)) for each in projective]
    found = niwaki.analyze_bilingual(links, None, nine)
    assert found.to_json()["learned"] == 9
    assert found.to_text().endswith("--unseen leaves them out\n")
    rest = niwaki.analyze_bilingual(links, None, nine, unseen=True)
    assert rest.decisions.sentences == len(links) - NINE and rest.to_json()["learned"] == 0
    assert "learned" not in niwaki.analyze_bilingual(links).to_json()
    with pytest.raises(NiwakiError, match="unseen is for models"):
        niwaki.analyze_bilingual(links, unseen=True)


# -- trees that no person drew -------------------------------------------------------


def test_trees_of_teachers_are_learned(
    toy: list[Sentence], tmp_path: Path, said: Callable[..., str]
) -> None:
    nine, silver = (
        str(write(tmp_path / name, found))
        for name, found in (("nine.conllu", toy[:NINE]), ("silver.conllu", toy[NINE:12]))
    )
    config = {"objective": [{"data": nine}], **QUICK}
    options: dict[str, Any] = {"teacher_trees": [[silver]], "test": [str(TOY)], "threads": 1}
    found = niwaki.uptrain(config, tmp_path / "m.niwaki", sizes=[0, 3], **options)
    assert found.gains is not None
    assert [row.learned for row in found.gains.rows] == [9, 12]
    assert "note: 9 of 33 sentences of toy were learned by 0 trees, 12 by 3 trees;" in (
        found.gains.to_text()
    )
    assert [each["learned"] for each in found.gains.to_json()] == [9, 12]
    rest = niwaki.uptrain(config, tmp_path / "m.niwaki", sizes=[0, 3], unseen=True, **options)
    assert rest.gains is not None
    assert [(row.sentences, row.learned) for row in rest.gains.rows] == [(21, 0), (21, 0)]
    words = ("uptrain", "c.toml", "--teacher-trees", silver, "-o", tmp_path / "n", "--unseen")
    assert said(*words, status=1) == (
        "niwaki: --unseen is for scores on a --test; give one, or leave it out\n"
    )


def test_own_trees_are_learned(
    nine: Pipeline, toy: list[Sentence], references: Path, tmp_path: Path
) -> None:
    data = str(write(tmp_path / "nine.conllu", toy[:NINE]))
    cost = {"kind": "reordering", "rules": "ja", "data": str(references)}
    config = {"objective": [{"data": data}, cost], **QUICK}
    found = niwaki.self_train(
        config, nine, tmp_path / "m.niwaki", n=2, max_cost=float("inf"), threads=1
    )
    assert found.model.learned is not None and found.model.learned.complete
    assert found.model.learned.knows(toy).all()
