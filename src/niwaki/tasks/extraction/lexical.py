"""What needs no tree: how often a candidate is mentioned, and how much its sentences say."""

from __future__ import annotations

from collections.abc import Sequence

from niwaki.tasks.answers.lexical import terms
from niwaki.tasks.extraction.phrases import Asked, Candidate


class Frequency:
    """The sentences that mention a candidate."""

    def scores(self, asked: Asked, candidates: Sequence[Candidate]) -> list[float]:
        return [float(len({m.sentence for m in each.mentions})) for each in candidates]


class Overlap:
    """The share of the question's words in the best sentence of a candidate."""

    def scores(self, asked: Asked, candidates: Sequence[Candidate]) -> list[float]:
        wanted = set(terms(asked.question.words))
        shares = [
            len(wanted.intersection(terms(text.words))) / max(len(wanted), 1)
            for text in asked.sentences
        ]
        return [max(shares[mention.sentence] for mention in each.mentions) for each in candidates]
