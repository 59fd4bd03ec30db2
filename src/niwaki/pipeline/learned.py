"""What a model has learned from: hashes of sentences, and which of those that are scored it knows.

A score on sentences that were learned says how well they are remembered, and little of others.
So a model keeps 40 bits of a hash of the words of each sentence that it learned a tree from, or
a cost: 5 bytes a sentence. Among n of them, a sentence that was not learned is taken for one
that was with a probability of n / 2**40: 2 in ten million for 200,000 sentences.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.features.parts import Parts, SavedParts

# What more there is of them is not kept: 20 MB are enough.
MOST = 1 << 22
LEARNED_FILE = "learned.bin"
_BYTES = 5
_RECORD = "learned"
# Numbers of 64 bits have so many bytes before those that are written.
_UNUSED = 8 - _BYTES

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class LearnedSentences:
    """The hashes of the sentences that a model has learned from, in order, no two alike.

    It is not `complete` if there were more: a model that it began with did not keep its own,
    or they were more than can be kept.
    """

    hashes: Hashes
    complete: bool = True

    def __len__(self) -> int:
        return len(self.hashes)

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> LearnedSentences:
        """Of the sentences of a run; of too many, the first ones are kept."""
        return cls._kept(hashes_of(sentences))

    @classmethod
    def _kept(cls, found: Hashes, complete: bool = True) -> LearnedSentences:
        distinct, first = np.unique(found, return_index=True)
        if len(distinct) <= MOST:
            return cls(distinct, complete)
        return cls(np.sort(found[np.sort(first)[:MOST]]), complete=False)

    def after(self, start: LearnedSentences | None) -> LearnedSentences:
        """Together with those of the model that a run began with; None: that kept none."""
        if start is None:
            return replace(self, complete=False)
        both = np.concatenate([self.hashes, start.hashes])
        return self._kept(both, self.complete and start.complete)

    def knows(self, sentences: Iterable[Sentence]) -> NDArray[np.bool_]:
        """Which of some sentences were learned from."""
        return np.isin(hashes_of(sentences), self.hashes)

    # -- files ------------------------------------------------------------------

    def parts(self) -> Parts:
        parts = Parts()
        parts.add(_RECORD, {"complete": self.complete})
        table = self.hashes.astype(">u8").view(np.uint8).reshape(-1, 8)
        parts.add_file(LEARNED_FILE, table[:, _UNUSED:].tobytes())
        return parts

    @classmethod
    def load(cls, parts: SavedParts) -> LearnedSentences | None:
        """Those of a model, if it keeps them."""
        if LEARNED_FILE not in parts:
            return None
        complete, written = parts.record(_RECORD)["complete"], parts.raw(LEARNED_FILE)
        if not isinstance(complete, bool) or len(written) % _BYTES or len(written) > _BYTES * MOST:
            raise ValueError(f"{len(written):,} bytes of learned sentences")
        table = np.zeros((len(written) // _BYTES, 8), dtype=np.uint8)
        table[:, _UNUSED:] = np.frombuffer(written, dtype=np.uint8).reshape(-1, _BYTES)
        hashes = table.view(">u8").ravel().astype(np.uint64)
        if (hashes[1:] <= hashes[:-1]).any():
            raise ValueError("hashes of learned sentences are not in order")
        return cls(hashes, complete)


def hashes_of(sentences: Iterable[Sentence]) -> Hashes:
    """A number of 40 bits of each sentence, of its characters in NFC without white space.

    So a sentence stays the same where it is split into other words.
    """
    return np.array([_hash(sentence.forms) for sentence in sentences], dtype=np.uint64)


def _hash(forms: Iterable[str]) -> int:
    text = normalize("NFC", "".join("".join(forms).split()))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=_BYTES).digest())


# -- what is scored ---------------------------------------------------------------


@dataclass(frozen=True)
class Overlap:
    """How many of the examples that are scored each of some models has learned from.

    None stands for a model that did not keep what it learned from.
    """

    examples: int
    learned: tuple[int | None, ...]
    left_out: int = 0  # examples that are not scored, because a model has learned from them

    @property
    def signature(self) -> str:
        """What a signature says of what was left out; nothing if nothing was."""
        return f"left_out={self.left_out} learned" if self.left_out else ""

    def note(self, names: Sequence[str] = ("this model",), what: str = "sentences") -> str:
        """One line about what scores on these examples mean, or nothing."""
        found = [(count, name) for count, name in zip(self.learned, names, strict=True) if count]
        if not found:
            return ""
        (first, name), *others = found
        said = [f"{first:,} of {self.examples:,} {what} were learned by {name}"]
        said += [f"{count:,} by {other}" for count, other in others]
        return (
            f"note: {', '.join(said)}; scores on them say how well they are remembered. "
            "--unseen leaves them out"
        )


def overlap_of(
    models: Sequence[LearnedSentences | None],
    sentences: Sequence[Sentence],
    *,
    groups: Sequence[Sequence[int]] | None = None,
    unseen: bool = False,
) -> tuple[list[int], Overlap]:
    """The numbers of the examples to score, and what of them was learned.

    With `unseen`, those that no model has learned from; raises NiwakiError if there are none,
    or if nobody knows what was learned from. An example is a sentence or a group of them, which
    was learned if one of them was.
    """
    known = [None if each is None else _examples(each.knows(sentences), groups) for each in models]
    size = len(sentences) if groups is None else len(groups)
    if not unseen:
        return list(range(size)), Overlap(size, tuple(map(_count, known, models)))
    if not models:
        raise NiwakiError("unseen is for models, which know what they learned from; leave it out")
    told = [each for each in known if each is not None]
    if not told:
        raise NiwakiError(
            "unseen: it is not recorded what was learned from; "
            "score all sentences, or train with this niwaki"
        )
    new = np.flatnonzero(~np.any(told, axis=0))
    if not len(new):
        raise NiwakiError(f"unseen: none is left of {size:,}, all were learned; give others")
    rest = [None if each is None else each[new] for each in known]
    counts = tuple(map(_count, rest, models))
    return new.tolist(), Overlap(len(new), counts, size - len(new))


def _examples(
    known: NDArray[np.bool_], groups: Sequence[Sequence[int]] | None
) -> NDArray[np.bool_]:
    if groups is None:
        return known
    return np.array([bool(known[list(group)].any()) for group in groups], dtype=np.bool_)


def _count(known: NDArray[np.bool_] | None, model: LearnedSentences | None) -> int | None:
    """How many; None if they would be 0 as far as is known, and not all is."""
    if known is None or model is None:
        return None
    count = int(known.sum())
    return count if count or model.complete else None
