"""The segmenter: raw text in, sentences of words out, with the place of each token."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from typing import Any, Literal
from unicodedata import is_normalized, normalize

import numpy as np
from numpy.typing import NDArray

from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, nearest
from niwaki.features.parts import Parts, SavedParts
from niwaki.features.templates import read_lines
from niwaki.features.weights import PackedWeights
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.segmenting import segmenter as kernel
from niwaki.kernel.segmenting.contexts import (
    BOUNDARY_VALUES,
    CUT_VALUES,
    JOIN_VALUES,
    SENTENCE_VALUES,
    SPLIT_VALUES,
    Templates,
)
from niwaki.kernel.segmenting.lines import render
from niwaki.segmenting import splits
from niwaki.segmenting.composing import composed
from niwaki.segmenting.lexicon import KnownWords
from niwaki.typing import IntArray

_BREAK_GAP = 2
# Text is taken in pieces of so many characters, of which the last, unfinished sentence is
# kept for the next. A sentence that is longer than the limit is cut there.
_BLOCK = 1 << 15
LONGEST_SENTENCE = 1 << 20

_LEXICON = "known-words.safetensors"
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")

# The decisions; the last two are made only where the data asks for them.
_VALUES = {
    "boundaries": BOUNDARY_VALUES,
    "sentences": SENTENCE_VALUES,
    "splits": SPLIT_VALUES,
    "joins": JOIN_VALUES,
    "cuts": CUT_VALUES,
}


@dataclass(frozen=True)
class Needs:
    """What a text asks of its segmenter."""

    unspaced: bool = False  # most tokens have no space behind them
    plain: bool = False  # sentences do not begin with capitals
    joins: bool = False  # words hold spaces
    cuts: bool = False  # many tokens are several words, one after the other

    @property
    def lexicon(self) -> bool:
        """Whether it should know words."""
        return self.unspaced or self.joins or self.cuts


def segmenting_features(needs: Needs) -> dict[str, str]:
    """What each decision looks at."""
    folder = resources.files("niwaki") / "assets" / "segmenting"
    files = {
        "boundaries": ["boundaries", *(["unspaced"] if needs.unspaced else [])],
        "sentences": ["sentences", *(["plain"] if needs.plain else [])],
        "splits": ["splits"],
        **({"joins": ["joins"]} if needs.joins else {}),
        **({"cuts": ["cuts"]} if needs.cuts else {}),
    }
    return {
        name: "".join((folder / f"{file}.txt").read_text(encoding="utf-8") for file in own)
        for name, own in files.items()
    }


def codes_of(text: str) -> NDArray[np.uint32]:
    """The code points of a text; lone surrogates are let through."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


@dataclass(frozen=True)
class Segmenter:
    """Splits text into sentences, tokens and words; what it knows, it learned from a treebank.

    `rules` are the ways to split a multiword token, `open_pairs` and `endings` say
    where to look for the end of a token and for a token to split. Models of text without
    spaces, of words with spaces and of tokens that are cut into words have a `lexicon`.
    """

    model: SparseWeights | PackedWeights
    split_model: SparseWeights | PackedWeights | None
    rules: Sequence[splits.Rule]
    open_pairs: NDArray[np.uint8]
    endings: Sequence[int]
    features: Mapping[str, str]
    lexicon: KnownWords | None = None

    @cached_property
    def kernel(self) -> kernel.Segmenter:
        endings = np.zeros(kernel.ENDING_COUNT, dtype=np.uint8)
        endings[list(self.endings)] = 1
        shortest = [0, *(splits.shortest_token(rule) for rule in self.rules)]
        if self.split_model is None:
            shortest = [0]
        return kernel.Segmenter(
            _runnable(self.model),
            None if self.split_model is None else _runnable(self.split_model),
            self._compile("boundaries"),
            self._compile("sentences"),
            self._compile("splits"),
            self.open_pairs,
            endings,
            np.array(shortest, dtype=np.int32),
            self._compile("joins") if "joins" in self.features else None,
            self._compile("cuts") if "cuts" in self.features else None,
            self.lexicon.kernel if self.lexicon else None,
        )

    def with_models(self, model: PackedWeights, split_model: PackedWeights | None) -> Segmenter:
        """The same with what was learned."""
        lexicon = self.lexicon.finished() if self.lexicon else None
        return replace(self, model=model, split_model=split_model, lexicon=lexicon)

    def _compile(self, name: str) -> Templates:
        values = _VALUES[name]
        templates = []
        for parts in read_lines(self.features[name]):
            for part in parts:
                if part not in values:
                    raise ConfigError(f"features: no value {part!r}; {nearest(part, values)}")
            templates.append([values.index(part) for part in parts])
        return Templates(templates, list(_VALUES).index(name), len(values))

    # -- segmenting -----------------------------------------------------------

    def segment(
        self,
        text: str | Iterable[str],
        *,
        by_lines: bool = False,
        file: str = "<text>",
        name: str = "",
    ) -> Iterator[Sentence]:
        """Yield the sentences of a document, which may come in pieces.

        Blank lines end sentences; other line ends are spaces. With `by_lines`, each
        line is a sentence and is only split into words. `TokenRange` in MISC has the
        place of each token in the document. `# sent_id` counts the sentences from 1, behind the
        `name` of the document, if it has one. The pieces make no difference, and memory is bounded.
        Decisions are those of the text in NFC; no character is changed.
        """
        prefix = f"{name}-" if name else ""
        ids = (f"# sent_id = {prefix}{number}\n".encode() for number in itertools.count(1))
        reader = _Reader([text] if isinstance(text, str) else text)
        offset, line, want = 0, 1, _BLOCK
        held, comments = "", b"" if by_lines else b"# newdoc\n"
        while True:
            held += reader.take(want - len(held))
            final = len(held) < want
            blank = len(held) - len(held.lstrip())
            offset, line, held = offset + blank, line + held.count("\n", 0, blank), held[blank:]
            done = 0
            whole = final or len(held) >= LONGEST_SENTENCE
            found, comments = self._segment_block(held, offset, whole, by_lines, comments, ids)
            for source, start, end in found:
                line += held.count("\n", done, start)
                yield Sentence(source, file, line)
                line += held.count("\n", start, end)
                done = end
            if final:
                return
            offset, held = offset + done, held[done:]
            want = min(LONGEST_SENTENCE, max(_BLOCK, 2 * len(held)))

    def _segment_block(
        self,
        text: str,
        offset: int,
        final: bool,
        by_lines: bool,
        comments: bytes,
        ids: Iterator[bytes],
    ) -> tuple[list[tuple[bytes, int, int]], bytes]:
        """The sentences that are complete, as lines with their places; the next one's comments."""
        seen, places = composed(text)
        codes = codes_of(seen)
        starts, ends, gaps, sentence_ends, rules, cuts = self.kernel.segment(codes, final, by_lines)
        words = self._split(seen, starts, ends, rules, cuts)
        if places is not None:
            form: Literal["NFC", "NFD"] = "NFD" if is_normalized("NFD", text) else "NFC"
            words = {
                token: _as_given(text, places[starts[token] : ends[token] + 1], found, form)
                for token, found in words.items()
            }
            codes, starts, ends = codes_of(text), places[starts], places[ends]
        stops = np.flatnonzero(sentence_ends) + 1
        firsts = [0, *stops.tolist()]
        begins, finishes = starts[firsts[:-1]].tolist(), ends[stops - 1].tolist()
        breaks = (gaps[stops - 1] == _BREAK_GAP).tolist()
        found = []
        for number, stop in enumerate(firsts[1:]):
            own = comments + next(ids)
            source = render(
                codes, offset, starts, ends, gaps, rules, firsts[number], stop, words, own
            )
            found.append((source, begins[number], finishes[number]))
            comments = b"# newpar\n" if breaks[number] and not by_lines else b""
        return found, comments

    def _split(
        self,
        text: str,
        starts: NDArray[np.int32],
        ends: NDArray[np.int32],
        rules: NDArray[np.int32],
        cuts: NDArray[np.uint8],
    ) -> dict[int, list[tuple[bytes, int, int]]]:
        """The words of those tokens that are split."""
        words = {}
        for token in np.flatnonzero(rules).tolist():
            start, end = int(starts[token]), int(ends[token])
            form = text[start:end]
            if rules[token] > len(self.rules):
                places = (np.flatnonzero(cuts[start:end]) + 1).tolist()
                words[token] = [
                    (_field(form[a:b]), a, b)
                    for a, b in itertools.pairwise([0, *places, end - start])
                ]
                continue
            parts = splits.apply_rule(form, self.rules[rules[token] - 1])
            if parts is not None:
                words[token] = [(_field(part.form), *(part.span or (-1, -1))) for part in parts]
        return words

    # -- files ------------------------------------------------------------------

    def parts(self) -> Parts:
        parts = Parts()
        record = {
            "rules": [splits.to_json(rule) for rule in self.rules],
            "open_pairs": "".join(map(str, self.open_pairs.tolist())),
            "endings": list(self.endings),
            "features": dict(self.features),
        }
        parts.add("segmenter", record, self.model)
        if self.split_model is not None:
            parts.add("splits", {}, self.split_model)
        if self.lexicon is not None:
            parts.add_file(_LEXICON, {"words": self.lexicon.words})
        return parts

    @classmethod
    def load(cls, parts: SavedParts) -> Segmenter | None:
        """The segmenter of a model, if it has one."""
        if "segmenter" not in parts:
            return None
        record = parts.record("segmenter")
        segmenter = cls(
            parts.weights("segmenter"),
            parts.weights("splits") if "splits" in parts else None,
            [splits.from_json(rule) for rule in record["rules"]],
            np.array([int(pair) for pair in record["open_pairs"]], dtype=np.uint8),
            [int(ending) for ending in record["endings"]],
            {name: str(text) for name, text in record["features"].items() if name in _VALUES},
            KnownWords(parts.tensors(_LEXICON)["words"]) if _LEXICON in parts else None,
        )
        _ = segmenter.kernel  # which checks that all of it fits together
        return segmenter


class _Reader:
    """Takes characters from pieces of text, as many as are asked for."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = iter(pieces)
        self._piece, self._at = "", 0

    def take(self, count: int) -> str:
        """So many characters; fewer only at the end."""
        taken: list[str] = []
        while count > 0:
            if self._at == len(self._piece):
                try:
                    self._piece, self._at = next(self._pieces), 0
                except StopIteration:
                    break
            part = self._piece[self._at : self._at + count]
            self._at += len(part)
            count -= len(part)
            taken.append(part)
        return "".join(taken)


def _runnable(model: SparseWeights | PackedWeights) -> Any:
    return model.compile() if isinstance(model, PackedWeights) else model


def _as_given(
    text: str,
    places: IntArray,
    words: list[tuple[bytes, int, int]],
    written: Literal["NFC", "NFD"],
) -> list[tuple[bytes, int, int]]:
    """The words of a token of which it is known where its characters are in a text.

    Those that do not stand in it are written as the text is.
    """
    found, begin = [], int(places[0])
    for form, start, end in words:
        if start >= 0:
            first, last = int(places[start]), int(places[end])
            found.append((_field(text[first:last]), first - begin, last - begin))
        else:
            found.append((normalize(written, form.decode()).encode(), start, end))
    return found


def _field(form: str) -> bytes:
    """A form in UTF-8; what CoNLL-U cannot hold becomes U+FFFD."""
    return _UNWRITABLE.sub("\ufffd", form).encode("utf-8")
