"""Scores of translations: BLEU and chrF as sacrebleu gives them, NIST, and error rates.

TER is counted by sacrebleu; WER, PER and CDER are errors in percent of the reference's words. Words
are split at spaces; with characters, they are the characters between spaces.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from niwaki.data.bilingual import overlap
from niwaki.data.bilingual.overlap import Gram, ngrams_of
from niwaki.errors import ExtraMissingError, NiwakiError, nearest, shown
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores
from niwaki.metrics.edits import block_distance, edit_distance, unordered_errors

Words = Sequence[str]


class Score(ABC):
    """Counts of a sentence, and a number from the sums of them."""

    width: int

    def prepare(self, references: Sequence[Words]) -> None:  # noqa: B027
        """Look at all references before the first sentence is counted, if that is needed."""

    @abstractmethod
    def counts(self, tokens: Words, reference: Words) -> Sequence[float]: ...

    @abstractmethod
    def of(self, sums: Counts) -> Scores: ...


class Bleu(Score):
    width = overlap.WIDTH

    def counts(self, tokens: Words, reference: Words) -> Sequence[float]:
        return overlap.Reference(reference).counts(tokens)

    def of(self, sums: Counts) -> Scores:
        return overlap.bleu(sums)


class ChrF(Score):
    """F with twice the weight on recall, of n-grams of up to 6 characters without spaces."""

    longest = 6
    width = 3 * longest
    _square = 2.0**2

    def counts(self, tokens: Words, reference: Words) -> Sequence[float]:
        found: list[float] = []
        one, other = "".join(tokens), "".join(reference)
        for length in range(1, self.longest + 1):
            made, right = ngrams_of(one, length), ngrams_of(other, length)
            # Without a reference n-gram of that length, those of the translation say nothing.
            size = sum(made.values()) if right else 0
            found += (size, sum(right.values()), sum((made & right).values()))
        return found

    def of(self, sums: Counts) -> Scores:
        table = np.asarray(sums, np.float64)
        made, right, both = table[..., 0::3], table[..., 1::3], table[..., 2::3]
        used = (made > 0) & (right > 0)
        count = np.maximum(used.sum(axis=-1), 1)
        precision = _ratio(both, np.where(used, made, 0)).sum(axis=-1) / count
        recall = _ratio(both, np.where(used, right, 0)).sum(axis=-1) / count
        return 100 * _ratio(
            (1 + self._square) * precision * recall, self._square * precision + recall
        )


class Nist(Score):
    """Doddington 2002: matches weigh the information that references say they carry."""

    longest = 5
    width = 2 + 2 * longest
    # A translation of two thirds of the reference's length gets half.
    _beta = math.log(0.5) / math.log(1.5) ** 2

    def prepare(self, references: Sequence[Words]) -> None:
        seen: Counter[Gram] = Counter()
        for reference in references:
            for length in range(1, self.longest + 1):
                seen.update(ngrams_of(reference, length))
        seen[()] = sum(len(reference) for reference in references)
        self._information = {
            gram: math.log2(seen[gram[:-1]] / count) for gram, count in seen.items() if gram
        }

    def counts(self, tokens: Words, reference: Words) -> Sequence[float]:
        found: list[float] = [len(tokens), len(reference)]
        for length in range(1, self.longest + 1):
            made = ngrams_of(tokens, length)
            both = (made & ngrams_of(reference, length)).items()
            found.append(sum(self._information[gram] * count for gram, count in both))
            found.append(sum(made.values()))
        return found

    def of(self, sums: Counts) -> Scores:
        table = np.asarray(sums, np.float64)
        ratio = np.minimum(_ratio(table[..., 0], table[..., 1]), 1)
        logs = np.log(np.maximum(ratio, 1e-300))
        found = _ratio(table[..., 2::2], table[..., 3::2]).sum(axis=-1)
        return np.asarray(found * np.exp(self._beta * np.square(logs)))


class ErrorRate(Score):
    """Errors in percent of the words of the reference."""

    width = 2

    def __init__(self, errors: Callable[[Words, Words], float]) -> None:
        self._errors = errors

    def counts(self, tokens: Words, reference: Words) -> Sequence[float]:
        return self._errors(tokens, reference), len(reference)

    def of(self, sums: Counts) -> Scores:
        return 100 * _ratio(sums[..., 0], sums[..., 1])


def _translation_edits() -> Callable[[Words, Words], float]:
    """Edits and shifts of blocks, as sacrebleu finds them."""
    try:
        from sacrebleu.metrics import TER
    except ImportError as error:
        raise ExtraMissingError(
            "TER needs sacrebleu; run: pip install niwaki[mt], or leave TER out of the scores"
        ) from error
    scorer = TER(case_sensitive=True)

    def edits(tokens: Words, reference: Words) -> float:
        found = scorer.sentence_score(" ".join(tokens), [" ".join(reference)])
        return float(found.num_edits)

    return edits


_SCORES: dict[str, Callable[[], Score]] = {
    "BLEU": Bleu,
    "chrF": ChrF,
    "NIST": Nist,
    "TER": lambda: ErrorRate(_translation_edits()),
    "WER": lambda: ErrorRate(edit_distance),
    "PER": lambda: ErrorRate(unordered_errors),
    "CDER": lambda: ErrorRate(block_distance),
}
SCORES = tuple(_SCORES)
_COSTS = frozenset({"TER", "WER", "PER", "CDER"})


@dataclass(frozen=True)
class TranslationEvaluation(Evaluation):
    """Counts of every sentence: those of one score behind those of the other."""

    names: tuple[str, ...] = SCORES
    parts: tuple[Score, ...] = ()
    characters: bool = False

    @property
    def costs(self) -> frozenset[str]:
        return _COSTS & set(self.names)

    def scores_of(self, sums: Counts) -> Scores:
        ends = np.cumsum([part.width for part in self.parts])[:-1]
        columns = np.split(np.asarray(sums, np.float64), ends, axis=-1)
        found = [part.of(column) for part, column in zip(self.parts, columns, strict=True)]
        return np.stack(found, axis=-1)

    @property
    def details(self) -> str:
        unit = "characters" if self.characters else "words"
        return f"tokens={unit}|case=mixed|references=1|sentences={self.sentences}"


def evaluate_translation(
    gold: Sequence[str],
    system: Sequence[str],
    *,
    characters: bool = False,
    scores: Sequence[str] = SCORES,
) -> TranslationEvaluation:
    """Score translations, a text of words with spaces between them each, against references."""
    if len(gold) != len(system):
        raise NiwakiError(
            f"{len(gold)} references but {len(system)} translations; give as many of both"
        )
    if not scores:
        raise NiwakiError(f"no scores; known: {', '.join(SCORES)}")
    for name in scores:
        if name not in _SCORES:
            raise NiwakiError(f"no score {shown(name)}; {nearest(name, SCORES)}")
    parts = tuple(_SCORES[name]() for name in scores)
    references = [_words(text, characters) for text in gold]
    for part in parts:
        part.prepare(references)
    rows: list[list[float]] = []
    for text, reference in zip(system, references, strict=True):
        tokens = _words(text, characters)
        rows.append([count for part in parts for count in part.counts(tokens, reference)])
    counts = np.array(rows, np.float64).reshape(len(rows), sum(part.width for part in parts))
    return TranslationEvaluation(counts, tuple(scores), parts, characters)


def _words(text: str, characters: bool) -> list[str]:
    words = text.split()
    return list("".join(words)) if characters else words


def _ratio(above: Any, below: Any) -> Scores:
    """A quotient that is 0 where there is nothing below."""
    some, all_of = np.asarray(above, np.float64), np.asarray(below, np.float64)
    return np.asarray(np.divide(some, all_of, out=np.zeros_like(some), where=all_of > 0))


METRIC = Metric(evaluate_translation, "translations")
