"""What a network reads: words of a batch as numbers, padded for some sentences at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.faults import FORM
from niwaki.kernel.batch import Batch
from niwaki.kernel.features.words import word_values
from niwaki.parsers.neural.network import BUCKETS, FARTHEST
from niwaki.parsers.neural.spec import LETTERS, NeuralSpec
from niwaki.parsers.neural.wordpiece import WordPieces
from niwaki.typing import IntArray

Numbers = NDArray[np.int64]
Padded = dict[str, NDArray[Any]]

# What is added to the attention to padding.
_OUTSIDE = np.float32(-1e4)


@dataclass(frozen=True)
class Words:
    """The words of a batch: hashed letters, pieces, and where each sentence begins."""

    letters: Numbers
    pieces: Sequence[tuple[int, ...]]  # none if there is no pretrained encoder
    starts: Numbers

    def __len__(self) -> int:
        return len(self.starts) - 1

    def length(self, s: int) -> int:
        return int(self.starts[s + 1] - self.starts[s])

    def size(self, s: int) -> int:
        """How much there is to be computed for a sentence: its pieces, or its words."""
        if not self.pieces:
            return self.length(s)
        return sum(map(len, self.pieces[self.starts[s] : self.starts[s + 1]])) + 2


class Inputs:
    """Makes what a network reads of the sentences of a batch."""

    def __init__(self, spec: NeuralSpec, pieces: WordPieces | None) -> None:
        self._spec, self._pieces = spec, pieces
        if (pieces is not None) != spec.has_pieces:
            raise ValueError("word pieces go with a pretrained encoder")
        if pieces is not None and len(pieces) > spec.pieces:
            raise ValueError(f"{len(pieces)} word pieces, but vectors of {spec.pieces}")
        # MPNet begins to count behind its padding.
        self._first_position = 2 if spec.encoder == "mpnet" else 0

    @property
    def _longest(self) -> int:
        """Pieces of a window, without its first and last."""
        return self._spec.positions - self._first_position - 2

    def words(self, batch: Batch) -> Words:
        values = word_values(batch, list(LETTERS), self._spec.lowercase, None)
        table = np.stack(values, axis=1).astype(np.uint64)
        salts = np.arange(len(LETTERS), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        with np.errstate(over="ignore"):
            mixed = (table + salts) * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(32)
        letters = (mixed % np.uint64(self._spec.letter_rows)).astype(np.int64)
        pieces: Sequence[tuple[int, ...]] = ()
        if self._pieces is not None:
            pieces = list(map(self._pieces.cut, batch.texts_of(FORM)))
        starts = np.concatenate([[0], np.cumsum(batch.lengths)]).astype(np.int64)
        return Words(letters, pieces, starts)

    def padded(self, words: Words, sentences: Sequence[int]) -> Padded:
        """The inputs of the network for some sentences."""
        lengths = [words.length(s) for s in sentences]
        letters = np.zeros((len(lengths), max(lengths), len(LETTERS)), dtype=np.int64)
        for row, (s, n) in enumerate(zip(sentences, lengths, strict=True)):
            letters[row, :n] = words.letters[words.starts[s] : words.starts[s + 1]]
        if self._pieces is None:
            inside = np.arange(max(lengths)) < np.array(lengths)[:, None]
            return {"letters": letters, "inside": inside[:, :, None].astype(np.float32)}
        return {"letters": letters, **self._windows(words, sentences, max(lengths), self._pieces)}

    def _windows(
        self, words: Words, sentences: Sequence[int], most: int, pieces: WordPieces
    ) -> Padded:
        """Pieces in windows, and where among them the first piece of each word is."""
        windows: list[list[int]] = []
        found: list[list[tuple[int, int]]] = []  # window and place of each word
        for s in sentences:
            own = words.pieces[words.starts[s] : words.starts[s + 1]]
            numbers = [number for word in own for number in word]
            firsts = np.cumsum([0, *map(len, own[:-1])])
            places = []
            for start, places_here in self._cover(firsts, len(numbers)):
                places += [(len(windows), int(at) - start + 1) for at in places_here]
                inner = numbers[start : start + self._longest]
                windows.append([pieces.first, *inner, pieces.last])
            found.append(places)
        width = max(map(len, windows))
        table = np.zeros((len(windows), width), dtype=np.int64)
        edges = np.full((len(windows), 1, 1, width), _OUTSIDE, dtype=np.float32)
        for row, window in enumerate(windows):
            table[row, : len(window)] = window
            edges[row, 0, 0, : len(window)] = 0
        first = np.zeros((len(found), most), dtype=np.int64)
        for row, places in enumerate(found):
            first[row, : len(places)] = [window * width + at for window, at in places]
        at = np.arange(width, dtype=np.int64) + self._first_position
        inputs: Padded = {"pieces": table, "at": at, "edges": edges, "first": first}
        if self._spec.encoder == "mpnet":
            inputs["distances"] = distance_buckets(width)
        return inputs

    def _cover(self, firsts: IntArray, count: int) -> Iterator[tuple[int, IntArray]]:
        """Windows over the pieces of a sentence: where each begins, and the words (by their first
        pieces) that are read in it: those that are nearer to its middle than to any other's. A
        window amid a word of very many pieces, in which none is read, is left out.
        """
        longest = self._longest
        if count <= longest:
            yield 0, firsts
            return
        step = longest // 2
        starts = [*range(0, count - longest, step), count - longest]
        middles = np.array(starts) + longest / 2
        nearest = np.abs(firsts[:, None] - middles).argmin(axis=1)
        for number in np.unique(nearest).tolist():
            yield starts[number], firsts[nearest == number]


def in_batches(words: Words, sentences: Sequence[int], most: int) -> Iterator[list[int]]:
    """Sentences of about equal size together, up to so many pieces with the padding."""
    batch: list[int] = []
    for s in sorted(sentences, key=words.size):
        # The last is the longest, so all are padded to it.
        if batch and (len(batch) + 1) * words.size(s) > most:
            yield batch
            batch = []
        batch.append(s)
    if batch:
        yield batch


def distance_buckets(width: int) -> Numbers:
    """The bucket of the distance of each pair of pieces: near ones exactly, far ones roughly, and
    those behind apart from those before.
    """
    at = np.arange(width)
    distance = at[:, None] - at[None, :]  # from the key to the query
    half, exact = BUCKETS // 2, BUCKETS // 4
    ratio = (np.maximum(np.abs(distance), 1) / exact).astype(np.float32)
    far = np.log(ratio) / np.float32(np.log(FARTHEST / exact))
    rough = np.minimum(exact + (far * (half - exact)).astype(np.int64), half - 1)
    size = np.where(np.abs(distance) < exact, np.abs(distance), rough)
    return np.asarray(np.where(distance < 0, half, 0) + size)
