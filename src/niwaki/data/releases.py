"""Treebanks of UD releases, found by the names of their files in a folder or a tree of folders."""

from __future__ import annotations

import itertools
import os
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from niwaki.errors import NiwakiError, nearest

# A large training part may come in several files (cs_pdt-ud-train-c.conllu).
_FILE = re.compile(r"(?P<code>.+)-ud-(?P<part>train|dev|test)(?:-\w+)?\.conllu(?:\.gz)?")


@dataclass(frozen=True)
class Treebank:
    """The files of a treebank. Its name is theirs (`lt_alksnis`); that of the folder, where two
    folders have files of one name.
    """

    name: str
    language: str  # as its files name it: `lt`
    folder: Path
    train: tuple[Path, ...]
    dev: tuple[Path, ...]
    test: tuple[Path, ...]


def find_treebanks(folder: str | os.PathLike[str], only: Sequence[str] = ()) -> list[Treebank]:
    """The treebanks of a folder and of all below that have a training part, by name.

    `only` has names, of files or of folders. Of a file and the same packed (.gz), the first counts.
    """
    root = Path(folder)
    if not root.is_dir():
        raise NiwakiError(f"{root}: no such folder; give one with *-ud-train.conllu files")
    parts: defaultdict[tuple[Path, str], defaultdict[str, list[Path]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for path in sorted(root.rglob("*-ud-*.conllu*")):
        is_copy = path.suffix == ".gz" and path.with_suffix("").is_file()
        if (said := _FILE.fullmatch(path.name)) and path.is_file() and not is_copy:
            parts[path.parent, said["code"]][said["part"]].append(path)
    trained = {key: files for key, files in parts.items() if files["train"]}
    if not trained:
        raise NiwakiError(f"{root}: no file *-ud-train.conllu or *-ud-train.conllu.gz in it")
    codes = Counter(code for _, code in trained)
    treebanks = [
        Treebank(
            code if codes[code] == 1 else home.name,
            code.partition("_")[0],
            home,
            *(tuple(files[part]) for part in ("train", "dev", "test")),
        )
        for (home, code), files in trained.items()
    ]
    found = sorted(_chosen(treebanks, only), key=lambda each: each.name)
    for one, other in itertools.pairwise(found):
        if one.name == other.name:
            raise NiwakiError(
                f"two treebanks are called {one.name!r}: {one.folder} and {other.folder}; "
                "give a folder that holds one of them"
            )
    return found


def _chosen(treebanks: Sequence[Treebank], only: Sequence[str]) -> Sequence[Treebank]:
    names = {name for each in treebanks for name in (each.name, each.folder.name)}
    for name in only:
        if name not in names:
            raise NiwakiError(f"no treebank {name!r}; {nearest(name, sorted(names))}")
    return [x for x in treebanks if not only or {x.name, x.folder.name} & set(only)]
