"""The family of transition parsers: a tree is made move by move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

from niwaki.errors import ConfigError
from niwaki.features.parts import SavedParts
from niwaki.features.templates import load_feature_set, morphology_seen, without_beam_features
from niwaki.features.weights import Interpolation, PackedWeights, unpack
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.transition.systems import MOVES, load_system
from niwaki.learning.corpus import Corpus, run_name
from niwaki.parsers.base import Job, Parser, Search, Setup, TrainableParser
from niwaki.parsers.transition.calibration import calibrate
from niwaki.parsers.transition.confidence import Confidence
from niwaki.parsers.transition.config import TransitionConfig
from niwaki.parsers.transition.model import (
    ENCODED,
    MAX_ENCODED_CLASSES,
    TransitionModel,
    TransitionSpec,
    make_transition_spec,
)
from niwaki.parsers.transition.parser import TransitionParser
from niwaki.parsers.transition.pseudo_projective import encode_all
from niwaki.parsers.transition.trainer import InterpolationTrainer, TransitionTrainer, WeightsPlan
from niwaki.tagging.tagger import Tags
from niwaki.typing import Arrays

MAX_BEAM = 4096
# The stages of training: the weights of the beam, and those of greedy search.
_BEAM, _GREEDY = "parser", "greedy"


class TransitionPlan:
    """Weights for a beam and for greedy search, each perhaps mixed with others."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._config: TransitionConfig = setup.config
        self._init = setup.init if isinstance(setup.init, TransitionParser) else None
        if self._init is not None and self._config.runs > 1:
            raise ConfigError("training.runs is for models trained from nothing; leave it out")
        self.notes: list[str] = []
        self._beams = {_BEAM: self._config.beam}
        if self._has_greedy:
            self._beams[_GREEDY] = 1
        self._specs = self._kept_specs() if self._init else self._new_specs()
        self.labels = self._specs[_BEAM].labels
        self._check_links()

    @property
    def _has_greedy(self) -> bool:
        """Whether there are weights of their own for greedy search."""
        if self._init is not None:
            return self._init.greedy is not None
        return self._config.beam > 1 and self._config.greedy

    def _kept_specs(self) -> dict[str, TransitionSpec]:
        """Those of the model that is fine-tuned."""
        return {stage: self._trained(stage).spec for stage in self._beams}

    def _new_specs(self) -> dict[str, TransitionSpec]:
        """Greedy search has the same labelled moves and may look at less."""
        spec = self._new_spec()
        less = replace(spec, features=without_beam_features(spec.features))
        return {stage: less if beam == 1 else spec for stage, beam in self._beams.items()}

    def _new_spec(self) -> TransitionSpec:
        setup, config = self._setup, self._config
        features = "\n".join([load_feature_set(setup.features), *setup.more_features])
        spec = make_transition_spec(
            self._corpus.with_known_arcs(),
            config.system,
            features,
            degrees={"degree": config.degree, "nonlexical-degree": config.nonlexical_degree},
            lowercase=setup.lowercase,
            nonprojective=config.nonprojective,
            tags=setup.has_tags,
        )
        if len(spec.labels) > 256:
            raise ConfigError(f"{len(spec.labels)} labels, but at most 256 are possible")
        return spec

    def _check_links(self) -> None:
        """Wrong features show here too, before anything is trained."""
        try:
            models = [
                TransitionModel(spec, SparseWeights(len(spec.classes)), self._setup.clusters)
                for spec in self._specs.values()
            ]
        except ValueError as error:
            raise ConfigError(f"features: {error}") from error
        if self._setup.has_links and not any(model.uses_links for model in models):
            raise ConfigError(
                "links are given, but no feature of this parser uses them; add "
                'model.more_features = ["contiguous(s1,s0)", ...], and a system that does not swap'
            )

    @cached_property
    def _corpus(self) -> Corpus:
        """The corpus with trees as they are learned."""
        corpus = self._setup.corpus
        if self._config.nonprojective != ENCODED:
            return corpus
        arcs = MAX_ENCODED_CLASSES - len(MOVES)
        encoded = encode_all(corpus.sentences, arcs, partial=corpus.constraints)
        return replace(corpus, sentences=tuple(encoded))

    @property
    def of_nonprojective(self) -> str:
        if self._config.nonprojective == ENCODED:
            return ", which are lifted, and put back after parsing by what labels tell"
        system = self._config.system
        if not load_system(system).nonprojective:
            return f", which {system} cannot build; it learns the nearest projective trees"
        return ""

    @property
    def morphology_seen(self) -> tuple[str, ...]:
        return morphology_seen("\n".join(spec.features for spec in self._specs.values()))

    # -- jobs --------------------------------------------------------------------------

    def chains(self, tags: Tags) -> Sequence[Sequence[Job]]:
        return [self._chain(stage, beam, tags) for stage, beam in self._beams.items()]

    def _chain(self, stage: str, beam: int, tags: Tags) -> Sequence[Job]:
        plan = self._weights_plan(stage, beam)
        base = self._base(stage)
        is_greedy = beam == 1 and self._init is None
        epochs = self._config.greedy_epochs if is_greedy else self._setup.epochs
        beside = self._interpolated(stage, plan, tags) or self._runs(stage, epochs, plan, tags)

        def make(done: Mapping[str, Arrays]) -> TrainableParser:
            interpolation = self._interpolation([done[each.stage] for each in beside])
            return TransitionTrainer(
                plan, self._corpus, tags, base=base, interpolation=interpolation
            )

        job = Job(stage, self._corpus, epochs, make, Search(beam=beam), mixable=True)
        return [*beside, job]

    def _interpolation(self, found: Sequence[Arrays]) -> Interpolation | None:
        """What was learned beside the main weights, as it goes into them."""
        if not found:
            return None
        if self._corpus.interpolated is not None:
            return Interpolation(self._corpus.interpolated.share, found[0])
        return Interpolation.of_runs(found, len(self._specs[_BEAM].classes))

    def _base(self, stage: str) -> PackedWeights | None:
        """The weights from which a stage goes on."""
        if self._init is None:
            return None
        weights = self._trained(stage).weights
        if not isinstance(weights, PackedWeights):
            raise ValueError("only a finished model can be trained on")
        return weights

    def _trained(self, stage: str) -> TransitionModel:
        """What the model that is fine-tuned has for a stage."""
        assert self._init is not None
        model = self._init.model if stage == _BEAM else self._init.greedy
        assert model is not None
        return model

    def _interpolated(self, stage: str, plan: WeightsPlan, tags: Tags) -> list[Job]:
        """The training by those sentences alone whose weights are mixed with those of all."""
        found, how = self._corpus.interpolated_part("trees"), self._corpus.interpolated
        if found is None or how is None:
            return []
        corpus, chosen = found
        own = tags.only(self._corpus.words_of(chosen))
        alone = replace(plan, config=replace(plan.config, min_updates=1))
        make = partial(InterpolationTrainer, alone, corpus, own)
        return [Job(f"{stage}-alone", corpus, how.epochs, lambda done: make(), mixable=True)]

    def _runs(self, stage: str, epochs: int, plan: WeightsPlan, tags: Tags) -> list[Job]:
        """The runs whose weights are averaged with those of the last one.

        Stages have other names, by which sentences are shuffled.
        """
        make = partial(InterpolationTrainer, plan, self._corpus, tags)
        return [
            Job(run_name(stage, run), self._corpus, epochs, lambda done: make(), mixable=True)
            for run in range(1, self._config.runs)
        ]

    def _weights_plan(self, stage: str, beam: int) -> WeightsPlan:
        setup = self._setup
        return WeightsPlan(
            self._specs[stage],
            beam,
            self._config,
            setup.max_rows,
            setup.clusters,
            setup.seed,
            self._init.temperature if self._init else 1.0,
        )

    def finished(self, weights: Mapping[str, Arrays]) -> Parser:
        models = {
            stage: TransitionModel(self._specs[stage], unpack(arrays), self._setup.clusters)
            for stage, arrays in weights.items()
        }
        # Of a model that is fine-tuned, what probabilities mean is known until it is measured anew.
        confidence = self._init.confidence if self._init else None
        return TransitionParser(models[_BEAM], self._config.beam, models.get(_GREEDY), confidence)


class TransitionFamily:
    """See `niwaki.parsers.base.Family`."""

    name = "transition"
    config = TransitionConfig
    prices_arcs = False
    tags_words = False

    def plan(self, setup: Setup) -> TransitionPlan:
        return TransitionPlan(setup)

    def calibrated(self, parser: Parser, held_out: Corpus, tags: Tags) -> Parser:
        assert isinstance(parser, TransitionParser)
        return replace(parser, confidence=calibrate(parser, held_out, tags))

    def load(self, parts: SavedParts, clusters: Clusters | None) -> Parser:
        def model(name: str) -> TransitionModel:
            spec = TransitionSpec.from_json(parts.record(name))
            return TransitionModel(spec, parts.weights(name), clusters)

        # Older models have the beam on their card only.
        beam = int(parts.record(_BEAM).get("beam") or parts.card["model"]["beam"])
        if not 1 <= beam <= MAX_BEAM:
            raise ValueError(f"a beam of {beam}")
        greedy = model(_GREEDY) if _GREEDY in parts else None
        confidence = None
        if "confidence.json" in parts:
            confidence = Confidence.from_json(parts.json("confidence.json"))
            confidence.check()
        return TransitionParser(model(_BEAM), beam, greedy, confidence)


FAMILY = TransitionFamily()
