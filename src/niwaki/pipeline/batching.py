"""Sentences in batches: large enough that Python does not count, small enough to stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from niwaki.data.sentence import Sentence
from niwaki.pipeline.lengths import LengthLimit

_SENTENCES = 256
# A word has about 60 bytes; asking for the length of a sentence would cut its columns.
_BYTES = 60 * 4096


def in_batches(sentences: Iterable[Sentence], limit: LengthLimit) -> Iterator[list[Sentence]]:
    """A sentence that is too long is a batch of its own."""
    batch: list[Sentence] = []
    size = 0
    for sentence in sentences:
        if limit.is_exceeded_by(sentence):
            if batch:
                yield batch
            yield [sentence]
            batch, size = [], 0
            continue
        batch.append(sentence)
        size += len(sentence.source)
        if len(batch) == _SENTENCES or size >= _BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
