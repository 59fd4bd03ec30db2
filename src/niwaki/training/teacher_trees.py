"""What self-training and uptraining share: trees that no person drew, learned with a treebank.

They are kept in a folder beside the model, with a note of the run that they belong to and one
of each model that it has finished.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from niwaki.data.files import atomic_write
from niwaki.errors import ConfigError, ModelError
from niwaki.learning.checkpoint import hash_of_files
from niwaki.training.config import Config, TreebankConfig


def take_up(folder: Path, identity: Mapping[str, Any], resume: bool) -> bool:
    """Begin a run in a folder, or go on with the same one; whether there was one."""
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / "run.json"
    told = json.dumps(identity, sort_keys=True)
    if resume and note.exists():
        if note.read_text() != told:
            raise ModelError(
                f"{folder}: trees of another run (its configuration or data differ); "
                "remove it, or use the same ones"
            )
        return True
    # It goes first and comes last: where there is a note, all that is beside it is of its run.
    note.unlink(missing_ok=True)
    for file in folder.iterdir():
        file.unlink()
    with atomic_write(note) as out:
        out.write(told.encode())
    return False


def is_finished(folder: Path, model: Path) -> bool:
    """Whether the run of a folder has finished a model; what an earlier run wrote is not it."""
    note = _note_of_model(folder, model)
    if not note.exists() or not model.exists():
        return False
    return note.read_text() == hash_of_files([str(model)])


def note_finished(folder: Path, model: Path) -> None:
    with atomic_write(_note_of_model(folder, model)) as out:
        out.write(hash_of_files([str(model)]).encode())


def _note_of_model(folder: Path, model: Path) -> Path:
    return folder / f"{model.name}.sha256"


def treebanks_of(config: Config) -> tuple[TreebankConfig, ...]:
    treebanks = tuple(each for each in config.objective if isinstance(each, TreebankConfig))
    if not treebanks:
        raise ConfigError("no trees to learn from; add a treebank")
    return treebanks


def with_trees(config: Config, added: TreebankConfig) -> Config:
    """The configuration with automatic trees beside its treebanks, and without its costs."""
    return dataclasses.replace(config, objective=(*treebanks_of(config), added))
