"""Training data: read, checked for what training needs, and counted."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.links import link_sentences
from niwaki.data.sentence import Sentence
from niwaki.data.tree import ROOT, UNKNOWN
from niwaki.errors import CorpusError
from niwaki.kernel.batch import Batch


@dataclass(frozen=True)
class Corpus:
    """Sentences of one or more files, with a hash that identifies them.

    `constraints` hold what is known of those trees that are not whole.
    """

    files: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    constraints: Mapping[int, Constraints] = field(default_factory=dict)

    @cached_property
    def batch(self) -> Batch:
        return Batch([sentence.source for sentence in self.sentences])

    @cached_property
    def sha256(self) -> str:
        digest = hashlib.sha256()
        for sentence in self.sentences:
            digest.update(sentence.source)
        return digest.hexdigest()

    @property
    def words(self) -> int:
        return int(self.batch.words)

    def part(self, numbers: NDArray[np.int64]) -> Corpus:
        return Corpus(self.files, tuple(self.sentences[number] for number in numbers))

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the words of each sentence begin in the arrays of the batch."""
        lengths = self.batch.lengths
        return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])

    @cached_property
    def is_tagged(self) -> bool:
        return any(tag != "_" for sentence in self.sentences for tag in sentence.upos)


def read_treebank(
    files: Sequence[str],
    partial: Collection[str] = (),
    links: Mapping[str, str] | None = None,
    on_bad_links: Callable[[CorpusError], None] | None = None,
) -> Corpus:
    """Sentences with whole trees, or partly known ones in the files `partial`.

    Refuses others, with sentence and line; so too partial trees that no tree completes. For
    files that have one of links, those are read with them; see `link_sentences`.
    """
    links = links or {}
    sentences: list[Sentence] = []
    constraints: dict[int, Constraints] = {}
    for file in files:
        may_be_partial = file in partial
        read: Iterable[Sentence] = read_conllu(file, multi_root=True, unknown_heads=may_be_partial)
        if file in links:
            read = link_sentences(read, links[file], on_bad_links)
        for sentence in read:
            if may_be_partial and (UNKNOWN in sentence.heads or "_" in sentence.deprels):
                known = Constraints.of(sentence)
                known.check(sentence)
                constraints[len(sentences)] = known
            elif sentence.heads.count(ROOT) != 1:
                raise CorpusError(
                    sentence.file,
                    sentence.line,
                    "SENTENCE",
                    f"{sentence.heads.count(ROOT)} roots{_called(sentence)}",
                    "a parser learns trees with one root; correct or remove the sentence",
                )
            sentences.append(sentence)
    return Corpus(tuple(files), tuple(sentences), constraints)


def _called(sentence: Sentence) -> str:
    return f" in sentence {sentence.id!r}" if sentence.id else ""
