"""Examples for costs from outside: CoNLL-U sentences, or JSON Lines with anything in them.

A line of JSON has `tokens`, perhaps `id`, and whatever else the cost needs to know.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.files import Input
from niwaki.data.jsonlines import objects
from niwaki.data.kbest import CandidateArrays, Candidates
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import CorpusError, shown


@dataclass(frozen=True)
class Example:
    """A sentence and what the data says about it: a record, or the sentence as it was read."""

    id: str
    sentence: Sentence
    content: Any


def read_examples(files: Sequence[str]) -> list[Example]:
    return [example for file in files for example in _read(file)]


def _read(file: str) -> Iterator[Example]:
    if not file.endswith((".jsonl", ".jsonl.gz")):
        for sentence in read_conllu(file, unknown_heads=True, multi_root=True):
            yield Example(sentence.id or f"{file}:{sentence.line}", sentence, sentence)
        return
    with Input(file) as stream:
        for number, record in objects(stream):
            yield _example(file, number, record)


def _example(file: str, number: int, record: dict[str, Any]) -> Example:
    tokens = record.get("tokens")
    if not isinstance(tokens, list) or not tokens or not all(isinstance(t, str) for t in tokens):
        raise CorpusError(
            file, number, "tokens", f"found {shown(json.dumps(tokens))}", "give a list of words"
        )
    return Example(str(record.get("id", number)), Sentence.from_words(tokens), record)


class Examples:
    """What objectives share that see candidates one example at a time, as Python values."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self.examples = list(examples)
        self.ids = tuple(example.id for example in self.examples)
        self.sentences = tuple(example.sentence for example in self.examples)
        self._tagged: Sequence[Sentence] = ()
        self._labels: Sequence[str] = ()

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        self._tagged, self._labels = tagged, labels

    def constraints(self, number: int) -> Constraints | None:
        return None

    def as_candidates(self, arrays: CandidateArrays) -> Candidates:
        trees = tuple(
            Tree(tuple(heads), tuple([self._labels[label] for label in labels]))
            for heads, labels in zip(arrays.heads.tolist(), arrays.labels.tolist(), strict=True)
        )
        leads = arrays.scores.astype(np.float64) - float(arrays.scores.max())
        weights = np.exp(leads)
        return Candidates(
            self._tagged[arrays.number],
            trees,
            tuple(arrays.scores.tolist()),
            tuple((weights / weights.sum()).tolist()),
        )
