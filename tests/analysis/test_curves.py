"""Logs of training, read and drawn."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from io import BytesIO

import pytest

from niwaki.analysis.curves import CurvesReport, Entry, read_log
from niwaki.errors import CorpusError, NiwakiError


def log(*records: object) -> BytesIO:
    return BytesIO("".join(json.dumps(record) + "\n" for record in records).encode())


FULL = {
    "epoch": 1,
    "objective": "order",
    "updates": 20,
    "first_cost": 0.5,
    "oracle_cost": 0.25,
    "mean_k": 7.5,
}


def test_entries_by_objective_and_epoch_and_the_last_counts() -> None:
    found = read_log(
        log(
            {**FULL, "epoch": 2},
            {**FULL, "objective": "trees", "mean_k": None, "seconds": 3},
            FULL,
            {**FULL, "epoch": 2, "updates": 5},
        )
    )
    assert found == [
        Entry(1, "order", 20, 0.5, 0.25, 7.5),
        Entry(2, "order", 5, 0.5, 0.25, 7.5),
        Entry(1, "trees", 20, 0.5, 0.25, None),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", ":2:LINE: not JSON"),
        (b"[1]", ":2:LINE: found '[1]'; write one object a line"),
        (b'{"epoch": 1}', ":2:objective: found 'null'; give its name"),
        (b'{"objective": "a"}', ":2:epoch: found 'null'; give a finite number"),
        (b'{"objective": "a", "epoch": true}', ":2:epoch: found 'true'"),
        (b'{"objective": "a", "epoch": 1, "mean_k": NaN}', ":2:mean_k: found 'NaN'"),
        (b'{"objective": "a", "epoch": 1, "updates": 1' + b"0" * 400 + b"}", ":2:updates: found"),
    ],
)
def test_bad_lines_are_named(line: bytes, message: str) -> None:
    with pytest.raises(CorpusError) as caught:
        read_log(BytesIO(json.dumps(FULL).encode() + b"\n" + line))
    assert message in str(caught.value)


def test_an_empty_log() -> None:
    with pytest.raises(NiwakiError, match="an empty log"):
        read_log(BytesIO(b"\n"))


def test_charts() -> None:
    one = [Entry(e, o, 9, 0.5 / e, 0.1, None) for o in ("order", "<b>") for e in (1, 2, 3)]
    report = CurvesReport({"one": one})
    charts = dict(report.charts())
    assert list(charts) == ["cost-1", "cost-2", "updates"], "nothing is known of mean_k"
    for svg in charts.values():
        ET.fromstring(svg)
    assert "&lt;b&gt;" in charts["cost-2"]
    both = CurvesReport({"one": one, "two": one[:1]})
    assert "two: first" in dict(both.charts())["cost-1"]
    assert both.to_text().count("two: order") == 1
    assert "<b>" not in both.to_html("Training")
    assert both.to_json()["two"][0]["first_cost"] == 0.5
