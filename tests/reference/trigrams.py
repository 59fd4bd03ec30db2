"""A trigram tagger by its definitions: counts in dictionaries, all sequences tried one by one."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

EDGE = "edge"
RARE = 10
LONGEST = 10
FLOOR = 1e-8

Tagged = Sequence[tuple[str, str]]


def trigrams_of(corpus: Sequence[Tagged]) -> Counter[tuple[str, str, str]]:
    found: Counter[tuple[str, str, str]] = Counter()
    for sentence in corpus:
        tags = [EDGE, EDGE, *(tag for _, tag in sentence), EDGE]
        found.update(zip(tags, tags[1:], tags[2:], strict=False))
    return found


def weights_of(trigrams: Counter[tuple[str, str, str]]) -> list[Fraction]:
    """Deleted interpolation: weights of one, two and three tags."""
    one: Counter[str] = Counter()
    two: Counter[tuple[str, str]] = Counter()
    before_one: Counter[str] = Counter()
    before_two: Counter[tuple[str, str]] = Counter()
    for (a, b, c), count in trigrams.items():
        one[c] += count
        two[b, c] += count
        before_one[b] += count
        before_two[a, b] += count
    votes = [Fraction(0)] * 3
    for (a, b, c), count in trigrams.items():
        pairs = [
            (one[c], sum(one.values())),
            (two[b, c], before_one[b]),
            (count, before_two[a, b]),
        ]
        estimates = [Fraction(n - 1, d - 1) if d > 1 else Fraction(0) for n, d in pairs]
        best = [i for i in range(3) if estimates[i] == max(estimates)]
        for i in best:
            votes[i] += Fraction(count, len(best))
    return [vote / sum(votes) for vote in votes]


class Twin:
    def __init__(self, corpus: Sequence[Tagged], tags: Sequence[str], smoothing: float) -> None:
        self.tags, self.smoothing = list(tags), smoothing
        self.trigrams = trigrams_of(corpus)
        self.weights = [float(weight) for weight in weights_of(self.trigrams)]
        self.seen = Counter(pair for sentence in corpus for pair in sentence)
        self.words = Counter(word for sentence in corpus for word, _ in sentence)
        tokens = Counter(tag for sentence in corpus for _, tag in sentence)
        self.prior = {tag: tokens[tag] / sum(tokens.values()) for tag in self.tags}
        self.theta = statistics.stdev(self.prior.values()) if len(self.tags) > 1 else 0.0
        self.endings: Counter[tuple[bool, str, str]] = Counter()
        for (word, tag), count in self.seen.items():
            if self.words[word] <= RARE:
                for size in range(min(len(word), LONGEST) + 1):
                    self.endings[word[0].isupper(), word[len(word) - size :], tag] += count

    def transition(self, a: str, b: str, c: str) -> float:
        def share(place: slice, context: slice) -> float:
            wanted = (a, b, c)
            count = sum(n for t, n in self.trigrams.items() if t[place] == wanted[place])
            total = sum(n for t, n in self.trigrams.items() if t[context] == wanted[context])
            return count / total if total else 0.0

        l1, l2, l3 = self.weights
        mixed = l1 * share(slice(2, 3), slice(0, 0))
        mixed += l2 * share(slice(1, 3), slice(1, 2)) + l3 * share(slice(0, 3), slice(0, 2))
        return max(mixed, FLOOR)

    def shares(self, word: str) -> dict[str, float]:
        """q(t) of a word."""
        known = self.words[word]
        if known and not self.smoothing:
            return {tag: self.seen[word, tag] / known for tag in self.tags}
        q = dict(self.prior)
        itself = 0 < known <= RARE
        for size in range(min(len(word), LONGEST) + 1):
            ending = word[0].isupper(), word[len(word) - size :]
            # What other words with this ending were.
            counts = {
                tag: self.endings[*ending, tag] - (self.seen[word, tag] if itself else 0)
                for tag in self.tags
            }
            total = sum(counts.values())
            if not total:
                break
            q = {
                tag: (counts[tag] / total + self.theta * q[tag]) / (1 + self.theta)
                for tag in self.tags
            }
        if known:
            q = {
                tag: (self.seen[word, tag] + self.smoothing * q[tag]) / (known + self.smoothing)
                for tag in self.tags
            }
        return q

    def emission(self, word: str, tag: str) -> float:
        return self.shares(word)[tag] / self.prior[tag] if self.prior[tag] else 0.0

    def sequences(self, words: Sequence[str]) -> dict[tuple[str, ...], float]:
        """All sequences of tags with their probabilities, which sum to 1."""
        weights = {}
        for tags in itertools.product(self.tags, repeat=len(words)):
            padded = [EDGE, EDGE, *tags, EDGE]
            weights[tags] = math.prod(
                self.transition(*padded[i : i + 3]) for i in range(len(tags) + 1)
            ) * math.prod(self.emission(w, t) for w, t in zip(words, tags, strict=True))
        total = sum(weights.values())
        return {tags: weight / total for tags, weight in weights.items()}

    def marginals(self, words: Sequence[str]) -> list[dict[str, float]]:
        """The probabilities of the tags of each word."""
        shares = [dict.fromkeys(self.tags, 0.0) for _ in words]
        for tags, probability in self.sequences(words).items():
            for place, tag in enumerate(tags):
                shares[place][tag] += probability
        return shares
