"""Word alignment: which words of two sentences are translations of each other."""

from __future__ import annotations

from collections.abc import Iterable

from niwaki.data.bilingual.bitext import Links
from niwaki.tasks.align.aligner import Aligner, Words, train
from niwaki.tasks.align.bridge import compose, mix
from niwaki.tasks.align.settings import PRESETS, Settings, preset
from niwaki.tasks.align.symmetrize import (
    DEFAULT_THRESHOLD,
    METHODS,
    POSTERIOR,
    link,
    symmetrize,
)

__all__ = [
    "METHODS",
    "PRESETS",
    "Aligner",
    "Settings",
    "align",
    "compose",
    "link",
    "mix",
    "preset",
    "symmetrize",
    "train",
]


def align(
    pairs: Iterable[tuple[Words, Words]],
    settings: Settings | str = "default",
    method: str = POSTERIOR,
    threshold: float = DEFAULT_THRESHOLD,
    threads: int = 1,
) -> list[Links]:
    """Word links of tokenised sentence pairs, learned from these pairs themselves.

    `settings` may be the name of a preset; `train` gives the posteriors instead, and
    also takes pairs that are only learned from.
    """
    chosen = preset(settings) if isinstance(settings, str) else settings
    aligner = train(pairs, chosen, threads)
    return [link(each, method, threshold) for each in aligner.posteriors()]
