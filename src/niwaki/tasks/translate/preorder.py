"""Source sentences in the target's word order: retokenised, parsed and reordered by rules.

Parsers know the words of Universal Dependencies, where `didn 't` is `did n't`; with other words
their trees are spoilt. So sentences are retokenised first, in training and in running alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from niwaki.data.sentence import Sentence
from niwaki.tasks.reorder.reorderer import BATCH, Reorderer, Reordering
from niwaki.tasks.reorder.rules import RuleSet

# What a tokeniser cut off after the n of a negation.
_CUT = re.compile("['\u2019]t", re.IGNORECASE)
_NEGATED = re.compile("(?=.)(.*)(n)", re.IGNORECASE | re.DOTALL)
_CONTRACTED = re.compile("(.+)(n['\u2019]t|['\u2019](?:s|m|d|re|ve|ll))", re.IGNORECASE | re.DOTALL)

Parse = Callable[[Iterable[Sentence]], Iterable[Sentence]]


@dataclass(frozen=True)
class Preordered:
    """A sentence in its new order: words, and for each the position of the token it comes from.

    `reordering` has the tree of the words and the rules that moved them, if that was done.
    """

    tokens: tuple[str, ...]
    positions: tuple[int, ...]
    reordering: Reordering | None = field(default=None, compare=False, repr=False)


def retokenize(tokens: Sequence[str]) -> Preordered:
    """English tokens as words of Universal Dependencies.

    `didn 't` becomes `did n't`, `can't` becomes `ca n't`, `it's` becomes `it 's`.
    """
    words: list[str] = []
    positions: list[int] = []
    for at, token in enumerate(tokens):
        negated = _NEGATED.fullmatch(words[-1]) if words and _CUT.fullmatch(token) else None
        if negated is not None and negated[1]:
            words[-1] = negated[1]
            words.append(negated[2] + token)
        elif (parts := _CONTRACTED.fullmatch(token)) is not None:
            words += parts.groups()
            positions.append(at)
        else:
            words.append(token)
        positions.append(at)
    return Preordered(tuple(words), tuple(positions))


class Preorderer:
    """Parses and reorders; `parse` gives sentences their trees, in order.

    `identity` changes with the parser: what was made by another one is not taken for its work.
    """

    def __init__(self, parse: Parse, rules: RuleSet, identity: str = "") -> None:
        self.rules, self.identity = rules, identity
        self._parse, self._reorderer = parse, Reorderer(rules)

    def reorder(self, sentences: Iterable[Sequence[str]]) -> Iterator[Preordered]:
        """Yield the sentences in their new order; those without words stay so."""
        batch: list[Preordered] = []
        for tokens in sentences:
            batch.append(retokenize(tokens))
            if len(batch) == BATCH:
                yield from self._reordered(batch)
                batch = []
        yield from self._reordered(batch)

    def _reordered(self, batch: Sequence[Preordered]) -> Iterator[Preordered]:
        filled = [Sentence.from_words(each.tokens) for each in batch if each.tokens]
        found = self._reorderer.reorder(self._parse(filled))
        for each in batch:
            if not each.tokens:
                yield each
                continue
            reordering = next(found)
            yield Preordered(
                reordering.tokens,
                tuple([each.positions[at] for at in reordering.order]),
                reordering,
            )
