"""Sentences that are longer than one wants to search with a beam: what becomes of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import nearest

# With a beam of 8, a sentence of so many words takes about 20 MB.
MAX_LENGTH = 10_000
LONGER = ("greedy", "split", "skip")

# Pieces of one sentence stand side by side; this is what UD calls that.
_JOINED = "parataxis"
_NOTE = "niwaki = "
_COPIED = ("lemmas", "upos", "xpos", "feats", "misc")
# The shortest line of a word: a digit, nine tabs, nine fields, a line feed.
_LEAST_BYTES = 20


@dataclass(frozen=True)
class LengthLimit:
    """`greedy` parses a longer sentence with a beam of 1, `split` in pieces, `skip` not at all."""

    words: int = MAX_LENGTH
    longer: str = LONGER[0]

    def __post_init__(self) -> None:
        if self.words < 1:
            raise ValueError("max_length is at least 1")
        if self.longer not in LONGER:
            raise ValueError(f"no way {self.longer!r}; {nearest(self.longer, LONGER)}")

    def is_exceeded_by(self, sentence: Sentence) -> bool:
        # Asking for the length cuts the columns, and most sentences are far too short.
        return len(sentence.source) > _LEAST_BYTES * self.words and len(sentence) > self.words

    def pieces(self, sentence: Sentence) -> list[Sentence]:
        """The words in pieces of at most so many, cut behind a sign if one is near the end."""
        cuts = [0]
        while len(sentence) - cuts[-1] > self.words:
            cuts.append(self._cut(sentence.forms, cuts[-1]))
        cuts.append(len(sentence))
        return [
            Sentence.from_words(
                sentence.forms[start:stop],
                **{name: getattr(sentence, name)[start:stop] for name in _COPIED},
            )
            for start, stop in itertools.pairwise(cuts)
        ]

    def _cut(self, forms: Sequence[str], start: int) -> int:
        last = start + self.words
        for stop in range(last, start + (self.words + 1) // 2, -1):
            if not any(map(str.isalnum, forms[stop - 1])):
                return stop
        return last


def join(sentence: Sentence, pieces: Sequence[Sentence]) -> Sentence:
    """The sentence with what its parsed pieces say."""
    columns = {name: [v for p in pieces for v in getattr(p, name)] for name in _COPIED}
    whole = sentence.replace(**columns).with_tree(joined_tree(pieces))
    return _noted(whole, f"parsed in {len(pieces)} pieces")


def joined_tree(pieces: Sequence[Sentence]) -> Tree:
    """The trees of pieces as one; their roots hang on the first one's."""
    heads: list[int] = []
    deprels: list[str] = []
    root = pieces[0].heads.index(0) + 1
    for piece in pieces:
        offset = len(heads)
        for head, deprel in zip(piece.heads, piece.deprels, strict=True):
            joined = head == 0 and offset > 0
            heads.append(root if joined else head + offset if head else 0)
            deprels.append(_JOINED if joined else deprel)
    return Tree(tuple(heads), tuple(deprels))


def skip(sentence: Sentence) -> Sentence:
    """The sentence as it came, with a comment that says so."""
    return _noted(sentence, f"not parsed, {len(sentence)} words")


def _noted(sentence: Sentence, note: str) -> Sentence:
    others = [comment for comment in sentence.comments if not comment.startswith(_NOTE)]
    return sentence.with_comments([*others, _NOTE + note])
