"""LEAF: alignments in which many words translate many (Fraser and Marcu 2007)."""

from __future__ import annotations

from niwaki.tasks.align.leaf.training import Leaf, LeafSettings

__all__ = ["Leaf", "LeafSettings"]
