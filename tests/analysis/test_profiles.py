"""Error profiles: each count and each bound is that of its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki import Sentence
from niwaki.analysis.arcs import arc_properties
from niwaki.analysis.profiles import Profile, profile_errors
from niwaki.errors import CorpusError, NiwakiError
from niwaki.metrics.attachment import evaluate
from tests.reference import profiles as reference
from tests.reference.profiles import Bin
from tests.strategies import heads

TAGS = ("VERB", "AUX", "NOUN", "PRON", "ADJ", "CCONJ", "PUNCT", "DET")
LABELS = ("nsubj", "csubj:pass", "obj", "conj", "cc", "punct", "det")
SAMPLES = 20


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[Sentence], dict[str, list[Sentence]]]:
    """Gold trees and those of two or three systems, which are often partly right."""
    names = ["a", "b", "c"][: draw(st.integers(2, 3))]
    gold: list[Sentence] = []
    systems: dict[str, list[Sentence]] = {name: [] for name in names}
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 6))
        labels = st.lists(st.sampled_from(LABELS), min_size=size, max_size=size)
        tree = Sentence.from_words(
            ["w"] * size,
            upos=draw(st.lists(st.sampled_from(TAGS), min_size=size, max_size=size)),
            heads=draw(heads(size)),
            deprels=draw(labels),
        )
        gold.append(tree)
        for trees in systems.values():
            same = draw(st.booleans())
            trees.append(
                tree.replace(
                    heads=tree.heads if same else draw(heads(size)),
                    deprels=draw(st.one_of(st.just(list(tree.deprels)), labels)),
                )
            )
    return gold, systems


def in_bin(value: int, name: str) -> bool:
    low, _, high = name.removesuffix("+").partition("-")
    return value >= int(low) and (name.endswith("+") or value <= int(high or low))


def check(profile: Profile, gold: list[Sentence], systems: list[list[Sentence]], of: Bin) -> None:
    for number, trees in enumerate(systems):
        found = reference.recall(gold, trees, of)
        predicted = reference.precision(gold, trees, of)
        for at, name in enumerate(profile.bins):
            right, count = found.pop(name, (0, 0))
            assert (profile.found[number, at], profile.gold[at]) == (right, count)
            assert (profile.right[number, at], profile.predicted[number, at]) == (
                predicted.pop(name, (0, 0))
            )
            share = profile.recall[number, at]
            assert math.isnan(share) if not count else share == pytest.approx(100 * right / count)
        assert not {*found, *predicted} - {None}, "each arc is in a bin"


@settings(deadline=None, max_examples=60)
@given(corpora())
def test_profiles_are_those_of_the_definitions(
    corpus: tuple[list[Sentence], dict[str, list[Sentence]]],
) -> None:
    gold, systems = corpus
    found = profile_errors(gold, systems, samples=SAMPLES)
    trees = list(systems.values())

    def numbers(name: str, value: object) -> Bin:
        assert callable(value)
        bins = found[name].bins
        return lambda tree, _, w: next(b for b in bins if in_bin(value(tree.heads, w), b))

    for name in ("length", "depth", "siblings", "degree"):
        check(found[name], gold, trees, numbers(name, getattr(reference, name)))
    check(found["sentence"], gold, trees, numbers("sentence", lambda heads, _: len(heads)))
    check(found["upos"], gold, trees, lambda _, one, w: one.upos[w - 1])
    check(found["deprel"], gold, trees, lambda tree, _, w: tree.deprels[w - 1])
    check(found["relation"], gold, trees, relation)
    check(found["pos"], gold, trees, part_of_speech)


def relation(tree: Sentence, _: Sentence, word: int) -> str | None:
    if tree.heads[word - 1] == 0:
        return "root"
    names = {"nsubj": "subject", "csubj:pass": "subject", "obj": "object"}
    names |= {"cc": "conjunction", "conj": "conjunct"}
    return names.get(tree.deprels[word - 1])


def part_of_speech(_: Sentence, gold: Sentence, word: int) -> str:
    names = {"VERB": "verb", "AUX": "verb", "NOUN": "noun", "PRON": "pronoun"}
    names |= {"ADJ": "adjective", "CCONJ": "conjunction"}
    return names.get(gold.upos[word - 1], "other")


@settings(deadline=None, max_examples=60)
@given(corpora())
def test_oracles_and_agreement(
    corpus: tuple[list[Sentence], dict[str, list[Sentence]]],
) -> None:
    gold, systems = corpus
    found = profile_errors(gold, systems, samples=SAMPLES)
    together = list(zip(*systems.values(), strict=True))
    assert found.tree_oracle == sum(map(reference.best_tree, gold, together))
    assert found.arc_oracle == sum(map(reference.best_tree_of_arcs, gold, together))
    best = found.overall.found.max()
    assert best <= found.tree_oracle <= found.arc_oracle
    assert found.arc_oracle <= found.words - found.agreement["none"]
    for number, name in enumerate(systems):
        scores = evaluate(gold, systems[name]).scores
        assert found.overall.recall[number, 0] == pytest.approx(scores["LAS"])
        assert 100 * found.heads_right[number] / found.words == pytest.approx(scores["UAS"])
        others = [s for s in systems if s != name]
        alone = sum(
            reference.is_right(one, systems[name][at], w)
            and not any(reference.is_right(one, systems[s][at], w) for s in others)
            for at, one in enumerate(gold)
            for w in range(1, len(one) + 1)
        )
        assert found.agreement[f"only {name}"] == alone


@given(st.integers(1, 8).flatmap(heads))
def test_properties_of_arcs(tree: list[int]) -> None:
    words = range(1, len(tree) + 1)
    kinds = (reference.length, reference.depth, reference.siblings, reference.degree)
    assert arc_properties(tree) == tuple([kind(tree, w) for w in words] for kind in kinds)


def test_a_nonprojective_arc() -> None:
    # The fourth word hangs from the first, over the second and third, the root.
    assert arc_properties((3, 3, 0, 1))[3] == [0, 0, 0, 1]
    # Two foreign words below the arc; in the second tree one of them hangs from the other.
    assert arc_properties((5, 5, 5, 1, 0))[3] == [0, 0, 0, 2, 0]
    assert arc_properties((5, 3, 5, 1, 0))[3] == [0, 0, 0, 1, 0]


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        arc_properties((2, 1))
    with pytest.raises(ValueError, match="word 2 has no head"):
        arc_properties((0, -1))


def sentence(tree: list[int], labels: list[str], tags: list[str] | None = None) -> Sentence:
    tags = tags or ["NOUN"] * len(tree)
    return Sentence.from_words(["w"] * len(tree), heads=tree, deprels=labels, upos=tags)


def test_heads_only_and_without_punctuation() -> None:
    gold = [sentence([2, 0, 2], ["det", "root", "punct"], ["DET", "NOUN", "PUNCT"])]
    wrong = [sentence([2, 0, 1], ["amod", "root", "punct"])]
    systems = {"a": gold, "b": wrong}
    assert profile_errors(gold, systems, samples=SAMPLES).overall.found.tolist() == [[3], [1]]
    found = profile_errors(gold, systems, labelled=False, punctuation=False, samples=SAMPLES)
    assert found.words == 2
    assert found.overall.found.tolist() == [[2], [2]]
    # Punctuation is not scored, but it is still a sibling.
    assert found["siblings"].gold.tolist() == [1, 1]
    assert "labels=not compared|punctuation=not scored" in found.signature


def test_trees_with_several_roots_are_put_together() -> None:
    gold = [sentence([0, 0, 2], ["root", "root", "dep"])]
    systems = {
        "a": [sentence([0, 0, 1], ["root", "root", "dep"])],
        "b": [sentence([2, 0, 2], ["dep", "root", "dep"])],
    }
    found = profile_errors(gold, systems, samples=SAMPLES)
    assert (found.tree_oracle, found.arc_oracle) == (2, 3)


def test_means_and_intervals() -> None:
    gold = [sentence([2, 0, 2], ["nsubj", "root", "obj"])] * 30
    bad = [sentence([2, 0, 1], ["nsubj", "root", "obj"])] * 30
    found = profile_errors(gold, {"good": gold, "bad": bad}, samples=SAMPLES)
    relation_ = found["relation"]
    means = dict(zip(relation_.bins, relation_.means.tolist(), strict=True))
    assert means["root"] == [2, 1, 0]
    assert means["subject"] == means["object"] == [1, 2, 1]
    assert all(math.isnan(value) for value in means["conjunct"])
    at = relation_.bins.index("object")
    assert relation_.recall_gain[1, at].tolist() == [-100, -100]
    assert np.all(relation_.recall_gain[0] == 0)
    again = profile_errors(gold, {"good": gold, "bad": bad}, samples=SAMPLES)
    assert np.array_equal(again["length"].recall_gain, found["length"].recall_gain)


def test_other_words_are_refused() -> None:
    gold = [sentence([0], ["root"])]
    other = [Sentence.from_words(["v"], heads=[0], deprels=["root"])]
    with pytest.raises(CorpusError, match="word 1 is 'v', but 'w'"):
        profile_errors(gold, {"a": gold, "b": other})
    with pytest.raises(CorpusError, match="without a partner"):
        profile_errors(gold, {"a": gold, "b": gold * 2})
    with pytest.raises(NiwakiError, match="no words"):
        profile_errors([], {"a": [], "b": []})
    punctuation = [sentence([0], ["root"], ["PUNCT"])]
    with pytest.raises(NiwakiError, match="all are punctuation"):
        profile_errors(punctuation, {"a": punctuation}, punctuation=False)
