"""Counts of evaluations as JSON, so that those of shards become those of the whole."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from niwaki.data.files import Target, open_output
from niwaki.metrics import load_metric
from niwaki.metrics.base import Evaluation


def write_counts(found: dict[str, Evaluation], target: Target) -> None:
    """A line for each metric, with the counts of each sentence."""
    with open_output(target) as out:
        for name, each in found.items():
            record = {
                "metric": name,
                "names": each.names,
                "more": each.more,
                "learned": each.learned,
                "counts": each.counts.tolist(),
            }
            out.write(json.dumps(record).encode() + b"\n")


def read_counts(files: Iterable[str]) -> dict[str, Evaluation]:
    """The evaluations of all sentences of some files together, in the order of the files."""
    records: dict[str, list[dict[str, Any]]] = {}
    for file in files:
        with open(file, "rb") as lines:
            for record in map(json.loads, lines):
                records.setdefault(record["metric"], []).append(record)
    return {name: _joined(name, found) for name, found in records.items()}


def _joined(metric: str, records: list[dict[str, Any]]) -> Evaluation:
    empty = load_metric(metric).evaluate([], [])
    counts = [np.array(record["counts"], dtype=empty.counts.dtype) for record in records]
    learned = [record["learned"] for record in records]
    return replace(
        empty,
        counts=np.concatenate(counts),
        names=tuple(records[0]["names"]),
        more=records[0]["more"],
        # One that does not know says so of every shard, or has none of some.
        learned=None if None in learned else sum(learned),
    )
