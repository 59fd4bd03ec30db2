"""The raw text behind sentences: what stood there before it was cut into tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from niwaki.data.sentence import Sentence, parse_pairs


class SurfaceToken(NamedTuple):
    """A token as it is written: the words `first` to `last` (from 1), one unless it is a range."""

    form: str
    first: int
    last: int
    space_after: bool


class Span(NamedTuple):
    """Where a token stands in its sentence's text."""

    start: int
    end: int
    token: SurfaceToken


def surface_tokens(sentence: Sentence) -> list[SurfaceToken]:
    ranges = {token.first: token for token in sentence.ranges}
    tokens = []
    word = 1
    while word <= len(sentence):
        token = ranges.get(word)
        if token is None:
            form, misc, last = sentence.forms[word - 1], sentence.misc[word - 1], word
        else:
            form, misc, last = token.form, token.misc, token.last
        tokens.append(SurfaceToken(form, word, last, parse_pairs(misc).get("SpaceAfter") != "No"))
        word = last + 1
    return tokens


def token_spans(sentence: Sentence) -> tuple[str, list[Span]]:
    """The text of a sentence and its tokens in it.

    The text is `# text` if the tokens are found there one after the other with
    nothing but white space between them; else it is put together by SpaceAfter.
    """
    tokens = surface_tokens(sentence)
    given = sentence.metadata.get("text")
    if given is not None:
        spans = _find(given, tokens)
        if spans is not None:
            return given, spans
    text, spans = "", []
    for token in tokens:
        spans.append(Span(len(text), len(text) + len(token.form), token))
        text += token.form + (" " if token.space_after else "")
    return text.rstrip(" "), spans


def _find(text: str, tokens: list[SurfaceToken]) -> list[Span] | None:
    at = 0
    spans = []
    for token in tokens:
        while at < len(text) and text[at].isspace() and not text.startswith(token.form, at):
            at += 1
        if not text.startswith(token.form, at):
            return None
        spans.append(Span(at, at + len(token.form), token))
        at += len(token.form)
    return spans if not text[at:].strip() else None


def begins_paragraph(sentence: Sentence) -> bool:
    """Whether `# newpar` or `# newdoc` stands before it, with or without an id."""
    return any(key.split(" ")[0] in ("newpar", "newdoc") for key in sentence.metadata)


def paragraphs(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Sentences by paragraphs and documents; all in one if no comment says where they begin."""
    current: list[Sentence] = []
    for sentence in sentences:
        if current and begins_paragraph(sentence):
            yield current
            current = []
        current.append(sentence)
    if current:
        yield current


def raw_text(sentences: Iterable[Sentence]) -> Iterator[str]:
    """The text in pieces: sentences as SpaceAfter joins them, a blank line between paragraphs."""
    for number, paragraph in enumerate(paragraphs(sentences)):
        if number:
            yield "\n\n"
        for place, sentence in enumerate(paragraph):
            text, spans = token_spans(sentence)
            yield text
            if place + 1 < len(paragraph) and spans[-1].token.space_after:
                yield " "
    yield "\n"
