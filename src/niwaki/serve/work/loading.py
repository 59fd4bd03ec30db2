"""Models, rules and corpora that a worker has read, kept while their files do not change."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from niwaki.data.bilingual.references import Reference, read_references
from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.serve.errors import RequestError
from niwaki.tasks.compress.model import Compressor
from niwaki.tasks.connectives.model import ConnectiveModel
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.tasks.reorder.rules import RuleSet
from niwaki.tasks.roles.model import RoleLabeller
from niwaki.tasks.translate.system import WEIGHTS, System

T = TypeVar("T")

# A model takes some 50 MB; a corpus of 10,000 sentences about as much.
_KEPT = 6


class _Kept:
    """The results of the last few calls, by file and time of its last change."""

    def __init__(self) -> None:
        self._found: OrderedDict[tuple[Any, ...], Any] = OrderedDict()

    def get(self, kind: str, path: str, make: Callable[[str], T]) -> T:
        key = (kind, path, os.stat(path).st_mtime_ns if os.path.exists(path) else 0)
        if key not in self._found:
            self._found[key] = make(path)
        self._found.move_to_end(key)
        while len(self._found) > _KEPT:
            self._found.popitem(last=False)
        value: T = self._found[key]
        return value


kept = _Kept().get


def model_of(path: str) -> Pipeline:
    return kept("model", path, load)


def rules_of(path: str) -> RuleSet:
    return kept("rules", path, load_rules)


def connectives_of(path: str) -> ConnectiveModel:
    return kept("connectives", path, ConnectiveModel.load)


def labeller_of(path: str) -> RoleLabeller:
    return kept("roles", path, RoleLabeller.load)


def compressor_of(path: str) -> Compressor:
    return kept("compressor", path, Compressor.load)


def translator_of(folder: str) -> System:
    # Tuning writes the weights, and nothing else, anew.
    weights = os.path.join(folder, WEIGHTS)
    return kept("translator", weights, lambda _: System.load(folder))


def trees_of(path: str) -> list[Sentence]:
    """The sentences of a corpus; several roots and unknown heads are its own business."""
    return kept("trees", path, lambda each: list(read_conllu(each, multi_root=True)))


def references_of(path: str) -> list[Reference]:
    def read(each: str) -> list[Reference]:
        # What has no words has no order either, and cannot be parsed.
        return [reference for reference in read_references(each) if reference.tokens]

    found = kept("references", path, read)
    if not found:
        raise RequestError(422, "this file has no references")
    return found
