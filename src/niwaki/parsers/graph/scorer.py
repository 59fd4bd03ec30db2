"""Scores of arcs and labels by linear models of features."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from niwaki.features.arc_templates import compile_arcs
from niwaki.features.attributes import attribute_values
from niwaki.features.vocabulary import Values
from niwaki.features.weights import PackedWeights
from niwaki.kernel.batch import Batch
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.graph.arcs import ArcModel
from niwaki.kernel.linear import SparseWeights
from niwaki.parsers.graph.spec import GraphSpec
from niwaki.tagging.tagger import Tags
from niwaki.typing import FloatArray, IntArray

Weights = Mapping[str, SparseWeights | PackedWeights]
# The tables of weights, by name.
TABLES = ("arcs", "labels")


class LinearScorer:
    """An `ArcScorer` with weights of arcs and siblings, and weights of labels given the arc."""

    def __init__(self, spec: GraphSpec, weights: Weights, clusters: Clusters | None = None) -> None:
        self.weights, self.clusters, self._lowercase = weights, clusters, spec.lowercase
        numbers: dict[str, int] = {}
        templates, label_templates = (
            compile_arcs(text, numbers, clusters=clusters is not None, tags=spec.tags)
            for text in (spec.features, spec.label_features)
        )
        self.attributes = list(numbers)
        arcs, siblings = templates.programs(len(numbers))
        models = {
            name: model.compile() if isinstance(model, PackedWeights) else model
            for name, model in weights.items()
        }
        self.arc_model = ArcModel(arcs, models["arcs"])
        self.label_model = ArcModel(label_templates.programs(len(numbers))[0], models["labels"])
        if self.arc_model.classes != spec.latent or self.label_model.classes != len(spec.labels):
            raise ValueError("weights of other classes than those of the parser")
        self.sibling_model: ArcModel | None = None
        if spec.order == 2:
            if siblings is None:
                raise ValueError("no feature looks at siblings")
            self.sibling_model = ArcModel(siblings, models["arcs"])

    def values(self, batch: Batch, tags: Tags) -> list[Values]:
        return attribute_values(self.attributes, batch, tags, self._lowercase, self.clusters)

    def arcs(self, batch: Batch, values: list[Values], sentences: IntArray) -> FloatArray:
        return self.arc_model.arcs(batch, values, sentences)

    def siblings(
        self, batch: Batch, values: list[Values], sentences: IntArray
    ) -> FloatArray | None:
        if self.sibling_model is None:
            return None
        return self.sibling_model.siblings(batch, values, sentences)

    def labels(self, batch: Batch, values: list[Values], s: int) -> FloatArray:
        return self.label_model.arcs(batch, values, np.array([s], dtype=np.int32))

    def labels_of_parts(
        self, batch: Batch, values: list[Values], s: int, parts: IntArray
    ) -> FloatArray:
        return self.label_model.listed(batch, values, s, parts)

    def labels_of_trees(self, batch: Batch, values: list[Values], heads: IntArray) -> FloatArray:
        return self.label_model.chosen(batch, values, heads)
