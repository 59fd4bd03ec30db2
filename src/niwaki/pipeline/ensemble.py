"""Several parsers as one: their beliefs in arcs are added up, and the best tree is chosen.

After Sagae and Lavie (2006). A belief is a vote of a parser's best tree, or what it thinks
of every arc: a graph parser the probability, a transition parser, or a graph parser of
siblings, the share of its k best trees. The best tree is then that of the fewest expected
errors under the mixture of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ModelError
from niwaki.kernel.batch import Batch
from niwaki.parsers.decoding import Scores, decode
from niwaki.parsers.graph.model import MAX_WORDS, GraphParser
from niwaki.pipeline.pipeline import Pipeline

Floats = NDArray[np.float64]

# Trees that are looked at where there are no probabilities of arcs; where there are, arcs of
# less probability get no label.
_TREES = 16
_NEGLIGIBLE = 1e-3
_BATCH = 64


@dataclass
class Beliefs:
    """How much is thought of the arcs of a sentence, [head 0..n, dependent 1..n], and of the
    labels of those arcs that come into question.
    """

    arcs: Floats
    labels: dict[tuple[int, int], dict[str, float]] = field(default_factory=dict)

    def add_label(self, head: int, word: int, label: str, weight: float) -> None:
        names = self.labels.setdefault((head, word), {})
        names[label] = names.get(label, 0.0) + weight

    def add_tree(self, tree: Tree, weight: float) -> None:
        for word, (head, label) in enumerate(zip(tree.heads, tree.deprels, strict=True), start=1):
            self.arcs[head, word - 1] += weight
            self.add_label(head, word, label, weight)

    def add(self, other: Beliefs, weight: float) -> None:
        self.arcs += weight * other.arcs
        for (head, word), names in other.labels.items():
            for label, belief in names.items():
                self.add_label(head, word, label, weight * belief)

    def best_tree(self, projective: bool) -> Tree:
        """The tree of the largest sum of beliefs; of equal labels the first by name."""
        scores = Scores.of([self.arcs])
        heads = decode(scores, projective=projective, too_long="spanning").heads.tolist()
        labels = []
        for word, head in enumerate(heads, start=1):
            # An arc that nobody thought of, but that a tree needs.
            names = self.labels.get((head, word), {"root" if head == 0 else "dep": 1.0})
            labels.append(min(names, key=lambda name: (-names[name], name)))
        return Tree(tuple(heads), tuple(labels))


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

    def parse(self, sentences: Iterable[Sentence], *, retag: bool = False) -> Iterator[Sentence]:
        """Yield the sentences with the trees that all models together think best, in order."""
        read = iter(sentences)
        while part := list(itertools.islice(read, _BATCH)):
            parsed = [list(self.members[0].parse(part, retag=retag))]
            # The others see the same tags.
            parsed += [list(member.parse(parsed[0])) for member in self.members[1:]]
            for together in zip(*parsed, strict=True):
                yield together[0].with_tree(self._tree(together))

    def _tree(self, parsed: Sequence[Sentence]) -> Tree:
        n = len(parsed[0])
        if n > MAX_WORDS:
            return parsed[0].tree
        together = Beliefs(np.zeros((n + 1, n)))
        weights = self.weights or [1.0] * len(self.members)
        for member, sentence, weight in zip(self.members, parsed, weights, strict=True):
            together.add(beliefs_of(member, sentence, self.votes), weight)
        return together.best_tree(self.projective)


def beliefs_of(member: Pipeline, parsed: Sentence, votes: bool = False) -> Beliefs:
    """What a model thinks of a sentence that it has parsed; with `votes`, its best tree only."""
    n = len(parsed)
    beliefs = Beliefs(np.zeros((n + 1, n)))
    parser = member.parser
    if isinstance(parser, GraphParser) and parser.siblings is None and not votes:
        _add_marginals(beliefs, member, parser, parsed)
    elif votes or (not isinstance(parser, GraphParser) and member.beam == 1):
        # A greedy parser has one tree to speak for.
        beliefs.add_tree(parsed.tree, 1.0)
    else:
        found = member.kbest(parsed, _TREES)
        for tree, share in zip(found.trees, found.probabilities, strict=True):
            beliefs.add_tree(tree, share)
    return beliefs


def _add_marginals(
    beliefs: Beliefs, member: Pipeline, parser: GraphParser, sentence: Sentence
) -> None:
    batch = Batch([sentence.source])
    values = parser.attribute_values(batch, member.tag(batch))
    marginals = parser.marginals(batch, values)[1].reshape(beliefs.arcs.shape)
    beliefs.arcs += marginals
    heads, places = np.nonzero(marginals > _NEGLIGIBLE)
    shares = np.exp(
        parser.label_logs(batch, values, 0, heads.astype(np.int32), (places + 1).astype(np.int32))
    )
    names = parser.labels.names
    for head, place, row in zip(heads.tolist(), places.tolist(), shares, strict=True):
        for label in np.flatnonzero(row > _NEGLIGIBLE).tolist():
            belief = float(marginals[head, place] * row[label])
            beliefs.add_label(head, place + 1, names[label], belief)
