"""Labels roles: finds predicates and fillers, and gives all fillers of a predicate their roles."""

from __future__ import annotations

import json
import math
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

import numpy as np

from niwaki.data.modelfile import ModelFile, write_model_file
from niwaki.data.roles import Filler, Predicate, Roleset
from niwaki.keys import check_values, key
from niwaki.learning.candidates import CandidateSets
from niwaki.learning.ranker import Ranker, RankerSettings
from niwaki.tasks.modelfiles import load_as
from niwaki.tasks.roles.assign import WAYS
from niwaki.tasks.roles.fillers import (
    Asked,
    Look,
    asked_of,
    filler_features,
    look_at,
    role_features,
)
from niwaki.tasks.roles.paths import Group, PathKernel, counted
from niwaki.tasks.roles.predicates import Lexicon, PredicateFinder
from niwaki.tasks.trees import TreeView

KIND = "roles"
IN_THE_BOX = "en-roles"
_CARD, _PATHS, _WORDS = "config.json", "paths.json.z", "lexicon.json.z"
_RANKERS = {name: f"{name}.safetensors" for name in ("predicates", "fillers", "roles")}
# What a path that says nothing of a role is worth, and what makes logarithms of scores small.
_LEAST, _SCALE = 1e-5, 3.0
# No part of a file grows beyond this when it is unpacked.
_MOST_BYTES = 1 << 28


@dataclass(frozen=True)
class Settings:
    """How roles are found, and how that is learned."""

    words: bool = key(True, "Weigh words and markers of fillers beside their paths.")
    assign: Literal["local", "one-to-one", "cover"] = key(
        "one-to-one", "Roles for each filler by itself, or for all of a predicate together."
    )
    prior: float = key(
        10.0, "Fillers of a roleset that weigh as much as all of its part of speech.", above=0
    )
    folds: int = key(3, "Parts of the sentences that are held out in turn.", least=2, most=100)
    ranker: RankerSettings = field(
        default_factory=lambda: RankerSettings(l2=1.0, least_count=2, passes=120)
    )

    def __post_init__(self) -> None:
        check_values(self)
        check_values(self.ranker)


@dataclass(frozen=True)
class RoleLabeller:
    """See the module. `frames` are PropBank's rolesets, if known; `card` says how it was made."""

    settings: Settings
    kernel: PathKernel
    finder: PredicateFinder
    fillers: Ranker
    roles: Ranker | None
    frames: Mapping[str, Roleset] = field(default_factory=dict)
    card: Mapping[str, Any] = field(default_factory=dict)

    def label(
        self, trees: Sequence[TreeView], given: Sequence[Sequence[Predicate]] | None = None
    ) -> list[list[Predicate]]:
        """The predicates of each tree with their fillers; `given` predicates are kept."""
        found = self.finder.find(trees) if given is None else given
        asked = [
            each
            for tree, predicates in zip(trees, found, strict=True)
            for p in predicates
            for each in asked_of(tree, p.word, p.roleset)
        ]
        chosen = self._filling(asked)
        named = iter(zip(chosen, self.roles_of(chosen), strict=True))
        answer = _Answers(named)
        return [
            [replace(p, fillers=answer.of(tree, p)) for p in predicates]
            for tree, predicates in zip(trees, found, strict=True)
        ]

    def _filling(self, asked: Sequence[Asked]) -> list[Asked]:
        """Those that more probably fill a role than none."""
        if not asked:
            return []
        data = CandidateSets.of(([filler_features(each), []], None) for each in asked)
        scores = self.fillers.scores(data)[::2]
        return [each for each, score in zip(asked, scores.tolist(), strict=True) if score > 0]

    def roles_of(self, fillers: Sequence[Asked]) -> list[str]:
        """A role for each filler; those of one predicate follow each other."""
        parts = [list(part) for _, part in groupby(fillers, lambda x: (id(x.tree), x.predicate))]
        choose = WAYS[self.settings.assign]
        scores: Iterator[list[list[float]]]
        if self.roles is None:
            scores = ([self.beliefs(each) for each in part] for part in parts)
        else:
            scores = self._ranked(parts, self.roles)
        found: list[str] = []
        for part, rows in zip(parts, scores, strict=True):
            found += choose(rows, self.kernel.roles(part[0].group))
        return found

    def knows(self, roleset: str) -> bool:
        """Whether it was seen, or stands in the frames."""
        return roleset in self.frames or roleset in self.finder.lexicon.known

    def beliefs(self, asked: Asked) -> list[float]:
        """What the path of a filler says of each role: s(w, role)."""
        scores = self.kernel.scores(asked.group, asked.path)
        return [scores.get(role, 0.0) for role in self.kernel.roles(asked.group)]

    def _ranked(
        self, parts: Sequence[Sequence[Asked]], ranker: Ranker
    ) -> Iterator[list[list[float]]]:
        """log P of each role, for the fillers of each predicate."""
        looks = [[look_at(each) for each in part] for part in parts]
        every = list(dict.fromkeys(look for part in looks for look in part))
        if not every:
            return
        data = role_sets(every, [None] * len(every), [self.kernel] * len(every))
        rows = np.split(ranker.log_probabilities(data), data.sets[1:-1])
        found = {look: row.tolist() for look, row in zip(every, rows, strict=True)}
        for part in looks:
            yield [found[look] for look in part]

    # -- files ------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        card = {**self.card, "kind": KIND, "settings": asdict(self.settings)}
        entries = [
            [*group, role, list(way), n] for group, role, way, n in counted(self.kernel.seen)
        ]
        lexicon = self.finder.lexicon
        words = {
            "seen": [[*entry, *found] for entry, found in lexicon.seen.items()],
            "verbs": lexicon.verbs,
            "frames": [[each.id, each.name, dict(each.roles)] for each in self.frames.values()],
        }
        parts: dict[str, Any] = {_CARD: card, _PATHS: _packed(entries), _WORDS: _packed(words)}
        rankers = {"predicates": self.finder.ranker, "fillers": self.fillers, "roles": self.roles}
        for name, ranker in rankers.items():
            if ranker is not None:
                parts[_RANKERS[name]] = ranker.arrays
        write_model_file(path, parts)

    @classmethod
    def load(cls, name_or_path: str | os.PathLike[str] = IN_THE_BOX) -> RoleLabeller:
        """Read a labeller, the bundled one by its name; raises ModelError if it is none."""
        return load_as(
            find_labeller(name_or_path),
            KIND,
            cls._of,
            what="labeller of roles",
            command="train-roles",
        )

    @classmethod
    def _of(cls, file: ModelFile) -> RoleLabeller:
        said = dict(file.config["settings"])
        settings = Settings(**{**said, "ranker": RankerSettings(**said["ranker"])})
        seen: dict[Group, dict[str, dict[tuple[str, ...], int]]] = {}
        for roleset, tag, role, way, n in _unpacked(file, _PATHS):
            seen.setdefault((roleset, tag), {}).setdefault(role, {})[tuple(way)] = int(n)
        words = _unpacked(file, _WORDS)
        lexicon = Lexicon(
            {(lemma, tag): tuple(found) for lemma, tag, *found in words["seen"]},
            dict(words["verbs"]),
        )
        frames = {id_: Roleset(id_, name, (), roles) for id_, name, roles in words["frames"]}
        predicates, fillers = (
            Ranker.of(file.tensors(_RANKERS[name])) for name in ("predicates", "fillers")
        )
        roles = Ranker.of(file.tensors(_RANKERS["roles"])) if settings.words else None
        return cls(
            settings,
            PathKernel(seen, settings.prior),
            PredicateFinder(lexicon, predicates),
            fillers,
            roles,
            frames,
            file.config,
        )


class _Answers:
    """Fillers with their roles, taken up by the predicates that they were asked for."""

    def __init__(self, named: Iterator[tuple[Asked, str]]) -> None:
        self._named, self._next = named, next(named, None)

    def of(self, tree: TreeView, predicate: Predicate) -> tuple[Filler, ...]:
        found = []
        while self._next is not None:
            asked, role = self._next
            if asked.tree is not tree or asked.predicate != predicate.word:
                break
            found.append(Filler(role, asked.word))
            self._next = next(self._named, None)
        return tuple(found)


def role_sets(
    looks: Sequence[Look], right: Sequence[str | None], kernels: Sequence[PathKernel]
) -> CandidateSets:
    """The roles that each filler may have, as a ranker sees them, and which one is right."""
    sets, values = [], []
    for look, role, kernel in zip(looks, right, kernels, strict=True):
        roles = kernel.roles(look.group)
        scores = kernel.scores(look.group, look.path)
        beliefs = [math.log(scores.get(name, 0.0) + _LEAST) / _SCALE for name in roles]
        rows, numbers = role_features(look, roles, beliefs)
        sets.append((rows, roles.index(role) if role in roles else None))
        values.append(numbers)
    return CandidateSets.of(sets, values)


def labeller_names() -> list[str]:
    """The bundled ones."""
    return [IN_THE_BOX]


def find_labeller(name_or_path: str | os.PathLike[str]) -> Path:
    """The file of a labeller: the bundled one by its name, else the path itself."""
    if os.fspath(name_or_path) in labeller_names():
        folder = Path(str(resources.files("niwaki"))) / "assets" / "models"
        return folder / f"{os.fspath(name_or_path)}.niwaki"
    return Path(name_or_path)


def _packed(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode(), 9)


def _unpacked(file: ModelFile, name: str) -> Any:
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(file.raw(name), _MOST_BYTES)
    except zlib.error as error:
        raise ValueError(f"part {name}: {error}") from error
    if unpacking.unconsumed_tail:
        raise ValueError(f"part {name} is too large")
    return json.loads(data)
