"""A slow twin of language models: the formulas of Chen and Goodman, straight from counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

Gram = tuple[str, ...]


class KneserNey:
    """Interpolated modified Kneser-Ney; `pruned` leaves out what was seen once, of order 3 on."""

    def __init__(self, sentences: Sequence[Sequence[str]], order: int, pruned: bool) -> None:
        self.order = order
        self.pruned = pruned
        self.text = [("<s>", *sentence, "</s>") for sentence in sentences]

    @cached_property
    def vocabulary(self) -> set[str]:
        """All that can follow."""
        return {word for line in self.text for word in line[1:]} | {"<unk>"}

    @cached_property
    def seen(self) -> Counter[Gram]:
        found: Counter[Gram] = Counter()
        for line in self.text:
            for length in range(1, self.order + 1):
                for at in range(len(line) - length + 1):
                    found[line[at : at + length]] += 1
        return found

    @cached_property
    def counts(self) -> Counter[Gram]:
        found: Counter[Gram] = Counter()
        for gram, count in self.seen.items():
            if len(gram) == self.order or gram[0] == "<s>":
                found[gram] = count
            if len(gram) > 1 and gram[1] != "<s>":
                found[gram[1:]] += 1
        found.pop(("<s>",), None)
        return found

    def discount(self, count: int, length: int) -> float:
        of = [0] + [
            sum(1 for gram, c in self.counts.items() if len(gram) == length and c == number)
            for number in (1, 2, 3, 4)
        ]
        found = [0.5, 1.0, 1.5]
        if of[1] and of[2] and of[3]:
            share = of[1] / (of[1] + 2 * of[2])
            exact = [n - (n + 1) * share * of[n + 1] / of[n] for n in (1, 2, 3)]
            if all(0 < value < n for n, value in enumerate(exact, start=1)):
                found = exact
        return found[min(count, 3) - 1]

    def probability(self, word: str, context: Gram) -> float:
        context = context[-(self.order - 1) :] if self.order > 1 else ()
        while context and not any(self.seen[(*context, other)] for other in self.vocabulary):
            context = context[1:]
        return self._interpolated(word, context)

    def _interpolated(self, word: str, context: Gram) -> float:
        length = len(context) + 1
        after = {w: self.counts[(*context, w)] for w in self.vocabulary}
        total = sum(after.values())
        own = {
            w: (count - self.discount(count, length)) / total
            for w, count in after.items()
            if count and not (self.pruned and length >= 3 and self.seen[(*context, w)] == 1)
        }
        below = self._interpolated(word, context[1:]) if context else 1 / len(self.vocabulary)
        return own.get(word, 0.0) + (1 - sum(own.values())) * below
