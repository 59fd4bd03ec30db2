"""Probabilities of word links in both directions, and the JSON Lines file they live in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.bitext import Links
from niwaki.data.files import Input, Source, Target, open_output
from niwaki.errors import CorpusError, shown

Matrix = NDArray[np.float32]

# What is less likely than this is not written to files; it counts as the null word's.
LEAST_WRITTEN = 0.001

# A pair with more cells than this (4,096 words on both sides) is a mistake in a file, and
# would take more memory than there may be.
_MOST_CELLS = 1 << 24


@dataclass(frozen=True, eq=False)
class Posteriors:
    """How likely the words of one sentence pair are to be linked.

    Both matrices have a row for each source word and a column for each target word.
    `forward[i, j]` is the probability that target word j comes from source word i: a
    column sums to 1 less the probability of the null word. `backward[i, j]` is that of
    source word i to come from target word j: a row sums to 1 less that of the null word.
    """

    forward: Matrix
    backward: Matrix

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of source and target words."""
        rows, columns = self.forward.shape
        return rows, columns

    @property
    def mean(self) -> Matrix:
        """One probability a link: the mean of both directions."""
        return (self.forward + self.backward) / np.float32(2)

    @property
    def reversed(self) -> Posteriors:
        """The same links seen from the other language."""
        return Posteriors(
            np.ascontiguousarray(self.backward.T), np.ascontiguousarray(self.forward.T)
        )

    @staticmethod
    def from_links(links: Links, shape: tuple[int, int]) -> Posteriors:
        """Hard links of any aligner: a word that has several shares itself out evenly."""
        linked = np.zeros(shape, np.float32)
        for i, j in links.all:
            linked[i, j] = 1
        many = np.float32(1)
        return Posteriors(
            linked / np.maximum(linked.sum(axis=0, keepdims=True), many),
            linked / np.maximum(linked.sum(axis=1, keepdims=True), many),
        )


def write_posteriors(posteriors: Iterable[Posteriors], target: Target) -> None:
    """A line a pair: the lengths, and `[i, j, forward, backward]` for each likely link."""
    with open_output(target) as out:
        for each in posteriors:
            out.write(posteriors_line(each).encode())


def posteriors_line(posteriors: Posteriors) -> str:
    rows, columns = posteriors.shape
    likely = np.maximum(posteriors.forward, posteriors.backward) >= LEAST_WRITTEN
    cells = [
        [
            i,
            j,
            round(float(posteriors.forward[i, j]), 4),
            round(float(posteriors.backward[i, j]), 4),
        ]
        for i, j in np.argwhere(likely).tolist()
    ]
    return json.dumps({"source": rows, "target": columns, "links": cells}) + "\n"


def read_posteriors(source: Source) -> Iterator[Posteriors]:
    """Yield what `write_posteriors` wrote; what is wrong raises CorpusError with its line."""
    return _read_posteriors(Input(source))


def _read_posteriors(stream: Input) -> Iterator[Posteriors]:
    with stream:
        for number, line in stream.lines():
            yield parse_posteriors(line, stream.name, number)


def parse_posteriors(line: str, file: str, number: int) -> Posteriors:
    """Posteriors from one line of JSON."""

    def wrong(found: str) -> CorpusError:
        return CorpusError(
            file, number, "LINE", found, 'write {"source": I, "target": J, "links": [[i, j, p, q]]}'
        )

    try:
        record = json.loads(line)
        shape = record["source"], record["target"]
        cells = record["links"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise wrong(f"no posteriors in {shown(line)}") from error
    sound = all(type(size) is int and size >= 0 for size in shape)
    if not sound or max(shape) * max(1, min(shape)) > _MOST_CELLS:
        raise wrong(f"the lengths {shown(str(shape))}")
    if type(cells) is not list:
        raise wrong(f"links that are no list: {shown(str(cells))}")
    made = Posteriors(np.zeros(shape, np.float32), np.zeros(shape, np.float32))
    for cell in cells:
        if not _is_cell(cell, shape):
            raise wrong(f"the link {shown(str(cell))}")
        i, j, made.forward[i, j], made.backward[i, j] = cell
    return made


def _is_cell(cell: object, shape: tuple[int, int]) -> bool:
    if not (isinstance(cell, list) and len(cell) == 4):
        return False
    if not all(type(x) is int and 0 <= x < size for x, size in zip(cell[:2], shape, strict=True)):
        return False
    return all(type(p) in (int, float) and 0 <= p <= 1 for p in cell[2:])
