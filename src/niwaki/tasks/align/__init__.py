"""Word alignment: which words of two sentences are translations of each other."""

from __future__ import annotations

from niwaki.tasks.align.aligner import Aligner, train
from niwaki.tasks.align.bridge import compose, mix
from niwaki.tasks.align.learned import LearnedAlignment
from niwaki.tasks.align.settings import PRESETS, Settings, preset
from niwaki.tasks.align.symmetrize import METHODS, link, symmetrize

__all__ = [
    "METHODS",
    "PRESETS",
    "Aligner",
    "LearnedAlignment",
    "Settings",
    "compose",
    "link",
    "mix",
    "preset",
    "symmetrize",
    "train",
]
