"""What can be asked for by name: models, rules, finders of relations, compressors, translators,
treebanks and other data.

Requests name ids; paths are given when the server starts and never leave it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from niwaki.errors import ConfigError
from niwaki.pipeline.store import find_model
from niwaki.serve.errors import unknown
from niwaki.tasks.compress.model import Compressor
from niwaki.tasks.connectives.model import ConnectiveModel
from niwaki.tasks.reorder.rulefile import load_rules, rule_set_names
from niwaki.tasks.roles.model import RoleLabeller, find_labeller, labeller_names
from niwaki.tasks.translate.system import System

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"


@dataclass(frozen=True)
class Corpus:
    """Data under a name; `bitext` has two files, the others one."""

    id: str
    kind: str
    files: tuple[str, ...]


@dataclass
class Registry:
    """Names and what they stand for."""

    models: dict[str, str] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)
    corpora: dict[str, Corpus] = field(default_factory=dict)
    connectives: dict[str, str] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    compressors: dict[str, str] = field(default_factory=dict)
    translators: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in rule_set_names():
            self.rules.setdefault(name, name)
        for name in labeller_names():
            # A checkout may come without it; then the API says what to do.
            if find_labeller(name).is_file():
                self.roles.setdefault(name, str(find_labeller(name)))

    def add_model(self, name: str, path: str) -> None:
        file = find_model(path)
        if not file.is_file():
            raise ConfigError(f"{name}: no file {str(file)!r}")
        self.models[_free(name, self.models)] = str(file.resolve())

    def add_rules(self, name: str, path: str) -> None:
        load_rules(path)
        self.rules[_free(name, self.rules)] = str(Path(path).resolve())

    def add_connectives(self, name: str, path: str) -> None:
        ConnectiveModel.load(path)
        self.connectives[_free(name, self.connectives)] = str(Path(path).resolve())

    def add_roles(self, name: str, path: str) -> None:
        RoleLabeller.load(path)
        self.roles[_free(name, self.roles)] = str(find_labeller(path).resolve())

    def add_compressor(self, name: str, path: str) -> None:
        Compressor.load(path)
        self.compressors[_free(name, self.compressors)] = str(Path(path).resolve())

    def add_translator(self, name: str, path: str) -> None:
        System.load(path)
        self.translators[_free(name, self.translators)] = str(Path(path).resolve())

    def add_corpus(self, name: str, kind: str, files: Iterable[str]) -> None:
        paths = tuple(str(Path(file).resolve()) for file in files)
        for path in paths:
            if not Path(path).is_file():
                raise ConfigError(f"{name}: no file {path!r}")
        self.corpora[_free(name, self.corpora)] = Corpus(name, kind, paths)

    def model(self, name: str) -> str:
        if name not in self.models:
            raise unknown("model", name)
        return self.models[name]

    def rule_set(self, name: str) -> str:
        if name not in self.rules:
            raise unknown("rule set", name)
        return self.rules[name]


def is_name(text: str) -> bool:
    return re.fullmatch(NAME, text) is not None


def _free(name: str, taken: Iterable[str]) -> str:
    if not is_name(name):
        raise ConfigError(f"the name {name!r}: use letters, digits, dots, dashes and underscores")
    if name in taken:
        raise ConfigError(f"two things are called {name!r}; write NAME=PATH to give another name")
    return name


def named(argument: str) -> tuple[str, str]:
    """`NAME=PATH`, or a path whose name is that of its file."""
    name, equals, path = argument.partition("=")
    if equals and is_name(name):
        return name, path
    stem = Path(argument.partition(",")[0]).name.partition(".")[0]
    return re.sub(r"[^A-Za-z0-9._-]", "-", stem) or "data", argument
