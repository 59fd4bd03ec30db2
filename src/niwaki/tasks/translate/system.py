"""A trained system: a folder whose config.json says what each file is, with its SHA-256.

config.json         the kind, settings of the training, and hashes of the files below
phrases             the phrase table
language-model
jumps               the reordering model, if it is one of maximum entropy
preorder.toml       the rules of pre-ordering, if any
weights.json        weights of the features; tuning writes it anew
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from niwaki.data.files import atomic_write
from niwaki.errors import ConfigError, ModelError, NiwakiError
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.tasks.reorder.rules import RuleSet
from niwaki.tasks.translate.decoder import Decoder, SearchSettings, Senses
from niwaki.tasks.translate.features import (
    SENSE,
    Weights,
    feature_names,
    read_weights,
    weight_array,
    write_weights,
)
from niwaki.tasks.translate.language_model import LanguageModel
from niwaki.tasks.translate.reordering import MaxentReordering
from niwaki.tasks.translate.table import PhraseTable

CONFIG, WEIGHTS = "config.json", "weights.json"
PHRASES, LANGUAGE_MODEL, JUMPS, RULES = "phrases", "language-model", "jumps", "preorder.toml"
_KIND, _VERSION = "niwaki translation system", 1
_ADVICE = "give a folder of `niwaki translate train`"


@dataclass(frozen=True)
class System:
    """The parts of a translator. `parser` names the model that pre-ordering needs."""

    table: PhraseTable
    language_model: LanguageModel
    weights: Weights
    jumps: MaxentReordering | None = None
    rules: RuleSet | None = None
    parser: str | None = None
    settings: Mapping[str, Any] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The features, in their order."""
        return feature_names(
            msd=self.table.msd is not None,
            jumps=self.jumps is not None,
            senses=SENSE in self.weights,
        )

    def with_weights(self, weights: Weights) -> System:
        return replace(self, weights=dict(weights))

    def decoder(
        self, settings: SearchSettings | None = None, senses: Senses | None = None
    ) -> Decoder:
        settings = settings or SearchSettings()
        return Decoder(self.table, self.language_model, self.weights, self.jumps, settings, senses)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> System:
        """The system of a folder; raises ModelError if it is none, or damaged."""
        path = Path(folder)
        config = _config(path)
        files = config["files"]
        for name, digest in files.items():
            if _digest(path / name) != digest:
                raise ModelError(f"{path / name}: not the file that was trained; {_ADVICE}")
        if not {PHRASES, LANGUAGE_MODEL} <= set(files):
            raise ModelError(
                f"{path}: a system without a phrase table or language model; {_ADVICE}"
            )
        found = cls(
            PhraseTable.load(path / PHRASES),
            LanguageModel.load(path / LANGUAGE_MODEL),
            read_weights(path / WEIGHTS),
            MaxentReordering.load(path / JUMPS) if JUMPS in files else None,
            load_rules(path / RULES) if RULES in files else None,
            config.get("parser"),
            config.get("settings"),
        )
        try:
            weight_array(found.weights, found.names)
        except ModelError as error:
            raise ModelError(f"{path / WEIGHTS}: {error}") from error
        return found


def _config(folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / CONFIG).read_bytes())
        sound = config["kind"] == _KIND and all(
            type(name) is str and Path(name).name == name for name in config["files"]
        )
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise ModelError(f"{folder}: no translation system; {_ADVICE}") from error
    if not sound:
        raise ModelError(f"{folder}: no translation system; {_ADVICE}")
    if config.get("version") != _VERSION:
        raise ModelError(f"{folder}: a system of another niwaki; train it again")
    return dict(config)


def _digest(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}; {_ADVICE}") from error


def check_place(folder: str | os.PathLike[str]) -> None:
    """Refuse, before there is anything to write, a place that a system must not take."""
    path = Path(folder)
    if not path.absolute().parent.is_dir():
        raise NiwakiError(f"{path}: no folder {path.parent}; make it first")
    if (
        path.exists()
        and not (path / CONFIG).is_file()
        and (not path.is_dir() or any(path.iterdir()))
    ):
        raise ConfigError(f"{path}: something else stands there; give the name of a new folder")


def save_system(
    parts: Path,
    folder: str | os.PathLike[str],
    weights: Weights,
    *,
    parser: str | None,
    settings: Mapping[str, Any],
) -> None:
    """Make the folder `parts` a system and give it its name, in place of one that stands there."""
    names = [PHRASES, LANGUAGE_MODEL, JUMPS, RULES]
    files = {name: _digest(parts / name) for name in names if (parts / name).exists()}
    write_weights(weights, parts / WEIGHTS)
    config = {
        "kind": _KIND,
        "version": _VERSION,
        "parser": parser,
        "settings": dict(settings),
        "files": files,
    }
    with atomic_write(parts / CONFIG) as file:
        file.write(json.dumps(config, indent=2).encode() + b"\n")
    target = Path(folder)
    former = target.with_name(f"{target.name}.former")
    shutil.rmtree(former, ignore_errors=True)
    if target.exists():
        target.rename(former)
    parts.rename(target)
    shutil.rmtree(former, ignore_errors=True)
    # Last: until now, a run that is started again finds what it had done.
    for other in target.iterdir():
        if other.name not in (*files, CONFIG, WEIGHTS):
            other.unlink()
