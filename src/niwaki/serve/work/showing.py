"""Sentences as CoNLL-U for the API; as JSON they are what `Sentence.to_dict` says everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from niwaki.data.sentence import Sentence


def as_conllu(sentences: Sequence[Sentence]) -> bytes:
    """CoNLL-U of whole sentences, each with its blank line."""
    return b"".join(each.source.rstrip(b"\r\n") + b"\n\n" for each in sentences)
