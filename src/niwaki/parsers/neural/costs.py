"""A neural parser that is trained by costs: gradients of leads and of expected costs."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from niwaki.data.kbest import KBest
from niwaki.kernel.batch import Batch
from niwaki.parsers.arcs.costs import ArcExamples
from niwaki.parsers.base import Search, Slopes
from niwaki.parsers.neural.config import NeuralConfig
from niwaki.parsers.neural.learner import Learner
from niwaki.parsers.neural.model import NeuralParser
from niwaki.parsers.neural.scorer import NeuralScorer
from niwaki.parsers.neural.spec import NeuralSpec
from niwaki.parsers.neural.torch_ops import label_scores
from niwaki.tagging.tagger import Tags
from niwaki.typing import IntArray

# A lead is raised step by step until this share of it is missing, in so many steps at most.
_NEARLY, _TRIES = 0.02, 6


class NeuralExamples(ArcExamples):
    """Examples of a cost, and the network that is trained by them. An example counts as one more
    sentence of the treebank's next step, except where leads are raised: these are raised at once.
    """

    def __init__(
        self, spec: NeuralSpec, learner: Learner, batch: Batch, tags: Tags, config: NeuralConfig
    ) -> None:
        super().__init__(NeuralParser(spec, NeuralScorer(learner)), batch, tags, Search())
        self._learner, self._config = learner, config
        self._words = learner.inputs.words(batch)

    def update(self, kbest: KBest, towards: int, away: int, step: float) -> None:
        lead = self._lead(kbest, towards, away)
        self._add(-step * lead)

    def raise_lead(self, kbest: KBest, towards: int, away: int, by: float) -> None:
        """Along the gradient g of the lead: a step of `by / |g|^2` would raise it by that much if
        scores were linear. They are not, so the step is shortened until it rises by no more.
        """
        lead = self._lead(kbest, towards, away)
        gradient, before = self._learner.gradient(lead), float(lead.detach())
        square = float(sum(float(each.square().sum()) for each in gradient))
        if not square:
            return
        taken, length = 0.0, by / square
        for _ in range(_TRIES):
            self._learner.move(gradient, length - taken)
            taken = length
            with torch.no_grad():
                risen = float(self._lead(kbest, towards, away)) - before
            if risen <= by:
                return
            length *= by / risen * (1 - _NEARLY)
        # It rises too steeply to be followed; nothing is better than too much.
        self._learner.move(gradient, -taken)

    def descend(self, slopes: Slopes, step: float) -> None:
        found = self._learner.run(self._words, [slopes.number])
        heads, words = _places(slopes.arcs)
        cost = (found.arcs[0][heads, words] * _tensor(slopes.arc_slopes)).sum()
        if len(slopes.labelled):
            scores = self._labels(found.label_heads[0], found.label_words[0], slopes.labelled)
            cost = cost + (scores * _tensor(slopes.label_slopes)).sum()
        self._add(step * cost)

    def _add(self, loss: Tensor) -> None:
        """As the loss of one more sentence of a step."""
        self._learner.add_pending(self._learner.gradient(loss / self._config.batch_words))

    def _labels(self, heads: Tensor, words: Tensor, parts: IntArray) -> Tensor:
        rows, places = _places(parts)
        return label_scores(heads[rows], words[places], self._learner.weights["labels.mix"])

    def _lead(self, kbest: KBest, towards: int, away: int) -> Tensor:
        """By how much one tree leads another, in the scores that candidates have: added up as
        those are, because at a low temperature they are so large that float32 is too coarse.
        """
        found = self._learner.run(self._words, [kbest.number])
        spec, arcs = self._parser.spec, found.arcs[0].double()
        total = torch.zeros((), dtype=torch.float64)
        for row, sign in ((towards, 1.0), (away, -1.0)):
            heads, labels = kbest.heads[row], kbest.labels[row]
            words = np.arange(len(heads))
            total = total + sign * arcs[heads, words].sum() / spec.temperature
            # A label that constraints put in is none of the model's.
            known = np.flatnonzero(labels < len(self._parser.labels))
            parts = np.stack([heads[known], words[known] + 1], axis=1).astype(np.int32)
            scores = self._labels(found.label_heads[0], found.label_words[0], parts)
            logs = torch.log_softmax(scores.double() / spec.label_temperature, dim=-1)
            total = total + sign * logs[torch.arange(len(known)), _numbers(labels[known])].sum()
        return total


def _places(parts: IntArray) -> tuple[Tensor, Tensor]:
    """Heads and words of arcs, both from 0."""
    return _numbers(parts[:, 0]), _numbers(parts[:, 1] - 1)


def _numbers(array: IntArray) -> Tensor:
    return torch.from_numpy(array.astype(np.int64))


def _tensor(array: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Tensor:
    return torch.from_numpy(array.astype(np.float32))
