"""What a parser is least certain of: sentences, arcs, labels and tags, by their probabilities."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.data.token import known_probabilities
from niwaki.draw import printable

# What may be in doubt, and under which name its probabilities are known.
KINDS = {"sentences": "arc", "arcs": "arc", "labels": "label", "tags": "tag"}
# Words on either side of a doubtful one that are shown.
_AROUND = 4
# Characters of a sentence that are shown.
_SHOWN = 60


@dataclass(frozen=True)
class Doubt:
    """One answer, and how probable it is. `word` counts from 1; 0 is the sentence as a whole.

    The probability of a sentence is the mean over its arcs, which is the share of them that can
    be expected to be right. (That of its tree would only tell long sentences from short ones.)
    """

    kind: str
    probability: float
    sentence: Sentence
    word: int = 0

    @property
    def place(self) -> str:
        """`# sent_id`, or file and line."""
        return self.sentence.id or f"{self.sentence.file}:{self.sentence.line}"

    @property
    def answer(self) -> str:
        """What is in doubt, in a few words."""
        sentence, at = self.sentence, self.word - 1
        if self.kind == "sentences":
            wrong = len(sentence) * (1 - self.probability)
            return f"{wrong:.1f} of {len(sentence)} arcs expected wrong"
        word = f"{self.word} {sentence.forms[at]}"
        if self.kind == "tags":
            return f"{word} is {sentence.upos[at]}"
        if self.kind == "labels":
            return f"{word} is {sentence.deprels[at]}"
        head = sentence.heads[at]
        return f"{word} <- " + (f"{head} {sentence.forms[head - 1]}" if head > 0 else "root")

    @property
    def context(self) -> str:
        """The sentence, or the words around the doubtful one, which stands in brackets."""
        if not self.word:
            text = self.sentence.text
            return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"
        forms, at = self.sentence.forms, self.word - 1
        before, after = forms[max(0, at - _AROUND) : at], forms[at + 1 : at + 1 + _AROUND]
        left = ["…"] if at > _AROUND else []
        right = ["…"] if at + 1 + _AROUND < len(forms) else []
        return " ".join([*left, *before, f"[{forms[at]}]", *after, *right])

    def to_json(self) -> dict[str, Any]:
        sentence, at = self.sentence, self.word - 1
        found: dict[str, Any] = {
            "probability": self.probability,
            "id": sentence.id,
            "file": sentence.file,
            "line": sentence.line,
            "text": sentence.text,
        }
        if self.word:
            found |= {
                "word": self.word,
                "form": sentence.forms[at],
                "upos": sentence.upos[at],
                "head": sentence.heads[at],
                "deprel": sentence.deprels[at],
            }
        return found


@dataclass(frozen=True)
class Doubts:
    """The least certain answers of each kind, least certain first, and among how many they are."""

    found: Mapping[str, Sequence[Doubt]]
    counts: Mapping[str, int]

    def __getitem__(self, kind: str) -> Sequence[Doubt]:
        return self.found[kind]

    def to_text(self) -> str:
        return "\n".join("".join(self._lines(kind)) for kind in self.found)

    def to_json(self) -> dict[str, Any]:
        return {
            kind: {"of": self.counts[kind], "doubts": [each.to_json() for each in found]}
            for kind, found in self.found.items()
        }

    def _lines(self, kind: str) -> Iterator[str]:
        found = self.found[kind]
        yield f"{kind}: {len(found):,} least certain of {self.counts[kind]:,}\n"
        rows = [[printable(x) for x in (each.place, each.answer, each.context)] for each in found]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for each, (place, answer, context) in zip(found, rows, strict=True):
            columns = f"{place.ljust(widths[0])}  {answer.ljust(widths[1])}  {context}"
            yield f"{each.probability:.4f}  {columns}".rstrip() + "\n"


def least_certain(
    sentences: Iterable[Sentence], first: int, kinds: Iterable[str] = tuple(KINDS)
) -> Doubts:
    """The `first` least certain answers of each kind; of equal ones those that stand earlier.

    Sentences are read as a stream. What has no probability is left out.
    """
    kept: dict[str, list[Doubt]] = {kind: [] for kind in kinds}
    counts = dict.fromkeys(kept, 0)
    fresh: dict[str, list[Doubt]] = {kind: [] for kind in kept}

    def sift(kind: str) -> None:
        both = [*kept[kind], *fresh[kind]]
        kept[kind] = heapq.nsmallest(first, both, key=lambda each: each.probability)
        fresh[kind] = []

    for sentence in sentences:
        known = known_probabilities(sentence)
        for kind in kept:
            made = list(_doubts(kind, sentence, known.get(KINDS[kind], [])))
            counts[kind] += len(made)
            fresh[kind] += made
            # Seldom, so that sifting costs little, and soon, so that memory stays small.
            if len(fresh[kind]) > 4 * first + 1000:
                sift(kind)
    for kind in kept:
        sift(kind)
    return Doubts(kept, counts)


def _doubts(
    kind: str, sentence: Sentence, probabilities: Sequence[float | None]
) -> Iterator[Doubt]:
    known = [(word, p) for word, p in enumerate(probabilities, start=1) if p is not None]
    if kind != "sentences":
        yield from (Doubt(kind, p, sentence, word) for word, p in known)
    elif known:
        yield Doubt(kind, sum(p for _, p in known) / len(known), sentence)
