"""Neighbours that are learned as one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.training.config import TreebankConfig
from niwaki.training.config_file import make_config
from niwaki.training.treebanks import joined_sentences, read_treebanks
from tests.toy import TOY, write


def slowly_joined(pieces: list[Sentence]) -> list[tuple[str, int, str]]:
    """Form, head and label of each word, by looking each head up as a pair (piece, word)."""
    places = [(p, w) for p, piece in enumerate(pieces) for w in range(1, len(piece) + 1)]
    first = (0, pieces[0].heads.index(0) + 1)
    rows = []
    for p, w in places:
        head, label = pieces[p].heads[w - 1], pieces[p].deprels[w - 1]
        if head:
            rows.append((pieces[p].forms[w - 1], 1 + places.index((p, head)), label))
        elif p:
            rows.append((pieces[p].forms[w - 1], 1 + places.index(first), "parataxis"))
        else:
            rows.append((pieces[p].forms[w - 1], 0, label))
    return rows


def test_roots_hang_on_the_first_one(toy: list[Sentence]) -> None:
    found = list(joined_sentences(toy))
    start = 0
    for number, sentence in enumerate(found):
        pieces = toy[start : start + (2, 3, 4)[number % 3]]
        start += len(pieces)
        rows = list(zip(sentence.forms, sentence.heads, sentence.deprels, strict=True))
        assert rows == slowly_joined(pieces)
        assert sentence.upos == tuple(tag for piece in pieces for tag in piece.upos)
    assert len(toy) - start < 2, "only a last one that has no neighbour is left"


def test_only_trees_are_learned_of_them(toy: list[Sentence]) -> None:
    objective = TreebankConfig(data=(str(TOY),), weight=2, joined=0.25, interpolate=0.5)
    corpus = read_treebanks([objective])
    added = len(list(joined_sentences(toy)))
    assert list(corpus.sentences[: len(toy)]) == toy
    assert len(corpus.sentences) == len(toy) + added
    for layer, weights in corpus.weights.items():
        assert set(weights[: len(toy)]) == {2.0}
        assert set(weights[len(toy) :]) == {0.5 if layer == "trees" else 0.0}
    assert corpus.interpolated is not None
    assert np.flatnonzero(corpus.interpolated.chosen).tolist() == list(range(len(toy)))
    tagging = TreebankConfig(data=(str(TOY),), joined=0.25, trains=("tags",))
    assert list(read_treebanks([tagging]).sentences) == toy


def test_partial_trees_stay_alone(tmp_path: Path, toy: list[Sentence]) -> None:
    some = toy[:5]
    some[1] = some[1].replace(heads=[-1] * len(some[1]))
    data = write(tmp_path / "some.conllu", some)
    corpus = read_treebanks([TreebankConfig(data=(str(data),), joined=1, partial=True)])
    assert list(corpus.constraints) == [1]
    expected = [*some[0].forms, *some[2].forms]
    assert list(corpus.sentences[5].forms) == expected


@pytest.mark.parametrize("other", [{"links": "links"}, {"weight_by_confidence": True}])
def test_what_it_does_not_go_with(other: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=f"joined does not go with {next(iter(other))}"):
        make_config({"objective": [{"data": str(TOY), "joined": 0.1, **other}]})
