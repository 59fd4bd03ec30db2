"""The family of neural parsers: a network of arcs, labels and tags, and exact search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import ConfigError, ExtraMissingError
from niwaki.features.parts import SavedParts
from niwaki.kernel.features.words import Clusters
from niwaki.learning.corpus import Corpus
from niwaki.parsers.arcs.calibration import calibrate
from niwaki.parsers.arcs.labels import labels_of
from niwaki.parsers.base import Job, Parser, Search, Setup
from niwaki.parsers.neural.classes import class_names
from niwaki.parsers.neural.config import NeuralConfig
from niwaki.parsers.neural.model import NeuralParser, OnnxEncoder, load_parser, neural_parser
from niwaki.parsers.neural.network import initial_weights
from niwaki.parsers.neural.pretrained import read_encoder
from niwaki.parsers.neural.spec import KINDS, NeuralSpec
from niwaki.parsers.neural.weights import restored
from niwaki.parsers.neural.wordpiece import WordPieces
from niwaki.tagging.tagger import Tags
from niwaki.typing import Arrays

if TYPE_CHECKING:
    from niwaki.parsers.neural.trainer import NeuralTrainer

_STAGE = "neural"
_OWN_LAYERS = 4

Weights = Mapping[str, NDArray[np.float32]]


class NeuralPlan:
    """One network, from nothing, from a pretrained encoder or from a finished model."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._config: NeuralConfig = setup.config
        if find_spec("torch") is None:
            raise ExtraMissingError(
                "training a neural parser needs torch; install it with pip install 'niwaki[neural]'"
            )
        if setup.has_links:
            raise ConfigError('links go with model.kind = "transition"; leave one out')
        if setup.corpus.interpolated is not None:
            raise ConfigError('`interpolate` does not go with model.kind = "neural"; leave one out')
        self._spec, self._weights, self._pieces = self._start()
        self.labels = self._spec.labels
        self.notes: Sequence[str] = ()

    def _start(self) -> tuple[NeuralSpec, Weights, WordPieces | None]:
        """What is trained, the weights that it begins with, and its word pieces."""
        init, config = self._setup.init, self._config
        if isinstance(init, NeuralParser):
            assert isinstance(init.encoder, OnnxEncoder)
            return init.spec, restored(init.spec, init.encoder.stored), init.encoder.pieces
        if not config.encoder:
            spec = self._new_spec(layers=config.layers or _OWN_LAYERS, width=config.width)
            return spec, initial_weights(spec, self._setup.seed), None
        pretrained = read_encoder(config.encoder, config.layers)
        spec = self._new_spec(**pretrained.settings)
        weights = {**initial_weights(spec, self._setup.seed), **pretrained.weights}
        return spec, weights, pretrained.pieces

    def _new_spec(self, **encoder: int | float | str) -> NeuralSpec:
        setup, config = self._setup, self._config
        kinds = {"lemmas": setup.has_lemmas, "upos": True, "xpos": True, "feats": setup.has_feats}
        names = {
            kind: class_names(kind, setup.corpus)
            for kind in KINDS
            if setup.has_tags and kinds[kind]
        }
        spec = NeuralSpec(
            labels=labels_of(setup.corpus),
            projective=config.projective,
            decode=config.decode,
            arc_width=config.arc_width,
            label_width=config.label_width,
            letter_rows=config.letter_rows,
            lowercase=setup.lowercase,
            # A single class says nothing, but the tag of all words is a tag.
            classes={k: x for k, x in names.items() if len(x) > 1 or (k == "upos" and x)},
            quantized=config.quantized,
            **encoder,  # type: ignore[arg-type]
        )
        try:
            spec.check()
        except ValueError as error:
            raise ConfigError(f"neural: {error}; choose others") from error
        return spec

    @property
    def of_nonprojective(self) -> str:
        is_projective = self._spec.projective
        return ", of which the nearest projective trees are learned" if is_projective else ""

    def chains(self, tags: Tags) -> Sequence[Sequence[Job]]:
        setup = self._setup
        # Whoever only parses has no torch.
        from niwaki.parsers.neural.trainer import NeuralTrainer, NeuralTrainingPlan

        plan = NeuralTrainingPlan(
            self._spec,
            self._config,
            self._pieces,
            self._weights,
            self._config.finetune_share if isinstance(setup.init, NeuralParser) else 1.0,
            setup.epochs,
            setup.seed,
            setup.threads,
        )

        def make(done: Mapping[str, Arrays]) -> NeuralTrainer:
            return NeuralTrainer(plan, setup.corpus, tags)

        return [[Job(_STAGE, setup.corpus, setup.epochs, make, Search())]]

    def finished(self, weights: Mapping[str, Arrays]) -> Parser:
        return neural_parser(self._spec, weights[_STAGE], self._pieces)


class NeuralFamily:
    """See `niwaki.parsers.base.Family`."""

    name = "neural"
    config = NeuralConfig
    prices_arcs = True
    tags_words = True

    def plan(self, setup: Setup) -> NeuralPlan:
        return NeuralPlan(setup)

    def calibrated(self, parser: Parser, held_out: Corpus, tags: Tags) -> Parser:
        assert isinstance(parser, NeuralParser)
        return calibrate(parser, held_out, tags)

    def load(self, parts: SavedParts, clusters: Clusters | None) -> Parser:
        return load_parser(parts)


FAMILY = NeuralFamily()
