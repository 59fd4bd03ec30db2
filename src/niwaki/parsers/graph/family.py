"""The family of graph-based parsers: the best of all trees, under scores of arcs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from niwaki.errors import ConfigError
from niwaki.features.arc_templates import load_arc_feature_set
from niwaki.features.parts import SavedParts
from niwaki.features.templates import morphology_seen
from niwaki.features.weights import PackedWeights
from niwaki.kernel.features.words import Clusters
from niwaki.learning.corpus import Corpus
from niwaki.parsers.arcs.calibration import calibrate
from niwaki.parsers.arcs.labels import labels_of
from niwaki.parsers.base import Job, Parser, Search, Setup
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.learners import learns_online
from niwaki.parsers.graph.model import GraphParser, linear_parser
from niwaki.parsers.graph.scorer import TABLES, LinearScorer
from niwaki.parsers.graph.spec import GraphSpec
from niwaki.parsers.graph.trainer import (
    GraphTrainer,
    GraphWeightsPlan,
    new_weights,
    unpack_weights,
)
from niwaki.tagging.tagger import Tags
from niwaki.typing import Arrays

_STAGE = "graph"


class GraphPlan:
    """One set of weights, of arcs and of labels."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._config: GraphConfig = setup.config
        self._init = setup.init if isinstance(setup.init, GraphParser) else None
        if setup.has_links:
            raise ConfigError('links go with model.kind = "transition"; leave one out')
        if setup.corpus.interpolated is not None:
            raise ConfigError('`interpolate` does not go with model.kind = "graph"; leave one out')
        self._check_that_it_learns()
        self._spec = self._init.spec if self._init else self._new_spec()
        self.labels = self._spec.labels
        self.notes: Sequence[str] = ()

    def _new_spec(self) -> GraphSpec:
        """The parser for a treebank: its labels, and what it looks at."""
        setup, config = self._setup, self._config
        spec = GraphSpec(
            labels=labels_of(setup.corpus),
            order=config.order,
            latent=config.latent,
            projective=config.projective,
            decode=config.decode,
            features="\n".join([load_arc_feature_set(setup.features), *setup.more_features]),
            label_features=load_arc_feature_set(config.label_features),
            lowercase=setup.lowercase,
            tags=setup.has_tags,
        )
        try:
            linear_parser(spec, new_weights(spec), setup.clusters)
        except ValueError as error:
            raise ConfigError(f"features: {error}") from error
        return spec

    def _check_that_it_learns(self) -> None:
        """Raises ConfigError if this way to learn cannot do what is asked for."""
        config, selections = self._config, self._setup.selections
        online = "train by perceptron, mira, or log-linear with adagrad"
        if not learns_online(config):
            if self._setup.corpus.constraints:
                raise ConfigError(
                    "partial trees are completed while one learns from sentence to sentence; "
                    + online
                )
            if selections:
                raise ConfigError(f"costs change weights from sentence to sentence; {online}")
            if self._init is not None:
                raise ConfigError(f"a model is fine-tuned from sentence to sentence; {online}")
        if selections and config.latent > 1:
            raise ConfigError(f"costs go with graph.latent = 1, not {config.latent}; leave one out")
        if config.order == 2 and "exact" in selections:
            raise ConfigError('select = "exact" sums over trees, which needs graph.order = 1')

    @property
    def of_nonprojective(self) -> str:
        is_projective = self._spec.projective
        return ", of which the nearest projective trees are learned" if is_projective else ""

    @property
    def morphology_seen(self) -> tuple[str, ...]:
        return morphology_seen(f"{self._spec.features}\n{self._spec.label_features}")

    def chains(self, tags: Tags) -> Sequence[Sequence[Job]]:
        setup = self._setup
        plan = GraphWeightsPlan(
            self._spec, self._config, setup.max_rows, setup.clusters, setup.seed
        )
        base = _finished_weights(self._init) if self._init else None

        def make(done: Mapping[str, Arrays]) -> GraphTrainer:
            return GraphTrainer(plan, setup.corpus, tags, base=base)

        mixable = learns_online(self._config)
        return [[Job(_STAGE, setup.corpus, setup.epochs, make, Search(), mixable=mixable)]]

    def finished(self, weights: Mapping[str, Arrays]) -> Parser:
        found = unpack_weights(weights[_STAGE])
        return linear_parser(self._spec, found, self._setup.clusters)


def _finished_weights(parser: GraphParser) -> Mapping[str, PackedWeights]:
    assert isinstance(parser.scorer, LinearScorer)
    found = parser.scorer.weights
    packed = {part: each for part, each in found.items() if isinstance(each, PackedWeights)}
    if len(packed) < len(found):
        raise ValueError("only a finished model can be trained on")
    return packed


class GraphFamily:
    """See `niwaki.parsers.base.Family`."""

    name = "graph"
    config = GraphConfig
    prices_arcs = True
    tags_words = False

    def plan(self, setup: Setup) -> GraphPlan:
        return GraphPlan(setup)

    def calibrated(self, parser: Parser, held_out: Corpus, tags: Tags) -> Parser:
        assert isinstance(parser, GraphParser)
        return calibrate(parser, held_out, tags)

    def load(self, parts: SavedParts, clusters: Clusters | None) -> Parser:
        spec = GraphSpec.from_json(parts.record("graph"))
        weights = {name: parts.weights(f"graph-{name}") for name in TABLES}
        return linear_parser(spec, weights, clusters)


FAMILY = GraphFamily()
