"""Models made small: by packing, then by rows that development data misses least."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from niwaki import cli
from niwaki.adapting.shrinking import Shrunk
from niwaki.data.modelfile import read_model_file
from niwaki.data.sentence import Sentence
from niwaki.errors import ModelError, NiwakiError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from niwaki.verbs.describing import info
from niwaki.verbs.evaluating import evaluate
from niwaki.verbs.shrinking import shrink
from tests.toy import TOY, quick_model, skip_without_extras


def test_packing_alone_changes_nothing(
    model_path: Path, model: Pipeline, toy: list[Sentence], tmp_path: Path
) -> None:
    output = tmp_path / "packed.niwaki"
    found = shrink(model_path, output, dev=toy, size=model_path.stat().st_size)
    assert output.stat().st_size < 0.8 * model_path.stat().st_size
    assert found.before == found.after
    assert all(old == new for old, new in found.rows.values())
    assert [x.tree for x in load(output).parse(toy)] == [x.tree for x in model.parse(toy)]


@pytest.fixture(scope="module")
def half(
    model_path: Path, toy: list[Sentence], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Shrunk]:
    """The toy model in half of what it takes when it is packed."""
    folder = tmp_path_factory.mktemp("shrunk")
    packed, output = folder / "packed.niwaki", folder / "half.niwaki"
    load(model_path).save(packed, packed=True)
    return output, shrink(model_path, output, dev=toy, size=packed.stat().st_size // 2)


def test_it_is_as_small_as_was_asked_for(half: tuple[Path, Shrunk]) -> None:
    path, found = half
    wanted = read_model_file(path).config["shrunk"]["bytes"]
    assert 0.7 * wanted < path.stat().st_size <= wanted
    assert sum(new for _, new in found.rows.values()) < sum(old for old, _ in found.rows.values())


def test_it_says_what_it_costs(half: tuple[Path, Shrunk], toy: list[Sentence]) -> None:
    path, found = half
    scores = evaluate(toy, path).scores
    assert scores["LAS"] == found.after["LAS (beam)"]
    assert load(path).config["scores_on_dev"]["beam"]["LAS"] == round(scores["LAS"], 2)
    # On what it has learned from it was nearly perfect, and half of it is enough for much of that.
    assert found.before["LAS (beam)"] >= found.after["LAS (beam)"] > 60
    assert info(path).config["shrunk"]["rows"] == {n: new for n, (_, new) in found.rows.items()}


def test_one_set_of_weights_is_left_out_where_there_is_room_for_one(
    model_path: Path, model: Pipeline, toy: list[Sentence], tmp_path: Path
) -> None:
    output, packed = tmp_path / "tiny.niwaki", tmp_path / "packed.niwaki"
    assert model.parser.facts["greedy"] is True
    load(model_path).save(packed, packed=True)
    found = shrink(model_path, output, dev=toy, size=packed.stat().st_size // 3)
    assert found.alone in ("beam", "greedy")
    small = load(output)
    assert "greedy" not in found.rows and not small.parser.divisions
    card = small.config
    if found.alone == "greedy":
        assert card["model"]["beam"] == small.parser.beam == 1
        assert list(small.parser.ways) == list(card["scores_on_dev"]) == ["greedy"]
        # What it does in its one way stands for both.
        assert found.after["LAS (beam)"] == found.after["LAS (greedy)"]
    else:
        assert card["model"]["greedy"] is False
    assert evaluate(toy, output).scores["LAS"] == found.after["LAS (beam)"]
    # It is a model like any other, which is also trained on.
    assert all(parsed.tree.is_complete for parsed in small.parse(toy, beam=4))
    config = make_config({"objective": [{"data": str(TOY)}], "training": {"epochs": 1}})
    assert train(config, tmp_path / "on.niwaki", init=small).parser.facts == small.parser.facts


def test_it_is_calibrated_anew(half: tuple[Path, Shrunk], model: Pipeline) -> None:
    small = load(half[0])
    assert small.parser.gives_probabilities == model.parser.gives_probabilities


def test_what_cannot_be_reached(model_path: Path, toy: list[Sentence], tmp_path: Path) -> None:
    output = tmp_path / "tiny.niwaki"
    with pytest.raises(ModelError, match=r"at least [\d,]+ bytes; 100 cannot be reached"):
        shrink(model_path, output, dev=toy, size=100)
    with pytest.raises(NiwakiError, match="no development data"):
        shrink(model_path, output, dev=[], size=100)
    assert not output.exists()


def test_the_command(model_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "small.niwaki"
    given = ["shrink", str(model_path), "--dev", str(TOY), "-o", str(output), "--to-size"]
    assert cli.main([*given, "10MB"]) == 0
    assert "LAS (beam)" in capsys.readouterr().out
    assert cli.main([*given, "10MB", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"sizes", "alone", "rows", "scores"}
    for size in ("much", "0", "3MBs", "1.5TB"):
        assert cli.main([*given, size]) == 2
        assert "give a size such as 2.5MB" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["graph", "neural"])
def test_other_families(kind: str, toy: list[Sentence], tmp_path: Path) -> None:
    """Parsers that score arcs have tables too; a network has none, its segmenter has."""
    skip_without_extras(kind)
    path, output = tmp_path / "whole.niwaki", tmp_path / "small.niwaki"
    whole = quick_model(path, model={"kind": kind})
    packed = tmp_path / "packed.niwaki"
    whole.save(packed, packed=True)
    size = packed.stat().st_size
    found = shrink(path, output, dev=toy, size=size * 3 // 4 if kind == "graph" else size + 8192)
    assert any(name.startswith("graph") for name in found.rows) == (kind == "graph")
    assert output.stat().st_size < size + 8192
    assert evaluate(toy, output).scores["LAS"] == pytest.approx(
        next(score for name, score in found.after.items() if name.startswith("LAS"))
    )
