"""What the bilingual benchmarks share: Atis in two languages with links, and its models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import niwaki
from benchmarks.common import DATA, need
from benchmarks.tasks._adapting import WORK, trained, write
from niwaki.data.bilingual.links import with_links
from niwaki.data.sentence import Sentence
from niwaki.tasks.align import Settings, link, train

THRESHOLD = 0.535
PARTS = ("train", "dev", "test")
LANGUAGES = {"en": "ud-english-atis", "tr": "ud-turkish-atis"}

# The three features of Huang, Jiang and Liu (2009).
THREE = (
    "contiguous(s1,s0)",
    "right-contiguous(s0,b0)",
    "contiguous(s1,s0) + right-contiguous(s0,b0)",
)


def read_atis(language: str, part: str) -> list[Sentence]:
    path = DATA / LANGUAGES[language] / f"{language}_atis-ud-{part}.conllu"
    return list(niwaki.read_conllu(need(path)))


@cache
def linked_atis(language: str) -> dict[str, Path]:
    """The parts of Atis in a language with links to the other one, as files.

    The aligner sees the words of all parts (there is a translation wherever such a parser is
    used), and no trees.
    """
    other = next(name for name in LANGUAGES if name != language)
    files = {part: WORK / f"atis-{language}-{part}.conllu" for part in PARTS}
    if all(file.exists() for file in files.values()):
        return files
    sides = [{part: read_atis(name, part) for part in PARTS} for name in (language, other)]
    pairs = [
        (one.forms, two.forms)
        for part in PARTS
        for one, two in zip(sides[0][part], sides[1][part], strict=True)
    ]
    found = [link(each, threshold=THRESHOLD) for each in train(pairs, Settings(), 1).posteriors()]
    sentences = [sentence for part in PARTS for sentence in sides[0][part]]
    linked = [with_links(s, each.sure) for s, each in zip(sentences, found, strict=True)]
    for part in PARTS:
        write(files[part], linked[: len(sides[0][part])])
        linked = linked[len(sides[0][part]) :]
    return files


def atis_model(
    language: str, beam: int, features: str, more: Sequence[str], epochs: int, seed: int
) -> Path:
    """A parser of gold tags; without `more`, it does not look at links."""
    record: dict[str, Any] = {
        "objective": [{"data": str(linked_atis(language)["train"])}],
        "model": {
            "features": features, "more_features": list(more), "beam": beam, "greedy": False,
        },
        "segmenter": {"enabled": False},
        "tagger": {"folds": 0, "feats": False, "lemmas": False, "epochs": 1},
        "training": {"epochs": epochs, "greedy_epochs": epochs, "seed": seed},
    }  # fmt: skip
    return trained(f"atis-{language}-{beam}-{len(more)}-{seed}", record)
