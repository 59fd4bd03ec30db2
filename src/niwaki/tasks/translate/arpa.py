"""N-grams with log probabilities and backoffs, and the ARPA files they stand in."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.files import Input, Source, Target, open_output
from niwaki.errors import CorpusError, shown
from niwaki.kernel.translation.language_model import MAX_ORDER
from niwaki.typing import IntArray

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
RESERVED = (UNKNOWN, BEGIN, END)

_LN10 = math.log(10)
# log10 P of what never happens, as files write it; and of unknown words where a file has none.
_NEVER, _LEAST = -99.0, -100.0
_LINES = 4096

Values = NDArray[np.float32]


@dataclass(frozen=True)
class NGrams:
    """N-grams of each order, from 1: numbers of words (n x order), and n x (log P, backoff)."""

    words: tuple[str, ...]
    grams: tuple[IntArray, ...]
    values: tuple[Values, ...]

    @property
    def order(self) -> int:
        return len(self.grams)


def write_arpa(found: NGrams, target: Target) -> None:
    with open_output(target) as file:
        counts = [f"ngram {k}={len(grams)}\n" for k, grams in enumerate(found.grams, start=1)]
        file.write(("\\data\\\n" + "".join(counts)).encode())
        for k, (grams, values) in enumerate(zip(found.grams, found.values, strict=True), start=1):
            file.write(f"\n\\{k}-grams:\n".encode())
            for at in range(0, len(grams), _LINES):
                part = slice(at, at + _LINES)
                lines = _lines(found.words, grams[part], values[part], k < found.order)
                file.write("".join(lines).encode("utf-8"))
        file.write(b"\n\\end\\\n")


def _lines(
    words: tuple[str, ...], grams: IntArray, values: Values, with_backoff: bool
) -> Iterator[str]:
    tens = np.maximum(values.astype(np.float64) / _LN10, _NEVER)
    for gram, (probability, backoff) in zip(grams.tolist(), tens.tolist(), strict=True):
        text = " ".join([words[number] for number in gram])
        end = f"\t{backoff + 0.0:.7g}" if with_backoff else ""
        yield f"{probability:.7g}\t{text}{end}\n"


def read_arpa(source: Source) -> NGrams:
    """The n-grams of a file; `<unk>` gets a probability of 1e-100 if it has none.

    What is wrong raises CorpusError with its line.
    """
    with Input(source) as stream:
        return _Reader(stream).read()


class _Reader:
    def __init__(self, stream: Input) -> None:
        self._lines = ((number, line.strip()) for number, line in stream.lines())
        self._name, self._at = stream.name, 0
        self._numbers = {word: number for number, word in enumerate(RESERVED)}

    def read(self) -> NGrams:
        counts = self._counts()
        if not 1 <= len(counts) <= MAX_ORDER:
            raise self._wrong(f"order {len(counts)}", f"give orders from 1 to {MAX_ORDER}")
        grams, values = [], []
        for order, count in enumerate(counts, start=1):
            found, read = self._section(order, count, order < len(counts))
            grams.append(found)
            values.append(read)
        if self._line() != "\\end\\":
            raise self._wrong("no \\end\\", "the file may be cut off; fetch it again")
        # Words that the file does not have stand before all others; its order is of no account.
        missing = [word for word in RESERVED if not (grams[0] == self._numbers[word]).any()]
        if missing and missing != [UNKNOWN]:
            raise self._wrong(f"no 1-gram {missing[-1]}", "give a model with <s> and </s>")
        numbers = np.arange(len(self._numbers), dtype=np.int32)
        unigrams = np.full((len(numbers), 2), [_LEAST * _LN10, 0.0], np.float32)
        unigrams[grams[0][:, 0]] = values[0]
        return NGrams(tuple(self._numbers), (numbers[:, None], *grams[1:]), (unigrams, *values[1:]))

    def _line(self) -> str:
        """The next line that is not empty; "" at the end of the file."""
        for number, line in self._lines:
            self._at = number
            if line:
                return line
        return ""

    def _wrong(self, found: str, advice: str) -> CorpusError:
        return CorpusError(self._name, self._at, "LINE", found, advice)

    def _counts(self) -> list[int]:
        while (line := self._line()) != "\\data\\":
            if not line:
                raise self._wrong("no \\data\\", "give a language model in ARPA format")
        counts: list[int] = []
        while (line := self._line()).startswith("ngram "):
            order, _, count = line.removeprefix("ngram ").partition("=")
            if order.strip() != str(len(counts) + 1) or not count.strip().isdecimal():
                raise self._wrong(shown(line), f"write `ngram {len(counts) + 1}=COUNT`")
            counts.append(int(count))
        self._title = line
        return counts

    def _section(self, order: int, count: int, with_backoff: bool) -> tuple[IntArray, Values]:
        title = self._title if order == 1 else self._line()
        if title != f"\\{order}-grams:":
            advice = f"write \\{order}-grams: behind as many n-grams as were announced"
            raise self._wrong(shown(title), advice)
        grams: list[list[int]] = []
        values: list[tuple[float, float]] = []
        seen: set[tuple[int, ...]] = set()
        for _ in range(count):
            line = self._line()
            gram, read = self._entry(line, order, with_backoff)
            if tuple(gram) in seen:
                raise self._wrong(f"{shown(line)} again", "keep one of the two")
            seen.add(tuple(gram))
            grams.append(gram)
            values.append(read)
        table = np.array(grams, np.int32).reshape(-1, order)
        return table, np.array(values, np.float32).reshape(-1, 2) * np.float32(_LN10)

    def _entry(
        self, line: str, order: int, with_backoff: bool
    ) -> tuple[list[int], tuple[float, float]]:
        fields = line.split()
        try:
            if len(fields) not in (order + 1, order + 1 + with_backoff):
                raise ValueError
            backoff = float(fields[-1]) if len(fields) == order + 2 else 0.0
            values = float(fields[0]), backoff
            if not all(map(math.isfinite, values)) or values[0] > 0:
                raise ValueError
        except ValueError:
            advice = f"write log10 P, {order} words and a backoff; no P above 1"
            raise self._wrong(shown(line), advice) from None
        words = fields[1 : order + 1]
        if order == 1:
            return [self._numbers.setdefault(words[0], len(self._numbers))], values
        try:
            return [self._numbers[word] for word in words], values
        except KeyError as error:
            raise self._wrong(f"no 1-gram {error.args[0]}", "give one for each word") from None
