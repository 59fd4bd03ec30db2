"""U-SVM: each candidate is a class of snippets, and the question itself is classified (Wu 2007).

Nothing is learned beforehand: the snippets of a question's candidates are the training data of a
support vector machine, one candidate against the other. Candidates are ranked by the others that
they beat, then by the sum of what decides. Beside it stands the candidate nearest to the question's
words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np

from niwaki.learning.svm import SvmSettings, votes
from niwaki.tasks.extraction.phrases import Asked, Candidate
from niwaki.tasks.extraction.snippets import Features, Snippet, snippets_of, word_weights
from niwaki.typing import FloatArray

# More snippets of a candidate, found elsewhere.
Search = Callable[[Asked, Candidate], Sequence[Snippet]]
Kinds = Literal["numbers", "words", "all"]
# Candidates that are classified, those that are mentioned most; and snippets of each.
_MOST, _MOST_SNIPPETS = 30, 50
# What decides in a tie of votes stays below one vote.
_TIES = 0.5


class UnsupervisedSvm:
    """See the module. `kinds` of features are numbers, words near candidates, or both."""

    def __init__(
        self,
        settings: SvmSettings | None = None,
        kinds: Kinds = "all",
        search: Search | None = None,
    ) -> None:
        self._settings, self._kinds, self._search = settings, kinds, search

    def scores(self, asked: Asked, candidates: Sequence[Candidate]) -> list[float]:
        """Votes; what is not classified has -1."""
        features = Features(asked)
        clusters: dict[int, list[Snippet]] = {}
        order = sorted(range(len(candidates)), key=lambda n: -len(candidates[n].mentions))
        for number in order[:_MOST]:
            found = snippets_of(asked, candidates[number])
            if self._search is not None:
                found += self._search(asked, candidates[number])
            kept = [each for each in found if features.keeps(each)][: 2 * _MOST_SNIPPETS]
            if kept:
                clusters[number] = kept
        rows, asked_row = self._rows(features, candidates, clusters)
        decided = votes(rows, asked_row, self._settings)
        scores = [-1.0] * len(candidates)
        for name, (count, value) in decided.items():
            scores[int(name)] = count + _TIES * value / (1 + abs(value))
        return scores

    def _rows(
        self,
        features: Features,
        candidates: Sequence[Candidate],
        clusters: Mapping[int, Sequence[Snippet]],
    ) -> tuple[dict[str, FloatArray], FloatArray]:
        """Points of each cluster, and that of the question."""
        weights = word_weights(list(clusters.values()))
        columns = {word: n for n, word in enumerate(sorted({w for each in weights for w in each}))}
        asked_words = {min(features.view.bases[place]) for place in features.keys}

        def row(snippet: Snippet, kind: str, values: Mapping[str, float]) -> FloatArray:
            numbers = features.numbers(snippet, kind) if self._kinds != "words" else []
            words = np.zeros(len(columns) if self._kinds != "numbers" else 0)
            for word in values if len(words) else ():
                words[columns[word]] = values[word]
            return np.concatenate([numbers, words])

        points = {}
        for (number, cluster), isf in zip(clusters.items(), weights, strict=True):
            kind = candidates[number].type
            points[str(number)] = np.array(
                [row(each, kind, {w: isf[w] for w in each.near}) for each in cluster]
            )
        # All of the question's words count 1, and it is compared with itself.
        own = {word: 1.0 for word in asked_words if word in columns}
        return points, row(features.question, "", own)


class Nearest:
    """Retrieval-M: how near the nearest mention is to all of the question's words."""

    def scores(self, asked: Asked, candidates: Sequence[Candidate]) -> list[float]:
        features = Features(asked)
        return [
            -min(features.distance(snippet) for snippet in snippets_of(asked, each))
            for each in candidates
        ]
