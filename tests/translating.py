"""A tiny pair of languages for tests: verbs stand last in one of them."""

from __future__ import annotations

import itertools
from pathlib import Path

NOUNS = {"monks": "soryo", "foxes": "kitsune", "rabbits": "usagi", "pines": "matsu"}
VERBS = {"see": "miru", "plant": "ueru", "paint": "egaku"}


def pairs() -> list[tuple[str, str]]:
    """`the monks see the pines` is `soryo wa matsu o miru`."""
    found = []
    for who, what in itertools.permutations(NOUNS, 2):
        for verb in VERBS:
            words = NOUNS[who], "wa", NOUNS[what], "o", VERBS[verb]
            found.append((f"the {who} {verb} the {what}", " ".join(words)))
    return found


def write_pairs(folder: Path) -> tuple[str, str]:
    """The pairs as two files."""
    files = folder / "text.en", folder / "text.ja"
    for file, side in zip(files, zip(*pairs(), strict=True), strict=True):
        file.write_text("".join(f"{line}\n" for line in side), encoding="utf-8")
    return str(files[0]), str(files[1])
