"""Raw text to sentences: every character that is no space is in a token, in order."""

from __future__ import annotations

import io
import re
from functools import cache

from niwaki.data.conllu import validate
from niwaki.data.text import read_sentences
from niwaki.errors import CorpusError
from niwaki.learning.corpus import Corpus
from niwaki.segmenting.segmenter import Segmenter
from niwaki.segmenting.trainer import train_segmenter
from niwaki.training.config import SegmenterConfig
from tests.garden import treebank

_RANGE = re.compile(r"TokenRange=(\d+):(\d+)")


@cache
def trained() -> Segmenter:
    corpus = Corpus(("garden",), tuple(treebank()))
    return train_segmenter(corpus, SegmenterConfig(epochs=9, min_updates=1), 1, lambda count: None)


def check(data: bytes) -> None:
    by_lines = bool(data[:1]) and data[0] % 2 == 1
    # What is not UTF-8 becomes lone surrogates.
    text = data[1:].decode("utf-8", "surrogateescape")
    sentences = list(trained().segment(text, by_lines=by_lines))
    if sentences:
        source = b"".join(sentence.source for sentence in sentences)
        assert validate(io.BytesIO(source), unknown_heads=True) == []
    at = 0
    for sentence in sentences:
        misc = [*sentence.misc, *(token.misc for token in sentence.ranges)]
        for start, end in sorted((int(a), int(b)) for m in misc for a, b in _RANGE.findall(m)):
            assert 0 <= start < end <= len(text)
            assert not text[at:start].strip(), "nothing but spaces between tokens"
            at = max(at, end)
    assert not text[at:].strip()
    cut = len(text) // 2
    pieces = list(trained().segment([text[:cut], "", text[cut:]], by_lines=by_lines))
    assert [s.source for s in pieces] == [s.source for s in sentences]
    _as_bytes(data[1:])


def _as_bytes(data: bytes) -> None:
    told: list[CorpusError] = []
    try:
        for form in (None, "text", "lines"):
            list(read_sentences(io.BytesIO(data), form, trained(), on_fault=told.append))
    except CorpusError:
        pass
