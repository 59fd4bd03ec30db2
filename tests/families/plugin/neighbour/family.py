"""The family: its keys, what it plans for a treebank, and how its models are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neighbour.model import NeighbourParser, Scorer
from neighbour.trainer import NeighbourTrainer, with_weights
from niwaki.errors import ConfigError
from niwaki.features.parts import SavedParts
from niwaki.features.vocabulary import Vocabulary
from niwaki.kernel.features.words import Clusters
from niwaki.keys import WrongKeyError, key
from niwaki.learning.corpus import Corpus
from niwaki.parsers.base import Job, Parser, Search, Setup
from niwaki.tagging.tagger import Tags
from niwaki.typing import Arrays

_STAGE = "neighbour"


@dataclass(frozen=True)
class NeighbourConfig:
    """A parser that hangs every word from one of its neighbours."""

    by_tag: bool = key(True, "Whether scores depend on the UPOS of a word.", init="fixed")
    learning_rate: float = key(0.1, "The length of a step.", above=0, most=10)

    def check(self, config: Any) -> None:
        """Refuse what says nothing here; `config` is the whole configuration."""
        for name in ("model.features", "model.more_features", "model.clusters"):
            if name in config.given:
                raise WrongKeyError(name, 'says nothing with kind = "neighbour"; leave it out')


class NeighbourPlan:
    """See `niwaki.parsers.base.Plan`."""

    of_nonprojective = ", which no parser builds that knows neighbours only"

    def __init__(self, setup: Setup) -> None:
        for what, is_there in {
            "links": setup.has_links,
            "partial trees": bool(setup.corpus.constraints),
            "`interpolate`": setup.corpus.interpolated is not None,
        }.items():
            if is_there:
                raise ConfigError(f'{what} and model.kind = "neighbour"; leave one out')
        self._setup = setup
        init = setup.init
        self._scorer = init.scorer if isinstance(init, NeighbourParser) else self._new_scorer()
        self.labels: Sequence[str] = self._scorer.labels.names
        self.notes: Sequence[str] = ()

    def _new_scorer(self) -> Scorer:
        setup = self._setup
        by_tag = setup.config.by_tag and setup.has_tags
        sentences = setup.corpus.sentences
        upos = sorted({tag for each in sentences for tag in each.upos}) if by_tag else []
        labels = sorted({label for each in sentences for label in each.deprels})
        shape = (len(upos) + 1, 3)
        return Scorer(
            Vocabulary(upos), Vocabulary(labels), np.zeros(shape), np.zeros((*shape, len(labels)))
        )

    def chains(self, tags: Tags) -> Sequence[Sequence[Job]]:
        setup = self._setup

        def make(done: Mapping[str, Arrays]) -> NeighbourTrainer:
            return NeighbourTrainer(self._scorer, setup.corpus, tags, setup.config.learning_rate)

        return [[Job(_STAGE, setup.corpus, setup.epochs, make, Search())]]

    def finished(self, weights: Mapping[str, Arrays]) -> Parser:
        return NeighbourParser(with_weights(self._scorer, weights[_STAGE]))


class NeighbourFamily:
    """See `niwaki.parsers.base.Family`."""

    name = "neighbour"
    config = NeighbourConfig
    prices_arcs = False
    tags_words = False

    def plan(self, setup: Setup) -> NeighbourPlan:
        return NeighbourPlan(setup)

    def calibrated(self, parser: Parser, held_out: Corpus, tags: Tags) -> Parser:
        return parser  # its probabilities are those of its own model

    def load(self, parts: SavedParts, clusters: Clusters | None) -> Parser:
        record = parts.record("neighbour")
        upos, labels = Vocabulary(record["upos"]), Vocabulary(record["labels"])
        return NeighbourParser(Scorer(upos, labels, **parts.tensors("neighbour.safetensors")))


FAMILY = NeighbourFamily()
