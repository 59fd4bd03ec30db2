"""A treebank of own sentences, and quick ways to train on it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from niwaki import cli
from niwaki.data.sentence import Sentence
from niwaki.pipeline.pipeline import Pipeline
from niwaki.training.config import Config
from niwaki.training.config_file import make_config
from niwaki.training.reporting import EpochReport
from niwaki.training.run import train

TOY = Path(__file__).parent / "fixtures" / "toy.conllu"

# Words that the treebank does not have.
NEW = Sentence.from_words(["A", "heron", "watches", "Ж", "quietly", "."])

Tables = Mapping[str, Any]

# Enough to learn most of the toy treebank, and done in a moment.
QUICK: dict[str, Tables] = {
    "model": {"beam": 4},
    "tagger": {"folds": 2, "epochs": 3},
    "training": {"epochs": 3, "greedy_epochs": 3},
}

# A network that is small, and large enough for it. Rounded weights would make close trees swap.
QUICK_NEURAL: Tables = {
    "width": 48,
    "layers": 2,
    "arc_width": 24,
    "label_width": 16,
    "letter_rows": 1024,
    "learning_rate": 0.01,
    "batch_words": 40,
    "quantized": False,
}


def skip_without_extras(kind: str) -> None:
    """Neural parsers need packages that others do without."""
    if kind == "neural":
        for package in ("torch", "onnxruntime"):
            pytest.importorskip(package, reason="install niwaki[neural] to test neural parsers")


@dataclass
class Log:
    """A reporter that keeps what it is told."""

    stages: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    epochs: list[EpochReport] = field(default_factory=list)

    def stage(self, name: str, total: int) -> None:
        self.stages.append(name)

    def advance(self, sentences: int) -> None:
        pass

    def epoch(self, report: EpochReport) -> None:
        self.epochs.append(report)

    def note(self, line: str) -> None:
        self.notes.append(line)


def quick_config(data: Path = TOY, **tables: Tables) -> Config:
    """A quick configuration with some values of its tables changed."""
    names = {*QUICK, *tables}
    quick = {name: dict(QUICK.get(name, {})) for name in names}
    # What says nothing is refused.
    kind = tables.get("model", {}).get("kind", "transition")
    if kind != "transition":
        del quick["model"]["beam"], quick["training"]["greedy_epochs"]
    if kind == "neural":
        quick["neural"], quick["tagger"] = dict(QUICK_NEURAL), {}
        quick["training"]["epochs"] = 20  # a network takes longer to become sure of labels
        names.add("neural")
    if not tables.get("tagger", {}).get("tags", True):
        quick["tagger"] = {}
    elif tables.get("tagger", {}).get("learner") == "tnt":
        del quick["tagger"]["epochs"]
    record = {name: {**quick[name], **tables.get(name, {})} for name in names}
    return make_config({"objective": [{"data": str(data)}], **record})


def quick_model(
    output: Path, data: Path = TOY, log: Log | None = None, threads: int = 1, **tables: Tables
) -> Pipeline:
    return train(quick_config(data, **tables), output, log or Log(), threads=threads)


def check(model: Pipeline) -> Sentence:
    """Any model parses any words, greedily and with a beam."""
    for beam in (1, 5):
        (parsed,) = model.parse([NEW], beam=beam)
        assert parsed.tree.is_complete
    assert len(model.kbest(NEW, 5)) >= 1
    return parsed


def write(path: Path, sentences: Iterable[Sentence]) -> Path:
    path.write_bytes(b"".join(sentence.source for sentence in sentences))
    return path


def without(sentences: Iterable[Sentence], *columns: str) -> list[Sentence]:
    """The sentences with some columns made blank."""
    return [s.replace(**{column: ["_"] * len(s) for column in columns}) for s in sentences]


def niwaki(*words: str | os.PathLike[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command line; with streams of its own, as a user's, but in this process."""
    given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    printed, said = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    line = [*map(os.fspath, words)]
    with pytest.MonkeyPatch.context() as patch:
        for name, stream in (("stdin", given), ("stdout", printed), ("stderr", said)):
            patch.setattr(sys, name, stream)
        status = cli.main(line)
    return subprocess.CompletedProcess(line, status, _written(printed), _written(said))


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
