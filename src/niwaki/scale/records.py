"""Records of texts and sentences, as JSON Lines and Parquet hold them, and sentences of them.

A record has `tokens` (or `forms`), the words of one sentence, and may have a list for each other
column of them: `lemmas`, `upos`, `xpos`, `feats`, `heads`, `deprels`, `starts` and `ends`. Or it
has a `text`, which is split into sentences and words. `doc_id` (or `id`) says of which document
it is, `sentence_id` which sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from niwaki.data.sentence import Sentence, parse_pairs
from niwaki.data.token import Place

Record = dict[str, Any]
# The sentences of a text; the name is put before their numbers.
ReadText = Callable[[str, str], Iterable[Sentence]]

TEXTS = ("lemmas", "upos", "xpos", "feats", "deprels")
# Of the output, in order: of the sentence, and lists with a value a word.
OF_SENTENCE = ("doc_id", "sentence_id", "text")
OF_WORDS = ("tokens", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "starts", "ends")
_NEW_DOCUMENT = "newdoc id"


def fault_of(line: bytes) -> str:
    """What is wrong with a line of JSON Lines; nothing if nothing is."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"not JSON ({error}); write one object a line"
    if not isinstance(record, dict):
        return "no object; write one object a line"
    words = _words(record)
    if words is None:
        if isinstance(record.get("text"), str):
            return ""
        return "neither a text nor tokens; give one of them"
    try:
        list(sentences_of(record, _no_text))
    except (ValueError, TypeError) as error:
        return f"no sentence ({error})"
    return ""


def sentences_of(record: Record, read_text: ReadText) -> Iterator[Sentence]:
    """The sentence of a record, or those of its text; none has a comment about its document."""
    words = _words(record)
    if words is None:
        yield from read_text(record["text"], document_of(record))
        return
    if not all(isinstance(word, str) and word.split() == [word] for word in words):
        raise ValueError("tokens are strings without white space")
    columns: dict[str, list[Any]] = {
        name: [value or "_" for value in record[name]] for name in TEXTS if record.get(name)
    }
    if record.get("heads"):
        columns["heads"] = list(record["heads"])
    if record.get("starts") and record.get("ends"):
        columns["misc"] = [
            "_" if start is None or end is None else f"TokenRange={start}:{end}"
            for start, end in zip(record["starts"], record["ends"], strict=True)
        ]
    identity = record.get("sentence_id", record.get("id"))
    comments = [] if identity is None else [f"sent_id = {_line(identity)}"]
    comments.append(f"text = {_line(record.get('text') or ' '.join(words))}")
    yield Sentence.from_words(words, comments=comments, **columns)


def document_of(record: Record) -> str:
    found = record.get("doc_id", None if _words(record) else record.get("id"))
    return "" if found is None else _line(found)


def conllu_of(records: Iterable[Record], read_text: ReadText) -> Iterator[bytes]:
    """The sentences of records as CoNLL-U; a comment says where a document begins."""
    document = ""
    for record in records:
        begins = document_of(record)
        for sentence in sentences_of(record, read_text):
            if begins and begins != document:
                document = begins
                rest = (each for each in sentence.comments if each != "newdoc")
                sentence = sentence.with_comments([f"{_NEW_DOCUMENT} = {begins}", *rest])
            yield sentence.source


def records_of(sentences: Iterable[Sentence]) -> Iterator[Record]:
    """A record for each sentence, with all names of OF_SENTENCE and OF_WORDS."""
    document = None
    for sentence in sentences:
        document = sentence.metadata.get(_NEW_DOCUMENT, document)
        places = [
            place if place is not None else found
            for place, found in zip(map(_token_range, sentence.misc), sentence.places, strict=True)
        ]
        yield {
            "doc_id": document,
            "sentence_id": sentence.id or None,
            "text": sentence.text,
            "tokens": sentence.forms,
            "lemmas": sentence.lemmas,
            "upos": sentence.upos,
            "xpos": sentence.xpos,
            "feats": sentence.feats,
            "heads": sentence.heads,
            "deprels": sentence.deprels,
            "starts": [None if place is None else place[0] for place in places],
            "ends": [None if place is None else place[1] for place in places],
        }


def _token_range(misc: str) -> Place:
    """Where a word stands in its document, if it says so."""
    start, _, end = parse_pairs(misc).get("TokenRange", "").partition(":")
    return (int(start), int(end)) if start.isdecimal() and end.isdecimal() else None


def _words(record: Record) -> Sequence[Any] | None:
    words = record.get("tokens", record.get("forms"))
    return words if isinstance(words, list | tuple) and words else None


def _line(value: object) -> str:
    """In one line, as a comment must be."""
    return " ".join(str(value).replace("\0", "\ufffd").split())


def _no_text(text: str, name: str) -> Iterable[Sentence]:
    raise ValueError("a text")
