"""Documents: sentences cut where `# newdoc` stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from niwaki.data.sentence import Sentence

NEW = "newdoc"


def begins_document(sentence: Sentence) -> bool:
    return any(key.split()[:1] == [NEW] for key in sentence.metadata)


def cut_at_documents(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """The sentences of one document after the other."""
    block: list[Sentence] = []
    for sentence in sentences:
        if block and begins_document(sentence):
            yield block
            block = []
        block.append(sentence)
    if block:
        yield block
