"""The graph-based parser: linear models of features give each arc and label its score."""

from __future__ import annotations

from niwaki.features.parts import Parts
from niwaki.kernel.features.words import Clusters
from niwaki.parsers.arcs.parser import ArcParser
from niwaki.parsers.graph.scorer import TABLES, LinearScorer, Weights
from niwaki.parsers.graph.spec import GraphSpec


class GraphParser(ArcParser[GraphSpec]):
    """A parser of arcs with linear models."""

    def parts(self) -> Parts:
        assert isinstance(self.scorer, LinearScorer)
        parts = Parts()
        parts.add("graph", self.spec.to_json())
        for name in TABLES:
            parts.add(f"graph-{name}", {}, self.scorer.weights[name])
        return parts


def linear_parser(
    spec: GraphSpec, weights: Weights, clusters: Clusters | None = None
) -> GraphParser:
    """A graph parser with linear models."""
    return GraphParser(spec, LinearScorer(spec, weights, clusters))
