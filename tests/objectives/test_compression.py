"""Costs of trees by the words that are kept on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from niwaki.data.compressions import Compression
from niwaki.data.kbest import KBest
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError
from niwaki.objectives import load_objective
from niwaki.objectives.compression import Settings, Shorter
from niwaki.tasks.compress.learning import learn_compressor
from niwaki.tasks.compress.model import Compressor
from niwaki.tasks.compress.model import Settings as CompressorSettings
from tests.shorter import as_json, pairs, told


@pytest.fixture(scope="module")
def model() -> Compressor:
    return learn_compressor(pairs(), CompressorSettings(learner="svm"))


def candidates(given: Compression) -> KBest:
    """The right tree of "Mori said she slowly rakes gravel .", and one in which Mori rakes."""
    right = given.sentence.tree
    labels = "nsubj advmod advmod obj root obj punct".split()
    wrong = Tree((5, 5, 5, 2, 0, 2, 5), tuple(labels))
    return KBest.of_trees([right, wrong], [1.0, 0.0], sorted({*right.deprels, *wrong.deprels}))


def test_wrong_words_cost(model: Compressor) -> None:
    given = told(0)
    whole = Compression(given.sentence, ((True,) * 7,))
    objective = Shorter([given, whole], model)
    assert objective.sentences == (given.sentence,)
    assert objective.left_out is not None and objective.left_out.count == 1
    asked = candidates(given)
    objective.open(objective.sentences, asked.names)
    (costs,) = objective.costs([asked])
    # Always as many words as people kept, so that each wrong one takes the place of a right one.
    assert costs[0] == 0 and costs[1] in (0.25, 0.5, 0.75)
    one, other = objective.costs([asked, asked])
    assert one.tolist() == other.tolist() == costs.tolist()


def test_the_nearest_reference_counts(model: Compressor) -> None:
    given = told(0)
    asked = candidates(given)
    other = tuple(not kept for kept in given.references[0])
    alone, both = (
        Shorter([Compression(given.sentence, references)], model)
        for references in ((other,), (other, *given.references))
    )
    assert alone.costs([asked])[0][0] > 0 == both.costs([asked])[0][0]


def test_it_is_read_from_files(model: Compressor, tmp_path: Path) -> None:
    model.save(tmp_path / "s.niwaki")
    data = tmp_path / "data.jsonl"
    data.write_text(as_json(pairs(4)), encoding="utf-8")
    settings = Settings(compressor=str(tmp_path / "s.niwaki"))
    assert len(load_objective("compression", [str(data)], settings).sentences) == 8
    data.write_text('{"tokens": ["Go"], "keep": ["1"]}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="no word is dropped; give `keep`"):
        load_objective("compression", [str(data)], settings)
    with pytest.raises(ConfigError, match="compressor is missing; give a compressor"):
        load_objective("compression", [str(data)], Settings())
