"""Word clusters: files of `bits word count` lines, as tools for Brown clustering write them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from niwaki.data.files import Input, Source, Target, open_output
from niwaki.errors import CorpusError, NiwakiError, shown
from niwaki.features.parts import Parts, SavedParts
from niwaki.kernel.features import words as kernel

MAX_BITS = 1000
# Some eight million words.
MAX_BYTES = 1 << 26
_FILE = "clusters.bin"
# Lines are so many times as long as their compressed form at most, beyond a megabyte; those of
# words that differ are four times as long.
_MAX_RATIO = 20
_SMALL = 1 << 20


@dataclass(frozen=True)
class WordClusters:
    """The bit string of each word's cluster, and how often the words were counted.

    A model keeps the bit strings only: a line a cluster, in order, its bits and then its
    words with tabs between.
    """

    lines: bytes
    counts: Mapping[str, int] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, paths: Mapping[str, str], counts: Mapping[str, int] | None = None) -> WordClusters:
        """Of the bit string of each word."""
        words: dict[str, list[str]] = {}
        for word in sorted(paths):
            words.setdefault(paths[word], []).append(word)
        lines = ("\t".join([path, *words[path]]) + "\n" for path in sorted(words))
        text = "".join(lines).encode()
        if len(text) > MAX_BYTES:
            raise NiwakiError(
                f"{len(text):,} bytes of word clusters, but {MAX_BYTES:,} are possible; "
                "leave out rare words"
            )
        return cls(text, counts or {})

    @cached_property
    def paths(self) -> dict[str, str]:
        rows = (line.split("\t") for line in self.lines.decode().split("\n") if line)
        return {word: path for path, *words in rows for word in words}

    @cached_property
    def kernel(self) -> kernel.Clusters:
        return kernel.Clusters(self.lines)

    # -- files ------------------------------------------------------------------

    def parts(self) -> Parts:
        parts = Parts()
        parts.add_file(_FILE, zlib.compress(self.lines, 9))
        return parts

    @classmethod
    def load(cls, parts: SavedParts) -> WordClusters | None:
        """The clusters of a model, if it has any."""
        if _FILE not in parts:
            return None
        return cls(_decompressed(parts.raw(_FILE)))


def _decompressed(packed: bytes) -> bytes:
    most = min(MAX_BYTES, max(_SMALL, _MAX_RATIO * len(packed)))
    stream = zlib.decompressobj()
    try:
        # One more than it may have tells a text that is too long from one that just fits.
        lines = stream.decompress(packed, most + 1)
    except zlib.error as error:
        raise ValueError(f"word clusters: {error}") from error
    if len(lines) > most:
        raise ValueError(f"word clusters of more than {most:,} bytes in {len(packed):,}")
    if not stream.eof or stream.unused_data:
        raise ValueError("word clusters are cut off, or something follows them")
    lines.decode("utf-8")  # or raises a ValueError
    return lines


def folded(word: str) -> str:
    """A word as models see it that read everything in lower case: character by character."""
    return "".join([c.lower()[:1] for c in word])


def read_clusters(
    source: Source, on_fault: Callable[[CorpusError], None] | None = None
) -> WordClusters:
    """Read a cluster file; a word that stands twice is an error with its line.

    With `on_fault`, that is told of each faulty line, and the line is left out.
    """
    paths: dict[str, str] = {}
    counts: dict[str, int] = {}
    with Input(source) as stream:
        for number, line in stream.lines():
            fields = line.split("\t")
            fault = _fault(fields, paths)
            if fault:
                error = CorpusError(stream.name, number, "LINE", *fault)
                if on_fault is None:
                    raise error
                on_fault(error)
                continue
            paths[fields[1]] = fields[0]
            if len(fields) == 3:
                counts[fields[1]] = int(fields[2])
        if not paths:
            raise NiwakiError(f"{stream.name}: no word clusters; make some with `niwaki cluster`")
    return WordClusters.of(paths, counts)


def _fault(fields: list[str], known: dict[str, str]) -> tuple[str, str] | None:
    """What was found and what to do, if a line is none of a cluster file."""
    advice = "write bits, word and count with tabs between"
    if not 2 <= len(fields) <= 3 or fields[0].strip("01") or not fields[0] or not fields[1]:
        return f"found {shown(chr(9).join(fields))}", advice
    if len(fields) == 3 and not (fields[2].isdecimal() and len(fields[2]) < 19):
        return f"{shown(fields[2])} is no count", advice
    if len(fields[0]) > MAX_BITS:
        return f"{len(fields[0]):,} bits", f"give paths of at most {MAX_BITS:,}"
    if fields[1] in known:
        return f"the word {shown(fields[1])} stands twice", "keep one of the lines"
    return None


def write_clusters(clusters: WordClusters, target: Target) -> None:
    """Write a cluster file: sorted by bits, and then by falling count."""

    def order(word: str) -> tuple[str, int, str]:
        return clusters.paths[word], -clusters.counts.get(word, 0), word

    with open_output(target) as out:
        for word in sorted(clusters.paths, key=order):
            count = clusters.counts.get(word, 0)
            out.write(f"{clusters.paths[word]}\t{word}\t{count}\n".encode())
