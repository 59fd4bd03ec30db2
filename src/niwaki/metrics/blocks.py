"""F_alpha of word links as blocks: links that hang together are closed before they are scored.

Two links with a word in common say that all their words translate each other, so that
systems which write more or fewer links of one block are scored alike (Fraser and Marcu 2007).
With precision and recall as in `alignment`, F = 1 / (alpha / precision + (1 - alpha) /
recall), in percent. The system's links are closed always, those of gold are taken as they are
and, under `gold-closed` names, closed as well: sure and possible ones for themselves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from niwaki.data.bilingual.bitext import Link, Links
from niwaki.errors import ConfigError
from niwaki.metrics.alignment import evaluate_links, link_scores
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores

METRICS = ("F", "precision", "recall", "F-gold-closed", "P-gold-closed", "R-gold-closed")
# The one that the paper found best for French and English.
DEFAULT_ALPHA = 0.4


@dataclass(frozen=True)
class BlockEvaluation(Evaluation):
    """Counts as of `alignment`, twice a pair: against gold as it is, and closed."""

    names: tuple[str, ...] = METRICS
    alpha: float = DEFAULT_ALPHA

    def scores_of(self, sums: Counts) -> Scores:
        scores = link_scores(sums)
        precision, recall = scores[..., 1], scores[..., 2]
        some = (precision > 0) & (recall > 0)
        safe = np.where(some, precision, 1), np.where(some, recall, 1)
        f = np.where(some, 1 / (self.alpha / safe[0] + (1 - self.alpha) / safe[1]), 0)
        made = np.stack([f, precision, recall], axis=-1)
        return np.asarray(made.reshape(*made.shape[:-2], len(METRICS)))

    @property
    def details(self) -> str:
        sums = self.counts.sum(axis=0)
        return (
            f"alpha={self.alpha}|links=of the system closed|pairs={self.sentences}"
            f"|sure={sums[0, 1]}|sure closed={sums[1, 1]}|found={sums[0, 0]}"
        )


def evaluate_blocks(
    gold: Iterable[Links], system: Iterable[Links], alpha: float = DEFAULT_ALPHA
) -> BlockEvaluation:
    """Compare links pair by pair; there must be as many lines of them."""
    if not 0 <= alpha <= 1:
        raise ConfigError(f"alpha is {alpha}; it must be from 0 to 1")
    right, found = list(gold), [closed(each) for each in system]
    counts = [evaluate_links(one, found).counts for one in (right, map(closed, right))]
    return BlockEvaluation(np.stack(counts, axis=1), alpha=alpha)


def closed(links: Links) -> Links:
    """Each block whole: all source words of links that hang together with all target words."""
    return dataclasses.replace(
        links, sure=_closed(links.sure), possible=_closed(links.all) - _closed(links.sure)
    )


def _closed(links: frozenset[Link]) -> frozenset[Link]:
    blocks: list[tuple[set[int], set[int]]] = []
    for i, j in links:
        touched = [block for block in blocks if i in block[0] or j in block[1]]
        merged = {i}.union(*(block[0] for block in touched))
        others = {j}.union(*(block[1] for block in touched))
        blocks = [block for block in blocks if block not in touched] + [(merged, others)]
    return frozenset((i, j) for sources, targets in blocks for i in sources for j in targets)


METRIC = Metric(evaluate_blocks, "links")
