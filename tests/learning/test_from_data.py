"""What is counted in a treebank, and the settings that follow from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.learning.from_data import Facts, facts_of, settings_for, tables_for
from niwaki.training.config_file import make_config
from tests.release import conllu, cyrillic, han, latin
from tests.toy import TOY


def facts(text: str, tmp_path: Path) -> Facts:
    path = tmp_path / "train.conllu"
    path.write_text(text, encoding="utf-8")
    return facts_of(read_conllu(path))


def test_scripts_and_spaces(tmp_path: Path) -> None:
    one = facts(conllu(latin()), tmp_path)
    assert (one.script, one.has_case, one.sentences, one.words) == ("LATIN", True, 16, 64)
    assert (one.unspaced, one.nonprojective, one.feats, one.labels) == (25, 0, 2, 4)
    other = facts(conllu(han(), spaces=False), tmp_path)
    assert (other.script, other.has_case, other.unspaced) == ("CJK", False, 100)
    assert facts(conllu(cyrillic()), tmp_path).nonprojective == 100


def test_multiword_tokens_and_words_with_spaces() -> None:
    text = "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n" + "".join(
        f"{n}\t{form}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n"
        for n, form, head in ((1, "de", 0), (2, "el", 1), (3, "cây thông", 1))
    )
    found = facts_of([Sentence.from_conllu(text + "\n")])
    assert (found.multiword, found.spaces_within) == (50, 33.33)


def test_nothing_is_nothing() -> None:
    found = facts_of([])
    assert (found.sentences, found.script, found.unspaced) == (0, "?", 0)


PLAIN = Facts(1000, 9000, "LATIN", True, 10, 0, 0, 1, 20, 12, 30)


@pytest.mark.parametrize(
    ("changed", "key", "value"),
    [
        ({}, "features", "suffixes"),
        ({"feats": 100}, "features", "morphology"),
        ({"nonprojective": 5.0}, "nonprojective", None),
        ({"nonprojective": 25.0}, "nonprojective", "pseudo-projective"),
    ],
)
def test_the_rule(changed: dict[str, int], key: str, value: str | None) -> None:
    assert settings_for(replace(PLAIN, **changed))["model"].get(key) == value  # type: ignore[arg-type]


@pytest.mark.parametrize(("words", "runs"), [(99_999, 2), (100_000, 1)])
def test_small_treebanks_are_learned_in_two_runs(words: int, runs: int) -> None:
    tables = settings_for(replace(PLAIN, words=words))
    config = make_config({**tables, "objective": [{"data": str(TOY)}]})
    assert (config.family.runs, config.tagger.runs) == (runs, runs)


def test_what_cannot_have_runs_is_trained_once(tmp_path: Path) -> None:
    path = tmp_path / "train.conllu"
    path.write_text(conllu(latin()), encoding="utf-8")
    tables = tables_for([str(path)], None)
    graph = make_config(tables, overrides=["model.kind=graph", "model.features=default"])
    assert not hasattr(graph.family, "runs")
    assert make_config(tables, overrides=["tagger.learner=tnt"]).tagger.visits == 1


def test_the_tables_are_a_configuration(tmp_path: Path) -> None:
    path = tmp_path / "train.conllu"
    path.write_text(conllu(cyrillic()), encoding="utf-8")
    config = make_config(tables_for([str(path)], str(path)))
    assert config.training.dev == str(path)
    assert config.family.nonprojective == "pseudo-projective"
    assert make_config(tables_for([str(path)], None)).training.dev == ""
