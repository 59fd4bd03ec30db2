"""Word clusters: files of `bits word count` lines, as tools for Brown clustering write them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from niwaki.data.files import Input, Source
from niwaki.errors import CorpusError, shown
from niwaki.kernel import words as kernel

_MAX_BITS = 30


@dataclass(frozen=True)
class WordClusters:
    """The bit string of each word's cluster."""

    paths: dict[str, str]

    @cached_property
    def kernel(self) -> kernel.Clusters:
        return kernel.Clusters([word.encode() for word in self.paths], list(self.paths.values()))

    def to_bytes(self) -> bytes:
        return "".join(f"{path}\t{word}\n" for word, path in self.paths.items()).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> WordClusters:
        lines = (line.split("\t") for line in data.decode().split("\n") if line)
        return cls({word: path for path, word in lines})


def read_clusters(source: Source) -> WordClusters:
    """Read a cluster file; a word that stands twice is an error with its line."""
    paths: dict[str, str] = {}
    with Input(source) as stream:
        for number, line in stream.lines():
            fields = line.split("\t")
            if len(fields) < 2 or fields[0].strip("01") or not 0 < len(fields[0]) <= _MAX_BITS:
                raise CorpusError(
                    stream.name,
                    number,
                    "LINE",
                    f"found {shown(line)}",
                    "write bits, word and count with tabs between",
                )
            if fields[1] in paths:
                raise CorpusError(
                    stream.name,
                    number,
                    "LINE",
                    f"the word {shown(fields[1])} stands twice",
                    "keep one of the lines",
                )
            paths[fields[1]] = fields[0]
    return WordClusters(paths)
