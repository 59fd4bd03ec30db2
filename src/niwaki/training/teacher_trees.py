"""What self-training and uptraining share: trees that no person drew, learned with a treebank.

They are kept in a folder beside the model, with a note of the run that they belong to.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from niwaki.data.files import atomic_write
from niwaki.errors import ConfigError, ModelError
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
    for file in folder.iterdir():
        file.unlink()
    with atomic_write(note) as out:
        out.write(told.encode())
    return False


def treebanks_of(config: Config) -> tuple[TreebankConfig, ...]:
    treebanks = tuple(each for each in config.objective if isinstance(each, TreebankConfig))
    if not treebanks:
        raise ConfigError("no trees to learn from; add a treebank")
    return treebanks


def with_trees(config: Config, added: TreebankConfig) -> Config:
    """The configuration with automatic trees beside its treebanks, and without its costs."""
    return dataclasses.replace(config, objective=(*treebanks_of(config), added))
