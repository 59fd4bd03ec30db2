"""The trade-off report: what was gained, what was paid, on one page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from niwaki.analysis.tag_shifts import Imperatives, TagShift, count_imperatives, shifted_tags
from niwaki.analysis.tradeoff import as_page, as_text, weigh_up
from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.objectives.arc_length import ArcLength
from niwaki.pipeline.pipeline import Pipeline
from tests.toy import TOY, niwaki, quick_model


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Pipeline, Pipeline]:
    folder = tmp_path_factory.mktemp("models")
    few = {"epochs": 1, "greedy_epochs": 1}
    early = quick_model(folder / "early", model={"greedy": False}, training=few)
    late = quick_model(folder / "late", model={"greedy": False})
    return early, late


def test_a_better_model_gains(models: tuple[Pipeline, Pipeline]) -> None:
    gold = list(read_conllu(TOY))
    found = weigh_up(
        ("early", "late"), models, gold, {"0 arc-length": ArcLength(gold)}, samples=200
    )
    assert {each.metric for each in found.trees} == {"UAS", "LAS", "UPOS"}
    (las,) = [each for each in found.trees if each.metric == "LAS"]
    (cost,) = found.costs
    assert las.is_significant
    assert las.difference > 0
    assert cost.is_significant
    assert cost.difference < 0
    gains = [each.gain for each in found.labels]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > 0
    assert all(each.after <= each.count for each in (*found.labels, *found.words))
    drops = [abs(each.cost_before - each.cost_after) for each in found.changed]
    assert drops == sorted(drops, reverse=True)
    assert drops[0] > 0
    text, page = as_text(found), as_page(found)
    for piece in ("0 arc-length", found.labels[0].name, found.changed[0].before.forms[0]):
        assert piece in text
        assert piece in page
    assert page.count("<svg") == 2 * len(found.changed)


def test_nothing_changes_between_a_model_and_itself(models: tuple[Pipeline, Pipeline]) -> None:
    gold = list(read_conllu(TOY))
    same = (models[0], models[0])
    found = weigh_up(("a", "b"), same, gold, {"x": ArcLength(gold)}, samples=50)
    assert not found.changed
    assert not found.labels
    assert all(each.difference == 0 for each in (*found.trees, *found.costs))


def test_the_command(models: tuple[Pipeline, Pipeline], tmp_path: Path) -> None:
    names = [tmp_path / "a.niwaki", tmp_path / "b.niwaki"]
    for model, name in zip(models, names, strict=True):
        model.save(name)
    task = tmp_path / "task.toml"
    task.write_text(f'[[objective]]\nkind = "arc-length"\ndata = "{TOY}"\n')
    words = ("trade-off", TOY, task, "-m", names[0], "--samples", "50")
    done = niwaki(*words, "-m", names[1], "--json", "--html", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["costs"]["0 arc-length"]["difference"] < 0
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    done = niwaki(*words)
    assert done.returncode == 1
    assert "give -m twice" in done.stderr


def test_tags_of_a_word_and_imperatives() -> None:
    def sentence(first: str, head: int) -> Sentence:
        return Sentence.from_words(
            ["Click", "here"],
            upos=[first, "ADV"],
            heads=[head, 1 if head == 0 else 0],
            deprels=["root", "advmod"] if head == 0 else ["nsubj", "root"],
        )

    noun, verb = sentence("NOUN", 2), sentence("VERB", 0)
    before, after = [noun, noun, verb], [noun, verb, verb]
    assert shifted_tags(["click"], before, after) == [
        TagShift("click", "NOUN", 2, 1),
        TagShift("click", "VERB", 1, 2),
    ]
    assert count_imperatives("x", None, before, after) == Imperatives("x", 3, None, 1, 2)
    assert count_imperatives("x", before, after, after).gold == 1


def test_the_report_tells_of_tags(models: tuple[Pipeline, Pipeline]) -> None:
    gold = list(read_conllu(TOY))
    word = gold[0].forms[0]
    found = weigh_up(
        ("a", "b"), models, gold, {"0 arc-length": ArcLength(gold)}, words=[word], samples=50
    )
    assert sum(each.before for each in found.tags) == sum(each.after for each in found.tags) > 0
    assert [each.text for each in found.imperatives] == ["treebank", "0 arc-length"]
    assert "imperatives" in as_text(found)
    assert "tags in the examples" in as_text(found)
    assert "Imperatives" in as_page(found)
    assert found.to_json()["tags"][0]["word"] == word.lower()
