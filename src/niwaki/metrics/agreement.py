"""How far two annotators agree: heads and labels of the words that both annotated, and links.

Cohen's kappa of labels is (p - e) / (1 - e), with p the share of words to which both gave the same
label and e the share that would be expected if each gave their own labels by chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

# The head and the label of each annotated word; "" is no label.
Arcs = Mapping[int, tuple[int, str]]


@dataclass(frozen=True)
class Agreement:
    """Of two annotators: shares in percent, kappa from -1 to 1; None where nothing is common.

    `las` and `kappa` count the words that have a label from both, `words` those that have a head.
    """

    sentences: int
    words: int
    uas: float | None
    labelled: int
    las: float | None
    kappa: float | None


def agreement(one: Sequence[Arcs], other: Sequence[Arcs]) -> Agreement:
    """Compare what two people said of the same sentences, in the same order."""
    pairs = [
        (first[word], second[word])
        for first, second in zip(one, other, strict=True)
        for word in first.keys() & second.keys()
    ]
    labelled = [(first, second) for first, second in pairs if first[1] and second[1]]
    return Agreement(
        sentences=sum(bool(a.keys() & b.keys()) for a, b in zip(one, other, strict=True)),
        words=len(pairs),
        uas=_percent(sum(a[0] == b[0] for a, b in pairs), len(pairs)),
        labelled=len(labelled),
        las=_percent(sum(a == b for a, b in labelled), len(labelled)),
        kappa=cohen_kappa([a[1] for a, _ in labelled], [b[1] for _, b in labelled]),
    )


def cohen_kappa(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Agreement beyond chance of two lists of labels; None if they are empty."""
    if len(one) != len(other):
        raise ValueError(f"{len(one)} and {len(other)} labels")
    if not one:
        return None
    total = len(one)
    same = sum(a == b for a, b in zip(one, other, strict=True)) / total
    first, second = Counter(one), Counter(other)
    chance = sum(first[label] * second[label] for label in first) / total**2
    # With one label everywhere there is no chance to be better than.
    return 1.0 if chance == 1.0 else (same - chance) / (1 - chance)


def link_agreement(
    one: Sequence[Collection[tuple[int, int]]], other: Sequence[Collection[tuple[int, int]]]
) -> float | None:
    """F1 of links in percent: twice the common ones among all of both."""
    common = sum(len(set(a) & set(b)) for a, b in zip(one, other, strict=True))
    return _percent(2 * common, sum(map(len, one)) + sum(map(len, other)))


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None
