"""Uptraining: what teachers teach, which of it is kept, and how much it weighs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, CorpusError, ModelError
from niwaki.learning.corpus import Corpus
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.config import TreebankConfig, UptrainingConfig
from niwaki.training.config_file import make_config
from niwaki.training.treebanks import read_treebanks
from niwaki.training.uptraining import (
    QUESTION_WORDS,
    FilterCounts,
    Teachers,
    agreement,
    gather_trees,
    is_wanted,
    uptrain,
)
from tests.toy import TOY, Log, niwaki, quick_config, quick_model, write

PLAIN = UptrainingConfig()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    path = tmp_path_factory.mktemp("teacher") / "teacher.niwaki"
    quick_model(path)
    return load(path)


def toy() -> list[Sentence]:
    return list(read_conllu(TOY))


def gathered(
    teaching: Teachers, folder: Path, config: UptrainingConfig = PLAIN
) -> tuple[list[Sentence], FilterCounts]:
    folder.mkdir(exist_ok=True)
    files, kept = gather_trees(teaching, config, folder)
    return [s for file in files for s in read_conllu(file)], kept


# -- weights ---------------------------------------------------------------------------------


def test_weights_are_visits() -> None:
    corpus = Corpus(("x",), tuple(toy()[:4]), weights={"trees": np.array([1, 2.5, 0, 0.5])})
    visits = np.zeros(4)
    for epoch in range(2000):
        order = corpus.epoch_order("trees", 1, "parser", epoch)
        assert len(order) == corpus.visits("trees") == 4
        counts = np.bincount(order, minlength=4).tolist()
        # A whole weight is so many visits in every epoch; of a broken one the rest is a chance.
        assert counts in ([1, 2, 0, 1], [1, 3, 0, 0])
        visits += counts
    assert np.allclose(visits / 2000, [1, 2.5, 0, 0.5], atol=0.05)
    again = corpus.epoch_order("trees", 1, "parser", 7)
    assert np.array_equal(again, corpus.epoch_order("trees", 1, "parser", 7))
    assert len(corpus.epoch_order("tags", 1, "parser", 7)) == 4


def test_many_small_weights_lose_no_visit() -> None:
    corpus = Corpus(("x",), tuple(toy()[:10]), weights={"trees": np.full(10, 0.1)})
    assert corpus.visits("trees") == 1
    assert len(corpus.epoch_order("trees", 1, "parser", 0)) == 1


def test_objectives_say_what_their_sentences_teach(tmp_path: Path) -> None:
    silver = write(tmp_path / "silver.conllu", toy()[:3])
    gold = TreebankConfig(data=(str(TOY),), weight=10)
    added = TreebankConfig(data=(str(silver),), trains=("tags", "trees"))
    corpus = read_treebanks([gold, added])
    size = len(toy())
    assert corpus.visits("trees") == 10 * size + 3
    assert corpus.visits("segments") == 10 * size
    assert len(corpus.that_trains("segments").sentences) == size
    assert corpus.that_trains("trees") is corpus
    assert corpus.that_trains("training-tags") is corpus


def test_the_finished_tagger_may_learn_less_than_those_of_the_training_data(tmp_path: Path) -> None:
    silver = write(tmp_path / "silver.conllu", toy())
    objectives = [
        TreebankConfig(data=(str(TOY),), weight=2.0),
        TreebankConfig(data=(str(silver),), trains=("training-tags", "trees")),
    ]
    corpus = read_treebanks(objectives)
    size = len(toy())
    assert len(corpus.that_trains("tags").sentences) == size
    assert corpus.visits("tags") == 2 * size
    assert corpus.visits("training-tags") == 3 * size


def test_labels_and_tags_are_renamed_as_the_configuration_says(tmp_path: Path) -> None:
    old = [s.replace(deprels=["oblique" if x == "obl" else x for x in s.deprels]) for s in toy()]
    old = [s.replace(upos=["V" if x == "VERB" else x for x in s.upos]) for s in old]
    silver = write(tmp_path / "silver.conllu", old)
    record = {"data": str(silver), "label_map": {"oblique": "obl"}, "tag_map": {"V": "VERB"}}
    config = make_config({"objective": [record]})
    assert list(read_treebanks(config.objective).sentences) == toy()
    with pytest.raises(ConfigError, match=r"objective\[0\]\.label_map is '3'; give a table"):
        make_config({"objective": [{"data": str(silver), "label_map": 3}]})


def test_labels_can_be_renamed_of_one_word(tmp_path: Path) -> None:
    lines = [
        f"{n}\t{form}\t_\tX\t_\t_\t{n - 1}\t{label}\t_\t_\n"
        for n, (form, label) in enumerate(
            [("When", "mark"), ("if", "mark"), ("When", "x")], start=1
        )
    ]
    silver = write(tmp_path / "silver.conllu", [Sentence.from_conllu("".join(lines) + "\n")])
    labels = {"mark/when": "advmod", "mark": "m"}
    (found,) = read_treebanks([TreebankConfig(data=(str(silver),), label_map=labels)]).sentences
    assert found.deprels == ("advmod", "m", "x")


def test_constructions_can_be_left_out() -> None:
    (first, *rest) = toy()
    words = " ".join(first.forms[:2])
    objective = TreebankConfig(data=(str(TOY),), leave_out=f"(?i)^{words.upper()}")
    kept = [s for s in rest if " ".join(s.forms[:2]).lower() != words.lower()]
    assert 0 < len(kept) < len(toy())
    corpus = read_treebanks([objective])
    assert list(corpus.sentences) == kept
    assert corpus.left_out == len(toy()) - len(kept)
    config = UptrainingConfig(leave_out=objective.leave_out)
    assert [s for s in toy() if is_wanted(s, config)] == kept
    bad = {"leave_out": "("}
    for table in ({"objective": [{"data": "x", **bad}]}, {"uptraining": bad}):
        with pytest.raises(ConfigError, match=r"leave_out is no regular expression: missing \)"):
            make_config(table)


def test_tags_can_be_renamed_by_all_that_is_known(tmp_path: Path) -> None:
    words = [
        ("When", "SCONJ", "WRB"),
        ("Not", "ADV", "RB"),
        ("so", "ADV", "RB"),
        ("if", "SCONJ", "IN"),
    ]
    lines = [
        f"{n}\t{form}\t_\t{upos}\t{xpos}\t_\t{n - 1}\tdep\t_\t_\n"
        for n, (form, upos, xpos) in enumerate(words, start=1)
    ]
    silver = write(tmp_path / "silver.conllu", [Sentence.from_conllu("".join(lines) + "\n")])
    tags = {"SCONJ/WRB": "ADV/WRB", "ADV/RB/not": "PART/RB", "ADV": "X", "SCONJ": "C/I"}
    (found,) = read_treebanks([TreebankConfig(data=(str(silver),), tag_map=tags)]).sentences
    assert found.upos == ("ADV", "PART", "X", "C")
    assert found.xpos == ("WRB", "RB", "RB", "I")


def test_soft_teachers_weigh_sentences(tmp_path: Path) -> None:
    one, other = toy()[:2]
    misc = [f"ArcProb={0.5 if at else 1.0}" for at in range(len(one))]
    silver = write(tmp_path / "silver.conllu", [one.replace(misc=misc), other])
    corpus = read_treebanks([TreebankConfig(data=(str(silver),), weight_by_confidence=True)])
    expected = (1 + 0.5 * (len(one) - 1)) / len(one)
    assert corpus.weights["trees"].tolist() == pytest.approx([expected, 1.0])
    wrong = write(tmp_path / "wrong.conllu", [one.replace(misc=["ArcProb=2"] * len(one))])
    with pytest.raises(CorpusError, match="ArcProb=2; give a probability"):
        read_treebanks([TreebankConfig(data=(str(wrong),), weight_by_confidence=True)])


def test_bad_trees_are_refused_or_skipped(tmp_path: Path) -> None:
    bad = toy()[0].replace(heads=[0] * len(toy()[0]))
    silver = write(tmp_path / "silver.conllu", [toy()[1], bad, toy()[2]])
    with pytest.raises(CorpusError, match="roots"):
        read_treebanks([TreebankConfig(data=(str(silver),))])
    faults: list[CorpusError] = []
    objective = TreebankConfig(data=(str(silver),), on_error="skip")
    corpus = read_treebanks([objective], faults.append)
    assert list(corpus.sentences) == toy()[1:3]
    assert len(faults) == 1


# -- what teachers teach ---------------------------------------------------------------------


def test_the_filters_of_questions() -> None:
    config = UptrainingConfig(first_words=QUESTION_WORDS, max_characters=20)
    ask = Sentence.from_words(["Where", "is", "it", "?"])
    assert is_wanted(ask, config)
    assert not is_wanted(Sentence.from_words(["There", "it", "is"]), config)
    assert not is_wanted(Sentence.from_words(["Where", "is", "it", "x" * 20]), config)
    assert is_wanted(Sentence.from_words(["There"] * 50), PLAIN)


def test_trees_of_files_are_kept_as_they_are(tmp_path: Path) -> None:
    trees, kept = gathered(Teachers(trees=[[str(TOY)]]), tmp_path / "trees")
    assert trees == toy()
    assert (kept.seen, kept.kept) == (len(toy()), len(toy()))


def test_teachers_must_agree(tmp_path: Path) -> None:
    one = toy()
    other = list(one)
    other[0] = one[0].replace(deprels=["dep"] * len(one[0]))
    other[1] = one[1].replace(deprels=["dep", *one[1].deprels[1:]])
    assert agreement([one[0], other[0]]) == 0
    assert agreement([one[1], other[1]]) == (len(one[1]) - 1) / len(one[1])
    second = write(tmp_path / "second.conllu", other)
    teaching = Teachers(trees=[[str(TOY)], [str(second)]])
    for threshold, start in ((1.0, 2), (0.5, 1)):
        config = UptrainingConfig(agreement=threshold)
        trees, kept = gathered(teaching, tmp_path / f"trees-{threshold}", config)
        assert trees == one[start:]
        assert kept.disputed == start


def test_words_of_trees_and_text_must_be_the_same(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    lines = [" ".join(s.forms) for s in toy()]
    text.write_text("\n".join([*lines[:2], "Something else .", *lines[3:]]) + "\n")
    teaching = Teachers(trees=[[str(TOY)]], text=[str(text)], form="tokens")
    with pytest.raises(CorpusError, match=r"toy\.conllu:\d+.*'Something' in .*text\.txt:3"):
        gathered(teaching, tmp_path / "trees")
    trees, kept = gathered(replace(teaching, on_error="skip"), tmp_path / "skipped")
    assert trees == [*toy()[:2], *toy()[3:]]
    assert kept.bad == 1
    assert "1 bad" in str(kept)
    text.write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(CorpusError, match="without a partner"):
        gathered(teaching, tmp_path / "shorter")


def test_a_faulty_sentence_leaves_teachers_in_step(tmp_path: Path) -> None:
    blocks = TOY.read_text().split("\n\n")
    blocks[1] = "1\tMoss"
    broken = tmp_path / "broken.conllu"
    broken.write_text("\n\n".join(blocks))
    teaching = Teachers(trees=[[str(TOY)], [str(broken)]], on_error="skip")
    trees, kept = gathered(teaching, tmp_path / "trees", UptrainingConfig(agreement=1))
    assert trees == [toy()[0], *toy()[2:]]
    assert (kept.bad, kept.disputed) == (1, 0)
    with pytest.raises(CorpusError, match=r"broken\.conllu:"):
        gathered(replace(teaching, on_error="fail"), tmp_path / "strict")


def test_models_parse_text(model: Pipeline, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("".join(" ".join(s.forms) + "\n" for s in toy()))
    teaching = Teachers(models=[model], text=[str(text)], form="tokens", beam=2)
    trees, _ = gathered(teaching, tmp_path / "one")
    bare = [Sentence.from_words(s.forms) for s in toy()]
    expected = [s.tree for s in model.parse(bare, beam=2)]
    assert [s.tree for s in trees] == expected
    together, _ = gathered(replace(teaching, models=[model, model]), tmp_path / "two")
    assert [s.forms for s in together] == [s.forms for s in toy()]
    # The words of trees are parsed where there is no text, and must agree with them.
    checked = Teachers(trees=[[str(TOY)]], models=[model])
    agreed, kept = gathered(checked, tmp_path / "agreed", UptrainingConfig(agreement=1))
    right = [s for s, t in zip(toy(), model.parse(bare), strict=True) if s.tree == t.tree]
    assert agreed == right
    assert kept.disputed == len(toy()) - len(right)
    with pytest.raises(ConfigError, match="nothing to parse"):
        Teachers(models=[model])
    with pytest.raises(ConfigError, match="nobody teaches"):
        Teachers()


# -- training --------------------------------------------------------------------------------


def test_a_student_learns_what_its_teacher_knows(tmp_path: Path) -> None:
    sentences = toy()
    gold = write(tmp_path / "gold.conllu", sentences[:4])
    silver = write(tmp_path / "silver.conllu", sentences[4:])
    config = quick_config(Path(gold), model={"beam": 1})
    output = tmp_path / "student.niwaki"
    log = Log()
    models = uptrain(config, output, Teachers(trees=[[str(silver)]]), log, sizes=[0, 8, 10**6])
    assert list(models) == [0, 8, len(sentences) - 4]
    assert models[len(sentences) - 4].read_bytes() == output.read_bytes()

    def mistakes(path: Path) -> int:
        parsed = load(path).parse(sentences, retag=True)
        return sum(a.tree.heads != b.tree.heads for a, b in zip(sentences, parsed, strict=True))

    assert mistakes(output) < mistakes(models[0])
    assert f"{len(sentences) - 4} of {len(sentences) - 4} sentences are kept" in log.notes
    # A run that is taken up finds its models; one with other settings is refused.
    teaching = Teachers(trees=[[str(silver)]])
    again = Log()
    more = uptrain(config, output, teaching, again, sizes=[0, 8, 9, 10**6], resume=True)
    assert list(more) == [0, 8, 9, len(sentences) - 4]
    assert "9 trees of the teachers" in again.notes
    assert "8 trees of the teachers" not in again.notes
    other = replace(config, uptraining=UptrainingConfig(weight=2))
    with pytest.raises(ModelError, match="of another run"):
        uptrain(other, output, teaching, Log(), sizes=[0, 8], resume=True)


def test_parts_that_are_there_are_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("niwaki.training.uptraining._PART", 5)
    folder = tmp_path / "trees"
    trees, _ = gathered(Teachers(trees=[[str(TOY)]]), folder)
    assert trees == toy()
    (folder / "trees-0002.conllu").unlink()
    for number in range(3, 20):
        (folder / f"trees-{number:04}.conllu").unlink(missing_ok=True)
    (folder / "trees-0000.conllu").write_bytes(toy()[0].source)
    again, kept = gathered(Teachers(trees=[[str(TOY)]]), folder)
    assert again == [toy()[0], *toy()[5:]]
    assert kept.seen == len(toy()) - 10


def test_the_command_draws_a_curve(tmp_path: Path) -> None:
    sentences = toy()
    gold = write(tmp_path / "gold.conllu", sentences[:4])
    silver = write(tmp_path / "silver.conllu", sentences[4:])
    config = tmp_path / "c.toml"
    config.write_text(
        f'[model]\nbeam = 1\n[[objective]]\ndata = "{gold}"\nweight = 2\n'
        "[tagger]\nfolds = 2\nepochs = 2\n[training]\ngreedy_epochs = 2\n"
    )
    chart = tmp_path / "curve.svg"
    done = niwaki(
        *("uptrain", config, "--teacher-trees", silver, "--curve", "0,10,100", "--test", TOY),
        *("--chart", chart, "-o", tmp_path / "m.niwaki", "--json"),
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["system"] for row in rows] == ["0 trees", "10 trees", f"{len(sentences) - 4} trees"]
    assert rows[0]["scores"]["LAS"] < rows[-1]["scores"]["LAS"]
    assert rows[0]["unknown"] > 0
    assert "<svg" in chart.read_text()
    shown = niwaki(
        *("uptrain", config, "--teacher-trees", silver, "--curve", "0,10,100", "--test", TOY),
        *("-o", tmp_path / "m.niwaki", "--resume"),
    )
    assert "Labels that gained most" in shown.stdout
    assert "Confused tags" in shown.stdout
    wrong = niwaki("uptrain", config, "--teacher-trees", silver, "--chart", chart, "-o", "x")
    assert wrong.returncode == 1 and "give both" in wrong.stderr
