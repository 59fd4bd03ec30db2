"""Judges: counts of patterns, what is expected of scores, and files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import niwaki
from niwaki.data.conllu import read_conllu
from niwaki.data.modelfile import read_model_file, write_model_file
from niwaki.data.sentence import Sentence
from niwaki.errors import ModelError, NiwakiError
from niwaki.learning.boosting import BoostingSettings
from niwaki.tasks.grammar.features import GROUPS, NAMES, Expected, Look, numbers_of
from niwaki.tasks.grammar.judge import METHODS, Judge, Settings
from niwaki.tasks.grammar.patterns import KINDS, PatternCounts, patterns
from niwaki.verbs.judging import looks_of
from tests.toy import TOY

QUICK = Settings(boosting=BoostingSettings(rounds=20))


def toy() -> list[Sentence]:
    return list(read_conllu(TOY))


def look(words: str, tags: str, score: float = 0.0) -> Look:
    sentence = Sentence.from_words(words.split(), upos=tags.split(), xpos=tags.split())
    return Look(sentence, np.array([score]), np.ones(1))


def test_runs_are_counted_as_a_slow_reader_counts_them() -> None:
    counts = PatternCounts.of(toy())
    runs = Counter(
        run
        for s in toy()
        for tags in [("<", *s.xpos, ">")]
        for run in zip(tags, tags[1:], tags[2:], strict=False)
    )
    keys, owner = patterns(toy())["tags3"]
    assert len(keys) == sum(runs.values()) == sum(len(s) for s in toy())
    assert owner.tolist() == [n for n, s in enumerate(toy()) for _ in range(len(s))]
    in_order = [
        run
        for s in toy()
        for tags in [("<", *s.xpos, ">")]
        for run in zip(tags, tags[1:], tags[2:], strict=False)
    ]
    wanted = [runs[run] if runs[run] > 1 else 0 for run in in_order]
    assert counts.count("tags3", keys).tolist() == wanted
    assert max(wanted) > 1 and min(wanted) == 0
    assert counts.total("tags3") == sum(n for n in runs.values() if n > 1)


def test_patterns_of_trees_are_those_of_arcs() -> None:
    counts = PatternCounts.of(toy())
    keys, _ = patterns(toy())["arcs"]
    before = counts.count("arcs", keys)
    flat = [
        s.replace(heads=[0, *[1] * (len(s) - 1)], deprels=["root", *["dep"] * (len(s) - 1)])
        for s in toy()
    ]
    after = counts.count("arcs", patterns(flat)["arcs"][0])
    assert before.mean() > 2 > 0.5 > after.mean()


def test_what_follows_rarely_is_told() -> None:
    reference = [look("the moss grows", "DET NOUN VERB").sentence] * 8
    counts = PatternCounts.of([*reference, look("moss the grows", "NOUN DET VERB").sentence])
    asked = [look("the moss grows", "DET NOUN VERB"), look("moss the grows", "NOUN DET VERB")]
    expected = Expected({}, 1.0)
    found = numbers_of(asked, counts, expected)
    assert set(NAMES) <= set(found) and len(set(NAMES)) == len(NAMES)
    for name in ("tags2 least", "next tag least", "next word mean", "fit after mean"):
        assert found[name][0] > found[name][1], name
    # 9 of 45 items are beginnings, after 8 of them comes a determiner, and then all is certain.
    steps = [np.log(9.5 / 46), np.log(8 / 9), 0, 0, 0]
    assert found["next tag mean"][0] == pytest.approx(np.mean(steps))
    assert found["tags2 least"].tolist() == pytest.approx([np.log(9), 0.0])


def test_words_that_there_are_not_are_told() -> None:
    text = "the science of gardens differs from the silence of gardens"
    tags = "DET NOUN ADP NOUN VERB ADP DET NOUN ADP NOUN"
    counts = PatternCounts.of([look(text, tags).sentence] * 5)
    asked = [
        look("the science of gardens", "DET NOUN ADP NOUN"),
        look("the scence of gardens", "DET NOUN ADP NOUN"),
        look("the gzqxv of gardens", "DET NOUN ADP NOUN"),
        look("the Gzqxv of 10 !", "DET NOUN ADP NUM PUNCT"),
    ]
    found = numbers_of(asked, counts, Expected({}, 1.0))
    assert found["unknown"].tolist() == [0, 1, 1, 0]
    assert found["unknown share"].tolist() == [0, 0.25, 0.25, 0]
    assert found["neighbour"].tolist() == pytest.approx([0, np.log(6), 0, 0])
    known, slip, noise, name = found["next letter least"].tolist()
    assert known > slip > noise and name > slip
    # Half of all letters and edges are edges, half of those stand before a word; the rest is sure.
    alone = PatternCounts.of([look("of", "ADP").sentence] * 3)
    mean = numbers_of([look("of", "ADP")], alone, Expected({}, 1.0))["next letter mean"]
    assert mean.tolist() == pytest.approx([2 * np.log(0.5) / 4])


def agreeing(subject: str, verb: str, *, conjunct: bool = False) -> Look:
    """A subject, a word of another clause and an auxiliary of the same verb."""
    tag = {"dog": "NN", "dogs": "NNS"}[subject]
    words = [(subject, "NOUN", tag, 4, "nsubj"), ("outside", "ADV", "RB", 1, "advmod")]
    words += [(verb, "AUX", "VBZ", 4, "aux"), ("barking", "VERB", "VBG", 0, "root")]
    words += [("cat", "NOUN", "NN", 1, "conj")] if conjunct else []
    forms, upos, xpos, heads, deprels = zip(*words, strict=True)
    sentence = Sentence.from_words(forms, upos=upos, xpos=xpos, heads=heads, deprels=deprels)
    return Look(sentence, np.zeros(1), np.ones(1))


def test_words_that_do_not_agree_are_told_across_others() -> None:
    right = [agreeing("dog", "is"), agreeing("dogs", "are"), agreeing("dog", "are", conjunct=True)]
    wrong = [agreeing("dog", "are"), agreeing("dogs", "is"), agreeing("dog", "is", conjunct=True)]
    counts = PatternCounts.of([each.sentence for each in right * 20])
    good, bad = (numbers_of(each, counts, Expected({}, 1.0)) for each in (right, wrong))
    assert (good["fit subject least"] > bad["fit subject least"] + 2).all()
    assert (good["fit other least"] == bad["fit other least"]).all()


def test_expected_scores_are_sums_over_tags() -> None:
    many = [
        look("w " * (nouns + verbs), "NOUN " * nouns + "VERB " * verbs, 3.0 * nouns + 7.0 * verbs)
        for nouns in range(1, 40)
        for verbs in range(1, 40)
    ]
    expected = Expected.of(many)
    assert expected.weights == pytest.approx({"NOUN": 3.0, "VERB": 7.0}, abs=0.05)
    higher = look("w w", "NOUN VERB", 11.0)
    assert expected.over(higher) > abs(expected.over(look("w w", "NOUN VERB", 10.0)))


@pytest.fixture(scope="module")
def judge() -> Judge:
    return niwaki.train_judge(toy()[:24], toy()[24:], settings=QUICK)


def test_clean_sentences_are_told_from_broken_ones(judge: Judge) -> None:
    clean = toy()[:24]
    broken = list(niwaki.corrupt(clean, ["extra"], seed=9))
    good = [p for _, p in niwaki.judge(clean, judge)]
    bad = [p for _, p in niwaki.judge(broken, judge)]
    assert np.mean(good) > np.mean(bad)
    assert all(0 < p < 1 for p in good + bad)
    assert judge.card["parser"] == "en" and judge.card["sentences"] > 40


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_kept_in_a_file(method: str, tmp_path: Path) -> None:
    model = niwaki.load("en")
    looks = list(looks_of([*toy()[:8], *niwaki.corrupt(toy()[:8])], model))
    clean = np.arange(len(looks)) < 8
    settings = Settings(method, BoostingSettings(rounds=5))
    made = Judge.learn(looks, clean, PatternCounts.of(toy()), settings)
    made.save(tmp_path / "j.niwaki")
    again = Judge.load(tmp_path / "j.niwaki")
    assert again.log_odds(looks).tolist() == pytest.approx(made.log_odds(looks).tolist())
    assert again.settings == settings
    again.save(tmp_path / "again.niwaki")
    assert len(set(GROUPS)) == 5 and set(again.counts.tables) == set(KINDS)


def test_errors_are_told(judge: Judge, tmp_path: Path) -> None:
    looks = [look("so", "ADV")] * 2
    with pytest.raises(NiwakiError, match="clean and from broken sentences; give both"):
        Judge.learn(looks, np.ones(2, dtype=np.bool_), PatternCounts.of(toy()))
    judge.save(tmp_path / "j.niwaki")
    file = read_model_file(tmp_path / "j.niwaki")
    for changed, said in (
        ({"kind": "roles"}, "no judge; give one of `niwaki train-judge`"),
        ({"settings": {"method": "parser", "boosting": {}}}, "not a judge that this niwaki"),
        ({"settings": {"method": "guess", "boosting": {}}}, "not a judge that this niwaki"),
    ):
        parts = {**file.parts, "config.json": {**file.config, **changed}}
        write_model_file(tmp_path / "other.niwaki", parts)
        with pytest.raises(ModelError, match=said):
            Judge.load(tmp_path / "other.niwaki")
    other = tmp_path / "other-en.niwaki"
    niwaki.load("en").save(other)
    with pytest.raises(NiwakiError, match="learned with the parser en, and other-en was given"):
        niwaki.judge(toy(), tmp_path / "j.niwaki", other)
