"""A model that is trained on keeps everything that it had: both weights, calibration, tags."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki.data.bilingual.references import Reference, write_references
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.features.weights import PackedWeights
from niwaki.learning.checkpoint import Checkpoint
from niwaki.objectives import costs_of_trees, load_objective
from niwaki.parsers.transition.parser import TransitionParser
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.tagging.config import TaggerConfig
from niwaki.tagging.tagger import Tagger
from niwaki.tagging.trainer import folds_of, jackknife
from niwaki.training.card import card_of
from niwaki.training.config import Config, continued
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from niwaki.training.treebanks import read_treebank
from tests.toy import NEW, TOY, Log, quick_model, write

TREES = {"data": str(TOY)}


@pytest.fixture(scope="module", params=["transition", "graph"])
def start(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    """A calibrated model of each family."""
    path = tmp_path_factory.mktemp("start") / "m.niwaki"
    quick_model(path, model={"kind": request.param}, training={"dev": str(TOY)})
    return load(path)


@pytest.fixture(scope="module")
def beam(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    """A model with weights for a beam and for greedy search."""
    return quick_model(tmp_path_factory.mktemp("beam") / "m.niwaki")


def turned(folder: Path, toy: list[Sentence]) -> dict[str, Any]:
    """A task that wants what no treebank says: the words from last to first."""
    path = folder / "turned.jsonl"
    found = [
        Reference(f"s{number}", tuple(s.forms), tuple(reversed(range(len(s)))))
        for number, s in enumerate(toy)
    ]
    write_references(found, path)
    return {"kind": "reordering", "data": str(path), "rules": "ja"}


def config_of(*objectives: dict[str, Any], **tables: Any) -> Config:
    return make_config({"objective": list(objectives), "training": {"epochs": 3}, **tables})


def arrays_of(model: Pipeline) -> list[bytes]:
    """The weights for greedy search."""
    assert isinstance(model.parser, TransitionParser) and model.parser.greedy is not None
    assert isinstance(model.parser.greedy.weights, PackedWeights)
    return [array.tobytes() for array in model.parser.greedy.weights.arrays.values()]


# -- both sets of weights ------------------------------------------------------------------


def test_costs_teach_greedy_search_too(beam: Pipeline, toy: list[Sentence], tmp_path: Path) -> None:
    task = turned(tmp_path, toy)
    (given,) = config_of(task).objective
    objective = load_objective("reordering", given.data, given.settings)

    def cost(model: Pipeline, width: int | None) -> float:
        parsed = list(model.parse(objective.sentences, beam=width))
        return float(costs_of_trees(objective, parsed).mean())

    log = Log()
    model = train(config_of(task), tmp_path / "m", log, init=beam, threads=1)
    stages = {
        stage: [e.epoch for e in log.epochs if e.stage == stage] for stage in ("parser", "greedy")
    }
    assert stages == {"parser": [1, 2, 3], "greedy": [1, 2, 3]}, "`epochs` is for both"
    for width in (None, 1):
        assert cost(model, width) < cost(beam, width) - 0.02
    last = [e.objectives[0].written for e in log.epochs if e.stage == "greedy"][-1]
    assert last == pytest.approx(cost(load(tmp_path / "m"), 1), abs=1e-6)


def test_trees_teach_greedy_search_too(beam: Pipeline, toy: list[Sentence], tmp_path: Path) -> None:
    """Those that it has learned teach it little, and it forgets nothing."""
    log = Log()
    model = train(config_of(TREES), tmp_path / "m", log, init=beam, threads=1)
    assert arrays_of(model) != arrays_of(beam)
    mistakes = [e.updates for e in log.epochs if e.stage == "greedy"]
    scratch = Log()
    train(config_of(TREES), tmp_path / "n", scratch, threads=1)
    assert mistakes[0] < next(e.updates for e in scratch.epochs if e.stage == "greedy")
    assert model.config["model"]["greedy"] is True


def test_a_card_says_what_there_is(beam: Pipeline, tmp_path: Path) -> None:
    """Models that were trained on by earlier versions have lost what their cards speak of."""
    assert isinstance(beam.parser, TransitionParser)
    poor = replace(beam, parser=replace(beam.parser, greedy=None))
    assert poor.config["model"]["greedy"] is True
    model = train(config_of(TREES), tmp_path / "m", Log(), init=poor, threads=1)
    assert isinstance(model.parser, TransitionParser) and model.parser.greedy is None
    assert model.config["model"]["greedy"] is False
    single = quick_model(tmp_path / "n", model={"beam": 1})
    assert single.config["model"]["greedy"] is True, "as it was said: it says nothing here"


def test_two_sets_of_weights_teach_one_tagger(
    beam: Pipeline, toy: list[Sentence], tmp_path: Path
) -> None:
    """Threads change nothing, though both sets see examples in several taggings."""
    config = config_of(TREES, {**turned(tmp_path, toy), "tags": 3})
    made = []
    for threads in (1, 2):
        train(config, tmp_path / "m", Log(), init=beam, threads=threads)
        made.append((tmp_path / "m").read_bytes())
    assert made[0] == made[1]


class BrokenError(Exception):
    """What ends a run in the middle."""


class Breaking(Log):
    """A reporter that counts what is done, and ends the run after so much of it."""

    def __init__(self, most: float = float("inf")) -> None:
        super().__init__()
        self._most, self.done = most, 0

    def advance(self, sentences: int) -> None:
        self.done += 1
        if self.done > self._most:
            raise BrokenError


def test_both_can_be_broken_off_and_taken_up(
    beam: Pipeline, toy: list[Sentence], tmp_path: Path
) -> None:
    config = config_of(
        TREES,
        {**turned(tmp_path, toy), "tags": 2},
        training={"epochs": 2, "checkpoint_minutes": 0},
    )
    whole = Breaking()
    train(config, tmp_path / "whole", whole, init=beam, threads=1)
    # Within the one set of weights, and within the other.
    for share in (0.3, 0.8):
        with pytest.raises(BrokenError):
            train(config, tmp_path / "m", Breaking(share * whole.done), init=beam, threads=1)
        train(config, tmp_path / "m", Log(), init=beam, threads=2, resume=True)
        assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


# -- calibration ---------------------------------------------------------------------------


def test_calibration_is_kept_without_development_data(start: Pipeline, tmp_path: Path) -> None:
    train(config_of(TREES), tmp_path / "m", Log(), init=start, threads=1)
    model = load(tmp_path / "m")
    assert model.parser.gives_probabilities
    (told,) = model.parse([NEW], probabilities=True)
    assert all("ArcProb=" in misc for misc in told.misc)
    if isinstance(start.parser, TransitionParser):
        assert model.parser.confidence == start.parser.confidence


def test_calibration_is_made_anew_with_development_data(start: Pipeline, tmp_path: Path) -> None:
    config = config_of(TREES, training={"epochs": 3, "dev": str(TOY)})
    model = train(config, tmp_path / "m", Log(), init=start, threads=1)
    assert model.parser.gives_probabilities
    if isinstance(start.parser, TransitionParser):
        assert model.parser.confidence != start.parser.confidence


# -- tags ----------------------------------------------------------------------------------


def test_sentences_that_were_not_learned_are_tagged_by_the_tagger(
    beam: Pipeline, tmp_path: Path
) -> None:
    corpus, config, checkpoint = (
        read_treebank([str(TOY)]),
        TaggerConfig(folds=2, epochs=2),
        Checkpoint(str(tmp_path / "c"), {}, 9.0),
    )
    assert beam.tagger is not None
    unseen = np.arange(len(corpus.sentences)) % 3 == 0
    tags = jackknife(
        corpus,
        beam.tagger,
        config,
        1,
        threads=2,
        clusters=None,
        checkpoint=checkpoint,
        advance=lambda count: None,
        unseen=unseen,
    )
    words = corpus.words_of(unseen)
    own = beam.tagger.tag(corpus.batch, keep=False)
    for name, values in tags.arrays().items():
        assert (values[words] == own.arrays()[name][words]).all(), name
    assert (tags.probabilities[~words] != own.probabilities[~words]).any(), "by other taggers"
    for fold, part in enumerate(folds_of(~unseen, config)):
        kept = checkpoint[f"fold-{fold}"]
        assert (tags.pairs[corpus.words_of(part)] == kept["pairs"]).all()


def test_folds_hold_what_was_learned() -> None:
    learned = np.array([True, False, True, True, True])
    parts = folds_of(learned, TaggerConfig(folds=2))
    assert [np.flatnonzero(part).tolist() for part in parts] == [[0, 3], [2, 4]]
    assert len(folds_of(learned, TaggerConfig(folds=10))) == 4
    assert folds_of(learned, TaggerConfig(folds=1)) == []
    assert folds_of(learned, TaggerConfig(folds=0)) == []
    assert folds_of(~np.ones(3, dtype=np.bool_), TaggerConfig()) == []
    assert folds_of(np.ones(1, dtype=np.bool_), TaggerConfig()) == []


def test_what_is_tagged_in_parts(beam: Pipeline, toy: list[Sentence], tmp_path: Path) -> None:
    """All of what was learned, or may have been; nothing of what was not."""

    def stages(init: Pipeline, data: Path, folds: int) -> list[str]:
        log = Log()
        tables = {"training": {"epochs": 1}} | ({"tagger": {"folds": folds}} if folds > 1 else {})
        config = config_of({"data": str(data)}, **tables)
        train(config, tmp_path / "m", log, init=init, threads=1)
        return [stage for stage in log.stages if stage.startswith("tags")]

    new = write(tmp_path / "new.conllu", [s.replace(forms=[f"{w}x" for w in s.forms]) for s in toy])
    assert stages(beam, TOY, 1) == stages(beam, new, 1) == [], "if nothing is said"
    assert stages(beam, TOY, 2) == ["tags of 2 parts"]
    assert stages(beam, new, 2) == []
    assert stages(replace(beam, learned=None), new, 2) == ["tags of 2 parts"]
    assert beam.learned is not None
    partly = replace(beam, learned=replace(beam.learned, complete=False))
    assert stages(partly, new, 2) == ["tags of 2 parts"]


def test_folds_may_be_said() -> None:
    card = card_of(make_config({"objective": [TREES], "tagger": {"folds": 4}}))
    assert continued(make_config({"objective": [TREES]}), card).tagger.folds == 1
    for folds in (10, 5, 0):
        said = make_config({"objective": [TREES], "tagger": {"folds": folds}})
        assert continued(said, card).tagger.folds == folds


def tagger_of(model: Pipeline) -> list[bytes]:
    assert isinstance(model.tagger, Tagger) and isinstance(model.tagger.model, PackedWeights)
    return [array.tobytes() for array in model.tagger.model.arrays.values()]


def test_the_tagger_learns_on_if_that_is_said(
    beam: Pipeline, toy: list[Sentence], tmp_path: Path
) -> None:
    """Before the parser, which then sees its tags."""
    other = [s.replace(upos=[tag.replace("NOUN", "PROPN") for tag in s.upos]) for s in toy]
    other = [s.replace(xpos=[tag.replace("NN", "NNP") for tag in s.xpos]) for s in other]
    known = set(beam.tagger.upos.names) if beam.tagger else set()
    assert "PROPN" in known, "a tagger keeps its tags"
    data = {"data": str(write(tmp_path / "other.conllu", other))}

    def nouns(model: Pipeline) -> int:
        return sum(s.upos.count("NOUN") for s in model.parse(toy, retag=True))

    kept = train(config_of(data), tmp_path / "kept", Log(), init=beam, threads=1)
    assert tagger_of(kept) == tagger_of(beam)
    log = Log()
    config = config_of(data, tagger={"finetune_epochs": 3})
    taught = train(config, tmp_path / "taught", log, init=beam, threads=1)
    assert log.stages[0] == "tagger"
    assert nouns(taught) < nouns(beam) / 2 and nouns(kept) == nouns(beam)


def test_what_the_tagger_learned_is_taken_up_again(
    beam: Pipeline, toy: list[Sentence], tmp_path: Path
) -> None:
    config = config_of(
        TREES,
        {"kind": "robustness", "data": str(TOY), "kinds": ["lower-case"]},
        tagger={"finetune_epochs": 2},
        training={"epochs": 1, "checkpoint_minutes": 0},
    )
    whole = Breaking()
    train(config, tmp_path / "whole", whole, init=beam, threads=1)
    with pytest.raises(BrokenError):
        train(config, tmp_path / "m", Breaking(0.7 * whole.done), init=beam, threads=1)
    train(config, tmp_path / "m", Log(), init=beam, threads=2, resume=True)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_tagger_that_is_not_there_cannot_learn_on(tmp_path: Path) -> None:
    config = config_of(TREES, tagger={"finetune_epochs": 1})
    with pytest.raises(ConfigError, match=r"is for a model that is trained on; give one \(--init"):
        train(config, tmp_path / "m", Log(), threads=1)


# -- labels --------------------------------------------------------------------------------


def test_trees_with_other_labels_are_refused(
    start: Pipeline, toy: list[Sentence], tmp_path: Path
) -> None:
    formal = [s.replace(deprels=["-*1"] * len(s)) for s in toy]
    data = write(tmp_path / "formal.conllu", formal)
    with pytest.raises(ConfigError, match="has none of the labels of these trees, '-\\*1' for"):
        train(config_of({"data": str(data)}), tmp_path / "m", Log(), init=start, threads=1)
    data = write(tmp_path / "some.conllu", [*toy, formal[0]])
    log = Log()
    train(config_of({"data": str(data)}), tmp_path / "m", log, init=start, threads=1)
    wanted = f"{len(formal[0])} words have labels that the model does not have, '-*1' for instance"
    assert any(note.startswith(wanted) for note in log.notes)
