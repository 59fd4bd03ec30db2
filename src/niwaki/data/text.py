"""Sentences from what users have: CoNLL-U, or one tokenised sentence a line."""

from __future__ import annotations

from collections.abc import Iterator

from niwaki.data.conllu import read_stream
from niwaki.data.files import Input, Source
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError

FORMATS = ("conllu", "tokens")


def read_sentences(source: Source, form: str | None = None) -> Iterator[Sentence]:
    """Yield the sentences of a file; trees in it need not be whole.

    Without a format, it is CoNLL-U if the first line that is not empty begins with
    `#` or with a number and a tab, else tokens: a sentence a line, words separated
    by spaces.
    """
    stream = Input(source)
    if form is None:
        form = "conllu" if _looks_like_conllu(stream) else "tokens"
    return read_stream(stream) if form == "conllu" else _read_tokens(stream)


def _looks_like_conllu(stream: Input) -> bool:
    start = stream.peek(1 << 12).removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    first = start.split(b"\n", 1)[0]
    columns = first.split(b"\t")
    return first.startswith(b"#") or (len(columns) > 1 and columns[0][:1].isdigit())


def _read_tokens(stream: Input) -> Iterator[Sentence]:
    with stream:
        for number, line in stream.lines():
            words = line.removeprefix("\ufeff").split()
            if not words:
                continue
            if "\0" in line:
                raise CorpusError(stream.name, number, "LINE", "a NUL byte", "remove it")
            made = Sentence.from_words(words, comments=[f"text = {' '.join(words)}"])
            yield Sentence(made.source, stream.name, number)
