"""Sentences from what users have: CoNLL-U, tokenised sentences, sentences or raw text."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath
from typing import Protocol

from niwaki.data.conllu import read_stream
from niwaki.data.files import Input, Source
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError, shown

FORMATS = ("text", "lines", "tokens", "conllu")
# Files of objects, whose texts are parsed and not their braces.
_RECORDS = {".jsonl", ".ndjson"}


class TextSegmenter(Protocol):
    """What finds sentences and words in raw text; a model may have one."""

    def segment(
        self, text: str | Iterable[str], *, by_lines: bool = False, file: str = ""
    ) -> Iterator[Sentence]: ...


def read_sentences(
    source: Source | Input,
    form: str | None = None,
    segmenter: TextSegmenter | None = None,
    *,
    on_fault: Callable[[CorpusError], None] | None = None,
) -> Iterator[Sentence]:
    """Yield the sentences of a file; trees in it need not be whole.

    The formats are `text`, which is split into sentences and words; `lines`, a sentence
    a line, which is split into words; `tokens`, a sentence a line with its words
    separated by spaces; and `conllu`. Without a format, it is CoNLL-U if the first line
    that is neither empty nor begins with `#` begins with a number and a tab, else text
    if there is a segmenter, else tokens; JSON Lines, by their name, are refused.

    The first fault raises CorpusError. With `on_fault`, that is told of each one and
    reading goes on: a sentence of CoNLL-U is left out; in text, bytes that are not
    UTF-8 become U+FFFD.
    """
    stream = source if isinstance(source, Input) else opened(source)
    if form is None:
        if not _RECORDS.isdisjoint(PurePath(stream.name).suffixes):
            stream.close()
            raise NiwakiError(
                f"{stream.name}: JSON Lines are not text; give text or CoNLL-U, or --shards where "
                "a command has it, which reads their texts"
            )
        other = "tokens" if segmenter is None else "text"
        form = "conllu" if looks_like_conllu(stream) else other
    if form == "conllu":
        return read_stream(stream, on_fault)
    if form == "tokens":
        return _read_tokens(stream, on_fault)
    if segmenter is None:
        raise NiwakiError(
            "this model has no segmenter; give words separated by spaces (--from tokens), "
            "or train it on data with `# text` or SpaceAfter"
        )
    return segmenter.segment(_decoded(stream, on_fault), by_lines=form == "lines", file=stream.name)


def opened(source: Source) -> Input:
    """A file of sentences; the name of one that is not there may be meant as a text."""
    try:
        return Input(source)
    except FileNotFoundError as error:
        if not isinstance(source, str) or " " not in source:
            raise
        raise NiwakiError(
            f"no file {shown(source)}; a text comes from a file or standard input, "
            "in Python as niwaki.load()(text), or where one file is taken, as [text]"
        ) from error


def looks_like_conllu(stream: Input) -> bool:
    start = stream.peek(1 << 12).removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    for line in start.split(b"\n"):
        if not line.startswith(b"#"):
            columns = line.split(b"\t")
            return len(columns) > 1 and columns[0][:1].isdigit()
    return True


def _decoded(stream: Input, on_fault: Callable[[CorpusError], None] | None) -> Iterator[str]:
    """The text of a file in pieces; a byte order mark is not part of it."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line = 1
    with stream:
        while True:
            data = stream.read(1 << 16)
            state = decoder.getstate()
            try:
                yield decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                fault = _not_utf8(stream, line + error.object.count(b"\n", 0, error.start))
                if on_fault is None:
                    raise fault from error
                on_fault(fault)
                decoder.setstate(state)
                decoder.errors = "replace"
                yield decoder.decode(data, final=not data)
                decoder.errors = "strict"
            line += data.count(b"\n")
            if not data:
                return


def _not_utf8(stream: Input, line: int) -> CorpusError:
    return CorpusError(stream.name, line, "LINE", "invalid UTF-8", "convert the file to UTF-8")


def _read_tokens(
    stream: Input, on_fault: Callable[[CorpusError], None] | None
) -> Iterator[Sentence]:
    with stream:
        count = 0
        for number, line in stream.lines(on_fault):
            # What CoNLL-U cannot hold becomes U+FFFD, as in text.
            words = line.removeprefix("\ufeff").replace("\0", "\ufffd").split()
            if not words:
                continue
            count += 1
            comments = [f"sent_id = {count}", f"text = {' '.join(words)}"]
            made = Sentence.from_words(words, comments=comments)
            yield Sentence(made.source, stream.name, number)
