"""What a matcher is: it gives each answer of a question a number, by words or by trees."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from niwaki.tasks.answers.words import WordView
from niwaki.typing import FloatArray


class Matcher(ABC):
    """See the module; more is better."""

    name: ClassVar[str]
    uses_trees: ClassVar[bool]

    @abstractmethod
    def scores(self, question: WordView, answers: Sequence[WordView]) -> FloatArray:
        """A number for each answer."""

    def scores_of_trees(
        self, questions: Sequence[WordView], answers: Sequence[WordView]
    ) -> FloatArray:
        """The same for some trees of one question: trees x answers."""
        if self.uses_trees:
            return np.array([self.scores(question, answers) for question in questions])
        return np.tile(self.scores(questions[0], answers), (len(questions), 1))

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model file keeps of it."""
        return {}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Of such arrays; raises an error of Python's if they do not make one."""
        return cls()
