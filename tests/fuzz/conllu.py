"""Reading, checking, changing and writing CoNLL-U."""

from __future__ import annotations

import io

from niwaki.data.conllu import read_conllu, validate, write_conllu
from niwaki.data.files import Input
from niwaki.data.sentence import Sentence
from niwaki.data.text import read_sentences
from niwaki.errors import CorpusError, NiwakiError


def check(data: bytes) -> None:
    faults: list[CorpusError] | None
    try:
        faults = validate(io.BytesIO(data), multi_root=True, unknown_heads=True)
    except CorpusError:
        faults = None  # the file as a whole cannot be read: a damaged gzip
    try:
        sentences = list(read_conllu(io.BytesIO(data), multi_root=True))
    except CorpusError:
        assert faults != [], "what cannot be read has a fault"
        _go_on(data)
        return
    assert faults is not None, "what is read can be checked"
    assert all("alike" in fault.advice for fault in faults), "what is read is sound"
    out = io.BytesIO()
    write_conllu(sentences, out)
    plain = Input(io.BytesIO(data))
    whole = b"".join(iter(lambda: plain.read(1 << 16), b""))
    assert out.getvalue() == whole
    for sentence in sentences:
        _use(sentence)


def _use(sentence: Sentence) -> None:
    assert len(sentence) == len(sentence.heads) == len(sentence.misc) > 0
    for name in ("ids", "features", "notes", "ranges", "empty_nodes", "metadata", "text", "id"):
        getattr(sentence, name)
    assert sentence.replace(upos=sentence.upos, heads=sentence.heads).forms == sentence.forms
    again = Sentence.from_conllu(sentence.source.removeprefix(b"\xef\xbb\xbf"))
    assert again.forms == sentence.forms
    try:
        tree = sentence.tree
        _ = tree.is_complete and tree.is_projective
    except NiwakiError:
        pass


def _go_on(data: bytes) -> None:
    """A reader that goes on after faults tells of at least one, and what it gives is sound."""
    told: list[CorpusError] = []
    try:
        for form in ("conllu", "tokens"):
            for sentence in read_sentences(io.BytesIO(data), form, on_fault=told.append):
                _use(sentence)
    except CorpusError:
        return
    assert told
