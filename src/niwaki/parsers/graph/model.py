"""The graph-based parser: a score for each possible arc, and the best of all trees.

The score of a labelled arc is the arc's own score plus log p(label | arc). Labels are so
a second step that stays exact: summed over labels, an arc weighs what it weighs without,
and probabilities and k best trees are those of one model of labelled trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import ModelError, nearest
from niwaki.features.arc_templates import compile_arcs
from niwaki.features.attributes import attribute_values
from niwaki.features.vocabulary import Values, Vocabulary
from niwaki.features.weights import PackedWeights
from niwaki.kernel.batch import Batch
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.graph.arcs import ArcModel
from niwaki.kernel.linear import SparseWeights
from niwaki.parsers.decoding import Ranked, Scores, Trees, decode, kbest, sum_trees
from niwaki.tagging.tagger import Tags

Numbers = NDArray[np.int32]
Floats = NDArray[np.float64]
Weights = Mapping[str, SparseWeights | PackedWeights]

# How the tree is chosen: the best one; the best without crossing arcs; that of the fewest
# expected errors; and with latent classes, the best tree when each arc takes its best class.
Decode = Literal["mst", "eisner", "mbr", "max-z"]
DECODERS: tuple[str, ...] = get_args(Decode)

# Scores of siblings take memory in the cube of the length: 64 MB here. Longer sentences
# are parsed by their arcs alone.
MAX_SIBLINGS = 200
# Scores of arcs take memory in the square of the length: 32 MB here.
MAX_WORDS = 2000


@dataclass(frozen=True)
class GraphSpec:
    """Everything about a parser but its weights; what a model file keeps of it."""

    features: str
    label_features: str
    labels: list[str]
    # 2: dependents are also scored with the dependent before them.
    order: int = 1
    # Classes of arcs that no treebank knows (Smith and Smith 2007, section 5).
    latent: int = 1
    # Whether the model was trained on trees without crossing arcs only.
    projective: bool = False
    decode: str = "mst"
    # Scores are divided by it: what makes probabilities of scores of any trainer.
    temperature: float = 1.0
    label_temperature: float = 1.0
    lowercase: bool = False
    # Without tags, features on them are left out.
    tags: bool = True

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> GraphSpec:
        fields = cls.__dataclass_fields__
        return cls(**{name: record[name] for name in fields if name in record})

    def check(self) -> None:
        """Raises ValueError if something is not as it must be."""
        if self.order not in (1, 2) or not 1 <= self.latent <= 64:
            raise ValueError(f"a graph parser of order {self.order} with {self.latent} classes")
        if self.order == 2 and self.latent > 1:
            raise ValueError("latent classes of arcs need order 1")
        for temperature in (self.temperature, self.label_temperature):
            if not 0 < temperature < np.inf:
                raise ValueError(f"a temperature of {temperature}")
        if self.decode not in DECODERS:
            raise ValueError(f"no way {self.decode!r} to choose a tree")


class GraphParser:
    """Linear models of arcs and of their labels, with exact search."""

    def __init__(self, spec: GraphSpec, weights: Weights, clusters: Clusters | None = None) -> None:
        spec.check()
        self.spec, self.weights, self._clusters = spec, weights, clusters
        self.labels = Vocabulary(spec.labels)
        self.plain_labels = list(spec.labels)
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
        self.arcs = ArcModel(arcs, models["arcs"])
        self.label_model = ArcModel(label_templates.programs(len(numbers))[0], models["labels"])
        if self.arcs.classes != spec.latent or self.label_model.classes != len(spec.labels):
            raise ValueError("weights of other classes than those of the design")
        self.siblings: ArcModel | None = None
        if spec.order == 2:
            if siblings is None:
                raise ValueError("no feature looks at siblings")
            self.siblings = ArcModel(siblings, models["arcs"])

    def with_weights(self, weights: Weights, **changes: Any) -> GraphParser:
        """The same parser with other weights, and other values of its spec."""
        spec = GraphSpec.from_json({**self.spec.to_json(), **changes})
        return GraphParser(spec, weights, self._clusters)

    def attribute_values(self, batch: Batch, tags: Tags) -> list[Values]:
        """What the templates see of the words of a batch, in the order of `attributes`."""
        return attribute_values(self.attributes, batch, tags, self.spec.lowercase, self._clusters)

    @property
    def label_temperature(self) -> float:
        return self.spec.label_temperature

    # -- scores ----------------------------------------------------------------

    def arc_table(self, batch: Batch, values: list[Values], sentences: Numbers) -> Floats:
        """Scores of all arcs (see `Scores`), by latent class, at the model's temperature."""
        found = self.arcs.arcs(batch, values, sentences)
        found /= self.spec.temperature
        return found

    def scores(
        self, batch: Batch, values: list[Values], s: int | None = None, *, best: bool = False
    ) -> Scores:
        """Scores of the arcs of a sentence, or of all; siblings too if the model has them.

        Latent classes are summed over, or with `best` each arc takes its best one.
        """
        lengths = np.array(batch.lengths, dtype=np.int32)
        chosen = np.arange(len(lengths), dtype=np.int32) if s is None else np.array([s], np.int32)
        table = self.arc_table(batch, values, chosen)
        arcs = Scores(table if self.spec.latent > 1 else table[:, 0], lengths[chosen])
        if self.spec.latent > 1:
            arcs = Scores(arcs.best_arcs if best else arcs.summed_arcs, arcs.lengths)
        if self.siblings is not None and arcs.lengths.max(initial=0) <= MAX_SIBLINGS:
            seconds = self.siblings.siblings(batch, values, chosen)
            seconds /= self.spec.temperature
            return Scores(arcs.table, arcs.lengths, seconds)
        return arcs

    def label_logs(
        self, batch: Batch, values: list[Values], s: int, heads: Numbers, words: Numbers
    ) -> Floats:
        """log p(label | arc) of arcs of a sentence, one a row."""
        none = np.full(len(heads), -1, dtype=np.int32)
        parts = np.ascontiguousarray(np.stack([heads, words, none], axis=1), dtype=np.int32)
        found = self.label_model.listed(batch, values, s, parts)
        return normalised(found / self.label_temperature)

    # -- trees -----------------------------------------------------------------

    def parse(self, batch: Batch, tags: Tags, how: str | None = None) -> tuple[Numbers, Numbers]:
        """Heads and numbers of labels of the best trees."""
        values = self.attribute_values(batch, tags)
        heads = self.heads(batch, values, how)
        if not batch.words:
            return heads, heads
        labels = self.label_model.chosen(batch, values, heads).argmax(axis=1)
        return heads, labels.astype(np.int32)

    def heads(self, batch: Batch, values: list[Values], how: str | None = None) -> Numbers:
        """The heads of the best trees, whatever their labels."""
        how = self.decoder(how)
        if not batch.words:
            return np.zeros(0, dtype=np.int32)
        if self.siblings is None:
            return self.best_trees(self.scores(batch, values, best=how == "max-z"), how).heads
        # Tables of siblings are large; one at a time.
        found = [
            self.best_trees(self.scores(batch, values, s), how).heads
            for s in range(len(batch.lengths))
        ]
        return np.concatenate(found)

    def decoder(self, how: str | None) -> str:
        """What to decode by: as asked for, or as the model was made for."""
        if how is None:
            return self.spec.decode
        if how not in DECODERS:
            raise ModelError(f"no way {how!r} to choose a tree; {nearest(how, DECODERS)}")
        if how == "mbr" and self.siblings is not None:
            raise ModelError(
                "a model of siblings does not know probabilities of arcs; decode by mst or eisner"
            )
        return how

    def best_trees(self, scores: Scores, how: str) -> Trees:
        """The chosen trees under given scores."""
        if how == "mbr":
            beliefs = sum_trees(scores, projective=self.spec.projective, too_long="spanning")
            # A probability of 0 may be a forbidden arc.
            table = np.where(scores.table > -np.inf, beliefs.marginals, -np.inf)
            return decode(
                Scores(table, scores.lengths),
                projective=self.spec.projective,
                too_long="spanning",
            )
        return decode(scores, projective=how == "eisner", too_long="spanning")

    def kbest(
        self, batch: Batch, s: int, values: list[Values], k: int, how: str | None = None
    ) -> Ranked:
        """The k best labelled trees of a sentence, with the logarithms of their weights."""
        scores = self.labelled_scores(batch, s, values)
        projective = self.decoder(how) == "eisner" or scores.siblings is not None
        (found,) = kbest(scores, k, projective=projective, too_long="spanning")
        return found

    def labelled_scores(self, batch: Batch, s: int, values: list[Values]) -> Scores:
        """Scores of labelled arcs of one sentence: arc + log p(label | arc)."""
        arcs = self.scores(batch, values, s)
        numbers = np.array([s], dtype=np.int32)
        found = self.label_model.arcs(batch, values, numbers)
        logs = normalised(found / self.label_temperature)
        return Scores(arcs.table[:, None] + logs, arcs.lengths, arcs.siblings)

    def marginals(self, batch: Batch, values: list[Values]) -> tuple[Scores, Floats, Floats]:
        """Scores of arcs, their probabilities, and the logarithms of the sums over trees.

        A model of siblings gives those of its arcs alone.
        """
        lengths = np.array(batch.lengths, dtype=np.int32)
        every = np.arange(len(lengths), dtype=np.int32)
        table = self.arc_table(batch, values, every)
        scores = Scores(Scores(table, lengths).summed_arcs, lengths)
        sums = sum_trees(scores, projective=self.spec.projective, too_long="spanning")
        return scores, sums.marginals, sums.log_sums


def normalised(scores: Floats) -> Floats:
    """Logarithms of probabilities, row by row."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
