"""Sentences and which of their words people kept when they made them shorter.

    {"doc": "garden", "tokens": ["Mori", "slowly", "rakes", "gravel", "."], "keep": ["10111"]}

JSON Lines, a sentence each: `keep` has a 1 or 0 a word, one string for each person; a new `doc`
begins a document. In CoNLL-U, `Keep=0` in MISC marks a word that is dropped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from niwaki.data.documents import NEW
from niwaki.data.files import Input, Source
from niwaki.data.jsonlines import objects
from niwaki.data.sentence import Sentence
from niwaki.data.text import TextSegmenter, opened, read_sentences
from niwaki.errors import CorpusError, shown

# Which words are kept.
Kept = tuple[bool, ...]

_KEEP = "Keep"


@dataclass(frozen=True)
class Compression:
    """A sentence and what each of several people kept of it."""

    sentence: Sentence
    references: tuple[Kept, ...] = ()


def read_compressions(
    source: Source, segmenter: TextSegmenter | None = None
) -> Iterator[Compression]:
    """Yield the sentences of JSON Lines, or of whatever `niwaki parse` reads, with what is kept.

    Sentences of CoNLL-U have one reference, `Keep=0` where words are dropped.
    """
    stream = opened(source)
    if ".jsonl" in PurePath(stream.name).suffixes or stream.peek(1 << 12).lstrip()[:1] == b"{":
        yield from _of_json(stream)
        return
    for sentence in read_sentences(stream, segmenter=segmenter):
        yield Compression(sentence, (kept_of(sentence),))


def _of_json(stream: Input) -> Iterator[Compression]:
    with stream:
        before: Any = None
        for number, record in objects(stream):
            name = record.get("doc", "")
            comments = [f"{NEW} id = {name}"] if before is None or name != before else []
            before = name
            yield _compression(stream.name, number, record, comments)


def _compression(
    file: str, number: int, record: dict[str, Any], comments: list[str]
) -> Compression:
    words = record.get("tokens")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        found = f"found {shown(json.dumps(words))}"
        raise CorpusError(file, number, "tokens", found, "give a list of words")
    try:
        made = Sentence.from_words(words, comments=comments)
    except ValueError as error:
        advice = "give words as CoNLL-U has them"
        raise CorpusError(file, number, "tokens", str(error), advice) from error
    given = record.get("keep", [])
    if not isinstance(given, list) or not all(_is_choice(text, len(words)) for text in given):
        raise CorpusError(
            file,
            number,
            "keep",
            f"found {shown(json.dumps(given))}",
            f"give a list of strings of {len(words)} 0s and 1s, not all 0",
        )
    references = tuple(tuple(mark == "1" for mark in text) for text in given)
    return Compression(Sentence(made.source, file, number), references)


def _is_choice(text: Any, size: int) -> bool:
    return isinstance(text, str) and len(text) == size and set(text) <= set("01") and "1" in text


# -- CoNLL-U -------------------------------------------------------------------------------


def kept_of(sentence: Sentence) -> Kept:
    """The words that are not marked as dropped; raises CorpusError for another mark."""
    kept = []
    for word, notes in enumerate(sentence.notes, start=1):
        mark = notes.get(_KEEP, "1")
        if mark not in ("0", "1"):
            raise CorpusError(
                sentence.file,
                sentence.line,
                "MISC",
                f"{_KEEP}={shown(mark)} of word {word}",
                "give 0 if the word is dropped",
            )
        kept.append(mark == "1")
    return tuple(kept)


def marked(sentence: Sentence, kept: Sequence[bool]) -> Sentence:
    """The sentence with `Keep=0` at the words that are dropped, and at no other."""
    notes = []
    for misc, keep in zip(sentence.misc, kept, strict=True):
        rest = [x for x in misc.split("|") if x != "_" and x.partition("=")[0] != _KEEP]
        notes.append("|".join(rest if keep else [*rest, f"{_KEEP}=0"]) or "_")
    return sentence.replace(misc=notes)


def shortened(sentence: Sentence, kept: Sequence[bool]) -> Sentence:
    """A sentence of the words that are kept, without a tree."""
    words = [number for number, keep in enumerate(kept) if keep]
    columns = {name: [getattr(sentence, name)[w] for w in words] for name in ("upos", "xpos")}
    text = shortened_text(sentence, kept)
    made = Sentence.from_words(
        [sentence.forms[w] for w in words], comments=[f"text = {text}"], **columns
    )
    return Sentence(made.source, sentence.file, sentence.line)


def shortened_text(sentence: Sentence, kept: Sequence[bool]) -> str:
    """The text of the words that are kept.

    Two of them stand together if they did so before, or if one of them is a mark that had no space
    on that side: a full stop goes to the last word that is left, a bracket to the first.
    """
    glued = _glued(sentence)
    words = [number for number, keep in enumerate(kept) if keep]
    text = ""
    for place, word in enumerate(words):
        before = words[place - 1] if place else None
        if before is not None and not _stand_together(sentence.forms, glued, before, word):
            text += " "
        text += sentence.forms[word]
    return text


def _stand_together(forms: Sequence[str], glued: Sequence[bool], one: int, other: int) -> bool:
    if one == other - 1:
        return glued[one]
    return (glued[other - 1] and _is_mark(forms[other])) or (glued[one] and _is_mark(forms[one]))


def _is_mark(form: str) -> bool:
    return not any(letter.isalnum() for letter in form)


def _glued(sentence: Sentence) -> list[bool]:
    """Whether no space stands behind each word."""
    glued = [notes.get("SpaceAfter") == "No" for notes in sentence.notes]
    for token in sentence.ranges:
        glued[token.first - 1 : token.last - 1] = [True] * (token.last - token.first)
        glued[token.last - 1] = "SpaceAfter=No" in token.misc.split("|")
    return glued
