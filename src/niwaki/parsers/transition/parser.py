"""The transition parser as a model has it: weights for its beam, for greedy search, confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.errors import ModelError
from niwaki.features.parts import Parts
from niwaki.features.vocabulary import Values, Vocabulary
from niwaki.kernel.batch import Batch
from niwaki.parsers.base import Parsed, Parser, Search, check_options
from niwaki.parsers.beliefs import BELIEVED_TREES, Beliefs
from niwaki.parsers.transition.confidence import Confidence, gather_evidence
from niwaki.parsers.transition.model import TransitionModel
from niwaki.parsers.transition.search import constrained_kbest
from niwaki.tagging.tagger import Tags


class TransitionCandidates:
    """What the beam of a transition parser finds in the sentences of a batch.

    `greedy` are other weights, which serve where a single tree is searched for with a beam of 1.
    """

    def __init__(
        self,
        model: TransitionModel,
        batch: Batch,
        tags: Tags,
        beam: int,
        *,
        greedy: TransitionModel | None = None,
        temperature: float = 1.0,
    ) -> None:
        self._model, self._batch, self._beam = model, batch, beam
        self._greedy, self._temperature = greedy, temperature
        self._tags = tags
        self._values: dict[int, list[Values]] = {}

    def values(self, model: TransitionModel) -> list[Values]:
        """What the features of a model see of the words."""
        if id(model) not in self._values:
            self._values[id(model)] = model.attribute_values(self._batch, self._tags)
        return self._values[id(model)]

    def kbest(self, s: int, k: int, constraints: Constraints | None = None) -> KBest:
        """The k best distinct trees that the beam finds; a beam narrower than k is widened."""
        is_greedy = self._greedy is not None and max(self._beam, k) == 1
        model = self._greedy if is_greedy and self._greedy is not None else self._model
        values = self.values(model)
        if constraints:
            found = constrained_kbest(model, self._batch, s, values, constraints, k, self._beam)
        else:
            found = model.kbest(self._batch, s, values, k, self._beam)
        return KBest(
            found.heads,
            found.labels,
            found.scores,
            found.names,
            found.histories,
            self._temperature,
            s,
        )

    def beliefs(self, s: int) -> Beliefs:
        """The shares of the best trees; a greedy parser has one to speak for."""
        return Beliefs.of_trees(self.kbest(s, 1 if self._beam == 1 else BELIEVED_TREES))


@dataclass(frozen=True)
class TransitionParser:
    """Searches with a beam, or greedily, with weights that were trained for the one or the other.

    Probabilities are calibrated on held-out data (`confidence`).
    """

    model: TransitionModel
    beam: int
    greedy: TransitionModel | None = None
    confidence: Confidence | None = None

    options = frozenset({"beam"})
    max_words = None

    @property
    def labels(self) -> Vocabulary:
        return self.model.labels

    @property
    def label_names(self) -> list[str]:
        return sorted(set(self.model.plain_labels))

    @property
    def facts(self) -> Mapping[str, Any]:
        own = {"greedy": self.greedy is not None} if self.beam > 1 else {}
        return {"system": self.model.spec.system, "beam": self.beam, **own}

    @property
    def ways(self) -> Mapping[str, Search]:
        greedy = {"greedy": Search(beam=1)}
        return greedy if self.beam == 1 else {"beam": Search(beam=self.beam), **greedy}

    @property
    def divisions(self) -> Mapping[str, Parser]:
        if self.greedy is None:
            return {}
        return {
            "beam": replace(self, greedy=None),
            "greedy": replace(self, model=self.greedy, beam=1, greedy=None),
        }

    @property
    def gives_probabilities(self) -> bool:
        return self.confidence is not None

    @property
    def uses_links(self) -> bool:
        models = (self.model, self.greedy)
        return any(model is not None and model.uses_links for model in models)

    @property
    def temperature(self) -> float:
        return self.confidence.temperature if self.confidence else 1.0

    def check(self, search: Search) -> None:
        check_options(self, search)

    def is_projective(self, search: Search) -> bool:
        return not self.model.kernel.system.nonprojective

    def width(self, search: Search) -> int:
        return self.beam if search.beam is None else search.beam

    def model_for(self, width: int) -> TransitionModel:
        return self.greedy if width == 1 and self.greedy is not None else self.model

    def parse(
        self, batch: Batch, tags: Tags, search: Search, *, probabilities: bool = False
    ) -> Parsed:
        width = self.width(search)
        model = self.model_for(width)
        if not probabilities:
            return Parsed(*model.parse(batch, tags, width))
        if self.confidence is None:
            raise ModelError("this model was not calibrated; give training.dev when it is trained")
        temperature = self.confidence.temperature
        evidence = gather_evidence(batch, tags, model, self.greedy, width, temperature)
        found = self.confidence.probabilities(evidence)
        return Parsed(evidence.heads, evidence.labels, found)

    def candidates(self, batch: Batch, tags: Tags, search: Search) -> TransitionCandidates:
        return TransitionCandidates(
            self.model,
            batch,
            tags,
            self.width(search),
            greedy=self.greedy,
            temperature=self.temperature,
        )

    def parts(self) -> Parts:
        parts = Parts()
        parts.add("parser", {**self.model.spec.to_json(), "beam": self.beam}, self.model.weights)
        if self.greedy is not None:
            parts.add("greedy", self.greedy.spec.to_json(), self.greedy.weights)
        if self.confidence is not None:
            parts.add_file("confidence.json", self.confidence.to_json())
        return parts
