"""Several parsers as one: their beliefs in arcs are added up, and the best tree is chosen.

After Sagae and Lavie (2006). A belief is a vote of a parser's best tree, or what it thinks
of every arc: a graph parser the probability, a transition parser, or a graph parser of
siblings, the share of its k best trees. The best tree is then that of the fewest expected
errors under the mixture of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.given import Given, sentences_given
from niwaki.data.sentence import Sentence
from niwaki.data.sentence_list import SentenceList
from niwaki.data.tree import Tree
from niwaki.errors import ModelError
from niwaki.kernel.batch import Batch
from niwaki.parsers.base import Search
from niwaki.parsers.beliefs import Beliefs
from niwaki.pipeline.pipeline import Pipeline

_BATCH = 64


@dataclass(frozen=True)
class Ensemble:
    """Models that parse together. The first one's tags and lemmas are those of the result.

    `weights` say how much each is believed; with `votes`, each speaks for its best tree only.
    """

    members: Sequence[Pipeline]
    weights: Sequence[float] = ()
    votes: bool = False
    projective: bool = False

    def __post_init__(self) -> None:
        if not self.members:
            raise ModelError("an ensemble has at least one model")
        if self.weights and len(self.weights) != len(self.members):
            raise ModelError(
                f"{len(self.weights)} weights for {len(self.members)} models; give one each"
            )
        if any(not 0 <= weight < np.inf for weight in self.weights) or (
            self.weights and not any(self.weights)
        ):
            raise ModelError("weights of models are not below 0, and not all 0")

    def __call__(self, given: Given) -> SentenceList:
        """The parsed sentences of a text, of texts, of lists of words, or of sentences."""
        return SentenceList(self.parse(given))

    def parse(self, sentences: Given, *, retag: bool = False) -> Iterator[Sentence]:
        """Yield the sentences, or those of a text, with the trees that all models together think
        best, in order. The first model finds the sentences of a text.
        """
        read = sentences_given(sentences, self.members[0].read_text)
        while part := list(itertools.islice(read, _BATCH)):
            parsed = [list(self.members[0].parse(part, retag=retag))]
            # The others see the same tags.
            parsed += [list(member.parse(parsed[0])) for member in self.members[1:]]
            for together in zip(*parsed, strict=True):
                yield together[0].with_tree(self._tree(together))

    def _tree(self, parsed: Sequence[Sentence]) -> Tree:
        n = len(parsed[0])
        limits = [member.parser.max_words for member in self.members]
        if any(most is not None and n > most for most in limits):
            return parsed[0].tree
        together = Beliefs.none(n)
        weights = self.weights or [1.0] * len(self.members)
        for member, sentence, weight in zip(self.members, parsed, weights, strict=True):
            together.add(beliefs_of(member, sentence, self.votes), weight)
        return together.best_tree(self.projective)


def beliefs_of(member: Pipeline, parsed: Sentence, votes: bool = False) -> Beliefs:
    """What a model thinks of a sentence that it has parsed; with `votes`, its best tree only."""
    if votes:
        beliefs = Beliefs.none(len(parsed))
        beliefs.add_tree(parsed.tree, 1.0)
        return beliefs
    batch = Batch([parsed.source])
    return member.parser.candidates(batch, member.tag(batch), Search()).beliefs(0)
