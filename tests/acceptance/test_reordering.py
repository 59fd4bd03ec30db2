"""The bars of word order on real links; tuned on the first halves only."""

from __future__ import annotations

from pathlib import Path

import pytest

import niwaki
from niwaki.analysis.orders import rule_system
from niwaki.data.bilingual.bitext import read_linked_bitext
from niwaki.data.bilingual.references import Reference
from niwaki.data.sentence import Sentence
from niwaki.tasks.reorder.events import collect_events
from niwaki.tasks.reorder.learning import learn_rules
from niwaki.tasks.reorder.references import make_reference
from niwaki.tasks.reorder.rulefile import load_rules
from tests.conftest import DATA

PUD = DATA / "align-pud"
pytestmark = pytest.mark.skipif(
    not PUD.is_dir(), reason="the linked corpora (NIWAKI_DATA/align-pud) are missing"
)


def corpus(target: str) -> tuple[list[Sentence], list[Reference]]:
    folder: Path = PUD / f"en-{target}"
    files = [folder / f"dev.{end}" for end in ("en", target, "align")]
    wanted = [
        make_reference(pair.source, pair.links, str(pair.number))
        for pair in read_linked_bitext(*files)
        if pair.links is not None
    ]
    return list(niwaki.read_conllu(folder / "dev.en.conllu")), wanted


@pytest.mark.parametrize(
    ("target", "untouched", "bar"),
    [("ja", (0.339, 0.213), (0.67, 0.72)), ("ko", (0.395, 0.276), (0.65, 0.68))],
)
def test_hand_rules_on_gold_trees(
    target: str, untouched: tuple[float, float], bar: tuple[float, float]
) -> None:
    trees, wanted = corpus(target)
    none = rule_system("none", wanted, trees, load_rules("none")).evaluation.scores
    assert none["frs_linked"] == pytest.approx(untouched[0], abs=0.001)
    assert none["tau"] == pytest.approx(untouched[1], abs=0.003)
    middle = len(wanted) // 2
    for half in (slice(middle), slice(middle, None)):
        found = rule_system(target, wanted[half], trees[half], load_rules(target))
        assert found.evaluation.scores["frs_linked"] >= bar[0]
        assert found.evaluation.scores["tau"] >= bar[1]


@pytest.mark.parametrize(("target", "bar"), [("ja", (0.67, 0.72)), ("ko", (0.65, 0.68))])
def test_hand_rules_on_trees_of_the_english_model(target: str, bar: tuple[float, float]) -> None:
    _, wanted = corpus(target)
    words = [Sentence.from_words(reference.tokens) for reference in wanted]
    parsed = list(niwaki.load().parse(words))
    found = rule_system(target, wanted, parsed, load_rules(target)).evaluation.scores
    assert found["frs_linked"] >= bar[0] - 0.04
    assert found["tau"] >= bar[1] - 0.04


def test_learned_rules() -> None:
    trees, wanted = corpus("ja")
    middle = len(wanted) // 2
    rules = learn_rules(collect_events(trees[:middle], wanted[:middle])).rules
    found = rule_system("learned", wanted[middle:], trees[middle:], rules).evaluation.scores
    hand = rule_system("ja", wanted[middle:], trees[middle:], load_rules("ja")).evaluation.scores
    assert found["frs_linked"] >= 0.69
    assert found["frs_linked"] > hand["frs_linked"]


@pytest.mark.parametrize("target", ["ja", "ko"])
def test_hand_rules_beat_the_baselines(target: str) -> None:
    trees, wanted = corpus(target)
    scores = {
        name: rule_system(name, wanted, trees, load_rules(name)).evaluation.scores
        for name in ("none", "reverse", "head-final-before", "head-final-after", target)
    }
    for name, found in scores.items():
        for metric in ("frs_linked", "tau"):
            assert name == target or scores[target][metric] > found[metric] + 0.1
