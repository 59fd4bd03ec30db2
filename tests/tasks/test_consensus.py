"""Consensus: what agrees best with other candidates."""

from __future__ import annotations

import numpy as np
import pytest

from niwaki.data.bilingual.overlap import Reference, smoothed_bleu
from niwaki.errors import ConfigError
from niwaki.tasks.translate.consensus import consensus, mbr, pairwise_bleu
from niwaki.tasks.translate.nbest import Hypothesis, NBestList


def hypothesis(text: str, score: float = 0.0) -> Hypothesis:
    return Hypothesis(tuple(text.split()), np.zeros(0, np.float32), score)


def test_tables_of_bleu_are_those_of_pairs() -> None:
    sentences = [text.split() for text in ("a b c d", "a b b", "", "d c b a e", "a b c d")]
    table = pairwise_bleu(sentences)
    expected = [
        [float(smoothed_bleu(np.array(Reference(right).counts(made)))) for right in sentences]
        for made in sentences
    ]
    assert table == pytest.approx(np.array(expected))
    assert table[0, 4] == pytest.approx(1)


def test_mbr_takes_what_most_others_are_like() -> None:
    found = NBestList(
        0,
        (
            hypothesis("snow fell from heaven", -1.0),
            hypothesis("snow fell on the old moss", -1.1),
            hypothesis("snow fell on the moss", -1.2),
            hypothesis("snow fell on old moss", -1.3),
        ),
    )
    chosen = mbr(found)
    likely = np.exp([each.score for each in found.hypotheses])
    gains = [
        sum(
            p * float(smoothed_bleu(np.array(Reference(other.tokens).counts(each.tokens))))
            for p, other in zip(likely, found.hypotheses, strict=True)
        )
        for each in found.hypotheses
    ]
    assert chosen is found.hypotheses[int(np.argmax(gains))]
    assert chosen.text == "snow fell on the moss"
    sharp = mbr(found, scale=100.0)
    assert sharp is not None and sharp.text == "snow fell from heaven"
    first = mbr(found, most=1)
    assert first is found.hypotheses[0]
    assert mbr(NBestList(0, ())) is None


def test_consensus_of_systems() -> None:
    one, two, three = (
        [hypothesis(text)] for text in ("a pine grew here", "a pine stood there", "pines grow")
    )
    agreed = consensus([[hypothesis("x y z")], one, one, two])
    assert agreed is one[0]
    assert consensus([one, three], weights=[0.1, 0.9]) is three[0]
    assert consensus([one, three]) is one[0]
    assert consensus([[], three]) is three[0]
    assert consensus([[], []]) is None


def test_scores_count_within_a_system_only() -> None:
    loud = [hypothesis("a b c d", 500.0)]
    quiet = [hypothesis("e f g h", -500.0), hypothesis("e f g i", -500.5)]
    chosen = consensus([loud, quiet, quiet])
    assert chosen is quiet[0]


@pytest.mark.parametrize("weights", [[1.0], [0.0, 0.0], [1.0, -1.0], [1.0, float("nan")]])
def test_weights_that_are_none(weights: list[float]) -> None:
    with pytest.raises(ConfigError, match="weights"):
        consensus([[hypothesis("a")], [hypothesis("b")]], weights)
