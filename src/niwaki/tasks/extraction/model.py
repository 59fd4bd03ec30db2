"""Extracts answers: ranks the phrases of the sentences that may answer a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from niwaki.data.answers import Question
from niwaki.data.extraction import Extracted, Found
from niwaki.data.roles import Roleset
from niwaki.data.wordnet import WordNet
from niwaki.errors import ConfigError, nearest, shown
from niwaki.keys import check_values, key
from niwaki.tasks.extraction.lexical import Frequency, Overlap
from niwaki.tasks.extraction.phrases import Asked, Candidate
from niwaki.tasks.extraction.semantics import SemMatch
from niwaki.tasks.extraction.syntax import SynMatch
from niwaki.tasks.extraction.unsupervised import Nearest, UnsupervisedSvm
from niwaki.tasks.roles.model import IN_THE_BOX, RoleLabeller
from niwaki.typing import FloatArray

# Scores that differ by less are equal.
_DIGITS = 9
WAYS = ("frequency", "overlap", "distance", "svm", "syntax", "roles")


class Extractor(Protocol):
    """Gives each candidate of a question a number; more is better."""

    def scores(self, asked: Asked, candidates: Sequence[Candidate]) -> Sequence[float]: ...


@dataclass(frozen=True)
class Settings:
    """What candidates are ranked by."""

    by: tuple[str, ...] = key(
        ("frequency", "roles", "syntax"),
        "Ways to rank; each decides what those before leave equal.",
    )

    def __post_init__(self) -> None:
        check_values(self)
        for name in self.by:
            if name not in WAYS:
                raise ConfigError(f"no way to extract answers {shown(name)}; {nearest(name, WAYS)}")
        if not self.by or len(set(self.by)) < len(self.by):
            raise ConfigError("no way to extract answers, or one of them twice; name each once")


class AnswerExtractor:
    """See the module. Roles are those of a labeller, the bundled one if none is given; WordNet
    tells forms of the same word and, for `svm`, related words.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        labeller: RoleLabeller | None = None,
        frames: Mapping[str, Roleset] | None = None,
        wordnet: WordNet | None = None,
    ) -> None:
        self.settings, self._wordnet = settings or Settings(), wordnet
        ways: dict[str, Extractor] = {
            "frequency": Frequency(),
            "overlap": Overlap(),
            "distance": Nearest(),
            "svm": UnsupervisedSvm(),
            "syntax": SynMatch(),
        }
        if "roles" in self.settings.by:
            ways["roles"] = SemMatch(labeller or RoleLabeller.load(IN_THE_BOX), frames)
        self._ways = [ways[name] for name in self.settings.by]

    def extract(self, question: Question) -> Extracted:
        """Phrases of the candidates of a question, best first, with their scores by each way."""
        asked = Asked(question, self._wordnet)
        candidates = asked.candidates
        table = np.array([each.scores(asked, candidates) for each in self._ways])
        table = table.reshape(len(self._ways), len(candidates)).round(_DIGITS)
        found = []
        for candidate, row, score in zip(candidates, table.T.tolist(), places(table), strict=True):
            named = dict(zip(self.settings.by, row, strict=True))
            sentences = dict.fromkeys(mention.sentence for mention in candidate.mentions)
            ids = tuple(question.answers[number].id for number in sentences)
            found.append(Found(candidate.text, score, named, ids))
        found.sort(key=lambda each: -each.score)
        return Extracted(question.id, tuple(found))


def places(table: FloatArray) -> list[float]:
    """Scores from 0 to 1 for ways x candidates, in order of the first way, then the second, ..."""
    rows = list(map(tuple, table.T.tolist()))
    order = {row: place for place, row in enumerate(sorted(set(rows)), start=1)}
    return [order[row] / len(order) for row in rows]
