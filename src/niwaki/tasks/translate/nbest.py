"""N-best lists: the translations of a sentence with their features, and the text form of lists.

0 ||| a pine grew ||| phrase-backward= -1.25 word-penalty= -3 ||| -4.5
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.files import Input, Source
from niwaki.errors import CorpusError, shown

FloatArray = NDArray[np.float32]
# Source begin, source end, target begin, target end: words from 0, ends beyond the last one.
Phrase = tuple[int, int, int, int]

_BAR = " ||| "
_ADVICE = "write `0 ||| words ||| name= value ... ||| score`"


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A translation: its words, the values of the features, and their weighted sum.

    `phrases` are in the order of the translation; lists that were read from text have none.
    """

    tokens: tuple[str, ...]
    features: FloatArray
    score: float
    phrases: tuple[Phrase, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(self.tokens)


@dataclass(frozen=True)
class NBestList:
    """The best translations of one sentence, best first; `index` is the sentence's, from 0."""

    index: int
    hypotheses: tuple[Hypothesis, ...]


def nbest_lines(found: NBestList, names: Sequence[str]) -> Iterator[str]:
    """The list as text, a line a translation; `names` are those of the features."""
    for each in found.hypotheses:
        pairs = zip(names, each.features.tolist(), strict=True)
        features = " ".join(f"{name}= {value:.6g}" for name, value in pairs)
        yield _BAR.join([str(found.index), each.text, features, f"{each.score:.6g}"]) + "\n"


def read_nbest(source: Source) -> tuple[tuple[str, ...], list[NBestList]]:
    """Names of the features, and the lists of a file in the order of their sentences.

    What is wrong raises CorpusError with its line.
    """
    names: tuple[str, ...] = ()
    lists: list[NBestList] = []
    with Input(source) as stream:
        parsed = _parsed(stream)
        for index, lines in itertools.groupby(parsed, key=lambda line: line[1]):
            members = []
            for number, _, found, hypothesis in lines:
                names = names or found
                if found != names:
                    raise _wrong(stream.name, number, f"the features {shown(' '.join(found))}")
                members.append(hypothesis)
                if lists and index <= lists[-1].index:
                    raise _wrong(stream.name, number, f"sentence {index} again, or too late")
            lists.append(NBestList(index, tuple(members)))
    return names, lists


def _parsed(stream: Input) -> Iterator[tuple[int, int, tuple[str, ...], Hypothesis]]:
    for number, line in stream.lines():
        # Words may be none, but the bars stand between blanks all the same.
        parts = [part.strip(" ") for part in line.split("|||")]
        if len(parts) != 4 or not (parts[0].isascii() and parts[0].isdecimal()):
            raise _wrong(stream.name, number, f"found {shown(line)}")
        fields = parts[2].split()
        names, values = fields[0::2], _numbers([*fields[1::2], parts[3]])
        sound = all(name.endswith("=") for name in names) and len(names) * 2 == len(fields)
        if values is None or not sound or len(parts[0]) > 9:
            raise _wrong(stream.name, number, f"found {shown(line)}")
        features = np.array(values[:-1], np.float32)
        made = Hypothesis(tuple(parts[1].split()), features, values[-1])
        yield number, int(parts[0]), tuple(name[:-1] for name in names), made


def _numbers(words: Iterable[str]) -> list[float] | None:
    try:
        values = [float(word) for word in words]
    except ValueError:
        return None
    return values if all(map(math.isfinite, values)) else None


def _wrong(file: str, line: int, found: str) -> CorpusError:
    return CorpusError(file, line, "LINE", found, _ADVICE)
