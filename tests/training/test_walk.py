"""One update of training by costs stays within few files, and does not go to and fro."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import niwaki
from niwaki.training.config_file import make_config
from niwaki.training.loop import Training
from niwaki.training.run import train
from tests.toy import TOY, quick_model

PACKAGE = Path(niwaki.__file__).parent
# Rooms that only hold values are asked again and again; those that act are not.
VALUES = ("data/", "features/", "parsers/decoding/")


class Walk:
    """The files that are entered, in order, from one update on the treebank to the next."""

    def __init__(self) -> None:
        self.updates: list[list[str]] = []

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        file = Path(frame.f_code.co_filename)
        # Comprehensions stay where they are.
        if event != "call" or PACKAGE not in file.parents or frame.f_code.co_name[0] == "<":
            return
        name = str(file.relative_to(PACKAGE))
        if frame.f_code.co_name == "learn" and name.startswith("parsers/"):
            self.updates.append([])
        if self.updates:
            self.updates[-1].append(name)


class InPlace:
    """An executor that works where it is called, so that it can be watched."""

    def map(self, work: Any, items: Any) -> list[Any]:
        return [work(item) for item in items]


@pytest.mark.parametrize("kind", ["transition", "graph"])
def test_the_walk_of_one_update(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walk, learn = Walk(), Training._learn_epoch

    def watched(self: Training, advance: Any, pool: Any) -> None:
        sys.setprofile(walk)
        try:
            learn(self, advance, InPlace())  # type: ignore[arg-type]
        finally:
            sys.setprofile(None)

    base = quick_model(tmp_path / "base", model={"kind": kind})
    monkeypatch.setattr(Training, "_learn_epoch", watched)
    cost = {"kind": "arc-length", "data": str(TOY)}
    tables = {"training": {"epochs": 1, "batch_size": 1}, "tagger": {"folds": 0}}
    config = make_config({"objective": [{"data": str(TOY)}, cost], **tables})
    train(config, tmp_path / "m", threads=1, init=base)
    assert len(walk.updates) > 20
    for files in walk.updates:
        rooms = [name for name, _ in groupby(x for x in files if not x.startswith(VALUES))]
        assert len(set(rooms)) <= 20
        ways = list(zip(rooms, rooms[1:], rooms[2:], rooms[3:], strict=False))
        assert not [way for way in ways if way[:2] == way[2:]]
