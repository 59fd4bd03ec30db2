"""Posteriors survive their file, and damaged files are refused with the line."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from niwaki.data.bilingual.bitext import Links
from niwaki.data.bilingual.posteriors import Posteriors, read_posteriors, write_posteriors
from niwaki.errors import CorpusError


def test_round_trip(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    made = [
        Posteriors(*random.dirichlet(np.ones(12), 2).astype(np.float32).reshape(2, 3, 4)),
        Posteriors(*np.zeros((2, 0, 5), np.float32)),
    ]
    path = tmp_path / "posteriors.jsonl.gz"
    write_posteriors(made, path)
    for one, other in zip(made, read_posteriors(path), strict=True):
        assert other.shape == one.shape
        # Four digits are written, and what is below a thousandth is left out.
        assert np.allclose(one.forward, other.forward, rtol=0, atol=1e-3)
        assert np.allclose(one.backward, other.backward, rtol=0, atol=1e-3)


def test_links_share_a_word_out() -> None:
    links = Links(frozenset({(0, 0), (0, 1), (1, 1)}), frozenset({(2, 1)}))
    made = Posteriors.from_links(links, (3, 2))
    third = pytest.approx(1 / 3)
    assert made.forward.tolist() == [[1, third], [0, third], [0, third]]
    assert made.backward.tolist() == [[0.5, 0.5], [0, 1], [0, 1]]
    assert made.reversed.backward.tolist() == made.forward.T.tolist()
    assert made.mean[0].tolist() == [0.75, pytest.approx((1 / 3 + 1 / 2) / 2)]


@pytest.mark.parametrize(
    "line",
    [
        "0-0 1-1",
        "[]",
        '{"source": 1, "target": 1}',
        '{"source": -1, "target": 1, "links": []}',
        '{"source": 1e3, "target": 1, "links": []}',
        '{"source": true, "target": 1, "links": []}',
        '{"source": 99999999999, "target": 1, "links": []}',
        '{"source": 1, "target": 1, "links": 3}',
        '{"source": 1, "target": 1, "links": [[0, 0, 0.5]]}',
        '{"source": 1, "target": 1, "links": [[0, 1, 0.5, 0.5]]}',
        '{"source": 1, "target": 1, "links": [[0, -1, 0.5, 0.5]]}',
        '{"source": 1, "target": 1, "links": [[0, 0, 1.5, 0.5]]}',
        '{"source": 1, "target": 1, "links": [[0, 0, NaN, 0.5]]}',
        '{"source": 1, "target": 1, "links": [[0, 0, "1", 0.5]]}',
    ],
)
def test_damaged_lines(line: str) -> None:
    file = io.BytesIO(b'{"source": 1, "target": 1, "links": []}\n' + line.encode() + b"\n")
    with pytest.raises(CorpusError, match=":2:LINE: ") as caught:
        list(read_posteriors(file))
    assert "\n" not in str(caught.value)
