"""What a graph-based parser is, but for its weights."""

from __future__ import annotations

from dataclasses import dataclass

from niwaki.parsers.arcs.spec import ArcSpec


@dataclass(frozen=True, kw_only=True)
class GraphSpec(ArcSpec):
    """A parser of arcs whose scores are those of features."""

    features: str
    label_features: str
    lowercase: bool = False
    # Without tags, features on them are left out.
    tags: bool = True
