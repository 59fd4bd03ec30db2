"""Examples for costs from outside: CoNLL-U sentences, or JSON Lines with anything in them.

A line of JSON has `tokens`, or the `text` of one sentence, or for an example of several sentences
`sentences`, a list of lists of words; perhaps `id`, and whatever else the cost needs to know.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.files import Input
from niwaki.data.jsonlines import objects
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.data.text import TextSegmenter
from niwaki.errors import ConfigError, CorpusError, shown


@dataclass(frozen=True)
class Example:
    """Sentences and what the data says about them: a record, or a sentence as it was read."""

    id: str
    sentences: tuple[Sentence, ...]
    content: Any
    is_group: bool = False


def read_examples(files: Sequence[str], segmenter: TextSegmenter | None = None) -> list[Example]:
    """The examples of files; the segmenter splits those that are texts into words."""
    found = [example for file in files for example in _read(file, segmenter)]
    if len({example.is_group for example in found}) > 1:
        raise ConfigError(
            f"{', '.join(files)}: some examples have `tokens` and some `sentences`; "
            "give one of the two to all"
        )
    return found


def _read(file: str, segmenter: TextSegmenter | None) -> Iterator[Example]:
    if not file.endswith((".jsonl", ".jsonl.gz")):
        for sentence in read_conllu(file, unknown_heads=True, multi_root=True):
            yield Example(sentence.id or f"{file}:{sentence.line}", (sentence,), sentence)
        return
    with Input(file) as stream:
        for number, record in objects(stream):
            yield _example(file, number, record, segmenter)


def _example(
    file: str, number: int, record: dict[str, Any], segmenter: TextSegmenter | None
) -> Example:
    name = str(record.get("id", number))
    if "text" in record and "tokens" not in record and "sentences" not in record:
        return Example(name, (_split(file, number, record["text"], segmenter),), record)
    if "sentences" not in record:
        return Example(name, (_sentence(file, number, "tokens", record.get("tokens")),), record)
    lists = record["sentences"]
    if not isinstance(lists, list) or not lists:
        raise CorpusError(
            file,
            number,
            "sentences",
            f"found {shown(json.dumps(lists))}",
            "give a list of lists of words",
        )
    found = tuple(_sentence(file, number, "sentences", tokens) for tokens in lists)
    return Example(name, found, record, is_group=True)


def _split(file: str, number: int, text: Any, segmenter: TextSegmenter | None) -> Sentence:
    """A text as one sentence, whatever its line ends."""
    if not isinstance(text, str) or not text.strip():
        raise CorpusError(file, number, "text", f"found {shown(json.dumps(text))}", "give a text")
    if segmenter is None:
        raise CorpusError(
            *(file, number, "text", "there is no model yet that could split it"),
            "give `tokens`, or train a model on that has a segmenter (--init)",
        )
    # As a line it is one sentence, and is only split into words.
    (found,) = segmenter.segment(" ".join(text.split()), by_lines=True, file=file)
    return found


def _sentence(file: str, number: int, key: str, tokens: Any) -> Sentence:
    if not isinstance(tokens, list) or not tokens or not all(isinstance(t, str) for t in tokens):
        raise CorpusError(
            file, number, key, f"found {shown(json.dumps(tokens))}", "give a list of words"
        )
    try:
        return Sentence.from_words(tokens)
    except ValueError as error:
        raise CorpusError(
            file, number, key, str(error), "give words as CoNLL-U has them"
        ) from error


class Examples:
    """What objectives share that see candidates one example at a time, as Python values."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = list(examples)
        self.ids = tuple(example.id for example in self.examples)
        self.sentences = tuple(s for example in self.examples for s in example.sentences)
        self._tagged: Sequence[Sentence] = ()

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        self._tagged = tagged

    def tagged(self, candidates: KBest) -> KBest:
        """The candidates with their sentence, as it is tagged."""
        return candidates.of(self._tagged[candidates.number])


class SentenceExamples(Examples):
    """Examples of one sentence each."""

    def constraints(self, number: int) -> Constraints | None:
        return None


class GroupExamples(Examples):
    """Examples of several sentences."""

    def __init__(self, examples: Sequence[Example]) -> None:
        super().__init__(examples)
        ends = itertools.accumulate(len(example.sentences) for example in self.examples)
        starts = itertools.pairwise([0, *ends])
        self.groups = [range(start, stop) for start, stop in starts]
